"""The report on a release, for deciders and outsiders: promise, errors, areas, checks."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from mechdesign.documents.files import FilePath
from mechdesign.problem.privacy import loss_text, rounded_up
from mechdesign.rational import number_text
from mechdesign.releases.checking import read_record
from mechdesign.releases.estimates.by_group import GroupEstimates, estimate_groups
from mechdesign.releases.estimates.estimate import RegionEstimate, estimate_release
from mechdesign.releases.record import ReleaseRecord, sizes_in_short
from mechdesign.releases.statement import NamedErrors, statement, typical_errors

USUAL_CONFIDENCE = Fraction(19, 20)


@dataclass(frozen=True)
class ReleaseReport:
    """The record of a release, proved again, and its groups where the output is given.

    Attributes:
        record: of the release.
        name: of its file.
        output: the name of the file of released counts; None where it was not given.
        groups: the released count of each group, with its intervals.
        regions: what is estimated of each region, where groups have regions.
    """

    record: ReleaseRecord
    name: str
    output: str | None = None
    groups: GroupEstimates | None = None
    regions: tuple[RegionEstimate, ...] = ()

    @property
    def title(self) -> str:
        """What was released."""
        columns = " and ".join(self.record.group_columns)
        by = f" by {columns}" if columns else ""
        return f"Released counts of {self.record.column}{by}"

    @property
    def asked(self) -> str:
        """One line on what was released, and when."""
        record = self.record
        return f"{record.groups:,} groups, {record.units:,} units in all, drawn on {record.date}"

    @property
    def confidence(self) -> Fraction:
        """The confidence of the intervals: that of the release, or 95 %."""
        return self.record.confidence or USUAL_CONFIDENCE

    @property
    def facts(self) -> list[tuple[str, str]]:
        """Names and texts of what a reader asks first."""
        record = self.record
        sizes = sizes_in_short(record.groups_by_size)
        named = f", named by {' and '.join(record.group_columns)}" if record.group_columns else ""
        return [
            ("counted", record.column),
            ("groups", f"{record.groups}{named}, sizes {sizes}"),
            ("protected", f"one {record.unit}; {record.units:,} units in all"),
            ("epsilon", f"{loss_text(record.alpha)} for each {record.unit} (alpha = {number_text(record.alpha)})"),
            ("drawn", f"{record.date} (UTC), by mechdesign {record.version}"),
            *([("noise", "seeded: a SIMULATION, which protects nobody")] if record.simulation else []),
        ]

    @property
    def promise(self) -> list[str]:
        """The promise in plain words, and what it is not."""
        record = self.record
        unit, alpha = record.unit, record.alpha
        if record.simulation:
            return ["This is a simulation: its noise can be computed again from a seed. It protects nobody."]
        first = (
            f"Each count was published with random noise, which limits what anybody learns from it about one {unit}."
        )
        sure = rounded_up(100 / (1 + alpha), 3)
        return [
            first,
            f"More exactly: whatever you knew before, the odds that you give to one {unit}'s answer change by at most "
            f"a factor of {rounded_up(1 / alpha, 3)}. If you held both answers for equally likely, you can be at most "
            f"{sure} % sure afterwards, even if you know the answers of all others.",
            f"The promise is about one {unit} in one group. If a {unit} stands in several groups, or the same data are "
            "released again, the factors multiply.",
            "Not protected, but published exactly: which groups there are, and the size of each."
            + (f" So are the values that were counted: {', '.join(record.values)}." if record.values else "")
            if record.group is not None
            else "Not protected, but published exactly: the rows and all columns beside the counts.",
        ]

    @cached_property
    def errors(self) -> list[NamedErrors]:
        """The errors of the smallest, the median and the largest groups, and of those of a law together."""
        return typical_errors(self.record)

    @property
    def error_words(self) -> list[str]:
        """How to read the errors."""
        chance = number_text(100 * self.confidence)
        where = "stands beside each count"
        if self.record.confidence is None:
            where = f"is found by mechdesign estimate {self.output or 'released.csv'} --record {self.name} --by-group"
        return [
            "The noise is the price of privacy. Its law is known exactly, and so are the errors to expect. The table "
            "is for the true counts for which they are the worst.",
            f"An interval (low to high) {where}. It holds the true count with a chance of at least {chance} %: on "
            f"average at most {number_text(100 * (1 - self.confidence))} of 100 intervals miss theirs. The wider one "
            "(low_all to high_all) holds the true counts of all groups at once with that chance.",
        ]

    @property
    def region_words(self) -> list[str]:
        """How to read what is estimated of the regions."""
        chance = number_text(100 * self.confidence)
        words = [
            "No count was released of a region. Its total is the sum of unbiased estimates, one for each group. The "
            "released counts themselves must not be added up: near 0, and near the size of a group, they are off to "
            "one side on average, and over many groups that adds up, too.",
            f"Low and high are {chance} % intervals, by the exact law of the noise in its normal approximation, "
            "which is rough for few groups. A region of one group has that group's exact interval.",
        ]
        if any(one.total is None for one in self.regions):
            words.append("Where there is no total, a group has no unbiased estimate, or none that was computed.")
        return words

    @property
    def checks(self) -> list[tuple[str, str]]:
        """Commands that check the release, and what each proves."""
        output = self.output or "released.csv"
        return [
            (
                f"mechdesign check {output} --record {self.name}",
                "To prove what the record claims, and that the counts are its own",
            ),
            (
                f"python -m mechdesign.verify {self.name} {output}",
                "The same by a second program of a few files, which shares no code with the first",
            ),
            (
                f"mechdesign check {output} --record {self.name} --input DATA.csv --key SECRET.key",
                "For the office alone: to prove that these data were released, and no group was left out",
            ),
        ]

    @property
    def belief(self) -> list[str]:
        """What no program can prove from outside."""
        return [
            "Both programs need no data and no secret. They prove that the mechanisms are private and as good as said, "
            "that the counts belong to them, and every interval.",
            "What you have to believe: that the counts were drawn with these mechanisms by good randomness, and once; "
            "and that the office counted its data rightly.",
        ]

    @property
    def statement(self) -> list[str]:
        """The privacy statement, a paragraph each."""
        return statement(self.record).splitlines()

    def entries(self) -> dict[str, Any]:
        """Return the report as an object of JSON."""
        return {
            "kind": "release",
            "title": self.title,
            "facts": [list(row) for row in self.facts],
            "promise": self.promise,
            "errors": [
                {
                    "n": one.size,
                    "group": one.name,
                    "sizes": one.words,
                    "distance": one.errors.distance,
                    "within": one.errors.within,
                    "root_mean_square": float(one.errors.root_mean_square),
                }
                for one in self.errors
            ],
            "checks": [list(row) for row in self.checks],
            "statement": self.statement,
        }


def report_release(record: FilePath, output: FilePath | None = None) -> ReleaseReport:
    """Report on a release; all that its record says is proved again first.

    Args:
        record: its file.
        output: the file of released counts, which must be the one that the record is of.

    Raises:
        InputError: for files that are unusable.
        RefusedError: naming the first thing that is false.
    """
    known = read_record(record)
    found = ReleaseReport(known, Path(record).name)
    if output is None:
        return found
    groups = estimate_groups(output, record, confidence=found.confidence)
    regions = (
        estimate_release(output, record, confidence=found.confidence).regions
        if known.region and not known.values
        else ()
    )
    return ReleaseReport(known, Path(record).name, Path(output).name, groups, regions)

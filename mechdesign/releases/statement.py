"""The privacy statement of a release, from its record alone.

Anybody can make it again.
"""

import textwrap
from dataclasses import dataclass
from fractions import Fraction

from mechdesign.counts.release import STATEMENT_WIDTH, privacy_sentences
from mechdesign.documents.stored import StoredDesign
from mechdesign.laws.problem import LawProblem
from mechdesign.problem.privacy import loss_text, rounded_up
from mechdesign.problem.properties import ordered
from mechdesign.rational import number_text
from mechdesign.releases.errors import TypicalErrors
from mechdesign.releases.record import FIRST_FORMAT, LawEntry, ReleaseRecord, sizes_text

ADDING_UP = (
    "The values were named before the count, and are public. The released counts of a group need not add up to its "
    "size. "
)


def statement(record: ReleaseRecord) -> str:
    """Write the statement, one paragraph a line."""
    sizes = list(record.groups_by_size)
    one_size = sizes[0] if len(sizes) == 1 else None
    paragraphs = [
        *_privacy(record, one_size),
        _what_is_published(record),
        _units(record),
        _mechanism(record) + _further_respects(record),
        *([] if record.format == FIRST_FORMAT else [errors_text(record), *_intervals(record)]),
        f"Drawn on {record.date} (UTC) by mechdesign {record.version}. SHA-256 of the output: {record.output_digest}; "
        f"of the digests of all designs: {record.designs_digest}. {_input(record)}",
    ]
    if record.simulation:
        paragraphs.append("Seeded: a SIMULATION. Whoever knows the seed can undo the noise; do not publish it.")
    return "".join(f"{paragraph}\n" for paragraph in paragraphs)


def wrapped(text: str) -> str:
    """Fill the paragraphs of a statement to the width of a page."""
    return "".join(textwrap.fill(line, STATEMENT_WIDTH) + "\n" for line in text.splitlines())


def _privacy(record: ReleaseRecord, one_size: int | None) -> list[str]:
    sentences = privacy_sentences(record.alpha, one_size, record.counts, record.unit)
    if record.values:
        sentences[:2] = [
            f"Privacy statement: {record.counts} counts were released, {len(record.values)} of each group. All of them "
            f"together spend epsilon = {loss_text(record.alpha)} (alpha = {number_text(record.alpha)}) for one "
            f"{record.unit}.",
            f"A neighbour is the same data with one {record.unit}'s {record.column} changed, which moves two counts of "
            "its group by 1 each. Each count was drawn with half of epsilon.",
        ]
    return sentences


def _what_is_published(record: ReleaseRecord) -> str:
    counted = f"The counts are of {record.column}"
    if record.group is not None:
        each = f"of its values ({', '.join(record.values)}) in each " if record.values else ""
        more = ADDING_UP if record.values else ""
        where = "" if record.region is None else f" in each {record.region}"
        return (
            f"{counted}, one for each {each}{record.group}{where}. {more}The names and the sizes of all groups are "
            "published exactly: which groups there are, and how many rows of the microdata each has, is not protected."
        )
    # version 2 listed released counts and intervals, too, where it had intervals: the wording of such records stays
    others = record.columns[: record.released_at] if record.is_of_all_kinds else record.columns[:-1]
    if not others:
        return f"{counted}. The number of groups and the order of their rows are published exactly."
    return (
        f"{counted}. The number of groups, the order of their rows and these columns are published exactly and are not "
        f"protected: {', '.join(others)}."
    )


def _units(record: ReleaseRecord) -> str:
    if record.group is None:
        return "Who is counted in which group was not checked: the groups are as the table of counts has them."
    if record.unit_column is None:
        return (
            f"One row of the microdata was taken for one {record.unit}. That no {record.unit} has several rows was not "
            "checked; one that has spends epsilon for each."
        )
    return (
        f"One row of the microdata is one {record.unit}: no name stands twice in the column {record.unit_column}, so "
        "each is in one group."
    )


def _mechanism(record: ReleaseRecord) -> str:
    documents = [entry.document for entry in record.sizes]
    law = record.law
    if law is None and documents[0] is None:
        return "Mechanism: a matrix of a file, of which nothing is stated but its privacy."
    problem = law.law.problem if law is not None else documents[0].problem if documents[0] is not None else None
    assert problem is not None
    properties = ", ".join(ordered(problem.properties))
    asked = f"with the properties {properties}" if properties else "with no properties"
    name = "uniform" if isinstance(problem, LawProblem) else problem.prior.name
    prior = "in the worst case" if problem.is_worst_case else f"expected under the prior {name}"
    designs = []
    if documents:
        sizes = sizes_text(entry.size for entry in record.sizes)
        own = f"for each size ({sizes}) a design of its own" if len(documents) > 1 else f"a design for n = {sizes}"
        designs.append(own)
    if law is not None:
        designs.append(f"{'' if documents else 'one law '}for n = {law_range(law)}{' one law' if documents else ''}")
    text = f"Mechanism: {', '.join(designs)}, {asked} and the least loss {problem.loss.name} {prior}, "
    text += _optimality(documents, law)
    return f"{text}; largest score {_largest_score(record)}." if record.format == FIRST_FORMAT else f"{text}."


def _further_respects(record: ReleaseRecord) -> str:
    """Say in which respects designs are the best of all that are as good."""
    staged = [entry for entry in record.sizes if entry.document is not None and entry.document.stages]
    if not staged:
        return ""
    designs = [entry.document for entry in staged if entry.document is not None]
    aims = ", then of ".join(stage.problem.aim for stage in designs[0].stages)
    sizes = sizes_text(entry.size for entry in staged)
    words = f" Of all that are as good at this alpha, for n = {sizes} one with the least {aims}"
    others = {"" if one.single is None else f"; {one.single.words}" for one in designs}
    return f"{words}{'' if '' in others else max(others, key=len)}."  # what is said of all is the weakest


def law_range(law: LawEntry) -> str:
    """Write the sizes of a law, `11 to 269`."""
    return " to ".join(map(str, law.ends))


def typical_sizes(record: ReleaseRecord) -> dict[int, str]:
    """Return the sizes of the smallest, the median and the largest group, each with what it is called."""
    passed, median = 0, 0
    sizes = list(record.groups_by_size)
    for size, groups in record.groups_by_size.items():
        median = size if 2 * passed < record.groups else median
        passed += groups
    return {sizes[-1]: "largest", median: "median", sizes[0]: "smallest"}


@dataclass(frozen=True)
class NamedErrors:
    """The errors of groups, with what they are called and their size in words; `size` is the smallest."""

    size: int
    name: str
    words: str
    errors: TypicalErrors


def typical_errors(record: ReleaseRecord) -> list[NamedErrors]:
    """Find the errors of the smallest, the median and the largest groups; those of a law are told of all its sizes."""
    named = typical_sizes(record)
    found = []
    for size in sorted(named):
        entry = record.entry(size)
        if entry is not None:
            found.append(NamedErrors(size, named[size], str(size), TypicalErrors.of(entry.mechanism)))
    if record.law is not None:
        errors = TypicalErrors.of_law(record.law.mechanism, list(record.law.groups))
        found.append(NamedErrors(record.law.ends[0], "by the law", law_range(record.law), errors))
    return found


def errors_text(record: ReleaseRecord) -> str:
    """Say how far the released counts are from the true ones, whatever these are."""
    told = typical_errors(record)
    sizes = (f"n = {one.words}{f' ({one.name})' if len(told) > 1 or record.law else ''}: {one.errors}" for one in told)
    return f"Distance from the true count, whatever that is. For groups of {'; of '.join(sizes)}."


def _intervals(record: ReleaseRecord) -> list[str]:
    if record.confidence is None:
        return []
    chance = number_text(record.confidence)
    return [
        f"Intervals: low and high hold the true count of their group with a chance of at least {chance}, whatever it "
        f"is. low_all and high_all hold those of all groups at once with a chance of at least {chance}. They follow "
        "from the released counts and the designs, and spend no privacy."
    ]


def _optimality(documents: list[StoredDesign | None], law: LawEntry | None) -> str:
    gaps = [(one.score - one.lower_bound) / one.score for one in documents if one is not None and one.score > 0]
    widest = max(gaps, default=Fraction(0))
    where = ""
    if law is not None and not law.law.is_exact:
        widest = max(widest, law.gap)
        where = f" (of the law at n = {' and at n = '.join(map(str, law.ends))})"
    if widest == 0:
        return "proved optimal"
    return f"proved optimal up to a relative gap of {rounded_up(widest, 2)}{where}"


def _largest_score(record: ReleaseRecord) -> str:
    scores = [(entry.document.score, entry.size) for entry in record.sizes if entry.document is not None]
    score, size = max(scores)
    return f"{rounded_up(score)} at n = {size}"


def _input(record: ReleaseRecord) -> str:
    if record.input_hmac is None:
        return "No digest of the input is given: it would let others test what they guess of it."
    return f"HMAC-SHA256 of the input under a secret key: {record.input_hmac}."

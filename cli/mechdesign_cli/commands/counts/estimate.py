"""The command `mechdesign estimate`: the true counts behind released ones."""

from fractions import Fraction
from functools import partial
from pathlib import Path

from mechdesign.counts.estimation import (
    as_confidence,
    count_releases,
    estimate_counts,
    posterior,
    released_column,
)
from mechdesign.documents.document import document_text
from mechdesign.documents.sources import open_table
from mechdesign.documents.storage import read_count_mechanism
from mechdesign.errors import InputError
from mechdesign.problem.prior import Prior
from mechdesign.rational import as_rational
from mechdesign.releases.estimates.by_group import estimate_groups
from mechdesign.releases.estimates.estimate import estimate_release
from mechdesign_cli.files.targets import require_targets, write_and_say
from mechdesign_cli.parsing import options
from mechdesign_cli.parsing.choices import files_read, prior_python, read_prior
from mechdesign_cli.parsing.data_options import refuse_options
from mechdesign_cli.python_text import ENGINE, FIGURES, NUMBER, Code, NoPythonError, PythonText
from mechdesign_cli.record import REQUIRED, Command, Group, argument, option
from mechdesign_cli.showing.estimates import Answer, estimate_csv, estimate_document, report
from mechdesign_cli.showing.messages import print_result, say
from mechdesign_cli.showing.pictures import picture
from mechdesign_cli.showing.progress import progress_after_a_second
from mechdesign_cli.showing.release_estimates import (
    groups_csv,
    missing_text,
    regions_csv,
    release_estimate_document,
    report_release,
    sizes_csv,
)

DONE, NO = 0, 1
ESTIMATED = "estimated"


class OneMechanism(Group, title="Groups of one size"):
    """The mechanism that released counts of groups of one size, and the wished estimates."""

    mechanism: Path | None = option("The mechanism that released the counts; all groups have one size.")
    n: options.SizeOfLaw = None
    column: str | None = option("Column of released counts; by default released, or the only one.")
    posterior: int | None = option("A released count; print how likely each true count behind it is.", metavar="COUNT")
    prior: str | None = option(
        "For --posterior: uniform (the default), binomial:P, weights:W,W,..., a file, estimated."
    )
    tolerance: str = option(
        "How far the log-likelihood may stay below its maximum; at least the rounding error.", default="1e-6"
    )

    def read_prior(self) -> Prior | None:
        """Read the prior; None for the estimated distribution."""
        if self.posterior is None and self.prior is not None:
            raise InputError(f"--prior goes with --posterior COUNT, got --prior {self.prior} alone")
        return None if self._is_estimated else read_prior(self.prior)

    def python(self, text: PythonText, file: Path, **given: object) -> None:
        """Write the estimate, and who may stand behind a released count."""
        if not NUMBER.fullmatch(self.tolerance):
            raise NoPythonError("tolerance")
        found = self.arguments("mechanism", "n", "posterior", "prior")
        found |= {name: Code(value) for name, value in found.items() if name == "tolerance"}
        table = Code(f"{text.use('pyarrow.csv', 'read_csv')}({str(file)!r})")
        text.call("result", text.use(ENGINE, "estimate"), table, self.mechanism, **found, **given)
        if self.posterior is not None:
            prior = Code("result") if self._is_estimated else prior_python(text, self.prior)
            behind = [self.posterior, self.mechanism, *([] if prior is None else [prior])]
            text.call("behind", text.use(ENGINE, "posterior"), *behind)
            text.add("print(behind)")

    @property
    def _is_estimated(self) -> bool:
        return self.prior is not None and self.prior.strip().lower() == ESTIMATED


class RecordedRelease(Group, title="Groups of any size"):
    """The record of a release of groups of any sizes, and which table is asked for."""

    record: Path | None = option("The record of the release; groups may have any sizes.")
    by_group: bool = option("Print the exact interval of every group, as CSV.", default=False)
    by_region: bool = option("For groups in regions: print each region's total, as CSV.", default=False)
    value: str | None = option("For a category: the value to estimate.")

    def table(self) -> str | None:
        """Return the option that asks for a table."""
        tables = [f"--{name}" for name in self.given("record", "value")]
        if len(tables) > 1:
            raise InputError(f"only one of {' and '.join(tables)} may be given, got both")
        return tables[0] if tables else None


class Estimate(Command):
    """The true counts' distribution is estimated by maximum likelihood and by unbiased inversion; so is their mean.

    --posterior COUNT prints how likely each true count behind that released count is. --record, instead of --mechanism,
    prints total, shares and means by size of all groups, with the intervals that the noise leaves. --by-group prints
    the exact interval of each group, and --by-region the sum of unbiased estimates of each region.

    All of it is post-processing of public data, so it costs no privacy. The exit code is 1 if the tolerance is not
    reached.

    Example: mechdesign estimate released.csv --mechanism wm.json --posterior 3 --prior estimated
    """

    file: Path = argument("Released counts, a CSV file with a header.", default=REQUIRED)
    confidence: str = option("Confidence level of the intervals, and of the posterior's set.", default="0.95")
    output: Path | None = option("The estimates.", "--output", "-o", metavar="CSV")
    plot: Path | None = option("Draw the estimates to .png, .svg or .pdf.")
    json: options.Json = False
    one: OneMechanism
    release: RecordedRelease

    def run(self) -> int:
        """Estimate, write the files and print."""
        level, tolerance = as_rational(self.confidence, "confidence"), as_rational(self.one.tolerance, "tolerance")
        as_confidence(level)
        table, record = self.release.table(), self.release.record
        if record is not None:
            refuse_options(self.one.given(), "one mechanism", "--record")
            if table is None:
                return self._of_release(record, level)
            refuse_options({"plot": self.plot, "json": self.json or None}, "all groups together", table)
            return self._table(record, level)
        if table or self.release.value is not None:
            raise InputError(f"{table or '--value'} goes with --record, got it alone")
        if self.one.mechanism is None:
            raise InputError("one of --mechanism and --record must be given, got neither")
        return self._of_mechanism(self.one.mechanism, level, float(tolerance))

    def _of_mechanism(self, mechanism: Path, level: Fraction, tolerance: float) -> int:
        chosen, released = self.one.read_prior(), self.one.posterior
        self._require_targets(mechanism, *files_read(None, self.one.prior))
        matrix = read_count_mechanism(mechanism, self.one.n)
        if released is not None:  # is it possible at all? said before a long file is read
            posterior(released, matrix, chosen or "uniform")
        found = estimate_counts(matrix, self._counts(matrix.n_outputs - 1), level, tolerance)
        behind = None if released is None else posterior(released, matrix, chosen or found)
        answer = Answer(self.file, mechanism, found, level, behind, self.one.prior or "uniform")
        contents = {} if self.output is None else {self.output: estimate_csv(found)}
        if self.plot is not None:
            contents[self.plot] = picture("estimate.plot_estimate", found, self.plot.suffix)
        write_and_say(contents)
        print_result(self.json, estimate_document, report, answer, write=document_text)
        best = found.likelihood
        if best.converged:
            return DONE
        say(f"tolerance {best.tolerance:g} was not reached: the likelihood may be {best.bound:.2g} below the largest")
        return NO

    def _of_release(self, record: Path, level: Fraction) -> int:
        self._require_targets(record)
        found = estimate_release(self.file, record, confidence=level, value=self.release.value)
        contents = {} if self.output is None else {self.output: sizes_csv(found)}
        if self.plot is not None:
            contents[self.plot] = picture("release_estimate.plot_release_estimate", found, self.plot.suffix)
        write_and_say(contents)
        show = partial(report_release, file=self.file, record=record)
        print_result(self.json, release_estimate_document, show, found, write=document_text)
        return DONE

    def _table(self, record: Path, level: Fraction) -> int:
        """Print or write a row for each group, or one for each region."""
        self._require_targets(record)
        remark = None
        if self.release.by_group:
            refuse_options({"value": self.release.value}, "estimates of all groups together", "--by-group")
            content = groups_csv(estimate_groups(self.file, record, confidence=level))
        else:
            found = estimate_release(self.file, record, confidence=level, value=self.release.value)
            if not found.regions:
                raise InputError(
                    f"--by-region goes with groups in regions (--group REGION,GROUP), got none in {record}"
                )
            content, remark = regions_csv(found), missing_text(found) or None
        if self.output is None:
            print(content.decode(), end="")
        else:
            write_and_say({self.output: content})
        say(remark)
        return DONE

    def _require_targets(self, *sources: Path) -> None:
        require_targets([self.output], self.plot, [self.file, *sources], (".csv",))

    def _counts(self, n: int) -> tuple[int, ...]:
        with open_table(self.file) as source:
            at = released_column(source.header, self.one.column, source.name)
            with progress_after_a_second("reading", source.total) as show:
                return count_releases(source.rows, at, n, source.name, lambda rows: show(source.position.read))

    def python(self, text: PythonText) -> None:
        """Write an estimate from released counts."""
        given = self.arguments("file", "output", "plot", "json")
        if self.release.record is None:
            drawn = "plot_estimate"
            self.one.python(text, self.file, **given)
        else:
            drawn = "plot_release_estimate"
            found = self.release.arguments("record", "by_group", "by_region")
            text.call("result", text.use(ENGINE, "estimate_release"), self.file, self.release.record, **found, **given)
        if self.plot is not None:
            text.picture(self.plot, f"{text.use(FIGURES, drawn)}(result)")
        text.add("print(result)")
        if self.output is not None:
            text.leave_out(self.output, "estimate")

"""The command `mechdesign local ranges`: shares of ranges of items, and quantiles."""

from pathlib import Path
from typing import Any

from mechdesign.documents.files import Content
from mechdesign.errors import InputError, argument
from mechdesign.names import require_known
from mechdesign_catalog.analyses.ordered.moments import PLACES, require_numbers
from mechdesign_catalog.analyses.ordered.named_ranges import read_ranges
from mechdesign_catalog.analyses.ordered.quantiles import STATEMENT, parse_quantiles, require_one_order
from mechdesign_catalog.analyses.postprocessing import POSTPROCESSING, find_postprocessing
from mechdesign_catalog.collection.estimates.workload_estimate import WorkloadEstimate, shares_of
from mechdesign_catalog.collection.tasks.domains import domain_of
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.decoders.decoder import NORM, RAW
from mechdesign_catalog.systems import oracle_of
from mechdesign_catalog.systems.mean import MEAN_ORACLES
from mechdesign_catalog.systems.tables.registry import MARGINAL_ORACLES
from mechdesign_cli.parsing import options
from mechdesign_cli.parsing.data_options import refuse_options
from mechdesign_cli.parsing.reports import (
    ReportCommand,
    postprocessed_items,
    postprocessed_python,
    require_post,
    require_shares,
)
from mechdesign_cli.python_text import CATALOG, FIGURES, PICTURES, Code, PythonText
from mechdesign_cli.record import option
from mechdesign_cli.showing.answers.checked_reports import CheckedReports
from mechdesign_cli.showing.answers.frequency_answers import Answers, FrequencyAnswers, WorkloadAnswers
from mechdesign_cli.showing.messages import Kind, print_result, say


class Ranges(ReportCommand):
    """Shares are estimated for the ranges of --ranges, or for each item and all before it; --quantiles adds quantiles.

    Items are in order if they are bins, if local privatize had --ordered, or if their oracle has levels. With --circle,
    or if reports are designed for circular, a range may run over the end. Answers
    use that all shares add up to one, unless --post raw asks for those of the papers. --plot draws the distribution
    function. Quantiles are not unbiased; their intervals invert the pointwise band of that function. --mean estimates
    mean and variance of numbers in bins from the same reports.

    Example: mechdesign local ranges ages.parquet --ranges ranges.csv --output answers.csv

    Example: mechdesign local ranges ages.parquet --quantiles 0.1:0.9:0.1 --quantiles-output q.csv --plot cdf.png

    Example: mechdesign local ranges ages.parquet --mean start --mean-output mean.csv
    """

    ranges: Path | None = option(
        "Ranges of items in order: columns first,last (for two columns of bins first_1,last_1,first_2,last_2).",
        metavar="CSV",
    )
    circle: bool = option("Items lie on a circle: ranges such as 22 to 3 o'clock run over the end.", default=False)
    quantiles: str | None = option("Numbers in (0, 1) and ranges, such as 0.5 or 0.1:0.9:0.1.")
    mean: str | None = option(
        "Mean and variance of numbers in bins; values count as the middle or start of their bin.",
        metavar="PLACE",
        autocompletion=options.words(*PLACES),
    )
    simultaneous: bool = option("Intervals that hold for all quantiles at once.", default=False)
    post: str | None = option(
        f"Post-processing: {', '.join(POSTPROCESSING)} (default {NORM}).",
        autocompletion=options.words(*POSTPROCESSING),
    )
    output: Path | None = option(
        "The ranges, their shares, standard errors and intervals.", "--output", "-o", writes=(".csv",), metavar="CSV"
    )
    quantiles_output: Path | None = option(
        "Columns: quantile, item, low, high; standard output if not given.", writes=(".csv",), metavar="CSV"
    )
    mean_output: Path | None = option(
        "The mean and the variance, their standard errors and intervals.", writes=(".csv",), metavar="CSV"
    )
    plot: Path | None = option("Draw the distribution function to .png, .svg or .pdf.", writes=PICTURES)
    json: options.Json = False

    @property
    def read_besides(self) -> list[Path]:
        """The file of ranges."""
        return [] if self.ranges is None else [self.ranges]

    @property
    def prints_quantiles(self) -> bool:
        """Whether the table of quantiles goes to stdout."""
        return self.quantiles is not None and self.quantiles_output is None and not self.json

    def check(self, task: Task) -> None:
        """Refuse what does not go together, and what reports of this task cannot answer."""
        if task.oracle in MEAN_ORACLES or task.oracle in MARGINAL_ORACLES:
            other = "aggregate" if task.oracle in MEAN_ORACLES else "marginals"
            raise InputError(
                f"ranges and quantiles must be of the items of one attribute, got reports of {task.oracle}; use "
                f"mechdesign local {other}"
            )
        if self.quantiles is not None:
            if find_postprocessing(self.post or RAW).name not in (RAW, NORM):
                refuse_options(
                    {"post": self.post}, "frequencies of items", "--quantiles, which are of unbiased estimates"
                )
            require_one_order(domain_of(task, self.reports.domain))
        if self.mean is not None:
            require_numbers(domain_of(task, self.reports.domain))
        require_post(task, self.post)
        if self.plot is not None or self._asks_items:
            require_shares(task)
        if self.ranges is not None:
            read_ranges(
                self.ranges, domain_of(task, self.reports.domain), oracle_of(task.parameters), circle=self.circle
            )
        elif self.circle:
            raise InputError("--circle goes with --ranges, got it without")

    @property
    def _asks_items(self) -> bool:
        """Whether what is asked for, other than pictures, is made of the shares of all items."""
        return self.post is not None or self.quantiles is not None

    def deliver(self, result: Any, checked: CheckedReports) -> None:
        """Write the files, and print the document, the quantiles or the report."""
        named = (
            None if self.ranges is None else read_ranges(self.ranges, result.domain, result.oracle, circle=self.circle)
        )
        probabilities = () if self.quantiles is None else parse_quantiles(self.quantiles)
        if isinstance(result, WorkloadEstimate) and not self._asks_items:
            answers: Answers = WorkloadAnswers(result, self.level, named, checked.document(), self.mean)
        else:
            shares = postprocessed_items(shares_of(result), self.post)
            answers = FrequencyAnswers(
                shares, self.level, named, checked.document(), self.mean, probabilities, self.simultaneous
            )
        contents: dict[Path, Content] = {} if self.output is None else {self.output: answers.csv_bytes()}
        if self.quantiles_output is not None:
            assert isinstance(answers, FrequencyAnswers)
            contents[self.quantiles_output] = answers.quantiles_csv()
        if self.mean_output is not None:
            contents[self.mean_output] = answers.moments.tabulate(self.level).csv_bytes()
        if self.plot is not None:
            contents[self.plot] = answers.picture(self.plot.suffix)
        self.write(checked, contents)
        if self.prints_quantiles:
            assert isinstance(answers, FrequencyAnswers)
            print(answers.quantiles_csv().decode(), end="")
        else:
            print_result(self.json, answers.document, answers.report)
        if probabilities:
            say(f"{STATEMENT} ({'all quantiles at once' if self.simultaneous else 'one quantile at a time'})")
            assert isinstance(answers, FrequencyAnswers)
            if (doubt := answers.marked.doubt(simultaneous=self.simultaneous)) is not None:
                say(doubt, Kind.DOUBT)

    def note_order(self, task: Task) -> None:
        """Say that items of a list are taken in its order."""
        if not task.ordered and not task.bins:
            say(
                "the items are taken in the order of their list; local privatize --ordered says that this order has a "
                "meaning"
            )

    def check_together(self) -> None:
        """Refuse options of quantiles without them, and two tables on stdout.

        Raises:
            InputError: with the way out.
        """
        if self.quantiles is None and (self.quantiles_output is not None or self.simultaneous):
            option = "--simultaneous" if self.simultaneous else "--quantiles-output"
            raise InputError(f"{option} goes with --quantiles, got it without them")
        if self.quantiles is not None:
            parse_quantiles(self.quantiles)  # says what is wrong with them
        if self.mean is not None:
            require_known(self.mean, PLACES, "mean")
            if find_postprocessing(self.post or NORM).name != NORM:
                raise InputError(f"mean goes with {argument('post')}=norm alone, got {argument('post')}={self.post}")
        elif self.mean_output is not None:
            raise InputError("--mean-output goes with --mean, got it without")
        if self.prints_quantiles and self.ranges is not None and self.output is None:
            raise InputError("--ranges goes with --output where quantiles are printed, got no file")
        if self.prints_quantiles and self.mean is not None and self.mean_output is None:
            raise InputError("--mean goes with --mean-output where quantiles are printed, got no file")

    def python(self, text: PythonText) -> None:
        """Write the answers, and the quantiles."""
        self.estimated(text)
        postprocessed_python(text, self.post)
        content = f"estimate.tabulate({self.at_level()}).csv_bytes()"
        if self.ranges is not None:
            text.call(
                "ranges",
                text.use(CATALOG, "read_ranges"),
                self.ranges,
                Code("estimate.domain"),
                Code("estimate.oracle"),
                circle=self.circle or None,
            )
            text.add("answers = estimate.answers(ranges.queries).named(ranges.names)")
            text.add(f"print(answers.shares, *answers.intervals({self.at_level()}))")
            content = f"answers.tabulate({self.at_level()}).csv_bytes()"
        else:
            text.add("print(estimate)")
        at = ""
        if self.quantiles is not None:
            text.use(CATALOG, "quantiles")
            text.add(f"marked = quantiles(estimate, {self.quantiles!r}{self.and_level('')})")
            text.add("print(marked.tabulate().columns)")
            at = ", at=marked"
            if self.quantiles_output is not None:
                together = "simultaneous=True" if self.simultaneous else ""
                text.write(self.quantiles_output, f"marked.tabulate({together}).csv_bytes()")
        if self.output is not None:
            text.write(self.output, content)
        if self.mean is not None:
            text.call("numbers", text.use(CATALOG, "moments"), Code("found"), self.mean)
            text.add(f"print(numbers.tabulate({self.at_level()}).columns)")
            if self.mean_output is not None:
                text.write(self.mean_output, f"numbers.tabulate({self.at_level()}).csv_bytes()")
        if self.plot is not None:
            text.use(FIGURES, "plot_distribution")
            if not at:
                text.use(FIGURES, "plot_frequencies")
                text.add("plot = plot_distribution if estimate.ordered and estimate.is_unbiased else plot_frequencies")
            text.picture(self.plot, f"{'plot_distribution' if at else 'plot'}(estimate{at}{self.and_level()})")

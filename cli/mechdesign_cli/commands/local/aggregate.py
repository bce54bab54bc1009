"""The command `mechdesign local aggregate`: each item's share of all users, from reports."""

from functools import partial
from pathlib import Path
from typing import Any

from mechdesign.documents.files import Content
from mechdesign.errors import InputError
from mechdesign_catalog.analyses.postprocessing import POSTPROCESSING
from mechdesign_catalog.collection.estimates.marginals_estimate import MarginalsEstimate
from mechdesign_catalog.collection.estimates.mean_estimate import ReportedMean
from mechdesign_catalog.collection.estimates.workload_estimate import WorkloadEstimate, shares_of
from mechdesign_catalog.collection.tasks.domains import attributes_of
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.systems.mean import MEAN_ORACLES
from mechdesign_catalog.systems.tables.consistency.posts import TABLE_POSTS
from mechdesign_catalog.systems.tables.registry import MARGINAL_ORACLES, marginal_oracle_of
from mechdesign_cli.parsing import options
from mechdesign_cli.parsing.data_options import refuse_options
from mechdesign_cli.parsing.reports import (
    ReportCommand,
    postprocessed_items,
    postprocessed_python,
    require_post,
    require_shares,
)
from mechdesign_cli.python_text import FIGURES, PICTURES, PythonText
from mechdesign_cli.record import option
from mechdesign_cli.showing.answers.checked_reports import CheckedReports
from mechdesign_cli.showing.answers.frequency_answers import Answers, FrequencyAnswers, WorkloadAnswers
from mechdesign_cli.showing.marginals import POSTS, TableOptions, show_tables, table_post, warn_of_tables
from mechdesign_cli.showing.messages import entries_of, print_result


class Aggregate(ReportCommand):
    """The estimates are unbiased: they may be below 0 and need not sum to 1.

    Each item has an interval of its own and one for all items together; use the latter to look for the largest of many
    items. Both are for the unbiased estimates, even with --post.

    For several attributes, the table of each is printed; mechdesign local marginals estimates tables of more. Reports
    of a design for a workload answer its queries, with standard errors at the estimated shares. --post raw prints the
    shares of all items, if the design determines them. mechdesign local ranges answers ranges and quantiles.

    The whole file is refused if no client can have made one of its reports, unless --drop-invalid leaves it out. Counts
    that honest users would produce with probability below 1e-9 are reported as suspicious, on stderr and in --json.

    Other machines and other days can count parts: --state writes the sums of a part, and prints no estimate unless you
    ask for one. Give the .state files here to merge them. A file is never counted twice (sealed files can no longer be
    recognised).

    With --sums no report is seen: secure aggregation (Prio, DAP) delivers the sums of the users' vectors. Sums that no
    N users can have are refused. mechdesign local task show describes the vector of each user.

    Example: mechdesign local aggregate reports.parquet --output estimate.csv --plot estimate.png

    Example: mechdesign local aggregate reports.parquet --state monday.state

    Example: mechdesign local aggregate --sums sums.csv --users 60 --task task.json
    """

    post: str | None = option(
        f"Post-processing of items: {', '.join(POSTPROCESSING)}. For tables of several attributes: {POSTS}",
        autocompletion=options.words(*dict.fromkeys((*POSTPROCESSING, *TABLE_POSTS))),
    )
    output: Path | None = option(
        "Columns: item, frequency, standard_error, intervals; for several attributes, a line for each item of each.",
        "--output",
        "-o",
        writes=(".csv",),
        metavar="CSV",
    )
    plot: Path | None = option("Draw the estimate to .png, .svg or .pdf.", writes=PICTURES)
    json: options.Json = False

    @property
    def asks_nothing(self) -> bool:
        """Whether no estimate was asked for."""
        return not self.arguments("confidence")

    def check(self, task: Task) -> None:
        """Refuse what reports of this task cannot answer."""
        if task.oracle in MARGINAL_ORACLES:
            if self.plot is not None:
                raise InputError(
                    f"--plot goes with items of one attribute, got {task.oracle}; mechdesign local marginals draws a "
                    "table of one or two attributes"
                )
            asked = TableOptions(1, (), table_post(self.post))
            asked.check(marginal_oracle_of(task.parameters), attributes_of(task, self.reports.domain))
        elif task.oracle in MEAN_ORACLES:
            refuse_options({"plot": self.plot, "post": self.post}, "frequencies of items", task.oracle)
        else:
            require_post(task, self.post)
            if self.plot is not None or self.post is not None:
                require_shares(task)

    def deliver(self, result: Any, checked: CheckedReports) -> None:
        """Write the files, and print the document or the report."""
        if isinstance(result, ReportedMean):
            self._deliver_mean(result, checked)
        elif isinstance(result, MarginalsEstimate):
            asked = TableOptions(1, (), table_post(self.post))
            tables = asked.of(result)
            csv = {} if self.output is None else {self.output: asked.tabulate(tables, self.level)}
            warn_of_tables(result, asked, tables)
            self.write(checked, csv)
            show_tables(result, asked, self.level, checked.document(), tables, self.output, is_json=self.json)
        else:
            answers: Answers
            if isinstance(result, WorkloadEstimate) and self.post is None:
                answers = WorkloadAnswers(result, self.level, counted=checked.document())
            else:
                shares = postprocessed_items(shares_of(result), self.post)
                answers = FrequencyAnswers(shares, self.level, counted=checked.document())
            contents: dict[Path, Content] = {} if self.output is None else {self.output: answers.csv_bytes()}
            if self.plot is not None:
                contents[self.plot] = answers.picture(self.plot.suffix)
            self.write(checked, contents)
            print_result(self.json, answers.document, answers.report)

    def _deliver_mean(self, estimate: ReportedMean, checked: CheckedReports) -> None:
        """Write the file of a mean, and print the line; or the document, with what is told of the reports, if it is."""
        oracle, users, level = estimate.oracle, estimate.state.users, self.level
        low, high = estimate.interval(level)
        self.write(checked, {} if self.output is None else {self.output: estimate.tabulate().csv_bytes()})
        told = {"parameters": oracle.parameters, "users": users, "confidence": level, **checked.document()}
        numbers = {**entries_of(estimate, "mean", "standard_error"), "low": low, "high": high}
        where = f"numbers in 0..{float(oracle.maximum):g}, {oracle.privacy.describe()}"
        mean = f"mean {estimate.mean:.6g} +- {estimate.standard_error:.3g}"
        words = f"{users:,} reports of {oracle.name}, {where}\n{mean} ({100 * level:g} %: {low:.6g} to {high:.6g})"
        print_result(self.json, lambda: {**told, **numbers}, partial(print, words))

    def python(self, text: PythonText) -> None:
        """Write the estimate from report files."""
        self.estimated(text)
        postprocessed_python(text, self.post)
        text.add("print(estimate)")
        if self.output is not None:
            text.write(self.output, f"estimate.tabulate({self.at_level()}).csv_bytes()")
        if self.plot is not None:
            plots = [text.use(FIGURES, name) for name in ("plot_distribution", "plot_frequencies")]
            text.add(f"plot = {plots[0]} if estimate.ordered and estimate.is_unbiased else {plots[1]}")
            text.picture(self.plot, f"plot(estimate{self.and_level()})")

"""Compare local oracles side by side on the items of users: `mechdesign compare-oracles`."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.table import Table

from mechdesign.errors import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign.rational import fraction_text
from mechdesign_catalog.comparisons.of_oracles import (
    REPETITIONS,
    REPORTS,
    OracleComparison,
    OracleRow,
    measure_oracles,
)
from mechdesign_catalog.datasets.items import ItemCounts, column_counts, open_items, read_domain
from mechdesign_cli.comparisons.request import ComparisonRequest
from mechdesign_cli.parsing.choices import files_read
from mechdesign_cli.parsing.data_options import refuse_options, require_one_source
from mechdesign_cli.showing.messages import printable
from mechdesign_cli.showing.progress import progress_after_a_second
from mechdesign_cli.showing.tables import console

Cells = dict[tuple[Privacy, str], OracleRow]
GAP = 2
"""Columns of the terminal before each column but the first."""


@dataclass(frozen=True)
class ItemRequest:
    """The options that say which items users have: a named set (`data`) or a column of a file (`input`)."""

    data: str | None = None
    people: int | None = None
    k: int | None = None
    data_dir: Path | None = None
    input: Path | None = None
    column: str | None = None
    domain: Path | None = None

    def files_read(self) -> list[Path]:
        """The user's files that must not be written over."""
        return [path for path in (self.input, self.domain) if path is not None]

    def read(self, seed: int | None) -> ItemCounts:
        """Read the counts of items; `seed` makes synthetic ones reproducible."""
        require_one_source(self.data, self.input)
        if self.input is None:
            refuse_options({"column": self.column, "domain": self.domain}, "--input", "--data")
            assert self.data is not None
            return open_items(self.data, people=self.people, k=self.k, seed=seed, data_dir=self.data_dir)
        refuse_options({"people": self.people, "k": self.k, "data-dir": self.data_dir}, "--data", "--input")
        if self.domain is None:
            raise InputError("--domain must be given with --input: a public file of all items, one a line")
        if self.column is None:
            raise InputError(f"--column must be given with --input, got none; a name in the header of {self.input}")
        return column_counts(self.input, self.column, read_domain(self.domain))


@dataclass(frozen=True, kw_only=True)
class OracleRequest(ComparisonRequest):
    """The options of a comparison of oracles; texts as they were typed, None where not given."""

    source: ItemRequest
    oracles: str | None
    simulate: str | None
    post: str | None
    workload: str | None

    def comparison(self) -> OracleComparison:
        """Return what is to be compared; nothing is simulated yet."""
        return OracleComparison.of(
            self.source.read(self.seed),
            self.oracles,
            alpha=self.alpha,
            epsilon=self.epsilon,
            metrics=self.metric,
            repetitions=REPETITIONS if self.repetitions is None else self.repetitions,
            simulate=self.simulate or REPORTS,
            post=self.post,
            workload=self.workload,
        )


def run(request: OracleRequest, json: bool) -> None:
    """Compare oracles, write the files and print."""
    request.require_targets([*request.source.files_read(), *files_read(None, request.workload)])
    comparison = request.comparison()
    if request.plot is not None:
        from mechdesign_figures.plots.oracle_comparison import require_plottable

        require_plottable(comparison.oracles, comparison.metrics.split(","))
    with progress_after_a_second("reporting", comparison.reports) as show:
        rows = measure_oracles(comparison, request.seed, show)
    data = comparison.data
    document = request.document(rows, {"source": data.name, "k": data.k, "users": data.users})
    request.write(rows, document, partial(_picture, rows))
    if json:
        print(document, end="")
    else:
        report(rows)


def _picture(rows: Sequence[OracleRow], suffix: str) -> bytes:
    from mechdesign_figures.plots.oracle_comparison import plot_oracle_comparison
    from mechdesign_figures.plots.parts.saving import picture_bytes

    return picture_bytes(plot_oracle_comparison(rows), suffix)


def report(rows: Sequence[OracleRow]) -> None:
    """Print a table for each metric: a row for each epsilon, a column for each oracle where they fit."""
    screen = console()
    comparison = rows[0].comparison
    data = comparison.data
    workload = comparison.workload
    asked = "" if workload is None else f"; answers to {printable(workload.described)}"
    screen.print(f"{data.name}: {data.users:,} users, {data.k:,} items{asked}", style="bold")
    names = list(dict.fromkeys(row.oracle for row in rows))
    for metric in dict.fromkeys(row.measured.metric for row in rows):
        of_metric = {(row.privacy, row.oracle): row for row in rows if row.measured.metric == metric}
        for part in _parts(names, of_metric, screen.width):
            screen.print(metric_table(metric, of_metric, part))
        screen.print()
    times = comparison.repetitions
    how = "every report made" if comparison.simulate == "reports" else "server sums drawn from their law"
    means = f"mean of {times} repetitions +- its standard error" if times > 1 else "one repetition"
    screen.print(f"{means}, {how}")
    own = dict.fromkeys(row.oracle for row in rows if not row.is_published)
    if own:
        screen.print(f"own mechanisms, in no paper: {', '.join(map(printable, own))}")
    questions = comparison.questions
    if questions is not None and questions.is_sampled:
        screen.print(f"expected errors and those of heavy queries are of a sample of {len(questions.asked):,} queries")


def _parts(names: Sequence[str], rows: Cells, width: int) -> list[list[str]]:
    """As many oracles beside one another as fit without breaking a number."""
    parts: list[list[str]] = [[]]
    first = max(len(text) for privacy, _ in rows for text in _shown(privacy))
    used = first
    for name in names:
        needed = GAP + max([len(name), *(len(_cell(row)) for (_, oracle), row in rows.items() if oracle == name)])
        if parts[-1] and used + needed > width:
            parts.append([])
            used = first
        parts[-1].append(name)
        used += needed
    return parts


def metric_table(metric: str, rows: Cells, names: Sequence[str]) -> Table:
    """Return a table of one metric: alpha or epsilon downwards, oracles across.

    Alpha or epsilon is shown as it was given; each cell is a mean and its standard error.
    """
    table = Table(box=None, pad_edge=False, title=metric, title_justify="left", title_style="bold")
    table.add_column(_shown(next(privacy for privacy, _ in rows))[0], no_wrap=True)
    for name in names:
        table.add_column(printable(name), justify="right", overflow="fold")
    for privacy in dict.fromkeys(privacy for privacy, _ in rows):
        cells = [_cell(rows[privacy, name]) for name in names]
        table.add_row(_shown(privacy)[1], *cells)
    return table


def _shown(privacy: Privacy) -> tuple[str, str]:
    """Name and value of the privacy parameter."""
    if privacy.given_epsilon is None:
        return "alpha", fraction_text(privacy.alpha)
    return "epsilon", privacy.epsilon_text(4)


def _cell(row: OracleRow) -> str:
    found = row.measured
    error = "" if found.standard_error is None else f" +-{_digits(found.standard_error, 1)}"
    return f"{_digits(found.mean, 3)}{error}"


def _digits(value: float, digits: int) -> str:
    """So many digits, written out while that is short.

    >>> _digits(3149.7, 3), _digits(38.2, 1)
    ('3150', '40')
    """
    return f"{float(f'{value:.{digits}g}'):g}"

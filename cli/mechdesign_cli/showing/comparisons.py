"""Comparisons on the screen: mechanisms on groups, local oracles on users' items."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from mechdesign.documents.tabular import Column, Table, words
from mechdesign.errors import printable
from mechdesign.problem.privacy import Privacy, loss_text
from mechdesign.rational import fraction_text, number_text
from mechdesign_catalog.comparisons.of_mechanisms import (
    MechanismComparison,
    MechanismRow,
)
from mechdesign_catalog.comparisons.of_oracles import (
    OracleRow,
)
from mechdesign_catalog.comparisons.rows import Entry
from mechdesign_catalog.datasets.counts import GroupedCounts
from mechdesign_catalog.mechanisms.candidates import Candidate
from mechdesign_cli.showing.messages import entries_of
from mechdesign_cli.showing.pictures import picture
from mechdesign_cli.showing.tables import ERROR, console, print_table

NARROW = 60
"""A narrower terminal gets three decimals."""


def mechanisms_picture(rows: Sequence[MechanismRow], comparison: MechanismComparison, suffix: str) -> bytes:
    """Draw the comparison in the format of a suffix."""
    from mechdesign_figures.plots.mechanisms.comparison import comparison_words

    return picture("mechanisms.comparison.plot_mechanism_comparison", rows, suffix, title=comparison_words(comparison))


def mixed_privacy(candidates: Sequence[Candidate], rows: Sequence[MechanismRow], privacy: str) -> str | None:
    """Say which files have another alpha than what they are compared with; None where none has.

    `privacy` says whether alpha or epsilon is shown.
    """
    files = {candidate.name for candidate in candidates if candidate.is_made}
    of_files = {row.mechanism: row.alpha for row in rows if row.mechanism in files}
    asked = {row.alpha for row in rows if row.mechanism not in files}
    if not set(of_files.values()) - asked or (not asked and len(set(of_files.values())) == 1):
        return None
    told = [f"{name} {_privacy_text(alpha, privacy)}" for name, alpha in of_files.items()]
    others = [f"the others {', '.join(_privacy_text(alpha, privacy) for alpha in sorted(asked))}"] if asked else []
    return ", ".join([*told, *others])


def data_entries(grouped: Sequence[GroupedCounts]) -> list[Entry]:
    """Return what the rows were measured on."""
    return [entries_of(counts, "source", "n", "groups", "people", "dropped") for counts in grouped]


def report_mechanisms(rows: Sequence[MechanismRow], grouped: Sequence[GroupedCounts], privacy: str) -> None:
    """Print a table for each group size, metric by metric, so that mechanisms stand below one another.

    `privacy` says whether alpha or epsilon is shown.
    """
    screen = console()
    shown = {row.alpha: _privacy_text(row.alpha, privacy) for row in rows}
    shared = f", {privacy} = {shown[rows[0].alpha]}" if len(shown) == 1 else ""
    for counts in grouped:
        screen.print(f"{counts.source}: {counts.groups:,} groups of n = {counts.n}{shared}", style="bold")
        column = {} if len(shown) == 1 else shown
        table = comparison_table([row for row in rows if row.n == counts.n], privacy, column, screen.width < NARROW)
        print_table(table, explains=False)
        screen.print()
    times = rows[0].measured.repetitions
    screen.print(f"expected: exact, given the data; simulated: mean of {times} releases; +-: its standard error")


def _privacy_text(alpha: Fraction, privacy: str) -> str:
    return loss_text(alpha, 4) if privacy == "epsilon" else number_text(alpha)


def comparison_table(
    rows: Sequence[MechanismRow], privacy: str, shown: Mapping[Fraction, str], is_narrow: bool
) -> Table:
    """Return a table of metric, mechanism, exact expectation, simulated mean and its standard error.

    There is a column of alpha or epsilon where they differ.
    """
    digits = 3 if is_narrow else 6
    metrics = list(dict.fromkeys(row.measured.metric for row in rows))
    rows = sorted(rows, key=lambda row: metrics.index(row.measured.metric))
    found = [row.measured for row in rows]
    firsts = [k == 0 or found[k - 1].metric != one.metric for k, one in enumerate(found)]
    columns = [
        words("metric", [one.metric if is_first else "" for one, is_first in zip(found, firsts, strict=True)]),
        words("mechanism", [row.mechanism for row in rows], folds=True),
        *([words(privacy, [shown[row.alpha] for row in rows])] if shown else []),
        Column("expected", [_decimal(one.expected, digits) for one in found]),
        Column("simulated", [_decimal(one.mean, digits) for one in found]),
        Column(ERROR, [_decimal(one.standard_error, digits) for one in found]),
    ]
    return Table.of_columns(columns)


def _decimal(value: float | None, digits: int) -> str:
    """So many decimals, or digits of what is large; nothing for None."""
    return "" if value is None else f"{value:.{digits}f}" if abs(value) < 1000 else f"{value:.{digits}g}"


Cells = dict[tuple[Privacy, str], OracleRow]


def report_oracles(rows: Sequence[OracleRow]) -> None:
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
        for part in metric_table(of_metric, names).parts(screen.width):
            screen.print(metric, style="bold")
            print_table(part)
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
        screen.print(
            f"expected errors and those of heavy queries are of a sample of {len(questions.queries):,} queries"
        )


def metric_table(rows: Cells, names: Sequence[str]) -> Table:
    """Return a table of one metric: alpha or epsilon downwards, as it was given, oracles across.

    Each cell is a mean and its standard error.
    """
    asked = list(dict.fromkeys(privacy for privacy, _ in rows))
    label, *values = _shown(asked[0])[0], *(_shown(privacy)[1] for privacy in asked)
    cells = {name: [_cell(rows[privacy, name]) for privacy in asked] for name in names}
    return Table.of_columns([words(label, values), *(Column(name, texts, folds=True) for name, texts in cells.items())])


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

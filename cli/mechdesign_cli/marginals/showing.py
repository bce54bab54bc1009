"""Print marginal tables on the screen: a row for each cell, with its interval."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from mechdesign_catalog.collection.estimates.marginals_estimate import MarginalsEstimate, NamedTable
from mechdesign_cli.showing.messages import printable
from mechdesign_cli.showing.tables import ERROR, console, explain_errors, negative_note

MOST_SHOWN = 40
LEAST_LABEL = 6
SHARE, INTERVAL = "share", "{:g} % interval"
WIDTHS = {SHARE: 7, ERROR: 6, INTERVAL: 18}
"""Columns of the terminal that numbers take, two between them aside."""


def report_tables(found: MarginalsEstimate, tables: Sequence[NamedTable], level: float, rest: str) -> None:
    """Print what was reported about, and the tables; `rest` says where the cells are that are too many for a screen."""
    screen = console()
    screen.print(headline(found), style="bold")
    room = MOST_SHOWN
    for shown, table in enumerate(tables):
        if room <= 0:
            more = len(tables) - shown
            screen.print(f"{more:,} more table{'' if more == 1 else 's'}; {rest}", soft_wrap=True)
            return
        if len(tables) > 1 and shown:
            screen.print()
        _print_table(table, level, room, screen, rest)
        room -= len(table.shares)


def headline(found: MarginalsEstimate) -> str:
    """Say in one line what was reported about."""
    oracle, d = found.oracle, len(found.attributes)
    attributes = f"{d} attribute{'' if d == 1 else 's'}"
    return f"{found.users:,} reports of {oracle.title}, {attributes}, {oracle.privacy.describe()}"


def _print_table(found: NamedTable, level: float, most: int, screen: Console, rest: str) -> None:
    shown = [SHARE, ERROR, INTERVAL] if found.has_errors else [SHARE]
    cells = [[printable(item) for item in cell] for cell in found.cells()[:most]]
    names = [printable(name) for name in found.attributes.names]
    wanted = sum(max(len(name), *(len(cell[j]) for cell in cells)) + 2 for j, name in enumerate(names))
    if wanted + _width(shown) > screen.width and found.has_errors:
        shown.remove(ERROR)
    room = max(LEAST_LABEL, (screen.width - _width(shown)) // len(names) - 2)
    table = Table(box=None, pad_edge=False)
    for name in names:
        table.add_column(name, no_wrap=True, overflow="ellipsis", max_width=room)
    for name in shown:
        table.add_column(name.format(100 * level), justify="right", no_wrap=True)
    low, high = found.intervals(level)
    for row, cell in enumerate(cells):
        numbers = {
            SHARE: f"{found.shares[row]:z.4f}",
            ERROR: f"{found.standard_errors[row]:.4f}",
            INTERVAL: f"{low[row]:z.4f} to {high[row]:z.4f}",
        }
        table.add_row(*cell, *(numbers[name] for name in shown))
    screen.print(table)
    if ERROR in shown:
        explain_errors(screen)
    if (note := negative_note(found.shares[:most])) is not None:
        screen.print(note, soft_wrap=True)
    if len(found.shares) > most:
        screen.print(f"the first {most} of {len(found.shares):,} cells; {rest}", soft_wrap=True)


def _width(names: Sequence[str]) -> int:
    return sum(WIDTHS[name] + 2 for name in names)

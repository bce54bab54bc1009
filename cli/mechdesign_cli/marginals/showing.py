"""Print marginal tables on the screen: a row for each cell, with its interval."""

from collections.abc import Sequence

from rich.console import Console

from mechdesign_catalog.collection.estimates.marginals_estimate import MarginalsEstimate, NamedTable
from mechdesign_cli.showing.messages import printable
from mechdesign_cli.showing.tables import ERROR, console, negative_note, print_answers

MOST_SHOWN = 40


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
    items = zip(*([printable(item) for item in cell] for cell in found.cells()[:most]), strict=True)
    labels = dict(zip(found.attributes.names, items, strict=True))
    numbers = {"share": (7, [f"{share:z.4f}" for share in found.shares[:most]])}
    if found.has_errors:
        ends = zip(*(end[:most] for end in found.intervals(level)), strict=True)
        numbers[ERROR] = (6, [f"{error:.4f}" for error in found.standard_errors[:most]])
        numbers[f"{100 * level:g} % interval"] = (18, [f"{low:z.4f} to {high:z.4f}" for low, high in ends])
    print_answers(labels, numbers, (ERROR,) if found.has_errors else (), 6)
    if (note := negative_note(found.shares[:most])) is not None:
        screen.print(note, soft_wrap=True)
    if len(found.shares) > most:
        screen.print(f"the first {most} of {len(found.shares):,} cells; {rest}", soft_wrap=True)

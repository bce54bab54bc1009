"""Reports and matrices on the screen, as coloured tables while they fit the terminal."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from mechdesign.documents.tabular import Column, Table
from mechdesign.errors import printable
from mechdesign.exports.exact_text import fraction_rows
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.notebook import heat_colour, score_decimal
from mechdesign.problem.properties import LATTICE, ordered
from mechdesign.rational import fraction_text, integer_text

LONGEST_FRACTION = 60
LABEL = 4
"""Width of the column of output labels; a cell of d digits takes d + 4."""

SHORTEST, SHORT_CELL = 1, 4
"""What stands for the shortest way to write a probability, `.07`, and the width of its cell."""

ALMOST_ONE = 0.995
MOST_BLOCKS = 3
"""A matrix in more blocks of columns than this is not printed."""


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """A reader who has seen enough (`| head`) is no error; Rich would exit with 1."""
        raise BrokenPipeError


def console() -> Console:
    """Return the console of standard output, plain where it is not a terminal.

    Square brackets are letters like any others, and so are colons: Rich would make a picture of `:100:`.
    """
    return _Console(file=sys.stdout, highlight=False, soft_wrap=False, markup=False, emoji=False)


ERROR = "+-"
"""The head of standard errors."""


def print_table(
    columns: Table | Iterable[Column], spared: Sequence[str] = (), least: int = 0, *, explains: bool = True
) -> list[str]:
    """Print a table where the terminal is narrow without some of the `spared` columns, and return their heads.

    Words are cut off, if `least` is given, to no fewer letters than that. Below standard errors stands what they are,
    if this `explains` it.
    """
    screen, table = console(), columns if isinstance(columns, Table) else Table.of_columns(columns)
    shown = table.within(screen.width, spared)
    screen.print(shown.for_screen(screen.width, least))
    heads = [column.head for column in shown.shown]
    if explains and ERROR in heads:
        screen.print(f"{ERROR}: one standard error")
    every = [column.head for column in table.shown]
    return [head for head in spared if head in every and head not in heads]


def say_left_out(heads: Sequence[str]) -> None:
    """Say which columns a narrow terminal does not show, if there are any."""
    if heads:
        console().print(f"left out: {', '.join(heads)}; a wider terminal shows them, as --json does")


def exact_and_decimal(value: Fraction) -> str:
    """Write a score as `114025/118098 = 0.965512`, rounded up, without the fraction where it is too long to read."""
    decimal = score_decimal(value)
    text = fraction_text(value)
    if value.denominator == 1:
        return text
    return f"{text} = {decimal}" if len(text) <= LONGEST_FRACTION else f"{decimal} (exact: {len(text)} digits)"


def properties_text(holds: Iterable[str]) -> str:
    """List the properties that a matrix has, or say which ones it lacks altogether."""
    return ", ".join(ordered(holds)) or f"none of {', '.join(LATTICE)}"


def negative_note(shares: Iterable[float], remedy: str = "; see --post") -> str | None:
    """Explain negative shares where some are shown."""
    return f"negative: noise around a share near 0{remedy}" if any(share < 0 for share in shares) else None


def print_facts(rows: Iterable[tuple[str, str]]) -> None:
    """Print label and value, one line each, wrapped inside the terminal."""
    screen, table = console(), Grid.grid(padding=(0, 2), expand=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold", max_width=max(20, screen.width - 20))
    for label, value in rows:
        table.add_row(Text(label), Text(printable(value)))
    screen.print(table)


def print_entry(title: str, about: Mapping[str, str]) -> None:
    """Print an entry of a list: its title, and below it what there is to say about it."""
    console().print(title, style="bold")
    print_facts([(f"    {label}", text) for label, text in about.items() if text])


def matrix_table(mechanism: Mechanism, columns: range, digits: int, corner: str = "i\\j") -> Grid:
    """Return some columns of the matrix as a table with a heat-coloured background.

    `corner` names its indices. With `SHORTEST` digits a number has no 0 before its point.
    """
    matrix = mechanism.matrix()
    top = float(matrix.max())
    table = Grid(box=None, padding=0, pad_edge=False, show_edge=False)
    table.add_column(corner, justify="right", style="bold", no_wrap=True, min_width=LABEL - 1)
    for j in columns:
        table.add_column(f"{j} ", justify="right", no_wrap=True)
    for i, row in enumerate(matrix.tolist()):
        table.add_row(f"{i} ", *(_cell(row[j], top, digits) for j in columns))
    return table


def print_matrix(mechanism: Mechanism, name: str, title: str, corner: str = "i\\j") -> None:
    """Print the table under its title, in blocks of columns where it is wide, or say what to do where it is too wide.

    Decimals are spared before blocks are made.
    """
    screen = console()
    room = screen.width - LABEL
    digits = next((d for d in (4, 3, 2) if (d + 4) * mechanism.n_inputs <= room), SHORTEST)
    together = mechanism.n_inputs if digits > SHORTEST else max(1, room // SHORT_CELL)
    starts = range(0, mechanism.n_inputs, together)
    if len(starts) > MOST_BLOCKS:
        screen.print(
            f"The {name} ({mechanism.n_outputs} x {mechanism.n_inputs}) is too wide for {screen.width} columns: "
            "--output FILE.csv exports it, --plot FILE.png draws it."
        )
        return
    rule = ", two decimals, 0 for zero alone" if digits == SHORTEST else ""
    screen.print(f"\n{title}{rule}")
    for start in starts:
        if start:
            screen.print()
        columns = range(start, min(start + together, mechanism.n_inputs))
        screen.print(matrix_table(mechanism, columns, digits, corner))


def print_fractions(mechanism: Mechanism, title: str) -> None:
    """Print the matrix exactly: fractions where the columns fit side by side, else numerators over one denominator.

    What is wider than the terminal even so is printed in blocks of columns, and a number wider than it on its own line.
    """
    screen = console()
    room = screen.width - LABEL
    shown = fraction_rows(mechanism)
    numerators = [[integer_text(weight) for weight in row] for row in mechanism.weights]
    if sum(_widths(shown)) > room:
        shown, title = numerators, f"{title}, times {integer_text(mechanism.denominator)}"
    print(f"\n{title}")
    widths = _widths(shown)
    if max(widths) > room:
        for i, row in enumerate(shown):
            for j, text in enumerate(row):
                print(f"{i},{j}: {text}")
        return
    start = 0
    while start < len(widths):
        end = start + 1
        while end < len(widths) and sum(widths[start : end + 1]) <= room:
            end += 1
        if start:
            print()
        for label, row in [("i\\j", list(map(str, range(len(widths))))), *zip(range(len(shown)), shown, strict=False)]:
            print(f"{label!s:>{LABEL - 1}}" + "".join(f"{row[j]:>{widths[j]}}" for j in range(start, end)))
        start = end


def _widths(rows: list[list[str]]) -> list[int]:
    """Return the width of each column, with the blank before it; its number is its head."""
    return [1 + max(len(str(j)), *map(len, column)) for j, column in enumerate(zip(*rows, strict=True))]


def _cell(value: float, top: float, digits: int) -> Text:
    red, green, blue = heat_colour(value / top)
    ink = "white" if value > 0.55 * top else "black"
    style = f"{ink} on rgb({red},{green},{blue})"
    if digits == SHORTEST:
        shown = "0" if not value else f"{value:.2f}"[1:] if value < ALMOST_ONE else "1.0"
        return Text(f"{shown:>3} ", style=style)
    shown = f"{value:.{digits}f}"
    if value and not float(shown):
        shown = "<" + "0." + "0" * (digits - 2) + "1" if digits > 2 else "<.01"
    return Text(f" {shown} ", style=style)

"""HTML for notebooks: facts, tables, heat maps, exact fractions as tooltips, short reprs.

Every text is escaped, styles stand at the elements (a notebook that is not trusted drops style sheets), and nothing is
drawn: a matrix is a table whose cells are coloured. A whole page, with its script, stands in a frame of its own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from html import escape
from math import ceil, floor

from mechdesign.problem.privacy import rounded_down, rounded_up
from mechdesign.rational import fraction_text, nearest_float

LONGEST_REPR = 160
LONGEST_TOOLTIP = 2_000
"""Characters of one exact fraction; longer ones are told by their digits."""

MOST_SHOWN = 100
"""Rows or columns of a matrix; a larger one is described by its shape."""

MOST_WRITTEN = 24
"""Columns whose cells have their decimals written; beyond it they are colours alone."""

LARGEST_HEAT_TABLE = 900_000
CELL_SIZE = 65
"""Characters of a heat table, and of a cell without decimals and tooltip, at most."""

LONGEST_TEXT = 500
"""Characters of a text in a cell."""

FRAME_STYLE = "width:100%;height:56rem;border:0"


@dataclass(frozen=True, repr=False)
class FramedPage:
    """A page in a notebook: a frame whose script reaches neither the notebook nor a network.

    Attributes:
        html: the whole page.
        title: what it is, for those who do not see it.
    """

    html: str
    title: str

    def __repr__(self) -> str:
        return one_line("FramedPage", self.title, f"{len(self.html.encode()):,} bytes")

    def _repr_html_(self) -> str:
        about = f'sandbox="allow-scripts" title="{escape(self.title)}" style="{FRAME_STYLE}"'
        return f'<iframe {about} srcdoc="{escape(self.html)}"></iframe>'


@dataclass(frozen=True)
class Bound:
    """A bound in a cell: a number is at most `value`, or at least where it is a lower bound."""

    value: Fraction
    is_lower: bool = False


Value = str | int | float | Fraction | Bound | None
"""Of a cell: a fraction is shown as a decimal and has itself as its tooltip; None is empty."""


def one_line(name: str, *parts: str) -> str:
    """Write a repr `<Name: part; part>`, cut off where it would be too long to read.

    >>> one_line("Design", "n = 8", "score 0.9655")
    '<Design: n = 8; score 0.9655>'
    """
    text = " ".join("; ".join(part for part in parts if part).split())
    return f"<{name}: {text if len(text) <= LONGEST_REPR else text[: LONGEST_REPR - 3] + '...'}>"


def decimal(value: Fraction | float) -> str:
    """Write a number with six digits after the point, or six in all where that would be long or only zeros."""
    number = nearest_float(value) if isinstance(value, Fraction) else value
    kind = "f" if number == 0 or 1e-4 <= abs(number) < 1e9 else "g"
    return f"{number:.6{kind}}"


def score_decimal(value: Fraction, digits: int = 6, *, is_lower: bool = False) -> str:
    """Write a score with so many digits after the point, or in all where that would be long or only zeros.

    It is never below the score; of a lower bound it is never above.

    >>> value = Fraction(331, 378)
    >>> score_decimal(value), decimal(value), score_decimal(value + 1, is_lower=True)
    ('0.875662', '0.875661', '1.875661')
    """
    if value == 0 or Fraction(1, 10**4) <= abs(value) < 10**9:
        units = (floor if is_lower else ceil)(value * 10**digits)
        return f"{Decimal(units).scaleb(-digits):.{digits}f}"
    return (rounded_down if is_lower else rounded_up)(value, digits)


def tooltip(value: Fraction, longest: int = LONGEST_TOOLTIP) -> str:
    """Write the exact fraction, or more decimals and its length where it is too long."""
    text = fraction_text(value)
    return text if len(text) <= longest else f"{nearest_float(value):.17g} (exact: {len(text)} digits)"


def facts(rows: Iterable[tuple[str, Value]]) -> str:
    """Show labels and values as a table."""
    lines = "".join(f"<tr>{_head(label)}{_data(value, 'left')}</tr>" for label, value in rows)
    return f"<table>{lines}</table>"


def table(headers: Sequence[str], rows: Iterable[Sequence[Value]], caption: str = "") -> str:
    """Show rows under a header as a table."""
    top = f"<caption>{escape(caption)}</caption>" if caption else ""
    head = "".join(f"<th>{escape(header)}</th>" for header in headers)
    lines = "".join(f"<tr>{''.join(_data(value, 'right') for value in row)}</tr>" for row in rows)
    return f"<table>{top}<tr>{head}</tr>{lines}</table>"


def page(title: str, *pieces: str) -> str:
    """Join pieces under a title into one object of a notebook."""
    return f"<div><p><b>{escape(title)}</b></p>{''.join(pieces)}</div>"


def _head(text: str) -> str:
    return f'<th style="text-align:left">{escape(text)}</th>'


def _data(value: Value, numbers: str) -> str:
    """Show a cell; texts stand at the left, numbers where they are told to."""
    title, side = "", "left" if isinstance(value, str) else numbers
    if isinstance(value, Fraction | Bound):
        exact = value.value if isinstance(value, Bound) else value
        title = f' title="{escape(tooltip(exact))}"'
        shown = score_decimal(exact, is_lower=value.is_lower) if isinstance(value, Bound) else decimal(exact)
        text = fraction_text(exact) if exact.denominator == 1 else shown
    else:
        text = "" if value is None else decimal(value) if isinstance(value, float) else str(value)
    shown = text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 3]}..."
    return f'<td{title} style="text-align:{side}">{escape(shown)}</td>'


def heat_colour(share: float) -> tuple[int, int, int]:
    """Choose a colour from white to dark blue for a share in [0, 1].

    It gets evenly darker, so it reads in grey as well.
    """
    share = min(max(share, 0.0), 1.0)
    low, high = (247, 251, 255), (8, 69, 148)
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(low, high, strict=True))
    return red, green, blue


def heat_table(matrix: Sequence[Sequence[Fraction]], caption: str) -> str:
    """Show nonnegative numbers as a heat map, rows as they come; the exact value of each cell is its tooltip.

    Where the fractions together would make a page heavy, the longer ones are told by their decimals and their length.
    """
    n_rows, n_columns = len(matrix), len(matrix[0])
    if max(n_rows, n_columns) > MOST_SHOWN:
        return f"<p>{escape(caption)}: {n_rows} x {n_columns}, too large to be shown here</p>"
    top = nearest_float(max(map(max, matrix))) or 1.0
    room = LARGEST_HEAT_TABLE - CELL_SIZE * n_rows * n_columns
    longest = LONGEST_TOOLTIP
    if sum(len(tooltip(value)) for row in matrix for value in row) > room:
        longest = room // (n_rows * n_columns)
    written = n_columns <= MOST_WRITTEN
    head = (
        "".join(f"<th>{j}</th>" for j in range(n_columns))
        if written
        else f'<th colspan="{n_columns}">0 to {n_columns - 1}</th>'
    )
    lines = []
    for i, row in enumerate(matrix):
        cells = "".join(_heat_cell(value, top, longest, written) for value in row)
        lines.append(f"<tr><th>{i}</th>{cells}</tr>")
    style = f"border-collapse:collapse{'' if written else ';font-size:8px;line-height:1'}"
    top_lines = f"<caption>{escape(caption)}</caption><tr><th></th>{head}</tr>"
    return f'<table style="{style}">{top_lines}{"".join(lines)}</table>'


def _heat_cell(value: Fraction, top: float, longest: int, written: bool) -> str:
    number = nearest_float(value)
    red, green, blue = heat_colour(number / top)
    ink = ";color:#fff" if number > 0.55 * top else ";color:#000"
    style = f"background:#{red:02x}{green:02x}{blue:02x}" + (ink if written else ";padding:5px")
    shown = f"{number:.4f}" if written else ""
    return f'<td title="{escape(tooltip(value, longest))}" style="{style}">{shown}</td>'

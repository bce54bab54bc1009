"""The picture of a table of words: names on the left, other columns centred, thin rules."""

from collections.abc import Collection, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechdesign_figures.plots.parts.style import HouseFigure

INCHES_A_LETTER, INCHES_A_LINE, GAP = 0.078, 0.27, 0.3
"""Room of the house's letters, of a line, and between columns."""


def draw_table(cells: Sequence[Sequence[str]], axes: Axes, *, rules_above: Collection[int] = ()) -> Axes:
    """Draw rows of cells downwards on given axes, the first row bold; returns the axes.

    `rules_above` are the numbers of the rows with a rule above them; there is one below the last.
    """
    widths = _widths(cells)
    starts = [sum(widths[:place]) for place in range(len(widths))]
    for down, row in enumerate(cells):
        weight = "bold" if down == 0 else "normal"
        axes.text(0.0, down, row[0], ha="left", va="center", weight=weight)
        for start, width, text in zip(starts[1:], widths[1:], row[1:], strict=True):
            axes.text(start + width / 2, down, text, ha="center", va="center", weight=weight)
    axes.hlines([*(rule - 0.5 for rule in rules_above), len(cells) - 0.5], 0.0, sum(widths), color="0.4", linewidth=0.8)
    axes.set_xlim(0.0, sum(widths))
    axes.set_ylim(len(cells) - 0.4, -0.5)
    axes.set_axis_off()
    return axes


def _widths(cells: Sequence[Sequence[str]]) -> list[float]:
    """Inches of each column."""
    return [GAP + INCHES_A_LETTER * max(map(len, column)) for column in zip(*cells, strict=True)]


def table_figure(cells: Sequence[Sequence[str]]) -> Figure:
    """Return a new figure of the size that the table needs."""
    return HouseFigure(figsize=(sum(_widths(cells)) + 0.2, INCHES_A_LINE * len(cells) + 0.1))

"""Dot plots: one value for each name, one below another, with its number beside it."""

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from mechdesign_figures.plots.parts.curves import LARGEST, Point, draw_marks
from mechdesign_figures.plots.parts.lettering import POINTS_AN_INCH, SMALL_SIZE, inches, numbers
from mechdesign_figures.plots.parts.style import LineStyle

ROW_INCHES = 0.35
"""Height of a row in which stroke and marker stand clear of the next."""

HEADING = "exact"
STROKE = 13.0
"""Points."""


def draw_dots(
    points: Mapping[str, Point],
    axes: Axes,
    *,
    looks: Mapping[str, LineStyle],
    x_label: str = "",
    title: str = "",
    named: bool = True,
) -> Axes:
    """Draw one dot for each name, downwards in their order, on given axes; returns the axes.

    The exact expectation is an upright stroke, and a number in the column on the right; without `named` the names are
    those of the panel before. The axis does not start at 0: what is compared are places, not lengths.
    """
    for k, (name, point) in enumerate(points.items()):
        axes.plot([point.expected], [k], "|", color="black", markersize=STROKE, markeredgewidth=1.2)
        draw_marks([point], axes, looks[name], [k], horizontal=True, size=LARGEST)
    axes.set_yticks(range(len(points)), list(points) if named else [""] * len(points))
    axes.set_ylim(len(points) - 0.5, -1.2)
    _column([point.expected for point in points.values()], axes)
    axes.margins(x=0.1)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=4))
    axes.ticklabel_format(axis="x", useOffset=False)
    axes.grid(True, axis="y", color="0.92", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel(x_label)
    axes.set_title(title)
    return axes


def column_inches(values: list[float]) -> float:
    """Return the width of the column of numbers in inches."""
    return max(inches(text, SMALL_SIZE) for text in [HEADING, *numbers(values)])


def _column(values: list[float], axes: Axes) -> None:
    """The numbers under their heading on the right, their last digits below one another."""
    right = axes.secondary_yaxis("right")
    texts = [HEADING, *numbers(values)]
    right.set_yticks([-0.85, *range(len(values))], texts, fontsize=SMALL_SIZE, ha="right")
    right.tick_params(length=0, pad=POINTS_AN_INCH * column_inches(values) + 6)
    right.spines[:].set_visible(False)

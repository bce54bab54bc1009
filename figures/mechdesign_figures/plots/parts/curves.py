"""Curves of exact expectations with simulated means beside them.

The expectation is a line, the mean a marker with its bar.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from mechdesign_figures.plots.parts.lettering import POINTS_AN_INCH, SMALL_SIZE, TEXT_SIZE, inches, wrapped
from mechdesign_figures.plots.parts.style import LineStyle

BAR_WORDS = {
    "standard_error": "one standard error of that mean",
    "deviation": "one standard deviation of a repetition",
}
"""What a bar can be: a cell of a study's table, and how a legend says it."""

METRIC_WORDS = {
    "error-rate": "share of groups with an error",
    "L0": "share of groups with an error",
    "L1": "mean absolute error (people)",
    "L2": "mean squared error (people²)",
    "rmse": "root mean squared error (people)",
    "bias": "mean error (people)",
}

MAX_TICKS = 10
ROUND_STEPS = (1, 2, 5, 10)
"""Between ticks, times powers of ten."""

MAX_MARKS = 20
MANY = 60
"""Beyond so many bars they are drawn as one shape, and the axis is cut to where the mass lies."""

BEYOND = 1e-3
"""Share of the mass that may lie beyond such an axis."""

BEYOND_WORDS = f"at most {BEYOND:.1%} lies beyond the axis"

WIDEST, NARROWEST = 2.4, 1.2
LARGEST, SMALLEST = 6.0, 4.0
"""Line widths and marker sizes, first to last: where curves coincide, all of them can be seen."""


GROWN = {"*": 1.5, "P": 1.15, "X": 1.15}
"""Slender markers are drawn larger than the others."""

MAX_COLUMNS = 8
HANDLE, SPACING = 3.6, 2.0
"""Of a legend, in font sizes: length of a line, room between columns."""

EM, SMALL_EM = TEXT_SIZE / POINTS_AN_INCH, SMALL_SIZE / POINTS_AN_INCH
WORDS_SHARE = 0.94
"""Of the width of a figure that the words below it may take."""


@dataclass(frozen=True)
class Point:
    """A value measured twice at `place`: the exact expectation, the simulated mean, and half the length of its bar.

    The bar is None where there is none.
    """

    place: float
    expected: float
    mean: float
    spread: float | None = None


def metric_words(name: str) -> str:
    """Return the label of an axis for a metric, with its unit.

    >>> metric_words("L0:1"), metric_words("L2:d")
    ('share of groups with |error| > 1', 'mean |error|² (people²),\\nerrors up to d counted as 0')
    """
    if name in METRIC_WORDS:
        return METRIC_WORDS[name]
    kind, _, beyond = name.partition(":")
    if kind == "error":
        return f"share of groups with error {beyond}"
    power = int(kind[1:])
    if power == 0:
        return f"share of groups with |error| > {beyond}"
    raised = "" if power == 1 else "²" if power == 2 else f"^{power}"
    counted = f",\nerrors up to {beyond} counted as 0" if beyond else ""
    return f"mean |error|{raised} (people{raised}){counted}"


def draw_curves(
    curves: Mapping[str, Sequence[Point]],
    axes: Axes,
    *,
    looks: Mapping[str, LineStyle],
    x_label: str = "",
    y_label: str = "",
    title: str = "",
    whole_places: bool = True,
) -> Axes:
    """Draw a curve for each name on given axes; returns the axes.

    `whole_places` keeps ticks to whole numbers. Of many points only some have marks, different ones on each curve, so
    that none hides behind the next.
    """
    for k, (name, points) in enumerate(curves.items()):
        look = looks[name]
        places = [point.place for point in points]
        share = k / max(1, len(curves) - 1)
        width = WIDEST + (NARROWEST - WIDEST) * share
        axes.plot(places, [p.expected for p in points], color=look.colour, linestyle=look.dash, linewidth=width)
        step = marks_apart(len(points))
        marked = slice(step * k // len(curves), None, step)
        size = LARGEST + (SMALLEST - LARGEST) * share
        draw_marks(points[marked], axes, look, places[marked], horizontal=False, size=size)
    if whole_places:
        whole_ticks(axes, [point.place for points in curves.values() for point in points])
    axes.ticklabel_format(axis="y", useOffset=False)
    axes.grid(True, color="0.92", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.set_title(title)
    return axes


def marks_apart(places: int) -> int:
    """Return the step between places that have a mark, so that marks stay apart."""
    return math.ceil(places / MAX_MARKS) or 1


def middle_of_mass(shares: np.ndarray) -> slice:
    """Return the first and last place to show: beyond them lies `BEYOND` of the mass, as little left as right."""
    most = shares.sum() * BEYOND / 2
    left, right = (int(np.searchsorted(np.cumsum(side), most, side="right")) for side in (shares, shares[::-1]))
    return slice(left, len(shares) - right)


def whole_ticks(axes: Axes, places: Sequence[float]) -> None:
    """Set whole-number ticks: one at every place where they are few, else at round numbers."""
    distinct = sorted(set(places))
    if len(distinct) <= MAX_TICKS:
        axes.set_xticks(distinct)
    else:
        axes.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True, steps=[1, 2, 4, 5, 10], min_n_ticks=1))


def draw_marks(
    points: Sequence[Point], axes: Axes, look: LineStyle, places: Sequence[float], *, horizontal: bool, size: float
) -> None:
    """Draw the simulated means on given axes, with bars where every point has one."""
    means = [point.mean for point in points]
    spreads = [point.spread for point in points if point.spread is not None]
    bars = spreads if len(spreads) == len(points) else None
    axes.errorbar(
        means if horizontal else places,
        places if horizontal else means,
        xerr=bars if horizontal else None,
        yerr=None if horizontal else bars,
        fmt=look.marker,
        color=look.colour,
        markersize=size * GROWN.get(look.marker, 1.0),
        markeredgecolor="white",
        markeredgewidth=0.4,
        elinewidth=1.1,
        capsize=2.0,
    )


def draw_legend(figure: Figure, looks: Mapping[str, LineStyle], words: str) -> None:
    """Draw the legend below the picture: names with line and marker, and what line, marker and bar are.

    It is as wide as the figure.
    """
    width = figure.get_figwidth()
    handles = [Line2D([], [], label=name, markersize=6, **look.line()) for name, look in looks.items()]
    legend = figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=legend_columns(looks, width),
        frameon=False,
        title=wrapped(words, WORDS_SHARE * width, SMALL_SIZE),
        title_fontsize=SMALL_SIZE,
        handlelength=HANDLE,
        columnspacing=SPACING,
    )
    legend.get_title().set_multialignment("center")


def legend_columns(names: Iterable[str], width: float) -> int:
    """Return how many columns of a legend fit into so many inches."""
    widest = max((inches(name) for name in names), default=0.0)
    return max(1, min(MAX_COLUMNS, int((width - 0.1) / (widest + (HANDLE + 0.8 + SPACING) * EM))))


def legend_inches(names: Collection[str], words: str, width: float) -> float:
    """Return the height in inches of what `draw_legend` makes."""
    rows = math.ceil(len(names) / legend_columns(names, width))
    return 1.6 * EM * rows + 1.25 * SMALL_EM * (1 + wrapped(words, WORDS_SHARE * width, SMALL_SIZE).count("\n"))


def marker_words(bar: str, repetitions: int, *, exact: str = "line") -> str:
    """Return what a legend says of the marks; without bars where there was a single repetition."""
    bars = f"\nbar, where longer than the marker: {BAR_WORDS[bar]}" if repetitions > 1 else ""
    times = "1 repetition" if repetitions == 1 else f"{repetitions:,} repetitions"
    return f"{exact}: exact expectation; marker: simulated mean of {times}{bars}"

"""How many groups have which true count."""

import itertools
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, StrMethodFormatter

from mechdesign_figures.plots.curves import MANY, ROUND_STEPS
from mechdesign_figures.plots.lettering import TITLE_SIZE, wrapped
from mechdesign_figures.plots.style import house_style, picture_bytes

BAR = "#0072B2"
WIDTH, HEIGHT = 5.2, 3.2
"""Inches."""

MARGIN = 0.04
"""Share of the counts that occur, kept free on each side where the axis does not show all."""

MAX_STEPS = 200
"""More counts than these, and several go into one step, so that each is wide enough to be seen."""


def draw_counts(histogram: Sequence[int], axes: Axes, *, title: str = "", unit: str = "groups") -> Axes:
    """Draw `histogram[c]` groups with the true count c = 0..n as bars on given axes; returns the axes.

    Of many counts those are shown between the first and the last that occurs; what are still many are steps of one
    shape, each of them several counts wide where that is needed (the axis says so).
    """
    values = np.asarray(histogram)
    first, last = _shown(values)
    wide = _width(last + 1 - first)
    first -= first % wide
    if last + 1 - first <= MANY:
        counts = np.arange(first, last + 1)
        axes.bar(counts, values[counts], width=0.85, color=BAR)
    else:
        starts = np.arange(first, last + 1, wide)
        steps = np.add.reduceat(values[: last + 1], starts)
        axes.stairs(steps, np.append(starts, starts[-1] + wide) - 0.5, fill=True, color=BAR)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=9, integer=True, steps=ROUND_STEPS, min_n_ticks=1))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True, steps=ROUND_STEPS))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.set_xlim(first - 0.7, last + 0.7)
    axes.grid(True, axis="y", color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel("true count of a group, j")
    axes.set_ylabel(unit if wide == 1 else f"{unit} in every {wide:,} counts")
    axes.set_title(title)
    return axes


def _width(counts: int) -> int:
    """The least round number of counts to a step."""
    width = 1
    for factor in itertools.cycle((2, 2.5, 2)):
        if width * MAX_STEPS >= counts:
            break
        width = int(width * factor)
    return width


def _shown(values: np.ndarray) -> tuple[int, int]:
    """The first and the last count on the axis."""
    occurring = np.flatnonzero(values)
    if len(values) <= MANY or not len(occurring):
        return 0, len(values) - 1
    margin = 1 + int(MARGIN * np.ptp(occurring))
    return max(0, int(occurring[0]) - margin), min(len(values) - 1, int(occurring[-1]) + margin)


def counts_bytes(histogram: Sequence[int], suffix: str, *, title: str = "", unit: str = "groups") -> bytes:
    """The histogram as the content of a `.png`, `.svg` or `.pdf` file."""
    with house_style():
        figure = Figure(figsize=(WIDTH, HEIGHT))
        title = wrapped(title, 0.8 * WIDTH, TITLE_SIZE)
        draw_counts(histogram, figure.add_subplot(), title=title, unit=unit)
        return picture_bytes(figure, suffix)

"""The histogram of groups by their true count."""

import itertools
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, StrMethodFormatter

from mechdesign.arguments import checked
from mechdesign_catalog.datasets.counts import GroupedCounts
from mechdesign_figures.plots.parts.curves import MANY, ROUND_STEPS
from mechdesign_figures.plots.parts.lettering import TITLE_SIZE, wrapped
from mechdesign_figures.plots.parts.style import on_axes

BAR = "#0072B2"
WIDTH, HEIGHT = 5.2, 3.2
"""Inches."""

MARGIN = 0.04
"""Share of the counts that occur, kept free on each side where the axis does not show all."""

MAX_STEPS = 200
"""More counts than these, and several go into one step, so that each is wide enough to be seen."""


@checked
def plot_counts(
    counts: GroupedCounts | Sequence[int], ax: Axes | None = None, *, title: str | None = None, unit: str = "groups"
) -> Axes:
    """Draw true counts of groups as a histogram.

    Of many counts those are shown between the first and the last that occurs; what are still many are steps of one
    shape, each of them several counts wide where that is needed (the axis says so).

    Args:
        counts: groups of a data set, or how many of them have the count c, for c = 0..n.
        ax: where; new axes by default.
        title: by default what the groups are of.
        unit: what is counted on the vertical axis.

    Returns:
        The axes.
    """
    if isinstance(counts, GroupedCounts):
        told = f"{counts.source}: {counts.groups:,} groups of n = {counts.n}"
        return plot_counts(counts.histogram, ax, title=told if title is None else title, unit=unit)
    words = title or ""
    with on_axes(ax, WIDTH, HEIGHT) as axes:
        return _draw_counts(counts, axes, wrapped(words, 0.8 * WIDTH, TITLE_SIZE) if ax is None else words, unit)


def _draw_counts(histogram: Sequence[int], axes: Axes, title: str, unit: str) -> Axes:
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

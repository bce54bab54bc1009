"""Error histograms: the share of groups by `error = released - true`."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from mechdesign_figures.plots.parts.curves import BEYOND_WORDS, MANY, Point, marks_apart, middle_of_mass, whole_ticks
from mechdesign_figures.plots.parts.style import LineStyle

PALE = 0.45
"""Opacity of the columns, so that marks stand out on them."""


def draw_errors(
    points: Sequence[Point], axes: Axes, *, look: LineStyle, x_label: str = "", y_label: str = "", title: str = ""
) -> Axes:
    """Draw one mechanism's error histogram on given axes; `place` of a point is an error. Returns the axes.

    Columns from 0 are exact expected shares, black markers with bars the simulated means. Many errors (places are then
    consecutive and rise) are one shape with some markers, and the axis ends where hardly any mass is left; it says so.
    """
    places = [point.place for point in points]
    shares = np.array([point.expected for point in points])
    if len(places) <= MANY:
        axes.bar(places, shares, width=0.85, color=look.colour, alpha=PALE, linewidth=0)
    else:
        edges = np.append(places, places[-1] + 1) - 0.5
        axes.stairs(shares, edges, fill=True, color=look.colour, alpha=PALE, linewidth=0)
        shown = middle_of_mass(shares)
        points = points[shown]
        places = [point.place for point in points]
        axes.set_xlim(min(places[0], 0) - 1, max(places[-1], 0) + 1)
        x_label += f"\n{BEYOND_WORDS}"
    _draw_means(points, axes)
    axes.axvline(0, color="0.75", linewidth=0.7, linestyle=":", zorder=0)
    whole_ticks(axes, places)
    axes.set_ylim(bottom=0, auto=None)  # a later histogram on a shared scale may still raise the top
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.set_title(title)
    return axes


def _draw_means(points: Sequence[Point], axes: Axes) -> None:
    """Some of them where there are many, that of no error among them."""
    step = marks_apart(len(points))
    right = next((k for k, point in enumerate(points) if point.place == 0), 0)
    marked = points[right % step :: step]
    spreads = [point.spread for point in marked if point.spread is not None]
    axes.errorbar(
        [point.place for point in marked],
        [point.mean for point in marked],
        yerr=spreads if len(spreads) == len(marked) else None,
        fmt=".",
        color="black",
        markersize=3,
        elinewidth=0.8,
        capsize=1.5,
    )

"""How often each error came: the share of groups by `error = released - true`."""

from collections.abc import Sequence

from matplotlib.axes import Axes

from mechdesign_figures.curves import Point, whole_ticks
from mechdesign_figures.style import Look

PALE = 0.45
"""Opacity of the columns, so that marks stand out on them."""


def draw_errors(
    points: Sequence[Point], axes: Axes, *, look: Look, x_label: str = "", y_label: str = "", title: str = ""
) -> Axes:
    """One mechanism's error histogram on given axes; `place` of a point is an error. Returns the axes.

    Columns from 0 are exact expected shares, black markers with bars the simulated means.
    """
    places = [point.place for point in points]
    axes.bar(places, [p.expected for p in points], width=0.85, color=look.colour, alpha=PALE, linewidth=0)
    spreads = [p.spread for p in points if p.spread is not None]
    axes.errorbar(
        places,
        [point.mean for point in points],
        yerr=spreads if len(spreads) == len(points) else None,
        fmt=".",
        color="black",
        markersize=3,
        elinewidth=0.8,
        capsize=1.5,
    )
    axes.axvline(0, color="0.75", linewidth=0.7, linestyle=":", zorder=0)
    whole_ticks(axes, places)
    axes.set_ylim(bottom=0, auto=None)  # a later histogram on a shared scale may still raise the top
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.set_title(title)
    return axes

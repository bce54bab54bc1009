"""Draw simulated means joined by lines, with bars of one standard error: a curve for each name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from mechdesign_figures.plots.parts.curves import GROWN
from mechdesign_figures.plots.parts.style import Look

MARKER = 5.0


@dataclass(frozen=True)
class Mean:
    """The mean of the repetitions at `place`, and half the length of its bar (None for no bar)."""

    place: float
    mean: float
    spread: float | None = None


def draw_lines(
    series: Mapping[str, Sequence[Mean]],
    axes: Axes,
    *,
    looks: Mapping[str, Look],
    x_label: str = "",
    y_label: str = "",
    title: str = "",
    log_x: bool = False,
    log_y: bool = False,
) -> Axes:
    """Draw a line through the means of each name on given axes; returns the axes.

    `log_y` is followed only where every mean is positive.
    """
    for name, points in series.items():
        look = looks[name]
        spreads = [point.spread for point in points if point.spread is not None]
        axes.errorbar(
            [point.place for point in points],
            [point.mean for point in points],
            yerr=spreads if len(spreads) == len(points) else None,
            label=name,
            linewidth=1.4,
            elinewidth=1.0,
            capsize=2.0,
            markersize=MARKER * GROWN.get(look.marker, 1.0),
            markeredgecolor="white",
            markeredgewidth=0.4,
            **look.line(),
        )
    means = [point.mean for points in series.values() for point in points]
    if log_x:
        axes.set_xscale("log")
    if log_y and means and min(means) > 0:
        axes.set_yscale("log")
    axes.grid(True, color="0.92", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.set_title(title)
    return axes

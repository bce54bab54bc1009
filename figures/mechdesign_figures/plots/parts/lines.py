"""Lines of simulated means with bars of one standard error: a curve for each name."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import LogLocator, NullLocator

from mechdesign_figures.plots.parts.curves import GROWN
from mechdesign_figures.plots.parts.style import LineStyle

MARKER = 5.0
LEAST_FACTOR = 3.0
"""Of a logarithmic axis."""

PLAIN = (1e-3, 1e4)
"""Ends between which numbers on a logarithmic axis are written out."""

FEW_DECADES = 2.2
"""Decades up to which 2 and 5 times powers of ten are marked as well."""


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
    looks: Mapping[str, LineStyle],
    x_label: str = "",
    y_label: str = "",
    title: str = "",
    log_x: bool = False,
    log_y: bool = False,
) -> Axes:
    """Draw a line through the means of each name on given axes; returns the axes.

    `log_y` is followed only where every mean is positive and the largest is several times the least.
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
    places = [point.place for points in series.values() for point in points]
    if log_x:
        axes.set_xscale("log")
        _plain_ticks(axes.xaxis, places)
    if log_y and means and 0 < LEAST_FACTOR * min(means) <= max(means):
        axes.set_yscale("log")
        _plain_ticks(axes.yaxis, means)
    axes.grid(True, color="0.92", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.set_title(title)
    return axes


class RoundLocator(LogLocator):
    """Ticks at powers of ten, and at 2 and 5 times them where the axis, which others may share, has few decades."""

    def tick_values(self, vmin: float, vmax: float) -> list[float]:
        """Return the ticks between two positive ends."""
        few = math.log10(vmax / vmin) <= FEW_DECADES
        self.set_params(subs=(1.0, 2.0, 5.0) if few else (1.0,))
        return [float(tick) for tick in super().tick_values(vmin, vmax)]


def _plain_ticks(axis: Axis, values: Sequence[float]) -> None:
    """Round ticks, as plain numbers where they are short."""
    axis.set_major_locator(RoundLocator())
    axis.set_minor_locator(NullLocator())
    if PLAIN[0] <= min(values) and max(values) <= PLAIN[1]:
        axis.set_major_formatter("{x:g}")

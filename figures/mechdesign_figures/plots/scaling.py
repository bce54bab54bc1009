"""The picture of solving time by size: log-log curves, ours and those of other tools."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from mechdesign_figures.plots.parts.style import COLOURS, LineStyle, on_figure

METHOD_LOOKS = {
    "closed-form": LineStyle(COLOURS[0], "o"),
    "column-generation": LineStyle(COLOURS[2], "s"),
    "split-and-cut": LineStyle(COLOURS[5], "P"),
    "active-outputs": LineStyle(COLOURS[6], "X"),
    "symmetric": LineStyle(COLOURS[1], "^"),
    "full": LineStyle(COLOURS[3], "D"),
    "mechdesign": LineStyle(COLOURS[4], "v"),
}
"""Colour and marker of a method: hues that differ for readers with any colour vision, and shapes for print in grey."""

PEER_LOOKS = (LineStyle("#000000", "x", "--"), LineStyle("#666666", "+", "--"), LineStyle("#999999", "1", "--"))

PEOPLE = "people in a group, n"
"""The usual axis."""

LEGEND_ROOM = 4.0
"""The seconds axis reaches this many times beyond the slowest curve, so that no curve runs through a legend."""


@dataclass(frozen=True)
class Curve:
    """Seconds at each size n, all positive; `ours` is False for another tool."""

    label: str
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]
    ours: bool = True

    @property
    def exponent(self) -> float:
        """The b of `seconds = a n^b`, by least squares of log seconds on log n; needs two sizes."""
        slope, _ = np.polyfit(np.log(self.sizes), np.log(self.seconds), 1)
        return float(slope)


def looks(curves: Sequence[Curve]) -> dict[str, LineStyle]:
    """Return colour and marker by label: methods have their own, other tools take theirs in order of appearance."""
    peers = dict.fromkeys(curve.label for curve in curves if curve.label not in METHOD_LOOKS)
    return METHOD_LOOKS | {label: PEER_LOOKS[k % len(PEER_LOOKS)] for k, label in enumerate(peers)}


def draw_scaling(
    curves: Sequence[Curve],
    axes: Axes,
    *,
    title: str = "",
    x_label: str = PEOPLE,
    size: str = "n",
    styles: Mapping[str, LineStyle] | None = None,
) -> Axes:
    """Draw curves on given axes, both scales logarithmic, peers dashed; the legend carries each fitted exponent.

    `size` is the letter of what grows.
    """
    styles = looks(curves) if styles is None else styles
    for curve in curves:
        label = f"{curve.label}, ${size}^{{{curve.exponent:.1f}}}$" if len(curve.sizes) > 1 else curve.label
        look = styles[curve.label].line()
        axes.plot(curve.sizes, curve.seconds, label=label, markersize=5, linewidth=1.4, **look)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_locator(NullLocator())
    axes.grid(True, which="major", color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel(x_label)
    axes.set_ylabel("seconds")
    axes.set_title(title)
    axes.legend(frameon=False, fontsize=8, loc="upper left")
    return axes


def plot_scaling(
    panels: Mapping[str, Sequence[Curve]],
    figure: Figure | None = None,
    *,
    x_label: str = PEOPLE,
    size: str = "n",
    across: int | None = None,
) -> Figure:
    """Draw seconds against size, a panel for each title, all on one scale; returns the figure.

    All stand beside one another, or as many as `across`.
    """
    columns = across or len(panels)
    rows = math.ceil(len(panels) / columns)
    with on_figure(figure, 3.6 * columns, 3.8 * rows if rows == 1 else 3.0 * rows) as made:
        grid = made.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).reshape(-1)
        styles = looks([curve for curves in panels.values() for curve in curves])
        for axes, (title, curves) in zip(grid, panels.items(), strict=False):
            draw_scaling(curves, axes, title=title, x_label=x_label, size=size, styles=styles)
            axes.label_outer()
        for axes in grid[len(panels) :]:
            axes.set_axis_off()
        for axes in grid[len(panels) - columns : len(panels)]:  # with nothing below it
            axes.tick_params(labelbottom=True)
            axes.set_xlabel(x_label)
        bottom, top = grid[0].get_ylim()
        grid[0].set_ylim(bottom, LEGEND_ROOM * top)
    return made

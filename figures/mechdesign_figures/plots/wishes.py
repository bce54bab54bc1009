"""The picture of several wishes: what each needs, and what is impossible."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from mechdesign.arguments import checked
from mechdesign.calibration import Answered, WishRow
from mechdesign.sweeps.wishes import rows_of
from mechdesign_figures.plots.parts.style import COLOURS, on_figure

WIDTH, HEIGHT = 5.6, 3.6
"""Inches."""

ACROSS = {
    "error": "largest standard error of an answer",
    "half_width": "half the width of an answer's interval",
    "chance": "chance of an output as near as asked",
    "score": "score",
}
UPWARDS = {"epsilon": "epsilon", "users": "users"}
TICKS = (1, 2, 5)
MARGIN = 0.8
"""Where the shading of what is impossible ends, as a part of the least that is drawn."""


@checked
def plot_wishes(found: Sequence[Answered], figure: Figure | None = None) -> Figure:
    """Draw the least epsilon, or the fewest users, against the error; below is shaded what no mechanism can do.

    The line holds at its markers, which are the wishes. Both axes are logarithmic, but for chances.

    Args:
        found: what `calibrate` or `calibrate_reports` returned for wishes of one kind.
        figure: where; a new one by default.

    Returns:
        The figure.

    Raises:
        InputError: for no wish, or wishes of several kinds.
    """
    rows = sorted(rows_of(found), key=lambda row: row.asked[1])
    with on_figure(figure, WIDTH, HEIGHT) as made:
        _draw(rows, made.subplots())
    return made


def _draw(rows: Sequence[WishRow], axes: Axes) -> None:
    (name, _), (sought, _) = rows[0].asked, rows[0].enough
    across = [float(row.asked[1]) for row in rows]
    axes.plot(
        across, [float(row.enough[1]) for row in rows], "o-", color=COLOURS[0], label=f"least {sought} that suffices"
    )
    bounds = [(float(row.asked[1]), float(row.impossible)) for row in rows if row.impossible is not None]
    axes.set_yscale("log")
    if name != "chance":
        axes.set_xscale("log")
    for axis in (axes.yaxis, *([] if name == "chance" else [axes.xaxis])):
        axis.set_major_locator(LogLocator(subs=TICKS))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
        axis.set_minor_locator(NullLocator())
    least = MARGIN * min(axes.get_ylim()[0], *(bound for _, bound in bounds)) if bounds else axes.get_ylim()[0]
    if bounds:
        places, values = zip(*bounds, strict=True)
        axes.fill_between(places, values, least, color="0.85", label="impossible")
        axes.plot(places, values, ".--", color="0.4")
    axes.set_ylim(bottom=least)
    axes.set_xlabel(ACROSS[name])
    axes.set_ylabel(UPWARDS[sought])
    axes.legend()

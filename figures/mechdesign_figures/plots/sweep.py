"""Draw a sweep as small multiples: score against n or alpha, one line for each set of properties."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from mechdesign.errors import InputError
from mechdesign.sweeps import SweepRow
from mechdesign_figures.plots.parts.style import COLOURS, DASHES, MARKERS, on_figure, short

MAX_LINES = len(COLOURS) * len(DASHES)
MAX_MARKERS = 20
MAX_PANELS = 6
"""Panels beside one another; of more values, these many are shown, spread evenly."""

WIDEST, NARROWEST = 3.4, 1.2
"""Line widths, first to last: where designs agree, the lines lie on one another, and all of them can be seen."""


def require_plottable(sets: int) -> None:
    """Refuse, before any work, more lines than can be told apart."""
    if sets > MAX_LINES:
        raise InputError(f"plot must show at most {MAX_LINES} sets of properties, got {sets}; leave --plot out")


def plot_sweep(rows: Sequence[SweepRow], figure: Figure | None = None) -> Figure:
    """Draw a sweep: a row of panels for each loss, a column for each alpha (or n), a line for each set of properties.

    The horizontal axis is whichever of n and alpha takes more values, n where they take as many. Failed designs
    leave a gap in their line and a cross at the foot of the panel.

    Args:
        rows: the designs of a sweep.
        figure: where; a new one by default.

    Returns:
        The figure.

    Raises:
        InputError: for no row, or more sets of properties than can be told apart.
    """
    if not rows:
        raise InputError("rows of a sweep must be at least one, got none")
    require_plottable(len({row.properties for row in rows}))
    across = "alpha" if _along(rows) != "alpha" else _size_name(rows)
    columns = min(MAX_PANELS, len({getattr(row, across) for row in rows}))
    losses = len({row.loss for row in rows})
    with on_figure(figure, 2.6 * columns + 2.0, 2.4 * losses + 0.7) as made:
        draw_sweep(rows, made)
    return made


def draw_sweep(rows: Sequence[SweepRow], figure: Figure) -> np.ndarray:
    """Draw the panels of a sweep on a given figure; returns their axes, shape (losses, columns)."""
    along = _along(rows)
    across = _size_name(rows) if along == "alpha" else "alpha"
    losses = list(dict.fromkeys(row.loss for row in rows))
    values = list(dict.fromkeys(getattr(row, across) for row in rows))
    shown = _spread(sorted(values, key=Fraction))
    sets = list(dict.fromkeys(row.properties for row in rows))
    panels: np.ndarray = figure.subplots(len(losses), len(shown), squeeze=False, sharex=True)
    for panel_row, loss in zip(panels, losses, strict=True):
        for axes, value in zip(panel_row, shown, strict=True):
            part = [row for row in rows if row.loss == loss and getattr(row, across) == value]
            draw_panel(part, axes, along=along, sets=sets)
            axes.set_title(f"{across} = {short(value)}, {loss}")
        panel_row[0].set_ylabel("score")
    for axes in panels[-1]:
        axes.set_xlabel("alpha = exp(-epsilon)" if along == "alpha" else along)
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right upper", frameon=False)
    told = _common(rows[0])
    if len(shown) < len(values):
        told.append(f"{len(shown)} of {len(values)} values of {across}")
    if told:
        figure.suptitle(", ".join(told), fontsize="medium")
    return panels


def _common(row: SweepRow) -> list[str]:
    """What all designs share and no panel says, where it is not the usual thing."""
    radius = "" if row.radius is None else f" of radius {row.radius}"
    told = [] if row.model == "count" else [f"{row.model.upper()}{radius}"]
    if row.aggregate == "worst":
        told.append("worst case")
    elif row.prior != "uniform":
        told.append(f"prior {row.prior}")
    return told


def draw_panel(rows: Sequence[SweepRow], axes: Axes, *, along: str, sets: Sequence[str]) -> Axes:
    """Draw one panel on given axes: a line for each of `sets`, styled by its place among them; returns the axes."""
    for place, name in enumerate(sets):
        line = sorted((row for row in rows if row.properties == name), key=lambda row: _number(row, along))
        share = place / max(1, len(sets) - 1)
        colour = COLOURS[place % len(COLOURS)]
        axes.plot(
            [_number(row, along) for row in line],
            [np.nan if row.score is None else row.score for row in line],
            color=colour,
            marker=MARKERS[place % len(MARKERS)],
            markevery=1 + len(line) // MAX_MARKERS,
            linestyle=DASHES[place // len(COLOURS)],
            linewidth=WIDEST + (NARROWEST - WIDEST) * share,
            markersize=7.0 - 3.0 * share,
            label=_title(name),
        )
        failed = [_number(row, along) for row in line if row.failed]
        foot = [0.03] * len(failed)
        axes.plot(failed, foot, "x", color=colour, transform=axes.get_xaxis_transform(), markersize=7.0)
    axes.ticklabel_format(axis="y", useOffset=False)
    if along != "alpha":
        axes.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True, min_n_ticks=1))
    else:
        axes.xaxis.set_major_locator(MaxNLocator(nbins=5))
    return axes


def _along(rows: Sequence[SweepRow]) -> str:
    size = _size_name(rows)
    return size if len({getattr(row, size) for row in rows}) >= len({row.alpha for row in rows}) else "alpha"


def _size_name(rows: Sequence[SweepRow]) -> str:
    return "n" if rows[0].model == "count" else "k"


def _spread(values: list[str | int]) -> list[str | int]:
    """At most MAX_PANELS of the values, first and last among them."""
    if len(values) <= MAX_PANELS:
        return values
    return [values[round(k * (len(values) - 1) / (MAX_PANELS - 1))] for k in range(MAX_PANELS)]


def _number(row: SweepRow, name: str) -> float:
    return float(Fraction(getattr(row, name)))


def _title(properties: str) -> str:
    return "no properties" if properties == "none" else properties.replace(" ", ", ")

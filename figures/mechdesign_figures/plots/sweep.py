"""The picture of a sweep, as small multiples: score by n or alpha.

There is one line for each set of properties.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from mechdesign.arguments import checked
from mechdesign.errors import InputError
from mechdesign.sweeps import SweepRow
from mechdesign_figures.plots.parts.curves import legend_columns, legend_inches, whole_ticks
from mechdesign_figures.plots.parts.lettering import SMALL_SIZE, wrapped
from mechdesign_figures.plots.parts.style import COLOURS, DASHES, MARKERS, on_figure, privacy_words

MAX_LINES = len(COLOURS) * len(DASHES)
MAX_PANELS = 6
"""Panels beside one another; of more values, these many are shown, spread evenly."""

WIDEST, NARROWEST = 3.4, 1.2
LARGEST, SMALLEST, TINIEST = 7.0, 4.0, 2.0
"""Widths of lines and sizes of markers, first to last: where designs agree, the lines lie on one another, and all of
them can be seen. Every design has a marker, a smaller one where they are many."""

PANEL_WIDTH, PANEL_HEIGHT, LEAST_WIDTH = 2.7, 2.4, 5.6
"""Inches; the last of the whole picture."""

MARKED_POINTS = 160.0
"""Of a panel's width, shared by the markers of a line."""

LEAST_SEEN = 0.15
"""Panels share an axis of scores unless lines of one that differ would then span less than this part of its height."""

FROM_ZERO = 0.5
"""Scores whose lowest is at most this part of the highest are drawn from 0 on; of others the axis says its start."""

ACROSS = {"n": "people in a group, n", "k": "items, k", "alpha": "alpha = exp(-epsilon)"}
LEGEND_WORDS = "properties"
UNITS = {"L0": " (uniform guessing: 1)", "L1": " (people)", "L2": " (people²)"}


def require_plottable(sets: int) -> None:
    """Refuse, before any work, more lines than can be told apart."""
    if sets > MAX_LINES:
        raise InputError(f"plot must show at most {MAX_LINES} sets of properties, got {sets}; leave --plot out")


@checked
def plot_sweep(rows: Sequence[SweepRow], figure: Figure | None = None) -> Figure:
    """Draw a sweep: a row of panels for each loss, a column for each alpha (or n), a line for each set of properties.

    The horizontal axis is whichever of n and alpha takes more values, n where they take as many. Every design has a
    marker. Panels of one loss share their vertical axis where all lines can be told apart on it; it begins at 0 or says
    that it does not. Failed designs leave a gap in their line and a cross at the foot of the panel.

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
    width = max(LEAST_WIDTH, PANEL_WIDTH * columns + 0.4)
    sets = [_title(name) for name in dict.fromkeys(row.properties for row in rows)]
    height = PANEL_HEIGHT * len({row.loss for row in rows}) + 0.6 + legend_inches(sets, LEGEND_WORDS, width)
    with on_figure(figure, width, height) as made:
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
            told = privacy_words(Fraction(value)) if across == "alpha" else f"{across} = {value}"
            axes.set_title(f"{told}, {loss}")
        _set_scale(panel_row, [row for row in rows if row.loss == loss])
    for axes in panels[-1]:
        axes.set_xlabel(ACROSS[along])
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=legend_columns(labels, figure.get_figwidth()),
        frameon=False,
        title=LEGEND_WORDS,
        title_fontsize=SMALL_SIZE,
    )
    heading = _common(rows[0])
    if len(shown) < len(values):
        heading.append(f"{len(shown)} of {len(values)} values of {across}")
    figure.suptitle(wrapped(", ".join(heading), 0.9 * figure.get_figwidth()), fontsize="medium")
    return panels


def _common(row: SweepRow) -> list[str]:
    """What all designs share and no panel says."""
    radius = "" if row.radius is None else f" of radius {row.radius}"
    model = "best mechanisms for counts" if row.model == "count" else f"best mechanisms, {row.model.upper()}{radius}"
    return [model, "worst case" if row.aggregate == "worst" else f"prior {row.prior}"]


def _set_scale(line: Sequence[Axes], rows: Sequence[SweepRow]) -> None:
    """Set the axes of scores of the panels of one loss: shared where all lines can be seen on it, and named."""
    unit = UNITS.get(rows[0].loss, "") if rows[0].model == "count" or rows[0].loss == "L0" else ""
    limits = [axes.get_ylim() for axes in line]
    spans = [span for axes in line if (span := _span(axes)) is not None]
    low, high = min(low for low, _ in limits), max(high for _, high in limits)
    is_zero_shown = bool(spans) and min(low for low, _ in spans) <= FROM_ZERO * max(high for _, high in spans)
    low = 0.0 if is_zero_shown else low
    seen = [high_seen - low_seen for low_seen, high_seen in spans]
    is_shared = len(line) == 1 or all(span == 0 or span >= LEAST_SEEN * (high - low) for span in seen)
    if is_shared:
        for axes in line:
            axes.set_ylim(low, high)
        for axes in line[1:]:
            axes.tick_params(labelleft=False)
    starts = [] if is_shared and is_zero_shown else ["not from 0"]
    ends = [] if is_shared else ["own in each panel"]
    remark = ", ".join([*starts, *ends])
    line[0].set_ylabel(f"score{unit}" + (f"\n(axis {remark})" if remark else ""))


def _span(axes: Axes) -> tuple[float, float] | None:
    """The least and the largest score that is drawn; None where none is."""
    scores = np.concatenate([np.asarray(line.get_ydata(), float) for line in axes.lines if line.get_marker() != "x"])
    drawn = scores[np.isfinite(scores)]
    return (float(drawn.min()), float(drawn.max())) if len(drawn) else None


def draw_panel(rows: Sequence[SweepRow], axes: Axes, *, along: str, sets: Sequence[str]) -> Axes:
    """Draw one panel on given axes: a line for each of `sets`, styled by its place among them; returns the axes."""
    places = sorted({_number(row, along) for row in rows})
    most = max(TINIEST, MARKED_POINTS / max(1, len(places)))
    for place, name in enumerate(sets):
        line = sorted((row for row in rows if row.properties == name), key=lambda row: _number(row, along))
        share = place / max(1, len(sets) - 1)
        colour = COLOURS[place % len(COLOURS)]
        axes.plot(
            [_number(row, along) for row in line],
            [np.nan if row.score is None else row.score for row in line],
            color=colour,
            marker=MARKERS[place % len(MARKERS)],
            linestyle=DASHES[place // len(COLOURS)],
            linewidth=min(most / 2, WIDEST + (NARROWEST - WIDEST) * share),
            markersize=min(most, LARGEST + (SMALLEST - LARGEST) * share),
            markeredgecolor="white",
            markeredgewidth=0.4,
            label=_title(name),
        )
        failed = [_number(row, along) for row in line if row.failed]
        foot = [0.03] * len(failed)
        axes.plot(failed, foot, "x", color=colour, transform=axes.get_xaxis_transform(), markersize=7.0)
    axes.ticklabel_format(axis="y", useOffset=False)
    if along != "alpha":
        whole_ticks(axes, places)
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

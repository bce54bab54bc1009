"""The picture of an estimated table of one attribute or two, with errors of each share."""

import numpy as np
from matplotlib.axes import Axes

from mechdesign.arguments import checked
from mechdesign.errors import InputError
from mechdesign_catalog.decoders.estimate import Estimate
from mechdesign_figures.plots.parts.lettering import SMALL_SIZE, TITLE_SIZE, cut_names, inches, wrapped
from mechdesign_figures.plots.parts.style import COLOURS, HEAT, on_axes

MOST_ROWS = 60
MOST_WRITTEN = 12
"""Cells carry their numbers while neither attribute has more items."""

LIGHT = 0.55
"""Share of the colours from which on black reads better than white."""

WIDTH, MARGIN = 7.0, 2.4
"""Inches, of a picture of one attribute and of what words across it leave free."""

NAMES_SLANTED = 5


@checked
def plot_marginal(estimate: Estimate, ax: Axes | None = None, *, level: float = 0.95, title: str = "") -> Axes:
    """Draw the table of one attribute as dots with intervals, or of two as a heat map with numbers.

    A cell of two attributes is coloured by its share (none below 0), and has the share and half the length of its
    interval in words; of many cells the longest half is said below. Intervals are of the unbiased estimates, each by
    itself.

    Args:
        estimate: the table.
        ax: where; new axes by default, as large as the table asks for.
        level: of the intervals, in (0, 1).
        title: a line over the names of the attributes.

    Returns:
        The axes.

    Raises:
        InputError: for a table of more than two attributes, or one with more items than can be told apart.
    """
    items = items_of(estimate)
    sizes = [len(own) for own in items.values()]
    if len(sizes) > 2 or max(sizes) > MOST_ROWS:
        raise InputError(
            f"a picture must be of one or two attributes of at most {MOST_ROWS} items, got {', '.join(map(str, sizes))}"
        )
    if len(sizes) == 1:
        with on_axes(ax, WIDTH, 1.7 + 0.22 * sizes[0]) as axes:
            return _draw_dots(estimate, level, title, axes)
    rows = next(iter(items.values()))
    width, height = (float(np.clip(2.2 + 0.75 * size, 4.0, 11.0)) for size in sizes[::-1])
    width += _names_width(rows)
    with on_axes(ax, width + 1.2, height) as axes:
        return _draw_cells(estimate, level, title, axes, width - _names_width(rows))


def items_of(estimate: Estimate) -> dict[str, list[str]]:
    """Return the items of each attribute of a table, in their order."""
    return {name: list(dict.fromkeys(items)) for name, items in estimate.names.items()}


def _names_width(rows: list[str]) -> float:
    """Return the inches that the names of rows take beyond those of short ones."""
    return max(0.0, max(map(inches, cut_names(rows))) - 0.6)


def _draw_dots(estimate: Estimate, level: float, title: str, axes: Axes) -> Axes:
    ((name, items),) = items_of(estimate).items()
    low, high = estimate.intervals(level)
    at = np.arange(len(low))
    axes.hlines(at, low, high, color=COLOURS[0], linewidth=1.2)
    axes.plot(estimate.shares, at, "o", color=COLOURS[0], markersize=4.5)
    axes.axvline(0.0, color="black", linewidth=0.8)
    axes.set_yticks(at, cut_names(items))
    axes.set_ylim(len(low) - 0.4, -0.6)
    axes.set_ylabel(cut_names([name])[0])
    words = f"estimated share of the users, {_words(estimate, level)}"
    axes.set_xlabel(wrapped(words, WIDTH - MARGIN, SMALL_SIZE), fontsize=SMALL_SIZE)
    axes.grid(axis="x", alpha=0.3)
    axes.set_axisbelow(True)
    axes.set_title(wrapped(title, WIDTH - MARGIN, TITLE_SIZE))
    return axes


def _draw_cells(estimate: Estimate, level: float, title: str, axes: Axes, width: float) -> Axes:
    names, (rows, columns) = list(estimate.names), items_of(estimate).values()
    shares = estimate.shares.reshape(len(rows), len(columns))
    low, high = (ends.reshape(shares.shape) for ends in estimate.intervals(level))
    top = max(float(shares.max()), 1e-9)
    image = axes.imshow(np.clip(shares, 0.0, None), cmap=HEAT, vmin=0.0, vmax=top, aspect="auto")
    axes.set_xticks(range(len(columns)), cut_names(columns))
    axes.set_yticks(range(len(rows)), cut_names(rows))
    if len(columns) > NAMES_SLANTED:
        axes.tick_params(axis="x", rotation=40)
        for name in axes.get_xticklabels():
            name.set_horizontalalignment("right")
            name.set_rotation_mode("anchor")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    y_name, x_name = cut_names(names)
    axes.set_ylabel(y_name)
    halves, written = (high - low) / 2, max(shares.shape) <= MOST_WRITTEN
    longest = np.ceil(1e3 * halves.max()) / 1e3
    sure = " and half of its interval" if written else f", each \N{PLUS-MINUS SIGN} {longest:.3f} or less"
    words = f"share of the users{sure if estimate.has_errors else ''}: {_words(estimate, level)}"
    axes.set_xlabel(f"{x_name}\n{wrapped(words, width - 1.0, SMALL_SIZE)}")
    if written:
        for (i, j), share in np.ndenumerate(shares):
            ink = "black" if share > LIGHT * top else "white"
            half = f"\n\N{PLUS-MINUS SIGN} {halves[i, j]:.3f}" if estimate.has_errors else ""
            text = f"{share:z.3f}{half}"
            axes.text(j, i, text, ha="center", va="center", color=ink, fontsize=SMALL_SIZE).set_in_layout(False)
    axes.set_title(wrapped(title, width - 0.5, TITLE_SIZE))
    figure = axes.get_figure(root=True)
    if figure is not None:
        figure.colorbar(image, ax=axes, label="estimated share", shrink=0.85)
    return axes


def _words(estimate: Estimate, level: float) -> str:
    if not estimate.has_errors:
        return f"{estimate.post}, which is not unbiased; errors are not known"
    post = (
        "" if estimate.is_unbiased else f" ({estimate.post} is not unbiased: intervals are of the unbiased estimates)"
    )
    return f"{100 * level:.6g} % for each cell by itself, {estimate.post}{post}"

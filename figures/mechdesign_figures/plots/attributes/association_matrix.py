"""The picture of associations: the strength of each pair of attributes, and findings."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechdesign.arguments import checked
from mechdesign_catalog.analyses.dependence.associations import Associations
from mechdesign_figures.plots.parts.heat_scale import HATCH, HATCH_GREY
from mechdesign_figures.plots.parts.lettering import SMALL_SIZE, TITLE_SIZE, cut_names, wrapped
from mechdesign_figures.plots.parts.style import HEAT, on_axes

LEAST_TOP = 0.1
"""The upper end of the colours is at least this, so that weak associations look so."""

MOST_WRITTEN = 16
"""Attributes up to which cells carry their number."""

LIGHT = 0.55
"""Share of the colours from which on black reads better than white."""


@checked
def plot_associations(
    associations: Associations, names: Sequence[str], ax: Axes | None = None, *, title: str = ""
) -> Axes:
    """Draw a matrix of associations: a cell for each two attributes, coloured by Cramer's V where they are associated.

    Pairs that are not found associated, at the rate of false discoveries that was asked for, are hatched; so are pairs
    that were not tested, which have no number.

    Args:
        associations: the tests of pairs of attributes.
        names: of the attributes.
        ax: where; new axes by default, as large as the attributes ask for.
        title: what was collected.

    Returns:
        The axes; the colour bar has axes of its own beside them.
    """
    side = float(np.clip(2.0 + 0.45 * associations.d, 3.6, 9.0))
    with on_axes(ax, side + 1.4, side) as axes:
        return _draw(associations, cut_names(list(names)), axes, title, side)


def _draw(associations: Associations, names: Sequence[str], axes: Axes, title: str, side: float) -> Axes:
    values = np.full((associations.d - 1, associations.d - 1), np.nan)
    for test in associations.tests:
        if test.is_significant:
            values[test.pair[1] - 1, test.pair[0]] = test.cramers_v
    top = max(LEAST_TOP, float(np.nanmax(values, initial=0.0)))
    axes.patch.set(facecolor="white", edgecolor=HATCH_GREY, hatch=HATCH, linewidth=0.0)
    image = axes.imshow(np.ma.masked_invalid(values), cmap=HEAT, vmin=0.0, vmax=top, aspect="equal")
    _clear_upper_half(associations.d, axes)
    if associations.d <= MOST_WRITTEN:
        for test in associations.tests:
            light = not test.is_significant or test.cramers_v > LIGHT * top
            box = None if test.is_significant else {"facecolor": "white", "edgecolor": "none", "pad": 0.6}
            axes.text(
                test.pair[0],
                test.pair[1] - 1,
                f"{test.cramers_v:.2f}",
                ha="center",
                va="center",
                fontsize=SMALL_SIZE,
                color="black" if light else "white",
                bbox=box,
            )
    axes.set_xticks(range(associations.d - 1), names[:-1], rotation=90)
    axes.set_yticks(range(associations.d - 1), names[1:])
    axes.tick_params(length=0)
    words = (
        f"coloured: associated, at most {100 * associations.rate:g} % of these falsely, on average; hatched: not found"
    )
    axes.set_xlabel(wrapped(words, side, SMALL_SIZE), fontsize=SMALL_SIZE)
    axes.set_title(wrapped(title, side, TITLE_SIZE))
    figure = axes.get_figure(root=True)
    assert isinstance(figure, Figure)  # axes of a figure, here or given
    figure.colorbar(image, ax=axes, label="Cramer's V, noise taken off", shrink=0.8)
    return axes


def _clear_upper_half(d: int, axes: Axes) -> None:
    """White where each pair would stand a second time."""
    for row in range(d - 2):
        axes.axhspan(row - 0.5, row + 0.5, xmin=(row + 1) / (d - 1), facecolor="white", zorder=1.5)
    for side in axes.spines.values():
        side.set_visible(False)

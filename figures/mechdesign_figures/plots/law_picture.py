"""The picture of a law: one end as a heatmap, and its gap to the best score by size."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from mechdesign.arguments import checked
from mechdesign.laws.law import Law
from mechdesign.mechanism.fair import FairMechanism
from mechdesign_figures.plots.heatmap import LETTERS_AN_INCH, draw_matrix, matrix_side
from mechdesign_figures.plots.parts.heat_scale import HeatScale, draw_bar
from mechdesign_figures.plots.parts.lettering import filled
from mechdesign_figures.plots.parts.style import COLOURS, on_figure

FAIR_SIZE = 12
"""A law without layers is drawn whole at this n."""

BEYOND = 4
"""So many rows and inputs beyond the layer are drawn, where the mechanism is the geometric one."""

CURVE_WIDTH = 4.2
"""Inches of the panel with the curve."""

POINTS = 12
"""Sizes at which the gap is computed, the next about 5/4 of the one before."""


@checked
def plot_law(source: Law, figure: Figure | None = None, *, title: str | None = None) -> Figure:
    """Draw a law: the probabilities at one end of any group as a heatmap, and scores or the gap over n.

    Under L0 score and bound are drawn, which are the same. Under L1 and L2, and where epsilon was asked, it is the gap
    as a part of the score, on a logarithmic scale. The fair law has no layers: it is drawn whole at n = 12.

    Args:
        source: the law.
        figure: where; by default a new one, as large as the layer asks for.
        title: by default what was asked for.

    Returns:
        The figure.
    """
    corner, end = law_corner(source), layer_end(source)
    side = matrix_side(max(corner.shape))
    with on_figure(figure, side + 1.2 + CURVE_WIDTH, side) as made:
        heat, curve = made.subplots(1, 2, width_ratios=[side + 1.2, CURVE_WIDTH])
        scale = HeatScale.of([corner])
        image = draw_matrix(corner, heat, scale, title=end)
        draw_bar(made, image, heat, scale, "Pr[output i | input j]")
        if not isinstance(source.mechanism, FairMechanism):
            heat.axhline(source.mechanism.depth - 0.5, color="white", linewidth=1.5)
        _draw_curve(source, curve)
        words = source.problem.describe() if title is None else title
        made.suptitle(filled(words, int(LETTERS_AN_INCH * (side + CURVE_WIDTH))))
    return made


def law_corner(law: Law) -> NDArray[np.float64]:
    """Return the probabilities of the first outputs at the first inputs, which large groups share."""
    if isinstance(law.mechanism, FairMechanism):
        return law.at(FAIR_SIZE).matrix()
    shown = law.mechanism.depth + BEYOND
    return law.mechanism.rows_at(_size_drawn(law), range(shown))[:, :shown]


def layer_end(law: Law) -> str:
    """Say in words what of a law its corner shows."""
    if isinstance(law.mechanism, FairMechanism):
        return f"the whole at n = {FAIR_SIZE}"
    rows = "row 0 is" if law.mechanism.depth == 1 else f"rows 0 to {law.mechanism.depth - 1} are"
    where = "the same for every n" if law.mechanism.slopes is None else f"here at n = {_size_drawn(law)}"
    return f"{rows} the layer, {where}"


def _size_drawn(law: Law) -> int:
    """Return a size of which the corner is drawn; without slopes it is that of all."""
    depth = 0 if isinstance(law.mechanism, FairMechanism) else law.mechanism.depth
    return max(law.least, 2 * (depth + BEYOND))


def curve_sizes(law: Law) -> list[int]:
    """List the sizes at which a curve of a law has its points."""
    sizes = [law.least]
    while len(sizes) < POINTS:
        sizes.append(max(sizes[-1] + 1, 5 * sizes[-1] // 4))
    return sizes


def _draw_curve(law: Law, axes: Axes) -> None:
    sizes = curve_sizes(law)
    axes.set_xlabel("people in a group, n")
    axes.grid(True, color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)
    gaps = [float(law.gap(n)) for n in sizes]
    if min(gaps) > 0:
        axes.plot(sizes, gaps, color=COLOURS[0], marker="o", markersize=4)
        axes.set_yscale("log")
        axes.set_ylabel("gap: part of the score that may be saved at most")
        axes.set_title("proved gap to the best score")
        return
    axes.plot(sizes, [float(law.score(n)[1]) for n in sizes], color=COLOURS[0], marker="o", markersize=4)
    axes.set_ylabel("score")
    axes.set_title("score, the least possible")

"""The picture of a design's strength: a heatmap from 0, and a column beside guessing.

Guessing is uniform.
"""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechdesign.arguments import checked
from mechdesign.designs import Design
from mechdesign.errors import InputError
from mechdesign_figures.plots.heatmap import LETTERS_AN_INCH, labels_of, matrix_side, plot_mechanism
from mechdesign_figures.plots.parts.heat_scale import HeatScale
from mechdesign_figures.plots.parts.lettering import filled
from mechdesign_figures.plots.parts.style import COLOURS, on_figure, problem_words

BARS_WIDTH = 4.2
"""Inches of the panel with the column."""

TRUTH, OTHER, GUESSING = COLOURS[1], COLOURS[0], "0.75"


@checked
def plot_design(
    source: Design, figure: Figure | None = None, *, title: str | None = None, column: int | None = None
) -> Figure:
    """Draw a design: all probabilities as a heatmap in even steps from 0, and those of one input as bars.

    Beside each bar stands that of the uniform mechanism, which ignores the input.

    Args:
        source: a square design.
        figure: where; by default a new one, as large as the matrix asks for.
        title: by default what was asked for, and its epsilon.
        column: the input that is drawn as bars; by default the one after a quarter of all.

    Returns:
        The figure.

    Raises:
        InputError: for a workload design, or an input that is none.
    """
    matrix = source.mechanism.matrix()
    j = (len(matrix) - 1) // 4 if column is None else column
    if not 0 <= j < len(matrix):
        raise InputError(f"column must be an input from 0 to {len(matrix) - 1}, got column={column}")
    side = matrix_side(len(matrix))
    with on_figure(figure, side + 1.2 + BARS_WIDTH, side) as made:
        heat, bars = made.subplots(1, 2, width_ratios=[side + 1.2, BARS_WIDTH])
        plot_mechanism(source, heat, title="", scale=HeatScale.from_zero([matrix]))
        _draw_column(matrix[:, j], j, bars, labels_of(source).rows)
        words = problem_words(source.problem) if title is None else title
        made.suptitle(filled(words, int(LETTERS_AN_INCH * (side + BARS_WIDTH))))
    return made


def _draw_column(column: np.ndarray, truth: int, axes: Axes, outputs: str) -> None:
    """Draw the probabilities of the outputs at one input, the truth apart, with the uniform mechanism's beside them."""
    places, guess = np.arange(len(column)), 1 / len(column)
    colours = [TRUTH if i == truth else OTHER for i in places]
    axes.bar(places - 0.2, column, 0.4, color=colours)
    axes.bar(places + 0.2, guess, 0.4, color=GUESSING, label="uniform mechanism, which ignores the input")
    axes.bar(truth - 0.2, 0, 0.4, color=OTHER, label=f"this mechanism where {truth} is true")
    axes.bar(truth - 0.2, 0, 0.4, color=TRUTH, label=f"the truth comes out: {column[truth]:.3f} against {guess:.3f}")
    axes.set_xlabel(outputs)
    axes.set_ylabel(f"Pr[output | input {truth}]")
    axes.set_ylim(0, 1.35 * max(column.max(), guess))
    axes.set_xticks(places[:: -(-len(places) // 17)])
    axes.legend(loc="upper right", frameon=False, fontsize="small", reverse=True)

"""The heatmap of a mechanism: outputs downwards, inputs to the right."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from mechdesign.arguments import checked
from mechdesign.audits.derivation import Derivation
from mechdesign.designs import Design
from mechdesign.errors import InputError
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign_figures.plots.parts.heat_scale import HeatScale, draw_bar, draw_cells
from mechdesign_figures.plots.parts.lettering import filled
from mechdesign_figures.plots.parts.style import on_axes, privacy_words, problem_words

LETTERS_AN_INCH = 12
MAX_ANNOTATED = 16
"""Cells carry their number up to this many inputs."""

OWN_SIZE, WORDS_SIZE = 7.5, 9.5
"""Points of numbers on axes that are as large as the matrix asks for, and of words of their own in cells."""


@dataclass(frozen=True)
class Labels:
    """Labels of the columns, rows and colours of a heatmap; by default those of a mechanism for counts."""

    columns: str = "input: true count j"
    rows: str = "output: released count i"
    colours: str = "Pr[output i | input j]"


COUNTS = Labels()
ITEMS = Labels("input: true item j", "output: reported item i")
REMAP = Labels("GM output k", "final output i", "Pr[final output i | GM output k]")


@checked
def plot_mechanism(
    source: Design | Mechanism,
    ax: Axes | None = None,
    *,
    title: str | None = None,
    scale: HeatScale | None = None,
    labels: Labels | None = None,
) -> Axes:
    """Draw a mechanism as a heatmap of `P[i,j]`, outputs downwards, with its colour bar.

    Args:
        source: a design, or a mechanism alone.
        ax: where; new axes by default, as large as the matrix asks for.
        title: by default what a design was asked for, and its epsilon.
        scale: of the colours; by default the one that the rule of `HeatScale.of` chooses for this matrix alone.
        labels: what rows, columns and colours are; by default counts, or items for a design of another model.

    Returns:
        The axes; the colour bar has axes of its own beside them.
    """
    mechanism = source.mechanism if isinstance(source, Design) else source
    chosen = labels_of(source) if labels is None else labels
    words = (problem_words(source.problem) if isinstance(source, Design) else "") if title is None else title
    side = matrix_side(mechanism.n_inputs)
    with on_axes(ax, side + 1.2, side) as axes:
        lines = filled(words, int(LETTERS_AN_INCH * side))
        matrix = mechanism.matrix()
        colours = HeatScale.of([matrix]) if scale is None else scale
        image = draw_matrix(matrix, axes, colours, title=lines, labels=chosen, size=OWN_SIZE if ax is None else None)
        figure = axes.get_figure(root=True)
        if figure is not None:
            draw_bar(figure, image, axes, colours, chosen.colours)
    return axes


def matrix_side(n_inputs: int) -> float:
    """Return the inches across that a matrix asks for."""
    return float(np.clip(1.5 + 0.42 * n_inputs, 3.4, 7.5))


@checked
def plot_remap(derivation: Derivation, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """Draw the remap that turns outputs of GM into those of a mechanism, as a heatmap of `T[i,k]`; returns the axes.

    Raises:
        InputError: where the mechanism cannot be derived from GM, so that there is no remap.
    """
    if derivation.remap is None:
        raise InputError("remap must exist to be drawn, got a mechanism that cannot be derived from GM")
    words = f"remap of GM, n = {derivation.remap.n_inputs - 1}, {privacy_words(derivation.alpha)}"
    return plot_mechanism(derivation.remap, ax, title=words if title is None else title, labels=REMAP)


def labels_of(source: Design | Mechanism) -> Labels:
    """Return what inputs and outputs are: counts, or items for a design of another model."""
    return ITEMS if isinstance(source, Design) and source.problem.model.name != "count" else COUNTS


def draw_heatmaps(
    panels: Sequence[tuple[str, np.ndarray]],
    figure: Figure,
    *,
    columns: int,
    labels: Labels = COUNTS,
) -> np.ndarray:
    """Draw titled matrices on a given figure, `columns` of them in a row, on one scale with one colour bar.

    Returns:
        The axes, shape (rows, columns); those without a matrix are blank.
    """
    scale = HeatScale.of([matrix for _, matrix in panels])
    grid: np.ndarray = figure.subplots(-(-len(panels) // columns), columns, squeeze=False)
    for axes in grid.flat[len(panels) :]:
        axes.set_axis_off()
    for place, (axes, (title, matrix)) in enumerate(zip(grid.flat, panels, strict=False)):
        image = draw_matrix(matrix, axes, scale, title=title, labels=labels)
        if place % columns:
            axes.set_ylabel("")
        if place + columns < len(panels):
            axes.set_xlabel("")
    draw_bar(figure, image, grid, scale, labels.colours, aspect=30.0)
    return grid


def draw_matrix(
    matrix: np.ndarray,
    axes: Axes,
    scale: HeatScale,
    *,
    title: str = "",
    labels: Labels = COUNTS,
    texts: Sequence[Sequence[str]] | None = None,
    size: float | None = None,
) -> AxesImage:
    """Draw the cells of a matrix on given axes, with `texts` or, while they fit, their numbers; no colour bar.

    `size` is that of the numbers in points, by default small enough for a panel among others.

    Returns:
        The image, for a colour bar.
    """
    image = draw_cells(matrix, axes, scale)
    axes.spines[:].set_visible(False)
    axes.set_xlabel(labels.columns)
    axes.set_ylabel(labels.rows)
    axes.set_title(title)
    _ticks(axes, matrix.shape[1], matrix.shape[0])
    if texts is not None or max(matrix.shape) <= MAX_ANNOTATED:
        points = size or (max(4.5, 9.0 - 0.3 * len(matrix)) if texts is None else WORDS_SIZE)
        _annotate(axes, matrix, scale, texts or [[_number(x) for x in row] for row in matrix], points)
    return image


def _ticks(axes: Axes, n_inputs: int, n_outputs: int) -> None:
    for set_ticks, size in ((axes.set_xticks, n_inputs), (axes.set_yticks, n_outputs)):
        step = max(1, -(-size // 17))
        set_ticks(np.arange(0, size, step))
    axes.tick_params(length=0)


def _annotate(axes: Axes, matrix: np.ndarray, scale: HeatScale, texts: Sequence[Sequence[str]], size: float) -> None:
    for (i, j), value in np.ndenumerate(matrix):
        word = axes.text(j, i, texts[i][j], ha="center", va="center", color=scale.ink(value), fontsize=size)
        word.set_in_layout(False)  # it lies within the axes, and the layout would measure hundreds of them


def _number(value: float) -> str:
    """Three places, without the zero before the point; tiny ones as a power of ten, 0 and 1 only where they are."""
    if value in (0, 1):
        return f"{value:.0f}"
    text = f"{value:.3f}" if value >= 5e-4 else f"{value:.0e}".replace("e-0", "e-")
    return text.removeprefix("0") if text.startswith("0.") else text

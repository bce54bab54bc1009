"""A mechanism as a heatmap: outputs downwards, inputs to the right."""

import textwrap
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechdesign import Mechanism
from mechdesign_figures.style import HEAT, house_style, picture_bytes

LETTERS_AN_INCH = 12
MAX_ANNOTATED = 16
"""Cells carry their number up to this many inputs."""


@dataclass(frozen=True)
class Labels:
    """What the columns, the rows and the colours of a heatmap stand for; by default those of a mechanism for counts."""

    columns: str = "input: true count j"
    rows: str = "output: released count i"
    colours: str = "Pr[output i | input j]"


COUNTS = Labels()
ITEMS = Labels("input: true item j", "output: reported item i")


def draw_heatmap(
    mechanism: Mechanism, axes: Axes, *, title: str = "", top: float | None = None, labels: Labels = COUNTS
) -> Axes:
    """Draw `P[i,j]` on given axes, 0 to `top` (default: the largest entry) on one colour scale; returns the axes."""
    matrix = mechanism.matrix()
    top = float(matrix.max()) if top is None else top
    image = axes.imshow(matrix, cmap=HEAT, vmin=0.0, vmax=top, aspect="equal")
    axes.spines[:].set_visible(False)
    axes.set_xlabel(labels.columns)
    axes.set_ylabel(labels.rows)
    axes.set_title(title)
    _ticks(axes, mechanism.n_inputs, mechanism.n_outputs)
    if max(matrix.shape) <= MAX_ANNOTATED:
        _annotate(axes, matrix, top)
    figure = axes.get_figure()
    if figure is not None:
        figure.colorbar(image, ax=axes, label=labels.colours, shrink=0.85)
    return axes


def _ticks(axes: Axes, n_inputs: int, n_outputs: int) -> None:
    for set_ticks, size in ((axes.set_xticks, n_inputs), (axes.set_yticks, n_outputs)):
        step = max(1, -(-size // 17))
        set_ticks(np.arange(0, size, step))
    axes.tick_params(length=0)


def _annotate(axes: Axes, matrix: np.ndarray, top: float) -> None:
    small = max(4.5, 9.0 - 0.3 * len(matrix))
    for (i, j), value in np.ndenumerate(matrix):
        ink = "black" if value > 0.55 * top else "white"
        text = f"{value:.3f}" if value >= 5e-4 or value == 0 else f"{value:.0e}".replace("e-0", "e-")
        axes.text(
            j,
            i,
            text.removeprefix("0") if text.startswith("0.") else text,
            ha="center",
            va="center",
            color=ink,
            fontsize=small,
        )


def heatmap_bytes(mechanism: Mechanism, suffix: str, *, title: str = "", labels: Labels = COUNTS) -> bytes:
    """One heatmap as the content of a `.png`, `.svg` or `.pdf` file."""
    with house_style():
        side = float(np.clip(1.5 + 0.42 * mechanism.n_inputs, 3.4, 7.5))
        figure = Figure(figsize=(side + 1.2, side))
        lines = textwrap.fill(title, width=int(LETTERS_AN_INCH * side))
        draw_heatmap(mechanism, figure.add_subplot(), title=lines, labels=labels)
        return picture_bytes(figure, suffix)

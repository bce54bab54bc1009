"""The picture of a signed matrix: the colour is the sign, the words are the numbers."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap

COLOURS = ("#E69F00", "#F4F4F4", "#56B4E9")
"""Of negative numbers, of 0, of positive numbers."""


def draw_signed_matrix(
    matrix: np.ndarray,
    texts: Sequence[Sequence[str]],
    axes: Axes,
    *,
    title: str = "",
    x_label: str = "",
    y_label: str = "",
) -> Axes:
    """Draw the cells of a matrix on given axes, rows downwards, with a text in each; returns the axes."""
    axes.imshow(np.sign(matrix), cmap=ListedColormap(COLOURS), vmin=-1, vmax=1)
    for (i, j), _ in np.ndenumerate(matrix):
        axes.text(j, i, texts[i][j], ha="center", va="center").set_in_layout(False)
    axes.set_xticks(range(matrix.shape[1]))
    axes.set_yticks(range(matrix.shape[0]))
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.set_title(title)
    return axes

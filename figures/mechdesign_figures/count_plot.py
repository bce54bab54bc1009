"""How many groups have which true count."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from mechdesign_figures.style import house_style, picture_bytes

BAR = "#0072B2"
NARROW = 60
"""Up to this many counts each bar stands apart from the next; more are drawn as one shape."""


def draw_counts(histogram: Sequence[int], axes: Axes, *, title: str = "", unit: str = "groups") -> Axes:
    """Draw `histogram[c]` groups with the true count c = 0..n as bars on given axes; returns the axes."""
    size = len(histogram)
    if size <= NARROW:
        axes.bar(np.arange(size), np.asarray(histogram), width=0.85, color=BAR)
    else:
        axes.stairs(np.asarray(histogram), np.arange(size + 1) - 0.5, fill=True, color=BAR)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlim(-0.7, size - 0.3)
    axes.grid(True, axis="y", color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel("true count of a group, j")
    axes.set_ylabel(unit)
    axes.set_title(title)
    return axes


def counts_bytes(histogram: Sequence[int], suffix: str, *, title: str = "", unit: str = "groups") -> bytes:
    """The histogram as the content of a `.png`, `.svg` or `.pdf` file."""
    with house_style():
        figure = Figure(figsize=(5.2, 3.2))
        draw_counts(histogram, figure.add_subplot(), title=title, unit=unit)
        return picture_bytes(figure, suffix)

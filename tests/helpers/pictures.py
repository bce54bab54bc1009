"""The contract of every picture: made anew it has the same bytes."""

from collections.abc import Callable

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechdesign_figures.plots.parts.saving import picture_bytes


def check_repeats(plot: Callable[[], Figure | Axes]) -> None:
    """Make a picture twice, as .svg: that each figure has the same bytes in all formats is tested of saving."""
    first = picture_bytes(plot(), ".svg")
    assert first.startswith(b"<?xml")
    assert picture_bytes(plot(), ".svg") == first

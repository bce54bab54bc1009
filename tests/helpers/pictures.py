"""The contract of every picture: made anew it has the same bytes."""

from collections.abc import Callable

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechdesign_figures.plots.parts.saving import picture_bytes


def check_repeats(plot: Callable[[], Figure | Axes]) -> None:
    """Make a picture twice, as .svg without a layout: formats and layouts are tested of saving, as of one figure."""
    first, again = _unsettled(plot()), _unsettled(plot())
    assert first.startswith(b"<?xml")
    assert again == first


def _unsettled(made: Figure | Axes) -> bytes:
    figure = made if isinstance(made, Figure) else made.get_figure()
    figure.set_layout_engine("none")  # half of the time goes into it
    return picture_bytes(figure, ".svg")

"""Lines through means: logarithmic axes where that tells more, with ticks that can be read."""

import pytest
from matplotlib.figure import Figure

from mechdesign_figures.plots.parts.lines import Mean, RoundLocator, draw_lines
from mechdesign_figures.plots.parts.style import LineStyle


def drawn(means, **options):
    points = [Mean(place, mean) for place, mean in enumerate(means, start=1)]
    return draw_lines({"a": points}, Figure().add_subplot(), looks={"a": LineStyle("#000000", "o")}, **options)


def test_an_axis_is_logarithmic_where_means_differ_several_times_and_are_positive():
    scales = {tuple(means): drawn(means, log_y=True).get_yscale() for means in ([1, 2], [1, 9], [0, 9])}
    assert scales == {(1, 2): "linear", (1, 9): "log", (0, 9): "linear"}
    assert drawn([1, 9]).get_yscale() == "linear"


@pytest.mark.parametrize(
    ("low", "high", "inside"),
    [(0.03, 0.7, [0.05, 0.1, 0.2, 0.5]), (1.0, 100.0, [1, 2, 5, 10, 20, 50, 100]), (0.5, 6e4, [1, 10, 100, 1e3, 1e4])],
)
def test_ticks_are_round_and_few(low, high, inside):
    ticks = [tick for tick in RoundLocator().tick_values(low, high) if low <= tick <= high]
    assert ticks == pytest.approx(inside)


def test_short_numbers_are_written_out():
    axes = drawn([0.02, 0.5], log_y=True)
    axes.get_figure().draw_without_rendering()
    low, high = axes.get_ylim()
    texts = [text.get_text() for text in axes.get_yticklabels() if low <= text.get_position()[1] <= high]
    assert texts == ["0.02", "0.05", "0.1", "0.2", "0.5"]

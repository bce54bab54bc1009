import numpy as np
import pytest
from matplotlib.figure import Figure

from mechdesign_figures.plots.parts.curves import (
    MAX_MARKS,
    Point,
    draw_curves,
    draw_legend,
    legend_columns,
    legend_inches,
    marker_words,
    metric_words,
    middle_of_mass,
)
from mechdesign_figures.plots.parts.lettering import inches
from mechdesign_figures.plots.parts.settings import house_style
from mechdesign_figures.plots.parts.style import mechanism_looks

LOOKS = mechanism_looks(["GM", "UM"])
CURVES = {
    "GM": [Point(2, 0.5, 0.51, 0.02), Point(4, 0.6, 0.58, 0.03)],
    "UM": [Point(2, 0.7, 0.71, None), Point(4, 0.8, 0.79, None)],
}


def spans(axes, k, axis):
    """Ends of the bars of the k-th set of markers."""
    container = axes.containers[k]
    return [[end[axis] for end in segment] for bars in container[2] for segment in bars.get_segments()]


def test_lines_are_exact_and_markers_simulated():
    axes = Figure().add_subplot()
    assert draw_curves(CURVES, axes, looks=LOOKS, x_label="n", y_label="y", title="t") is axes
    dashes = [line for line in axes.lines if line.get_linestyle() not in ("None", "")]
    assert [list(line.get_ydata()) for line in dashes] == [[0.5, 0.6], [0.7, 0.8]]
    assert [line.get_color() for line in dashes] == [LOOKS["GM"].colour, LOOKS["UM"].colour]
    marked = [line for line in axes.lines if line.get_marker() in ("o", "X")]
    assert [list(line.get_ydata()) for line in marked] == [[0.51, 0.58], [0.71, 0.79]]
    assert [line.get_marker() for line in marked] == [LOOKS["GM"].marker, LOOKS["UM"].marker]
    assert np.allclose(spans(axes, 0, 1), [[0.49, 0.53], [0.55, 0.61]])
    assert spans(axes, 1, 1) == []
    assert list(axes.get_xticks()) == [2, 4]
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title()) == ("n", "y", "t")


def test_many_places_have_few_whole_ticks():
    axes = Figure().add_subplot()
    draw_curves({"GM": [Point(k, k, k) for k in range(40)]}, axes, looks=LOOKS)
    ticks = axes.get_xticks()
    assert len(ticks) <= 8
    assert all(tick == int(tick) for tick in ticks)


def test_earlier_curves_show_under_later_ones():
    axes = draw_curves(CURVES, Figure().add_subplot(), looks=LOOKS)
    first, *_, last = [line for line in axes.lines if line.get_linestyle() not in ("None", "")]
    assert first.get_linewidth() > last.get_linewidth()


@pytest.mark.slow
def test_many_points_have_few_marks_in_other_places_on_each_curve():
    points = [Point(k, k, k, 0.1) for k in range(200)]
    axes = draw_curves({"GM": points, "UM": points}, Figure().add_subplot(), looks=LOOKS)
    lines = [line for line in axes.lines if line.get_linestyle() not in ("None", "")]
    assert [len(line.get_xdata()) for line in lines] == [200, 200]
    first, second = (next(line.get_xdata() for line in axes.lines if line.get_marker() == mark) for mark in "oX")
    assert list(first) == list(range(0, 200, 10))
    assert list(second) == list(range(5, 200, 10))
    assert len(first) == MAX_MARKS
    few = draw_curves({"GM": points[:MAX_MARKS]}, Figure().add_subplot(), looks=LOOKS)
    assert [len(line.get_xdata()) for line in few.lines if line.get_marker() == "o"] == [MAX_MARKS]


def test_the_middle_of_mass_leaves_out_half_a_thousandth_on_each_side():
    shares = np.array([0, 0.0004, 0.0001, 0.9990, 0.0004, 0.0002, 0])
    assert middle_of_mass(shares) == slice(3, 5)
    assert middle_of_mass(7 * shares) == slice(3, 5)
    assert middle_of_mass(np.ones(500)) == slice(0, 500)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("error-rate", "share of groups with an error"),
        ("L0:3", "share of groups with |error| > 3"),
        ("L1", "mean absolute error (people)"),
        ("L1:2", "mean |error| (people),\nerrors up to 2 counted as 0"),
        ("L2:d", "mean |error|² (people²),\nerrors up to d counted as 0"),
        ("L3", "mean |error|^3 (people^3)"),
        ("L20", "mean |error|^20 (people^20)"),
        ("error:-2", "share of groups with error -2"),
        ("rmse", "root mean squared error (people)"),
    ],
)
def test_metrics_have_units(name, words):
    assert metric_words(name) == words


def test_the_legend_says_what_a_bar_is():
    figure = Figure()
    draw_legend(figure, LOOKS, marker_words("deviation", 30))
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["GM", "UM"]
    assert "one standard deviation" in legend.get_title().get_text()
    assert "30 repetitions" in legend.get_title().get_text()
    assert "one standard error" in marker_words("standard_error", 2)
    assert "bar" not in marker_words("standard_error", 1)


def test_words_of_many_repetitions_have_separators():
    assert "simulated mean of 10,000 repetitions" in marker_words("deviation", 10_000)


@pytest.mark.slow
@pytest.mark.parametrize(("width", "count", "length"), [(4.6, 1, 2), (4.6, 21, 28), (9.0, 21, 28), (14.0, 14, 28)])
def test_a_legend_is_as_large_as_was_said_and_inside_the_picture(width, count, length):
    names = [f"m{k}".ljust(length, "m") for k in range(count)]
    words = marker_words("standard_error", 50, exact="stroke and number, line, column")
    with house_style():
        figure = Figure(figsize=(width, 6))
        draw_legend(figure, mechanism_looks(names), words)
        figure.draw_without_rendering()
        box = figure.legends[0].get_window_extent().transformed(figure.dpi_scale_trans.inverted())
        assert 0 <= box.x0 < box.x1 <= width
        assert box.height == pytest.approx(legend_inches(names, words, width), abs=0.2)
        assert legend_columns(names, width) == 1 or width > 2 * inches(names[0])

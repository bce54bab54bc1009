import numpy as np
import pytest
from matplotlib.figure import Figure

from mechdesign_figures.curves import Point, draw_curves, draw_dots, draw_legend, marker_words, metric_words
from mechdesign_figures.error_plot import draw_errors
from mechdesign_figures.style import mechanism_looks

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


def test_dots_are_in_order_with_stroke_number_and_bar():
    axes = Figure().add_subplot()
    points = {"UM": Point(8, 0.8889, 0.89, 0.01), "GM": Point(8, 0.86, 0.85, 0.02)}
    assert draw_dots(points, axes, looks=LOOKS, x_label="share") is axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["UM", "GM"]
    assert axes.get_ylim()[0] > axes.get_ylim()[1]
    strokes = [line for line in axes.lines if line.get_marker() == "|" and line.get_markersize() > 10]
    assert [list(line.get_xdata()) for line in strokes] == [[0.8889], [0.86]]
    assert [text.get_text() for text in axes.texts] == ["0.8889", "0.8600"]
    assert np.allclose(spans(axes, 1, 0), [[0.83, 0.87]])


def test_error_columns_are_exact_shares_from_zero_on_one_scale():
    low, high = Figure().subplots(1, 2, sharey=True)
    draw_errors([Point(-1, 0.1, 0.1), Point(0, 0.2, 0.2)], low, look=LOOKS["GM"])
    axes = draw_errors([Point(-1, 0.3, 0.31, 0.02), Point(0, 0.6, 0.61, 0.02)], high, look=LOOKS["UM"])
    assert axes is high
    columns = [(bar.get_x() + bar.get_width() / 2, bar.get_height()) for bar in high.patches]
    assert np.allclose(columns, [(-1, 0.3), (0, 0.6)])
    assert low.get_ylim() == high.get_ylim()
    assert low.get_ylim()[0] == 0
    assert low.get_ylim()[1] > 0.6


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("error-rate", "share of groups with an error"),
        ("L0:3", "share of groups with |error| > 3"),
        ("L1", "mean absolute error (people)"),
        ("L1:2", "mean |error| where |error| > 2 (people)"),
        ("L2:d", "mean |error|² where |error| > d (people²)"),
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

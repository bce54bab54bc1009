import numpy as np
from matplotlib.figure import Figure

from mechdesign_figures.plots.parts.curves import Point
from mechdesign_figures.plots.parts.dot_plot import HEADING, draw_dots
from mechdesign_figures.plots.parts.style import mechanism_looks

LOOKS = mechanism_looks(["GM", "UM"])
POINTS = {"UM": Point(8, 0.8889, 0.89, 0.01), "GM": Point(8, 0.86, 0.85, 0.02)}


def column(axes):
    (right,) = axes.child_axes
    return right


def test_dots_are_in_order_with_stroke_number_and_bar():
    axes = Figure().add_subplot()
    assert draw_dots(POINTS, axes, looks=LOOKS, x_label="share", title="t") is axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["UM", "GM"]
    assert axes.get_ylim()[0] > axes.get_ylim()[1]
    strokes = [line for line in axes.lines if line.get_marker() == "|" and line.get_markersize() > 10]
    assert [(list(line.get_xdata()), list(line.get_ydata())) for line in strokes] == [([0.8889], [0]), ([0.86], [1])]
    (bar,) = axes.containers[1][2][0].get_segments()
    assert np.allclose([end[0] for end in bar], [0.83, 0.87])
    assert (axes.get_xlabel(), axes.get_title()) == ("share", "t")


def test_numbers_stand_in_a_column_beside_their_rows():
    figure = Figure()
    axes = draw_dots({**POINTS, "GM": Point(8, 10.86, 10.85, 0.02)}, figure.add_subplot(), looks=LOOKS)
    labels = column(axes).get_yticklabels()
    assert [label.get_text() for label in labels] == [HEADING, "0.89", "10.86"]
    assert column(axes).get_yticks().tolist()[1:] == [0, 1]
    figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in labels]
    assert np.ptp([box.x1 for box in boxes]) < 1
    assert min(box.x0 for box in boxes) > axes.get_window_extent().x1


def test_names_may_be_those_of_the_panel_before():
    axes = draw_dots(POINTS, Figure().add_subplot(), looks=LOOKS, named=False)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["", ""]

"""The picture of prices over alpha: a line for each score that differs somewhere, exact where it leaves the axis."""

from mechdesign import formula_landscape
from mechdesign_figures import plot_formula_landscape


def test_each_line_leaves_the_axis_where_its_sets_begin_to_cost():
    (axes,) = plot_formula_landscape(formula_landscape(n=4)).axes
    lines = {line.get_label(): line.get_xydata() for line in axes.lines if not line.get_label().startswith("_")}
    assert list(lines) == ["F", "CH", "WH", "none"]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == list(lines)
    starts = {name: min((x for x, y in points if y > 0), default=None) for name, points in lines.items()}
    assert (starts["none"], starts["F"]) == (None, 1 / 400)
    assert max(x for x, y in lines["CH"] if y == 0) == 1 / 2
    assert max(x for x, y in lines["WH"] if y == 0) == 2 / 3
    upright = [line.get_xdata()[0] for line in axes.lines if line.get_label().startswith("_")]
    assert upright == [1 / 2, 2 / 3]

import numpy as np
from matplotlib.figure import Figure

from mechdesign_figures.plots.parts.curves import MANY, MAX_MARKS, Point
from mechdesign_figures.plots.parts.error_histograms import draw_errors
from mechdesign_figures.plots.parts.style import mechanism_looks

LOOKS = mechanism_looks(["GM", "UM"])


def drawn(points):
    return draw_errors(points, Figure().add_subplot(), look=LOOKS["GM"], x_label="error")


def marks(axes):
    (line,) = [line for line in axes.lines if line.get_marker() == "."]
    return list(line.get_xdata())


def test_columns_are_exact_shares_from_zero_on_one_scale():
    low, high = Figure().subplots(1, 2, sharey=True)
    draw_errors([Point(-1, 0.1, 0.1), Point(0, 0.2, 0.2)], low, look=LOOKS["GM"])
    axes = draw_errors([Point(-1, 0.3, 0.31, 0.02), Point(0, 0.6, 0.61, 0.02)], high, look=LOOKS["UM"])
    assert axes is high
    columns = [(bar.get_x() + bar.get_width() / 2, bar.get_height()) for bar in high.patches]
    assert np.allclose(columns, [(-1, 0.3), (0, 0.6)])
    assert low.get_ylim() == high.get_ylim()
    assert low.get_ylim()[0] == 0
    assert low.get_ylim()[1] > 0.6


def test_many_errors_are_one_shape_with_few_marks_where_the_mass_lies():
    shares = {e: 0.5 ** abs(e) / 3 for e in range(-200, 201)}
    axes = drawn([Point(e, share, share, 0.01) for e, share in shares.items()])
    (shape,) = axes.patches
    values, edges, _ = shape.get_data()
    assert values.tolist() == list(shares.values())
    assert edges.tolist() == [e - 0.5 for e in range(-200, 202)]
    left, right = axes.get_xlim()
    assert 0.999 <= sum(share for e, share in shares.items() if left < e < right) < 1
    assert -15 < left < right < 15
    assert axes.get_xlabel() == "error\nat most 0.1% lies beyond the axis"
    assert 0 in marks(axes)
    assert left < min(marks(axes)) < max(marks(axes)) < right
    assert len(marks(axes)) <= MAX_MARKS


def test_errors_to_one_side_keep_zero_in_sight():
    left, right = drawn([Point(e, float(120 < e < 140) / 19, 0.0) for e in range(-200, 201)]).get_xlim()
    assert left < 0 < 139 < right < 150


def test_wide_errors_have_some_marks_with_their_own_bars():
    axes = drawn([Point(e, 1 / 401, e / 1000, 0.001) for e in range(-200, 201)])
    assert 10 <= len(marks(axes)) <= MAX_MARKS
    assert 0 in marks(axes)
    middles = [np.mean([end[1] for end in bar]) for bar in axes.containers[0][2][0].get_segments()]
    assert np.allclose(middles, np.array(marks(axes)) / 1000)


def test_few_errors_have_a_column_each():
    half = (MANY - 1) // 2
    axes = drawn([Point(e, float(e == 0), float(e == 0)) for e in range(-half, half + 1)])
    assert len(axes.patches) == 2 * half + 1
    assert axes.get_xlabel() == "error"
    assert axes.get_xlim()[0] < -half

import pytest
from matplotlib.figure import Figure
from pictures import check_repeats

import mechdesign as md
from mechdesign_figures.plots.formula_curve import draw_formula, plot_formula


def test_the_curve_is_the_score_and_dots_are_ends():
    found = md.formula(n=6, properties="WH:3/2")
    axes = draw_formula(found, Figure().add_subplot())
    curves = [line for line in axes.lines if line.get_marker() == "None"]
    assert len(curves) == 2
    across, scores = curves[1].get_data()
    assert (across[0], across[-1]) == pytest.approx((11 / 17, 0.773211), abs=1e-6)
    assert scores[0] == pytest.approx(float(found.score("11/17")), abs=1e-9)
    assert all(0 < score < 1 for score in scores)
    dots = {float(line.get_xdata()[0]) for line in axes.lines if line.get_marker() == "o"}
    assert sorted(dots) == pytest.approx([11 / 17, 11 / 17, 0.773211][1:], abs=1e-6)


def test_a_picture_repeats():
    found = md.formula(n=3, properties="WH")
    check_repeats(lambda: plot_formula(found))

import numpy as np
import pytest
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from mechdesign import DesignProblem, Model, design
from mechdesign_catalog import closed_form
from mechdesign_figures.plots.heatmap import plot_mechanism
from mechdesign_figures.plots.parts.heat_scale import HATCH, LEAST_SPAN, MOST_SPAN, ZERO_WORDS, HeatScale, draw_cells

SETTINGS = [(loss, props) for loss in ("L0", "L1") for props in ("none", "F", "WH,CM")]
SIZES = [4, 8, 12]


def check_scale(mechanism):
    """The rule, and that the entries use the colours: look at the artists, not at the pixels."""
    axes = plot_mechanism(mechanism)
    matrix, (image,) = mechanism.matrix(), axes.get_images()
    positive = matrix[matrix > 0]
    low, high = image.get_clim()
    assert isinstance(image.norm, LogNorm)
    assert high == positive.max()
    assert low == max(min(positive.min(), high / LEAST_SPAN), high / MOST_SPAN)
    shades = np.asarray(image.norm(positive))
    assert shades.min() == pytest.approx(0) or positive.max() < LEAST_SPAN * positive.min()
    assert shades.max() == 1
    assert np.array_equal(image.get_array().mask | np.zeros(matrix.shape, bool), matrix == 0)
    bar = axes.get_figure().axes[1]
    assert bar.get_ylabel().endswith(",\nlogarithmic")
    assert bar.get_ylim() == pytest.approx((low, high))
    ticks = bar.get_yticks()
    assert 3 <= len(ticks) <= 10
    assert all(low <= tick <= high for tick in ticks)
    assert (axes.patch.get_hatch() == HATCH) == bool((matrix == 0).any())
    legend = bar.get_legend()
    assert (legend is not None) == bool((matrix == 0).any())
    return shades


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize(("loss", "properties"), SETTINGS)
def test_every_design_uses_its_colours(n, loss, properties):
    check_scale(design(DesignProblem(n, "0.9", properties=properties, loss=loss)).mechanism)


@pytest.mark.slow
@pytest.mark.parametrize(("loss", "properties"), [("L0", "F"), ("L1", "WH,CM")])
def test_many_people_are_in_no_way_one_colour(loss, properties):
    """Though two rows are ten times as bright as any other."""
    shades = check_scale(design(DesignProblem(64, "0.9", properties=properties, loss=loss)).mechanism)
    assert np.subtract(*np.quantile(shades, [0.9, 0.1])) > 0.4


@pytest.mark.slow
def test_a_large_design_uses_them():
    for name in ("GM", "EM"):
        shades = check_scale(closed_form(name, n=128, alpha="0.9").mechanism)
        assert np.subtract(*np.quantile(shades, [0.9, 0.1])) > 0.4


def test_randomised_response_has_both_ends():
    mechanism = design(DesignProblem(model=Model.ldp(10), epsilon=1)).mechanism
    assert set(check_scale(mechanism).round(9)) == {0.0, 1.0}


def test_what_is_nearly_equal_looks_so():
    shades = check_scale(closed_form("UM", n=8, alpha="0.9").mechanism)
    assert set(shades) == {1.0}
    near = HeatScale.of([np.array([[0.5, 0.49], [0.5, 0.51]])])
    assert near.share(0.49) > 0.9


def test_tiny_entries_share_the_lowest_colour_and_the_bar_says_so():
    scale = HeatScale.of([np.array([[0.9, 1e-9], [0.1, 1 - 1e-9]])])
    assert (scale.high / scale.low, scale.goes_below, scale.has_zeros) == (pytest.approx(MOST_SPAN), True, False)
    assert scale.share(1e-9) == 0
    mechanism = closed_form("GM", n=12, alpha="1/4").mechanism
    axes = plot_mechanism(mechanism)
    assert axes.get_images()[0].colorbar.extend == "min"


def test_zeros_are_hatched_and_named():
    matrix = np.array([[1.0, 0.5], [0.0, 0.5]])
    axes = Figure().add_subplot()
    scale = HeatScale.of([matrix])
    image = draw_cells(matrix, axes, scale)
    assert image.get_array().mask.tolist() == [[False, False], [True, False]]
    assert (scale.has_zeros, scale.ink(0.0), scale.ink(0.5)) == (True, "black", "white")
    best = design(DesignProblem(8, "0.9", loss="L1"))
    drawn = plot_mechanism(best).get_figure().axes[1].get_legend()
    assert [text.get_text() for text in drawn.get_texts()] == [ZERO_WORDS]


def test_ends_are_ticked_over_any_span():
    for low, high in ((0.104, 0.616), (0.5, 1.0), (0.001, 1.0), (0.0797, 0.145), (2e-7, 2e-4)):
        ticks = HeatScale(low, high).ticks
        assert len(ticks) >= 3
        assert min(ticks) < low * (high / low) ** 0.4
        assert max(ticks) > low * (high / low) ** 0.6

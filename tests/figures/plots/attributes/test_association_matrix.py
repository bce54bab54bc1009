"""The matrix of associations: what is found has a colour, everything else is hatched, each pair stands once."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from mechdesign_catalog.analyses.dependence.associations import Association, Associations
from mechdesign_catalog.analyses.dependence.chi_squared import ChiSquared
from mechdesign_catalog.analyses.dependence.noise_aware import NoiseAware
from mechdesign_figures.plots.attributes.association_matrix import MOST_WRITTEN, plot_associations
from mechdesign_figures.plots.parts.saving import picture_bytes


def made_of(d, strengths, rate=0.05):
    """All pairs; those with a strength are found."""
    pairs = [(a, b) for a in range(d) for b in range(a + 1, d)]
    none = ChiSquared(1.0, 1, 0.3), NoiseAware(1.0, 1, 0.3, 0.3)
    tests = [Association(pair, strengths.get(pair, 0.02), *none, 0.5, pair in strengths) for pair in pairs]
    return Associations(d, "least-squares", rate, tuple(tests))


FOUND = made_of(4, {(0, 1): 0.5, (1, 3): 0.25})
NAMES = ["cc", "toll", "far", "tip"]


def test_cells_of_pairs_that_are_found_have_their_strength():
    axes = plot_associations(FOUND, NAMES, Figure().add_subplot())
    (image,) = axes.images
    cells = np.ma.filled(image.get_array().astype(float), np.nan)
    expected = np.full((3, 3), np.nan)
    expected[0, 0], expected[2, 1] = 0.5, 0.25
    np.testing.assert_array_equal(cells, expected)
    assert image.get_clim() == (0.0, 0.5)
    assert axes.patch.get_hatch()


def test_every_pair_is_named_once():
    axes = plot_associations(FOUND, NAMES, title="of 9 reports")
    assert [tick.get_text() for tick in axes.get_xticklabels()] == NAMES[:-1]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == NAMES[1:]
    written = {(text.get_position(), text.get_text()) for text in axes.texts}
    assert written == {
        ((0, 0), "0.50"),
        ((0, 1), "0.02"),
        ((1, 1), "0.02"),
        ((0, 2), "0.02"),
        ((1, 2), "0.25"),
        ((2, 2), "0.02"),
    }
    assert axes.get_title() == "of 9 reports"


@pytest.mark.parametrize("rate", [0.05, 0.125])
def test_rate_is_said(rate):
    words = " ".join(plot_associations(made_of(3, {}, rate), NAMES[:3]).get_xlabel().split())
    assert f"at most {100 * rate:g} % of these falsely" in words


def test_many_attributes_have_no_numbers_and_nothing_found_no_colour():
    axes = plot_associations(made_of(MOST_WRITTEN + 1, {}), [f"a{i}" for i in range(MOST_WRITTEN + 1)])
    assert not axes.texts
    assert axes.images[0].get_array().mask.all()
    assert axes.images[0].get_clim() == (0.0, 0.1)


def test_two_attributes_can_be_drawn():
    axes = plot_associations(made_of(2, {(0, 1): 1.0}), NAMES[:2])
    assert picture_bytes(axes, ".svg").startswith(b"<?xml")

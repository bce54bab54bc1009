import numpy as np
import pytest
from matplotlib.figure import Figure

from mechdesign_figures.count_plot import NARROW, counts_bytes, draw_counts


def test_bars_on_given_axes():
    axes = Figure().add_subplot()
    assert draw_counts([3, 0, 5], axes, title="towns", unit="towns") is axes
    assert [bar.get_height() for bar in axes.patches] == [3, 0, 5]
    assert [bar.get_x() + bar.get_width() / 2 for bar in axes.patches] == pytest.approx([0, 1, 2])
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title()) == ("true count of a group, j", "towns", "towns")


def test_many_counts_are_one_shape():
    histogram = list(range(NARROW + 1))
    (shape,) = draw_counts(histogram, Figure().add_subplot()).patches
    values, edges, _ = shape.get_data()
    assert values.tolist() == histogram
    assert np.array_equal(edges, np.arange(NARROW + 2) - 0.5)


def test_the_same_picture_twice():
    assert counts_bytes([1, 2], ".svg") == counts_bytes([1, 2], ".svg")

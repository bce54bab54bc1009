"""The picture of estimated frequencies: intervals of one item and of all, and which items are above noise."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.collection.estimates.frequency_estimate import FrequencyEstimate
from mechdesign_catalog.datasets.items import Domain
from mechdesign_catalog.systems import make_oracle
from mechdesign_figures.plots.frequencies import MOST_ITEMS, plot_frequencies
from mechdesign_figures.plots.parts.saving import describe


def estimate(counts, names=None, epsilon=1):
    oracle = make_oracle("oue", len(counts), Privacy(epsilon=epsilon))
    state = oracle.simulate_sums(np.array(counts), np.random.default_rng(2))
    return FrequencyEstimate.of(oracle, Domain(tuple(names or map(str, range(len(counts))))), state)


FOUND = estimate([9_000, 6_000, 100, 0])


def segments(axes, width):
    (lines,) = [lines for lines in axes.collections if lines.get_linewidth() == width]
    return [[low[0], high[0]] for low, high in lines.get_segments()]


def dots(axes, fill):
    (line,) = [
        line for line in axes.lines if line.get_marker() == "o" and (line.get_markerfacecolor() == "white") != fill
    ]
    return [int(place) for place in line.get_ydata()]


@pytest.mark.parametrize("level", [0.95, 0.5])
def test_both_intervals_are_drawn_as_they_are_printed(level):
    axes = plot_frequencies(FOUND, Figure().add_subplot(), level=level)
    assert segments(axes, 1.2) == np.transpose(FOUND.intervals(level)).tolist()
    assert segments(axes, 0.5) == np.transpose(FOUND.simultaneous_intervals(level)).tolist()
    assert f"{100 * level:g} % intervals" in axes.get_xlabel()


def test_filled_dots_are_the_items_above_noise():
    axes = plot_frequencies(FOUND)
    assert sorted(dots(axes, fill=True)) == sorted(FOUND.above_noise()) == [0, 1]
    assert dots(axes, fill=False) == [2, 3]
    assert "filled dot: above noise" in " ".join(axes.get_xlabel().split())


def test_of_many_items_the_largest_are_shown_and_the_title_says_so():
    found = estimate([100 + k for k in range(MOST_ITEMS + 20)], epsilon=3)
    axes = plot_frequencies(found)
    assert len(axes.get_yticks()) == MOST_ITEMS
    assert axes.get_title().endswith(f"the {MOST_ITEMS} largest of {MOST_ITEMS + 20} items")


def test_long_names_are_cut_and_stay_apart():
    names = ["County Dublin, the northern half of it", "County Dublin, the southern half of it", "$", "Cork"]
    axes = plot_frequencies(estimate([9, 9, 9, 9], names))
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert len(set(labels)) == 4
    assert labels[2:] == [r"\$", "Cork"]


def test_no_word_is_cut_on_a_picture_with_long_names():
    names = ["Galway, the city with quite a long and official name", "b"]
    axes = plot_frequencies(estimate([1000, 1000], names))
    figure = axes.get_figure()
    figure.draw_without_rendering()
    for text in (axes.title, axes.xaxis.label, axes.yaxis.label, *axes.get_yticklabels()):
        box = text.get_window_extent()
        assert box.x0 >= 0
        assert box.x1 <= figure.bbox.width
    assert "upwards item from" in describe(figure)

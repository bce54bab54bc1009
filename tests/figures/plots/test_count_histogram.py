import numpy as np
import pytest
from matplotlib.figure import Figure

from mechdesign_catalog.datasets.counts import open_data
from mechdesign_figures.plots.count_histogram import MAX_STEPS, plot_counts
from mechdesign_figures.plots.parts.curves import MANY
from mechdesign_figures.plots.parts.saving import picture_bytes


def drawn(histogram, **options):
    axes = Figure().add_subplot()
    assert plot_counts(histogram, axes, **options) is axes
    return axes


def test_bars_on_given_axes():
    axes = drawn([3, 0, 5], title="towns", unit="towns")
    assert [bar.get_height() for bar in axes.patches] == [3, 0, 5]
    assert [bar.get_x() + bar.get_width() / 2 for bar in axes.patches] == pytest.approx([0, 1, 2])
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title()) == ("true count of a group, j", "towns", "towns")


def test_few_counts_are_all_shown():
    axes = drawn([1, *[0] * (MANY - 1)])
    assert len(axes.patches) == MANY
    assert axes.get_xlim()[1] > MANY - 1
    assert drawn([1, *[0] * MANY]).get_xlim()[1] < 3


def test_of_many_counts_those_that_occur_are_shown():
    histogram = [0] * 1001
    histogram[80:111] = range(1, 32)
    axes = drawn(histogram)
    shown = {round(bar.get_x() + bar.get_width() / 2): bar.get_height() for bar in axes.patches}
    assert [shown[count] for count in range(80, 111)] == list(range(1, 32))
    left, right = axes.get_xlim()
    assert 75 < left < 79.2
    assert 110.8 < right < 116


def test_many_counts_are_one_shape():
    histogram = list(range(1, MANY + 2))
    (shape,) = drawn(histogram).patches
    values, edges, _ = shape.get_data()
    assert values.tolist() == histogram
    assert np.array_equal(edges, np.arange(MANY + 2) - 0.5)


def test_very_many_counts_share_steps_and_the_axis_says_so():
    histogram = np.random.default_rng(1).integers(1, 9, 1003)
    axes = drawn(histogram)
    values, edges, _ = axes.patches[0].get_data()
    assert edges.tolist() == [k - 0.5 for k in range(0, 1011, 10)]
    assert values.tolist() == [histogram[k : k + 10].sum() for k in range(0, 1003, 10)]
    assert axes.get_ylabel() == "groups in every 10 counts"


@pytest.mark.parametrize(("size", "width"), [(200, 1), (201, 2), (401, 5), (1000, 5), (1001, 10), (2001, 20)])
def test_steps_are_as_narrow_as_can_be_seen(size, width):
    axes = drawn([1] * size)
    values, edges, _ = axes.patches[0].get_data()
    assert set(np.diff(edges)) == {width}
    assert len(values) <= MAX_STEPS + 1
    assert (axes.get_ylabel() == "groups") == (width == 1)


def test_steps_that_start_late_hold_their_own_counts():
    axes = drawn([0] * 513 + [1] * 300)
    values, edges, _ = axes.patches[0].get_data()
    assert {int(edge + 0.5) % 2 for edge in edges} == {0}
    held = {int(edge + 0.5): value for edge, value in zip(edges[:-1], values, strict=True) if value}
    assert held == {512: 1, **dict.fromkeys(range(514, 812, 2), 2), 812: 1}


def test_numbers_have_separators():
    axes = drawn([12_000, 5])
    assert "10,000" in [label.get_text() for label in axes.get_yticklabels()]


def test_nothing_at_all():
    assert not any(drawn([0] * 100).patches[0].get_data().values)


def test_groups_of_a_data_set_say_what_they_are():
    axes = plot_counts(open_data("saxony").grouped(12))
    assert axes.get_title() == "saxony: 6,115 groups of n = 12"
    assert sum(bar.get_height() for bar in axes.patches) == 6115


@pytest.mark.slow
def test_a_long_title_is_wrapped():
    axes = drawn([1, 2], title="a\nb")
    title = "a-very-long-folder/" * 6 + "people.csv: 1,000 groups of n = 8"
    titles = (title, title.replace("/", "/ "))
    first, second = (picture_bytes(plot_counts([1, 2], title=text), ".svg") for text in titles)
    assert axes.get_title() == "a\nb"
    assert first != second


def test_the_same_picture_twice():
    assert picture_bytes(plot_counts([1, 2]), ".svg") == picture_bytes(plot_counts([1, 2]), ".svg")

"""The picture of a table of one attribute or two: shares, intervals, and names of items."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from wording import refused

from mechdesign import InputError
from mechdesign_catalog.datasets.attributes import Attributes
from mechdesign_catalog.systems.tables.estimates import table_estimate
from mechdesign_figures.plots.attributes.marginal import MOST_WRITTEN, plot_marginal
from mechdesign_figures.plots.parts.saving import describe


def table(items, shares=None, post="least-squares", told=None):
    attributes = Attributes.of(items)
    cells = int(np.prod(attributes.sizes))
    estimates = np.linspace(-0.1, 0.4, cells) if shares is None else np.array(shares)
    errors = 0.01 + 0.01 * np.arange(cells)
    found = table_estimate(estimates, np.diag(errors**2), errors, post)
    names = dict(zip(attributes.names, zip(*attributes.cells(), strict=True), strict=True))
    return (found if told is None else found.replaced(np.array(told), post)).named(names)


CARD, ZONE = ("no", "yes"), ("west", "east", "north")


@pytest.mark.parametrize("level", [0.95, 0.5])
def test_dots_and_intervals_are_those_of_the_table(level):
    found = table({"zone": ZONE})
    axes = plot_marginal(found, Figure().add_subplot(), level=level)
    (lines,) = axes.collections
    assert [[low[0], high[0]] for low, high in lines.get_segments()] == np.transpose(found.intervals(level)).tolist()
    (dots,) = [line for line in axes.lines if line.get_marker() == "o"]
    assert dots.get_xdata().tolist() == found.shares.tolist()
    assert [label.get_text() for label in axes.get_yticklabels()] == list(ZONE)
    assert axes.get_ylabel() == "zone"
    assert f"{100 * level:g} % for each cell" in axes.get_xlabel()


def test_cells_are_coloured_by_share_and_say_it_with_half_the_interval():
    found = table({"card": CARD, "zone": ZONE}, [-0.1, 0.2, 0.3, 0.1, 0.4, 0.1])
    axes = plot_marginal(found, title="of users")
    colours = axes.images[0].get_array()
    assert colours.tolist() == [[0.0, 0.2, 0.3], [0.1, 0.4, 0.1]]
    low, high = found.intervals()
    words = [text.get_text() for text in axes.texts]
    for place, word in enumerate(words):
        share, half = word.split("\n")
        assert float(share) == pytest.approx(found.shares[place], abs=5e-4)
        assert float(half.removeprefix("\N{PLUS-MINUS SIGN} ")) == pytest.approx((high - low)[place] / 2, abs=5e-4)
    assert [label.get_text() for label in axes.get_xticklabels()] == list(ZONE)
    assert [label.get_text() for label in axes.get_yticklabels()] == list(CARD)
    assert axes.get_ylabel() == "card"
    assert axes.get_xlabel().startswith("zone\n")
    assert axes.get_title() == "of users"
    assert "card" in describe(axes.get_figure())


def test_biased_tables_say_so_and_keep_the_unbiased_intervals():
    plain = table({"zone": ZONE}, [-0.1, 0.5, 0.6])
    told = table({"zone": ZONE}, [-0.1, 0.5, 0.6], "norm-sub", [0.0, 0.45, 0.55])
    axes = plot_marginal(told)
    assert "norm-sub is not unbiased" in " ".join(axes.get_xlabel().split())
    both = (axes, plot_marginal(plain))
    segments, wanted = ([part.tolist() for part in one.collections[0].get_segments()] for one in both)
    assert segments == wanted


def test_of_more_cells_than_carry_numbers_the_longest_half_is_said():
    found = table({"card": CARD, "zone": [f"zone {number}" for number in range(MOST_WRITTEN + 1)]})
    axes = plot_marginal(found)
    low, high = found.intervals()
    said = float(axes.get_xlabel().split("\N{PLUS-MINUS SIGN} ")[1].split()[0])
    assert not axes.texts
    assert max(high - low) / 2 <= said < max(high - low) / 2 + 1e-3
    assert "half of its interval" not in axes.get_xlabel()


def test_no_word_is_cut_off():
    names = [f"the item with number {number} of this attribute, and more" for number in range(MOST_WRITTEN)]
    axes = plot_marginal(
        table({"a long name of an attribute that users have": names, "zone": names[:7]}), title="x " * 80
    )
    figure = axes.get_figure()
    figure.draw_without_rendering()
    for text in (axes.title, axes.xaxis.label, axes.yaxis.label, *axes.get_yticklabels(), *axes.get_xticklabels()):
        box = text.get_window_extent()
        assert box.x0 >= 0
        assert box.x1 <= figure.bbox.width
        assert box.y0 >= 0
        assert box.y1 <= figure.bbox.height


@pytest.mark.parametrize(
    "items", [{"a": CARD, "b": CARD, "c": CARD}, {"a": range(61)}, {"a": CARD, "b": range(61)}], ids=["3", "61", "2x61"]
)
def test_tables_that_cannot_be_drawn_are_refused(items):
    with refused(InputError):
        plot_marginal(table(items))

"""Quantiles of prefix estimates: by the definition, by the max-min formula, and what does not change them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechdesign_catalog.ordered.prefixes import (
    binary_search,
    first_reaching,
    isotonic_prefixes,
    items_of_band,
    items_of_intervals,
    rising_band,
)

EIGHTHS = st.integers(-3, 11).map(lambda number: number / 8)
"""With many ties and flat regions."""

PREFIXES = st.lists(EIGHTHS, min_size=2, max_size=12).map(np.array)
QUANTILES = st.lists(st.integers(1, 15).map(lambda number: number / 16), min_size=1, max_size=5).map(np.array)


def by_max_min(prefixes):
    """The isotonic regression by its formula, the last place known to be 1."""
    inner = prefixes[:-1]
    size = len(inner)
    found = [
        max(min(inner[start : stop + 1].mean() for stop in range(place, size)) for start in range(place + 1))
        for place in range(size)
    ]
    return np.append(np.clip(found, 0.0, 1.0), 1.0)


def first_by_definition(values, quantile):
    return next((place for place, value in enumerate(values) if value >= quantile), len(values) - 1)


@pytest.mark.slow
@given(PREFIXES)
def test_the_isotonic_estimate_is_the_nearest_rising_one(prefixes):
    rising = isotonic_prefixes(prefixes)
    assert rising == pytest.approx(by_max_min(prefixes), abs=1e-12)
    assert (np.diff(rising) >= 0).all()
    assert rising[-1] == 1.0


@pytest.mark.slow
@given(PREFIXES, QUANTILES)
def test_the_first_item_that_reaches(prefixes, quantiles):
    rising = isotonic_prefixes(prefixes)
    expected = [first_by_definition(rising, quantile) for quantile in quantiles]
    assert first_reaching(rising, quantiles).tolist() == expected


@pytest.mark.slow
@given(PREFIXES, QUANTILES)
def test_the_binary_search_finds_a_place_where_the_estimate_reaches(prefixes, quantiles):
    last = len(prefixes) - 1
    for item, quantile in zip(binary_search(prefixes, quantiles).tolist(), quantiles, strict=True):
        assert item == last or prefixes[item] >= quantile
        assert item == 0 or prefixes[item - 1] < quantile
        if (np.diff(prefixes) >= 0).all():
            assert item == first_by_definition(prefixes, quantile)


@pytest.mark.slow
@given(PREFIXES, QUANTILES, st.lists(EIGHTHS.map(abs), min_size=12, max_size=12))
def test_single_intervals_leave_what_the_definition_leaves_and_both_estimates(prefixes, quantiles, widths):
    half = np.array(widths[: len(prefixes)])
    low, high = prefixes - half, prefixes + half
    first, last = items_of_intervals(low, high, quantiles)
    rising, searched = isotonic_prefixes(prefixes), binary_search(prefixes, quantiles)
    for place, quantile in enumerate(quantiles):
        k = len(prefixes)
        not_below = [item for item in range(k) if item == k - 1 or high[item] >= quantile]
        not_above = [item for item in range(k) if item == 0 or low[item - 1] < quantile]
        assert (first[place], last[place]) == (min(not_below), max(not_above))
        assert first[place] <= first_by_definition(rising, quantile - 1e-12) <= last[place]
        assert first[place] <= searched[place] <= last[place]


@pytest.mark.slow
@given(PREFIXES, st.lists(EIGHTHS.map(abs), min_size=12, max_size=12))
def test_items_rise_with_the_quantile(prefixes, widths):
    half = np.array(widths[: len(prefixes)])
    quantiles = np.arange(1, 64) / 64
    for items in (
        binary_search(prefixes, quantiles),
        first_reaching(isotonic_prefixes(prefixes), quantiles),
        *items_of_intervals(prefixes - half, prefixes + half, quantiles),
        *items_of_band(*rising_band(prefixes - half, prefixes + half), quantiles),
    ):
        assert (np.diff(items) >= 0).all()
        assert 0 <= items.min() <= items.max() < len(prefixes)


@pytest.mark.slow
@given(PREFIXES, QUANTILES, st.integers(1, 5))
def test_items_before_all_others_that_nobody_has_shift_the_quantiles(prefixes, quantiles, shift):
    moved = np.append(np.zeros(shift), np.clip(prefixes, 0.0, 1.0))
    before = first_reaching(isotonic_prefixes(np.clip(prefixes, 0.0, 1.0)), quantiles)
    assert (first_reaching(isotonic_prefixes(moved), quantiles) == before + shift).all()


def test_two_items():
    for share, item in ((0.2, 1), (0.5, 0), (0.9, 0), (-0.3, 1), (1.4, 0)):
        prefixes, half = np.array([share, 1.01]), np.array([0.5])
        assert first_reaching(isotonic_prefixes(prefixes), half).tolist() == [item]
        assert binary_search(prefixes, half).tolist() == [item]
    ends = items_of_intervals(np.array([0.3, 0.9]), np.array([0.6, 1.1]), np.array([0.25, 0.5, 0.7]))
    assert [end.tolist() for end in ends] == [[0, 0, 1], [0, 1, 1]]


def test_all_users_have_one_item():
    prefixes = np.array([0.0, 0.0, 1.0, 1.0, 1.0])
    quantiles = np.array([0.001, 0.5, 0.999])
    assert first_reaching(isotonic_prefixes(prefixes), quantiles).tolist() == [2, 2, 2]
    assert binary_search(prefixes, quantiles).tolist() == [2, 2, 2]
    first, last = items_of_intervals(prefixes, prefixes, quantiles)
    assert first.tolist() == last.tolist() == [2, 2, 2]


def test_a_flat_region_at_the_quantile_belongs_to_its_first_item():
    prefixes = np.array([0.25, 0.5, 0.5, 0.5, 1.0])
    assert first_reaching(isotonic_prefixes(prefixes), np.array([0.5])).tolist() == [1]
    assert [end.tolist() for end in items_of_intervals(prefixes, prefixes, np.array([0.5]))] == [[1], [1]]
    assert [end.tolist() for end in items_of_intervals(prefixes - 0.01, prefixes + 0.01, np.array([0.5]))] == [[1], [4]]


def test_both_ways_differ_where_estimates_fall():
    prefixes = np.array([0.1, 0.6, 0.3, 0.2, 0.3, 0.45, 0.9, 1.0])
    assert binary_search(prefixes, np.array([0.3])).tolist() == [4]
    assert first_reaching(isotonic_prefixes(prefixes), np.array([0.3])).tolist() == [1]


@pytest.mark.slow
@given(PREFIXES, QUANTILES, st.lists(EIGHTHS.map(abs), min_size=12, max_size=12), st.data())
def test_a_band_leaves_the_quantiles_of_every_rising_function_in_it(prefixes, quantiles, widths, data):
    half = np.array(widths[: len(prefixes)])
    lows, highs = rising_band(prefixes - half, prefixes + half)
    k = len(prefixes)
    steps = data.draw(st.lists(st.integers(0, 16), min_size=k - 1, max_size=k - 1).map(sorted))
    function = np.append(np.array(steps) / 16, 1.0)
    low, high = np.clip(prefixes - half, 0.0, 1.0)[:-1], np.clip(prefixes + half, 0.0, 1.0)[:-1]
    is_inside = (low <= function[:-1]).all() and (function[:-1] <= high).all()
    assert is_inside == ((lows <= function) & (function <= highs)).all()
    if (lows > highs).any():
        return
    first, last = items_of_band(lows, highs, quantiles)
    ends = [first_reaching(highs, quantiles), first_reaching(lows, quantiles)]
    assert [first.tolist(), last.tolist()] == [end.tolist() for end in ends]
    if is_inside:
        item = first_reaching(function, quantiles)
        assert ((first <= item) & (item <= last)).all()


def test_a_band_that_no_rising_function_fits_still_gives_an_interval():
    low, high = np.array([0.8, 0.0, 1.0]), np.array([0.9, 0.2, 1.0])
    first, last = items_of_band(*rising_band(low, high), np.array([0.5]))
    assert (first.tolist(), last.tolist()) == ([0], [2])

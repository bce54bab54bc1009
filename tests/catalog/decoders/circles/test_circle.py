"""The circle and its patterns against place-by-place sums, and weights of levels against a search."""

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest

from mechdesign.verify.circles import cell_level
from mechdesign_catalog.decoders.circles import pattern as patterns
from mechdesign_catalog.decoders.circles.circle import Circle
from mechdesign_catalog.decoders.circles.even_cuts import EvenCuts
from mechdesign_catalog.decoders.circles.levels import best_weights, chosen_frequencies, cut_squares
from mechdesign_catalog.decoders.circles.pattern import Pattern, cell_unit

CELLS = ((12, 12, 0b1011), (12, 6, 0b1), (15, 5, 0b10110), (16, 8, 0b10000001), (17, 5, 0b10110), (11, 4, 0b1001))


def held(size, cells, row):
    """Which places the row at each start holds, by the definition."""
    cell = [sum(i * size // cells <= place for i in range(1, cells)) for place in range(size)]
    return np.array([[row >> cell[(v - s) % size] & 1 for v in range(size)] for s in range(size)], dtype=float)


@pytest.mark.parametrize(("size", "cells", "row"), CELLS)
def test_a_pattern_is_its_matrix(size, cells, row):
    matrix, pattern = held(size, cells, row), Pattern.of_cells(size, cells, row)
    values = np.random.default_rng(1).normal(size=(3, size))
    np.testing.assert_allclose(pattern.gathered(values), values @ matrix.T, atol=1e-12)
    np.testing.assert_allclose(pattern.scattered(values), values @ matrix, atol=1e-12)
    squares = np.abs(np.fft.fft(matrix[0])) ** 2
    frequencies = np.arange(1, size)
    np.testing.assert_allclose(pattern.squares(frequencies), squares[1:], atol=1e-9)
    assert pattern.places == matrix[0].sum()


@pytest.mark.parametrize(("size", "cells", "unit"), [(20, 3, 4), (18, 4, 2), (24, 3, 1), (15, 4, 1), (28, 5, 4)])
def test_starts_modulo_the_unit_of_cells_say_nothing(size, cells, unit, monkeypatch):
    """As many starts of each class hold a place, whichever place it is: of 2^3 classes or fewer, where cells differ."""
    monkeypatch.setattr(patterns, "PRIVATE_BITS", 3)
    assert cell_unit(size, cells) == unit
    for row in range(1, (1 << cells) - 1):
        pattern = Pattern.of_cells(size, cells, row)
        held = pattern.scattered(np.eye(size, dtype=np.int64)).reshape(size, size)
        for first in range(unit):
            assert len({*held[first::unit].sum(axis=0).tolist()}) == 1
        matrix = np.array([[row >> i & 1 for i in range(cells)]])
        lengths = [Pattern.of_cells(size, cells, 1 << i).places for i in range(cells)]
        assert pattern.places == (matrix @ lengths).item()
        assert max(lengths) - min(lengths) <= unit


@pytest.mark.parametrize("size", [37, 4104, 5008, 7008, 8192, 8208, 12_304, 5003, 1 << 20])
def test_the_kernel_has_the_same_cells(size):
    row = "".join(random.Random(size).choices("01", k=32))
    runs = cell_level(Fraction(1, 2), 1, size, tuple(letter == "1" for letter in row)).rows[0][1]
    places = [place for first, width in runs for place in range(first, first + width)]
    pattern = Pattern.of_cells(size, 32, sum(1 << cell for cell, letter in enumerate(row) if letter == "1"))
    assert places == [place for first, width in pattern.runs for place in range(first, first + width)]


@pytest.mark.parametrize(
    "k", [2, 3, 17, 33, 511, 513, 1001, 1024, 1025, 4097, 6007, 8191, 8193, 15_871, 43_793, 1 << 20]
)
def test_a_circle_is_hardly_larger_and_its_cuts_need_few_sums(k):
    circle = Circle(k)
    assert k <= circle.size <= k * (1 + 1 / 512)
    assert circle.size == k or k > 512
    unit = cell_unit(circle.size, circle.cells)
    assert circle.size % circle.cells == 0 or (circle.size % unit == 0 and circle.size // unit <= 4096)
    assert circle.parts[0] == circle.size
    for first, second in itertools.pairwise(circle.parts):
        assert 1.2 * second <= first <= max(2.4 * second, 32)
    sums = [EvenCuts(circle.size, parts).shifts * parts for parts in circle.parts]
    assert max(sums) <= max(circle.size, 1 << 17 if k <= 1024 else 1 << 20)


@pytest.mark.parametrize(("size", "parts"), [(7, 4), (12, 4), (12, 5), (30, 12), (31, 31)])
def test_even_cuts_have_each_length_at_each_start_as_often(size, parts):
    """By the labels of all places at all shifts, and by the runs that are listed."""
    cuts = EvenCuts(size, parts)
    times = dict.fromkeys(itertools.product(range(size), (size // parts, -(-size // parts))), 0)
    for shift in range(cuts.shifts):
        labels = cuts.labels(np.arange(size), shift)
        for label in range(parts):
            run = np.flatnonzero(labels == label)
            start = next(int(place) for place in run if (place - 1) % size not in run or len(run) == size)
            times[start, len(run)] += 1
    for often, pattern in cuts.kinds:
        assert {times[start, pattern.places] for start in range(size)} == {often}
    pairs = zip(cuts.kinds, cuts.starts, strict=True)
    listed = [(start, kind.places) for (_, kind), (_, starts) in pairs for start in starts.ravel().tolist()]
    assert sorted(listed) == sorted(key for key, often in times.items() for _ in range(often))


@pytest.mark.parametrize("k", [1025, 5003])
def test_padding_is_folded_as_queries_are_extended(k):
    circle, random = Circle(k), np.random.default_rng(k)
    assert circle.padding
    places, weights = random.normal(size=circle.size), random.normal(size=(4, k))
    np.testing.assert_allclose(circle.extended(weights) @ places, weights @ circle.folded(places))
    np.testing.assert_array_equal(circle.extended(np.ones((1, k))), 1.0)
    inner = np.zeros((1, k))
    inner[0, 1:5] = 1
    assert not circle.extended(inner)[0, k:].any()


@pytest.mark.parametrize("k", [5, 8, 37])
def test_squares_of_arcs_are_those_of_each(k):
    """All arcs of the items between single places, by their transforms on the circle."""
    size, total = Circle(k).size, 0.0
    for first, end in itertools.permutations(range(1, k + 1), 2):
        arc = [float((v - first) % size < (end - first) % size) for v in range(size)]
        total = total + np.abs(np.fft.fft(arc)) ** 2 / size
    half = cut_squares(Circle(k))
    expected = total[1 : size // 2 + 1] + np.where(
        2 * np.arange(1, size // 2 + 1) == size, 0, total[: -size // 2 - 1 : -1][: len(half)]
    )
    np.testing.assert_allclose(half, expected, rtol=1e-9)


def test_chosen_frequencies_stand_for_all():
    squares = 1.0 / np.arange(1, 5001) ** 2
    chosen, sums = chosen_frequencies(squares)
    assert sums.sum() == pytest.approx(squares.sum(), rel=1e-12)
    assert (np.diff(chosen) > 0).all()
    assert chosen[0] == 1
    assert chosen[-1] <= 5000
    many, _ = chosen_frequencies(np.ones(100_000))  # weights of levels follow from these, so they do not move
    assert many[:256].tolist() == list(range(1, 257))
    assert many[[256, 257, 258, 300, 700, -2, -1]].tolist() == [257, 259, 260, 357, 7070, 98821, 99277]
    few, own = chosen_frequencies(squares[:40])
    assert few.tolist() == list(range(1, 41))
    np.testing.assert_allclose(own, squares[:40])


def test_the_best_weights_of_two_levels_are_those_of_a_search():
    random = np.random.default_rng(3)
    powers, squares = random.random((2, 9)) + 0.01, random.random(9)
    found = best_weights(powers, squares)
    value = (squares / (found @ powers)).sum()
    grid = np.linspace(0, 1, 2001)
    searched = min((squares / (w * powers[0] + (1 - w) * powers[1])).sum() for w in grid)
    assert found.sum() == pytest.approx(1, abs=1e-9)
    assert searched * (1 - 1e-6) < value < searched * (1 + 1e-3)

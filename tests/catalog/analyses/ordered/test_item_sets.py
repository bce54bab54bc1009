"""Ranges over sets of items: exact sampling, the bias of truncation and its bound, intervals, two rounds, bad input."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wording import refused

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.analyses.ordered.item_sets import ItemSets, SetCounts, candidates_of, estimate_set_counts
from mechdesign_catalog.systems import State
from mechdesign_catalog.systems.flat.grr import Grr
from mechdesign_catalog.systems.flat.unary import Oue
from mechdesign_catalog.systems.levels.hierarchical import HierarchicalHistograms

RNG = np.random.default_rng(8)
SIZES = RNG.integers(0, 5, 5_000)
SETS = [np.sort(RNG.choice(16, size, replace=False)).tolist() for size in SIZES]
FIRST, LAST = np.array([0, 2, 5, 7]), np.array([15, 9, 5, 14])


def mean_counts(sets, weight=lambda size: Fraction(1)):
    """How many items of each range a user has, each counted with a weight by the size of the set."""
    ends = zip(FIRST, LAST, strict=True)
    inside = [[sum(a <= item <= b for item in one) * weight(len(one)) for one in sets] for a, b in ends]
    return np.array([float(sum(row) / Fraction(len(sets))) for row in inside])


TRUTH = mean_counts(SETS)


def drawn(sets, seed, among=SETS):
    return np.bincount(sets.draw(among, seeded_words(seed)), minlength=sets.k)


def test_items_are_drawn_with_the_stated_chances():
    for own, length in [([3, 1], 4), ([3, 1], 2), ([3, 1, 9], 2), ([], 2)]:
        draws = 60_000
        counts = drawn(ItemSets(10, length), [1, length, len(own)], [own] * draws)
        slots = max(len(own), length)
        expected = np.bincount(own, minlength=11) / slots if own else np.zeros(11)
        expected[10] = 1 - len(own) / slots
        assert (np.abs(counts / draws - expected) <= 4.5 * np.sqrt(expected * (1 - expected) / draws)).all()


@given(st.lists(st.sets(st.integers(0, 9), max_size=6), min_size=1, max_size=12), st.integers(1, 5))
def test_truncation_is_at_most_its_bound(sets, length):
    """Of a set with s items each counts `min(1, length/s)`."""
    first, last = 2, 7
    inside = [sum(first <= item <= last for item in one) for one in sets]
    kept = [min(Fraction(1), Fraction(length, max(1, len(one)))) for one in sets]
    counted = [count * part for count, part in zip(inside, kept, strict=True)]
    missing = float(sum(inside) - sum(counted)) / len(sets)
    assert 0 <= missing <= ItemSets(10, length).truncation_bound([len(one) for one in sets]) + 1e-12


@pytest.mark.slow
@pytest.mark.parametrize(("length", "kind"), [(2, Oue), (4, HierarchicalHistograms)])
def test_intervals_cover_what_is_counted(length, kind):
    """200 collections; at length 2 half of the users' sets are cut, and what is found is what the cut ones count."""
    sets = ItemSets(16, length)
    oracle = kind(sets.k, Privacy(epsilon=1))
    rng = np.random.default_rng(4)
    states = (oracle.simulate_sums(drawn(sets, [7, run]), rng) for run in range(200))
    found = [estimate_set_counts(sets, oracle, state, FIRST, LAST) for state in states]
    counted = mean_counts(SETS, lambda size: min(Fraction(1), Fraction(length, max(1, size))))
    assert (counted[0] == pytest.approx(TRUTH[0])) == (length == 4)
    assert TRUTH[0] - counted[0] <= sets.truncation_bound(SIZES) + 1e-12
    low, high = np.array([one.intervals() for one in found]).transpose(1, 0, 2)
    held = ((low <= counted) & (high >= counted)).mean(axis=0)
    assert (held >= 0.89).all()
    means = np.array([one.counts for one in found])
    spread = means.std(axis=0)
    assert (np.abs(means.mean(axis=0) - counted) <= 4 * spread / 200**0.5).all()
    assert np.abs(np.mean([one.standard_errors for one in found], axis=0) / spread - 1).max() <= 0.2


def test_the_standard_error_has_the_part_of_sampling():
    """Without noise what is left is which item each user sends: at most `R (1-R)/n`, and near it for one item."""
    sets, one = ItemSets(16, 4), [[5, 6], [5, 7]] * 500
    oracle = Grr(sets.k, Privacy(alpha="1e-15"))
    counts = [drawn(sets, [9, run], one) for run in range(300)]
    found = [estimate_set_counts(sets, oracle, State(oracle.parameters, 1000, part), [5, 6], [5, 6]) for part in counts]
    spread = np.std([each.counts for each in found], axis=0)
    stated = np.mean([each.standard_errors for each in found], axis=0)
    assert spread / stated == pytest.approx([1.0, np.sqrt(0.1875 / 2 / (0.125 * 0.875))], rel=0.17)  # 4 sigma


def test_two_rounds_count_the_candidates_alone():
    popular = [[0, 3, 7], [3, 7], [7], [3, 12], [3]] * 4000
    first = ItemSets(16, 3)
    half = Privacy(epsilon="1/2")
    oracle = Oue(first.k, half)
    state = oracle.simulate_sums(drawn(first, 1, popular), np.random.default_rng(1))
    chosen = candidates_of(oracle.estimate(state)[:16], 2)
    assert chosen == (3, 7)
    second = ItemSets(16, 2, chosen)
    state = oracle.simulate_sums(drawn(second, 2, popular), np.random.default_rng(2))
    found = estimate_set_counts(second, oracle, state, [0, 3, 4], [15, 3, 11])
    low, high = found.intervals(0.9999)
    assert (low <= [1.4, 0.8, 0.6]).all()
    assert (high >= [1.4, 0.8, 0.6]).all()
    assert set(np.flatnonzero(drawn(second, 3, popular))) <= {3, 7, 16}


def test_bad_input_is_refused():
    for make in [
        lambda: ItemSets(0, 1),
        lambda: ItemSets(4, 0),
        lambda: ItemSets(4, 2, (1, 1)),
        lambda: ItemSets(4, 2).draw([[1], [4]]),
        lambda: ItemSets(4, 2).draw([[1], [0], [-1]]),
        lambda: ItemSets(4, 2).draw([[1], [2, 1, 2]]),
        lambda: ItemSets(4, 2).draw([[1], [0.5]]),
        lambda: candidates_of(np.ones(3), 4),
        lambda: SetCounts(np.ones(1), np.ones(1)).intervals(0),
        lambda: estimate_of(0, 4),
        lambda: estimate_of(2, 1),
    ]:
        with refused(InputError):
            make()


def estimate_of(first, last):
    sets = ItemSets(4, 2)
    oracle = Oue(sets.k, Privacy(epsilon=1))
    return estimate_set_counts(sets, oracle, oracle.simulate_sums(np.full(5, 10), RNG), first, last)

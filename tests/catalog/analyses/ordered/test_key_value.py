"""Means of a second number over ranges of keys: exact rounding, the ratio, its gradient, intervals, bad input."""

import numpy as np
import pytest
from wording import refused

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.analyses.ordered.key_value import KeyValues, RangeMeans, _gradients, estimate_range_means
from mechdesign_catalog.systems.flat.unary import Oue
from mechdesign_catalog.systems.levels.hierarchical import HierarchicalHistograms

PAIRS = KeyValues(16, low=0, high=24)
RNG = np.random.default_rng(2)
KEYS = RNG.binomial(15, 0.4, 30_000)
NUMBERS = np.round(np.clip(RNG.normal(1.2 * KEYS, 3), 0, 24), 2)
FIRST, LAST = np.array([0, 3, 6, 5]), np.array([15, 8, 6, 9])
TRUTH = np.array([NUMBERS[(a <= KEYS) & (b >= KEYS)].mean() for a, b in zip(FIRST, LAST, strict=True)])


def counts_of(seed):
    return np.bincount(PAIRS.items(KEYS, NUMBERS, seeded_words(seed)), minlength=PAIRS.k)


def test_ends_are_drawn_with_the_mean_of_the_number():
    draws = 100_000
    for number, chance in ((0.0, 0.0), (6.0, 0.25), (23.88, 0.995), (24.0, 1.0)):
        items = PAIRS.items(np.full(draws, 5), np.full(draws, number), seeded_words([1, int(number)]))
        assert set(items.tolist()) <= {5, 16 + 5}
        ones = np.count_nonzero(items == 21) / draws
        assert abs(ones - chance) <= 4.2 * np.sqrt(chance * (1 - chance) / draws)


def test_a_drawn_point_below_the_number_is_the_upper_end():
    """The point of the word w is `w mod 10^9`; a number of 3/4 of the range has 750 million steps."""
    at = {749_999_999: 10 + 4, 750_000_000: 4, 0: 14, 999_999_999: 4}
    words = np.array(list(at), dtype=np.uint64)
    found = KeyValues(10).items(np.full(4, 4), np.full(4, 0.5), lambda count: words[:count])
    assert found.tolist() == list(at.values())


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Oue, HierarchicalHistograms])
def test_intervals_cover_and_the_bias_is_small(kind):
    """500 collections of 30,000 users; 95 % intervals may hold between 91 and 99 % (+- 4 sigma)."""
    oracle = kind(PAIRS.k, Privacy(epsilon=1))
    rng = np.random.default_rng(4)
    states = (oracle.simulate_sums(counts_of([7, run]), rng) for run in range(500))
    found = [estimate_range_means(PAIRS, oracle, state, FIRST, LAST) for state in states]
    means, errors = np.array([one.means for one in found]), np.array([one.standard_errors for one in found])
    low, high = np.array([one.intervals() for one in found]).transpose(1, 0, 2)
    held = ((low <= TRUTH) & (high >= TRUTH)).mean(axis=0)
    assert (held >= 0.91).all()
    assert (held <= 0.99).all()
    spread = means.std(axis=0)
    assert (np.abs(means.mean(axis=0) - TRUTH) <= 0.1 * spread + 4 * spread / np.sqrt(500)).all()
    assert np.abs(errors.mean(axis=0) / spread - 1).max() <= 0.15


def test_gradients_are_slopes_of_the_ratio():
    shares = np.random.default_rng(1).dirichlet(np.ones(8))

    def ratio(shares):
        return shares[5:7].sum() / (shares[5:7].sum() + shares[1:3].sum())

    steps = 1e-6 * np.eye(8)
    slopes = [(ratio(shares + step) - ratio(shares - step)) / 2e-6 for step in steps]
    total = shares[5:7].sum() + shares[1:3].sum()
    found = _gradients(KeyValues(4), np.array([1]), np.array([2]), np.array([ratio(shares)]), np.array([total]))
    assert found[0] == pytest.approx(np.array(slopes), abs=1e-7)


def test_the_standard_error_has_the_part_of_rounding():
    """With next to no noise what is left is that of rounding: `sqrt(R (1-R) / n)` of the range at most."""
    oracle = Oue(PAIRS.k, Privacy(alpha="1e-15"))
    states = (oracle.simulate_sums(counts_of([9, run]), RNG) for run in range(200))
    runs = [estimate_range_means(PAIRS, oracle, state, FIRST, LAST) for state in states]
    spread = np.std([one.means for one in runs], axis=0)
    stated = np.mean([one.standard_errors for one in runs], axis=0)
    assert (spread <= 1.2 * stated).all()  # 4 sigma of a deviation from 200
    assert (stated <= 3 * spread).all()


def test_many_ranges_go_by_parts(monkeypatch):
    oracle = Oue(PAIRS.k, Privacy(epsilon=1))
    state = oracle.simulate_sums(counts_of(3), np.random.default_rng(1))
    whole = estimate_range_means(PAIRS, oracle, state, FIRST, LAST)
    monkeypatch.setattr("mechdesign_catalog.analyses.ordered.key_value.AT_ONCE", PAIRS.k)
    parts = estimate_range_means(PAIRS, oracle, state, FIRST, LAST)
    assert parts.standard_errors == pytest.approx(whole.standard_errors)


def test_a_range_that_nobody_seems_to_be_in_has_no_mean():
    oracle = Oue(8, Privacy(epsilon=1))
    state = oracle.simulate_sums(np.array([500, 0, 0, 0, 500, 0, 0, 0]), np.random.default_rng(3))
    found = estimate_range_means(KeyValues(4), oracle, state, np.arange(4), np.arange(4))
    unknown = found.shares <= 0
    assert unknown.any()
    assert np.isnan(found.means[unknown]).all()
    assert np.isinf(found.standard_errors[unknown]).all()
    low, high = found.intervals()
    assert (low[unknown] == -1).all()
    assert (high[unknown] == 1).all()
    assert not np.isnan([low, high]).any()


def test_bad_input_is_refused():
    for make in [
        lambda: KeyValues(0),
        lambda: KeyValues(4, 10**17, 10**17 + 1),
        lambda: KeyValues(4, 1, 1),
        lambda: KeyValues(4, "x", 1),
        lambda: PAIRS.items([1, 16], [1, 1]),
        lambda: PAIRS.items([1, 2], [1, 24.5]),
        lambda: PAIRS.items([1], [float("nan")]),
        lambda: PAIRS.items([1.5], [2]),
        lambda: RangeMeans(np.ones(1), np.ones(1), np.ones(1), (0, 1)).intervals(1),
        lambda: estimate_of(3, 2),
        lambda: estimate_of(3, 16),
    ]:
        with refused(InputError):
            make()


def estimate_of(first, last):
    oracle = Oue(PAIRS.k, Privacy(epsilon=1))
    return estimate_range_means(PAIRS, oracle, oracle.simulate_sums(counts_of(3), RNG), first, last)

"""Subset selection: exactly uniform sets however they are drawn, published formulas, and what a report may be."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chi2

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.oracles import make_oracle, oracle_of
from mechdesign_catalog.oracles.kernels.bits import row_sums
from mechdesign_catalog.oracles.kinds.subset import quick_density, subset_bits, subsets_of_the_others
from mechdesign_catalog.oracles.reports import Reports


@pytest.mark.parametrize("density", ["0", "1/7", "3/7", "9/10", "1"])
@pytest.mark.parametrize("size", [1, 3, 5])
def test_sets_are_uniform_from_any_start(density: str, size: int) -> None:
    """All C(6, size) sets of the items other than 2; 15 tests, each failing a right draw with chance 1e-4."""
    draws = 12_000
    own = np.full(draws, 2)
    rows = subsets_of_the_others(own, np.full(draws, size), 7, Fraction(density), seeded_words([31, size]))
    seen = Counter(rows[:, 0].tolist())
    sets = math.comb(6, size)
    assert all(row.bit_count() == size and not row & 0b10000100 for row in seen)
    statistic = sum((count - draws / sets) ** 2 / (draws / sets) for count in seen.values())
    statistic += (sets - len(seen)) * draws / sets
    assert statistic <= chi2.ppf(1 - 1e-4, sets - 1)


@pytest.mark.parametrize("density", ["0", "1/40", "1/4", "1"])
def test_each_user_gets_the_size_asked_for(density: str) -> None:
    users, k = 120, 203
    generator = np.random.default_rng(32)
    own, sizes = generator.integers(0, k, users), generator.integers(0, k, users)
    sizes[:2] = 0, k - 1
    rows = subsets_of_the_others(own, sizes, k, Fraction(density), seeded_words(33))
    bits = np.unpackbits(rows, axis=1, bitorder="little")
    assert np.array_equal(bits.sum(axis=1), sizes)
    assert not bits[np.arange(users), own].any()
    assert not bits[:, k:].any()


def test_density_starts_below_the_size_where_removing_is_dear() -> None:
    assert quick_density(1000, 31) == 0  # items one by one
    assert 0 < quick_density(1000, 32) < Fraction(32, 1000)
    assert quick_density(1000, 269) == Fraction(260, 1000)
    assert quick_density(10, 5) == Fraction(1, 2)
    assert quick_density(10, 8) > Fraction(8, 10)
    assert quick_density(40, 39) == 1  # never above
    assert all(0 <= quick_density(k, size) <= 1 for k in range(2, 60) for size in range(1, k))


def test_sizes() -> None:
    sizes = {
        (k, eps): make_oracle("ss", k, Privacy(epsilon=eps)).size
        for k, eps in ((1000, 1), (4, 1), (2, "1/100"), (5, 200), (32, 2))
    }
    assert sizes == {(1000, 1): 269, (4, 1): 1, (2, "1/100"): 1, (5, 200): 1, (32, 2): 4}
    oracle = make_oracle("ss", 32, Privacy(epsilon=2))
    assert oracle.parameters == {"oracle": "ss", "k": 32, "privacy": "epsilon=2", "size": 4}
    assert oracle == make_oracle("ss", 32, Privacy(epsilon=2), size=4) == oracle_of(oracle.parameters)
    for size in (-1, 32, 33, 2.5, True, "4"):
        with pytest.raises(InputError, match="size must be a whole number from 1 to 31, rare or mean, got size="):
            make_oracle("ss", 32, Privacy(epsilon=2), size=size)


def test_one_item_is_grr() -> None:
    one, grr = make_oracle("ss", 6, Privacy(epsilon=2), size=1), make_oracle("grr", 6, Privacy(epsilon=2))
    assert (one.support, one.alpha) == (grr.support, grr.alpha)
    assert [one.report_law()[(1 << item,)] for item in range(6)] == list(grr.report_law().values())


def test_probabilities_are_those_of_the_law() -> None:
    oracle = make_oracle("ss", 7, Privacy(epsilon=1), size=3)
    law = oracle.report_law()
    assert len(law) == 35
    for item in range(7):
        supports = sum(chances[0] for (report,), chances in law.items() if report >> item & 1)
        assert supports == (oracle.support.q if item else oracle.support.p)


def test_published_variance_is_nearly_that_of_oue() -> None:
    """Wang et al. 2017: subset selection has about the variance of OUE where there are many items."""
    subset, oue = make_oracle("ss", 2000, Privacy(epsilon=1)), make_oracle("oue", 2000, Privacy(epsilon=1))
    assert subset.approximate_variance(10) == pytest.approx(oue.approximate_variance(10), rel=0.002)
    small, other = make_oracle("ss", 8, Privacy(epsilon=1)), make_oracle("oue", 8, Privacy(epsilon=1))
    assert small.approximate_variance(10) < 0.95 * other.approximate_variance(10)


def test_bits_number_the_sets() -> None:
    assert [subset_bits(k, 1) for k in (2, 4, 5)] == [1, 2, 3]
    assert subset_bits(7, 3) == 6  # 35 sets
    assert subset_bits(1000, 269) == 835
    for k, size in ((4097, 1), (4097, 1102), (20_000, 3)):
        assert subset_bits(k, size) == (math.comb(k, size) - 1).bit_length()


@pytest.mark.parametrize("size", [1, 40, 150])
def test_reports_hold_the_own_item_as_often_as_they_should(size: int) -> None:
    oracle = make_oracle("ss", 300, Privacy(epsilon=1), size=size)
    draws = 20_000
    rows = oracle.privatize(np.full(draws, 299), seeded_words(34)).columns["bits"]
    p = float(oracle.support.p)
    assert (row_sums(rows) == size).all()
    own = (rows[:, 37] >> 3 & 1).mean()
    assert abs(own - p) < 4 * math.sqrt(p * (1 - p) / draws)


def test_reports_of_another_size_are_refused_with_their_row() -> None:
    oracle = make_oracle("ss", 11, Privacy(epsilon=1), size=4)
    rows = oracle.privatize(np.arange(6), seeded_words(35)).columns["bits"].copy()
    rows[4] = 255, 0
    with pytest.raises(InputError, match="reports must be sets of 4 items, got 8 in row 5"):
        oracle.aggregate(Reports(oracle.parameters, {"bits": rows}))
    rows[2] = 7, 0
    with pytest.raises(InputError, match="reports must be sets of 4 items, got 3 in row 3"):
        oracle.aggregate(Reports(oracle.parameters, {"bits": rows}))
    rows[2], rows[3, 1] = rows[0], rows[3, 1] | 0x10
    with pytest.raises(InputError, match="column bits must have no bit beyond bit 10, got one in row 4"):
        oracle.aggregate(Reports(oracle.parameters, {"bits": rows}))

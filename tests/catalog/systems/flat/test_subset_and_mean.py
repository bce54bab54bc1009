"""Subset selection and one-bit means: uniform sets, published formulas, and what a report or a number may be."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2
from wording import refused

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.randomizers.kernels.subsets import subset_bits
from mechdesign_catalog.randomizers.reports.reports import Reports
from mechdesign_catalog.systems import State, make_oracle, oracle_of
from mechdesign_catalog.systems.flat.onebitmean import OneBitMean
from mechdesign_catalog.systems.flat.subset import quick_density, subsets_of_the_others
from mechdesign_catalog.systems.mean import mean_interval, mean_oracle_of


def test_sets_are_uniform_from_any_start() -> None:
    """All C(6, size) sets of the items other than 2; 15 tests, each failing a right draw with chance 1e-4."""
    for density in ["0", "1/7", "3/7", "9/10", "1"]:
        for size in (1, 3, 5):
            draws, sets = 12_000, math.comb(6, size)
            own, sizes = np.full(draws, 2), np.full(draws, size)
            rows = subsets_of_the_others(own, sizes, 7, Fraction(density), seeded_words([31, size]))
            seen = Counter(rows[:, 0].tolist())
            assert all(row.bit_count() == size and not row & 0b10000100 for row in seen)
            statistic = sum((count - draws / sets) ** 2 / (draws / sets) for count in seen.values())
            statistic += (sets - len(seen)) * draws / sets
            assert statistic <= chi2.ppf(1 - 1e-4, sets - 1)


def test_each_user_gets_the_size_asked_for() -> None:
    for density in ["0", "1/40", "1/4", "1"]:
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
        with refused(InputError, about="size"):
            make_oracle("ss", 32, Privacy(epsilon=2), size=size)


def test_one_item_is_grr() -> None:
    one, grr = make_oracle("ss", 6, Privacy(epsilon=2), size=1), make_oracle("grr", 6, Privacy(epsilon=2))
    assert (one.support, one.alpha) == (grr.support, grr.alpha)
    assert [one.report_law()[(1 << item,)] for item in range(6)] == list(grr.report_law().values())


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


def test_reports_of_another_size_are_refused_with_their_row() -> None:
    oracle = make_oracle("ss", 11, Privacy(epsilon=1), size=4)
    for row in ((255, 0), (7, 0)):
        rows = oracle.privatize(np.arange(6), seeded_words(35)).columns["bits"].copy()
        rows[4] = row
        with refused(InputError):
            oracle.aggregate(Reports(oracle.parameters, {"bits": rows}))


SMALL = OneBitMean.up_to(24, Privacy(epsilon=1), k=5)
USUAL = OneBitMean.up_to(24, Privacy(epsilon="3/2"))


def test_law_is_the_published_one():
    """`1/(e^eps + 1) + (x/m) (e^eps - 1)/(e^eps + 1)`."""
    e = math.e
    expected = [1 / (e + 1) + x / 24 * (e - 1) / (e + 1) for x in (0, 6, 12, 18, 24)]
    assert [float(one) for one in SMALL.report_law()[1,]] == pytest.approx(expected, rel=1e-8)


def test_reports_are_drawn_by_the_law():
    draws = 40_000
    for value, one in enumerate(SMALL.report_law()[1,]):
        ones = SMALL.aggregate(SMALL.privatize(np.full(draws, value), seeded_words([1, value]))).sums[0]
        error = math.sqrt(draws * float(one * (1 - one)))
        assert abs(ones - draws * float(one)) <= 4.2 * error  # five of them: 1.4e-4 altogether


def test_drawn_states_have_the_mean_and_the_variance():
    numbers = np.tile([0.0, 1.0, 7.5, 23.9, 24.0], 100)
    values = USUAL.on_grid(numbers)
    variance, generator = USUAL.variance(values), np.random.default_rng(3)
    drawn = [USUAL.estimate(USUAL.simulate_sums(values, generator)) for _ in range(1000)]
    assert abs(np.mean(drawn) - numbers.mean()) <= 4 * math.sqrt(variance / 1000)
    assert abs(np.var(drawn, ddof=1) - variance) <= 4 * variance * math.sqrt(2 / 1000)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=30))
def test_standard_error_at_the_expected_share_bounds_the_true_one(values):
    expected = sum(float(SMALL.report_law()[1,][value]) for value in values)
    state = State(SMALL.parameters, 10**6 * len(values), np.array([round(10**6 * expected)]))
    bound = SMALL.standard_error(state) ** 2 * 10**6
    assert bound >= SMALL.variance(np.array(values)) * (1 - 1e-5)
    if len(set(values)) == 1:
        assert bound == pytest.approx(SMALL.variance(np.array(values)), rel=1e-5)


def test_intervals_cover():
    generator = np.random.default_rng(4)
    values = USUAL.on_grid(generator.uniform(0, 24, 400))
    mean = USUAL.numbers(values).mean()
    hits = 0
    for r in range(400):
        low, high = mean_interval(USUAL, USUAL.aggregate(USUAL.privatize(values, seeded_words([5, r]))), 0.9)
        hits += low <= mean <= high
    assert hits / 400 == pytest.approx(0.9, abs=0.06)
    with refused(InputError, about="level"):
        mean_interval(USUAL, State(USUAL.parameters, 1, np.array([1])), 1)


def test_standard_error_is_never_zero():
    assert SMALL.variance(np.array([2] * 10)) == pytest.approx(SMALL.largest_variance(10))
    for ones in (0, 10):
        error = USUAL.standard_error(State(USUAL.parameters, 10, np.array([ones])))
        assert error == pytest.approx(math.sqrt(USUAL.variance(np.zeros(10, dtype=np.int64))))


def test_the_grid_takes_the_nearest_value():
    oracle = OneBitMean.up_to(24, Privacy(epsilon=1), k=2401)
    assert oracle.on_grid([0, 0.01, 3.14, 0.004, 0.006, 24]).tolist() == [0, 1, 314, 0, 1, 2400]
    assert oracle.numbers(np.array([0, 314, 2400])) == pytest.approx([0, 3.14, 24])
    fine = USUAL.numbers(USUAL.on_grid([1 / 3]))[0]
    assert abs(fine - 1 / 3) <= 24 / 2e9


def test_numbers_outside_are_refused():
    for numbers, got in [
        ([1, 24.001], "in 0..24, got another in row 2"),
        ([-0.1], "in 0..24, got another in row 1"),
        ([0, 1, math.nan], "in 0..24, got another in row 3"),
        ([[1.0]], "a vector, got 2 dimensions"),
    ]:
        with refused(InputError):
            USUAL.on_grid(numbers)
        if "row" in got:
            with refused(InputError):
                USUAL.on_grid(numbers, first_row=101)


def test_bad_input_is_refused():
    with refused(InputError):
        SMALL.privatize(np.array([5]))
    for maximum in (0, -1, "1e101"):
        with refused(InputError, about="maximum"):
            OneBitMean.up_to(maximum, Privacy(epsilon=1))
    with refused(InputError, about="epsilon"):
        OneBitMean.up_to(1, Privacy(epsilon=0))
    with refused(InputError, about="k"):
        USUAL.report_law()
    for wrong in (
        {"oracle": "grr"},
        {"oracle": "onebitmean", "k": 3},
        {**USUAL.parameters, "maximum": "48/2"},
    ):
        with refused(InputError):
            mean_oracle_of(wrong)


def test_epsilon_and_maximum_may_be_decimals():
    assert OneBitMean.up_to(0.1, Privacy(epsilon="0.5"), k=11).parameters == {
        "oracle": "onebitmean",
        "k": 11,
        "privacy": "epsilon=1/2",
        "maximum": "1/10",
    }
    assert OneBitMean.up_to("0.1", Privacy(epsilon=1)).maximum == Fraction(1, 10)

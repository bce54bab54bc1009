"""1BitMean: exact loss, exact draws, unbiased mean, exact variance, intervals, the grid, bad input."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.oracles import Reports, State, merged
from mechdesign_catalog.oracles.kinds.onebitmean import OneBitMean
from mechdesign_catalog.oracles.mean import mean_interval, mean_oracle_of

SMALL = OneBitMean.up_to(24, Privacy(epsilon=1), k=5)
USUAL = OneBitMean.up_to(24, Privacy(epsilon="3/2"))


def test_loss_of_the_enumerated_law_is_the_claim_or_a_hair_less():
    law = SMALL.report_law()
    assert all(law[0,][v] + law[1,][v] == 1 for v in range(5))
    tightest = min(min(row) / max(row) for row in law.values())
    assert tightest == SMALL.alpha == Privacy(epsilon=1).alpha
    assert 0 <= 1 + math.log(float(tightest)) <= 1e-6


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


@pytest.mark.slow
def test_mean_is_unbiased_and_its_variance_is_exact():
    users, repetitions = 500, 4000
    numbers = np.tile([0.0, 1.0, 7.5, 23.9, 24.0], users // 5)
    values = USUAL.on_grid(numbers)
    reports = USUAL.privatize(np.tile(values, repetitions), seeded_words(2))
    slices = (reports[r * users : (r + 1) * users] for r in range(repetitions))
    found = np.array([USUAL.estimate(USUAL.aggregate(part)) for part in slices])
    variance = USUAL.variance(values)
    assert abs(found.mean() - numbers.mean()) <= 4 * math.sqrt(variance / repetitions)
    assert abs(found.var(ddof=1) - variance) <= 4 * variance * math.sqrt(2 / repetitions)
    drawn = [USUAL.estimate(USUAL.draw_state(values, np.random.default_rng([3, r]))) for r in range(1000)]
    assert abs(np.mean(drawn) - numbers.mean()) <= 4 * math.sqrt(variance / 1000)
    assert abs(np.var(drawn, ddof=1) - variance) <= 4 * variance * math.sqrt(2 / 1000)


def test_variance_is_that_of_the_enumerated_law():
    ones = np.array([float(one) for one in SMALL.report_law()[1,]])
    single = [SMALL.estimate(SMALL.aggregate(Reports(SMALL.parameters, {"bit": np.array([bit])}))) for bit in (0, 1)]
    for value, one in enumerate(ones):
        mean = (1 - one) * single[0] + one * single[1]
        assert mean == pytest.approx(6 * value, abs=1e-9)
        spread = (1 - one) * (single[0] - mean) ** 2 + one * (single[1] - mean) ** 2
        assert SMALL.variance(np.array([value])) == pytest.approx(spread)
    assert SMALL.variance(np.array([2] * 10)) == pytest.approx(SMALL.largest_variance(10))


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
    with pytest.raises(InputError, match=r"level must be in \(0, 1\), got level=1"):
        mean_interval(USUAL, State(USUAL.parameters, 1, np.array([1])), 1)


def test_standard_error_is_never_zero():
    for ones in (0, 10):
        error = USUAL.standard_error(State(USUAL.parameters, 10, np.array([ones])))
        assert error == pytest.approx(math.sqrt(USUAL.variance(np.zeros(10, dtype=np.int64))))


def test_states_merge():
    values = USUAL.on_grid(np.linspace(0, 24, 101))
    reports = USUAL.privatize(values, seeded_words(6))
    whole = USUAL.aggregate(reports)
    parts = merged([USUAL.aggregate(reports[60:]), USUAL.aggregate(reports[:60])])
    assert (parts.users, parts.sums.tolist()) == (whole.users, whole.sums.tolist())
    assert mean_oracle_of(whole.parameters) == USUAL


def test_the_grid_takes_the_nearest_value():
    oracle = OneBitMean.up_to(24, Privacy(epsilon=1), k=2401)
    assert oracle.on_grid([0, 0.01, 3.14, 0.004, 0.006, 24]).tolist() == [0, 1, 314, 0, 1, 2400]
    assert oracle.numbers(np.array([0, 314, 2400])) == pytest.approx([0, 3.14, 24])
    fine = USUAL.numbers(USUAL.on_grid([1 / 3]))[0]
    assert abs(fine - 1 / 3) <= 24 / 2e9


@pytest.mark.parametrize(
    ("numbers", "got"),
    [
        ([1, 24.001], "in 0..24, got another in row 2"),
        ([-0.1], "in 0..24, got another in row 1"),
        ([0, 1, math.nan], "in 0..24, got another in row 3"),
        ([[1.0]], "a vector, got 2 dimensions"),
    ],
)
def test_numbers_outside_are_refused(numbers, got):
    with pytest.raises(InputError, match=f"^numbers must be {got}$"):
        USUAL.on_grid(numbers)
    if "row" in got:
        with pytest.raises(InputError, match=r"got another in row 10[123]$"):
            USUAL.on_grid(numbers, first_row=101)


def test_bad_input_is_refused():
    with pytest.raises(InputError, match=r"values must be in 0..4, got another in row 1$"):
        SMALL.privatize(np.array([5]))
    for maximum in (0, -1, "1e101"):
        with pytest.raises(InputError, match=r"maximum must be in 1e-100\.\.1e100, got maximum="):
            OneBitMean.up_to(maximum, Privacy(epsilon=1))
    with pytest.raises(InputError, match="epsilon must be in"):
        OneBitMean.up_to(1, Privacy(epsilon=0))
    with pytest.raises(InputError, match="reports must be made with the same parameters, got privacy=epsilon=1"):
        USUAL.aggregate(Reports({**USUAL.parameters, "privacy": "epsilon=1"}, {"bit": np.array([1])}))
    with pytest.raises(InputError, match=r"reports must have bit in 0..1, got 2 in row 2"):
        USUAL.aggregate(Reports(USUAL.parameters, {"bit": np.array([1, 2])}))
    with pytest.raises(InputError, match="a state must have 1 sum, got"):
        USUAL.estimate(State(USUAL.parameters, 1, np.array([1, 2])))
    with pytest.raises(InputError, match="at least one user"):
        USUAL.estimate(State(USUAL.parameters, 0, np.array([0])))
    with pytest.raises(InputError, match="k must be small"):
        USUAL.report_law()
    for wrong, message in (
        ({"oracle": "grr"}, "oracle must be one of onebitmean, got grr"),
        ({"oracle": "onebitmean", "k": 3}, "parameters of onebitmean must be k, maximum, privacy, got k"),
        ({**USUAL.parameters, "maximum": "48/2"}, "must be those that it writes"),
    ):
        with pytest.raises(InputError, match=message):
            mean_oracle_of(wrong)


def test_epsilon_and_maximum_may_be_decimals():
    assert OneBitMean.up_to(0.1, Privacy(epsilon="0.5"), k=11).parameters == {
        "oracle": "onebitmean",
        "k": 11,
        "privacy": "epsilon=1/2",
        "maximum": "1/10",
    }
    assert OneBitMean.up_to("0.1", Privacy(epsilon=1)).maximum == Fraction(1, 10)

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from estimation_cases import MECHANISMS, frequencies_of, mechanism_of, small_mechanisms
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from wording import refused

from mechdesign import InputError, Mechanism
from mechdesign.counts.estimation import invert, maximum_likelihood
from mechdesign.counts.estimation.sample import Sample

ROUNDING = 1e-12
"""Relative error of a sum of logarithms."""

RECOVERED = 5.0
"""Standard errors of the inversion within which a true share must lie."""

SLSQP = 1e-4
"""Log-likelihood that the independent optimiser may lack."""

NONNEGATIVE = 1e-6
"""Difference of two shares that are equal in exact arithmetic, for a tolerance of 1e-9."""

MILLION = 10**6


def log_likelihood(mechanism, counts, distribution):
    chances = mechanism.matrix() @ np.asarray(distribution)
    return math.fsum(count * math.log(chance) for count, chance in zip(counts, chances, strict=True) if count)


def path_of(mechanism, counts, **options):
    path = []
    found = maximum_likelihood(mechanism, counts, watch=path.append, **options)
    return found, path


def test_randomised_response_by_hand():
    coin = Mechanism(((2, 1), (1, 2)), 3)
    # 2/3 pi + 1/3 (1 - pi) = 5/9 gives pi = 2/3
    inner = maximum_likelihood(coin, [50, 40], 1e-9)
    assert inner.distribution == pytest.approx((2 / 3, 1 / 3), abs=1e-9)
    assert inner.log_likelihood == pytest.approx(50 * math.log(5 / 9) + 40 * math.log(4 / 9), rel=ROUNDING)
    # more than 2/3 of the outputs are 0: the likelihood grows to the end of the simplex
    outer = maximum_likelihood(coin, [80, 10])
    assert outer.distribution == pytest.approx((1.0, 0.0), abs=1e-9)
    assert outer.log_likelihood == pytest.approx(80 * math.log(2 / 3) + 10 * math.log(1 / 3), rel=ROUNDING)
    assert inner.converged
    assert outer.converged


def test_the_bound_by_hand():
    coin = Mechanism(((2, 1), (1, 2)), 3)
    # at (1/2, 1/2): g_0 = (2/3) / (1/2) = 4/3, so 3 (4/3 - 1) = 1; the maximum, 3 log(2/3), is 3 log(4/3) = 0.86 higher
    start = maximum_likelihood(coin, [3, 0], most_iterations=0)
    assert start.distribution == (0.5, 0.5)
    assert start.bound == pytest.approx(1.0, rel=ROUNDING)


def test_one_step_by_hand():
    coin = Mechanism(((2, 1), (1, 2)), 3)
    _, path = path_of(coin, [3, 0], most_iterations=1)
    assert path[0].tolist() == [0.5, 0.5]
    # EM: pi_0 * (2/3) / (1/2) = 2/3; Newton from there can only move further towards (1, 0)
    assert path[1][0] >= 2 / 3 - ROUNDING


@pytest.mark.slow
@pytest.mark.parametrize("name", MECHANISMS)
def test_a_million_simulated_counts(name):
    mechanism = mechanism_of(name)
    truth = np.random.default_rng(1).binomial(mechanism.n_inputs - 1, 0.35, MILLION)
    counts = frequencies_of(mechanism, truth, seed=2)
    shares = np.bincount(truth, minlength=mechanism.n_inputs) / MILLION
    found, inversion = maximum_likelihood(mechanism, counts), invert(mechanism, counts)
    errors = np.array(inversion.standard_errors)
    assert (np.abs(np.array(inversion.distribution) - shares) < RECOVERED * errors).all()
    assert (np.abs(np.array(found.distribution) - shares) < RECOVERED * errors).all()
    assert found.converged
    # the truth is a distribution as well: it cannot be more likely, and by Wilks it is less so by about n/2
    lacking = found.log_likelihood - log_likelihood(mechanism, counts, shares)
    assert -found.bound <= lacking < 30
    assert found.log_likelihood == pytest.approx(log_likelihood(mechanism, counts, found.distribution), rel=ROUNDING)


@pytest.mark.slow
@settings(max_examples=30)
@given(data=st.data(), mechanism=small_mechanisms())
def test_the_likelihood_never_decreases_and_the_bound_holds(data, mechanism):
    counts = data.draw(st.lists(st.integers(0, 5000), min_size=mechanism.n_outputs, max_size=mechanism.n_outputs))
    counts = [count if any(row) else 0 for count, row in zip(counts, mechanism.weights, strict=True)]
    if not sum(counts):
        counts[next(i for i, row in enumerate(mechanism.weights) if any(row))] = 1
    check_path(mechanism, counts)


@pytest.mark.parametrize(
    ("columns", "counts"),
    [
        ([[0, 10, 0], [1000000, 1, 10], [1000000, 0, 1000000]], [10, 1000, 1]),
        ([[1, 0, 10], [1, 10, 10], [1000000, 0, 1000]], [1, 10, 1000]),
        ([[1, 0, 1000000, 10], [0, 0, 1000, 1000000], [1, 1000, 1000000, 1000000], [1, 1, 0, 10]], [10, 1, 1, 100000]),
    ],
)
def test_newton_steps_that_would_go_too_far(columns, counts):
    shares = [[Fraction(weight, sum(column)) for weight in column] for column in columns]
    check_path(Mechanism.from_fractions(zip(*shares, strict=True)), counts)


def check_path(mechanism, counts):
    """Every iterate is a distribution, none is less likely than the one before, and the last is within its bound."""
    found, path = path_of(mechanism, counts, tolerance=1e-7)
    values = [log_likelihood(mechanism, counts, distribution) for distribution in path]
    scale = ROUNDING * (1 + abs(values[-1]))
    assert all(after >= before - scale for before, after in itertools.pairwise(values))
    assert len(path) == found.iterations + 1
    assert found.converged
    for distribution in path:
        assert distribution.sum() == pytest.approx(1.0, abs=1e-12)
        assert distribution.min() >= 0
    # no vertex of the simplex, and no mixture with one, beats the bound
    best = np.array(found.distribution)
    for j in range(mechanism.n_inputs):
        for step in (1e-6, 1e-3, 0.1, 0.5):
            moved = (1 - step) * best + step * np.eye(mechanism.n_inputs)[j]
            assert log_likelihood(mechanism, counts, moved) <= values[-1] + found.bound + scale


@settings(max_examples=25)
@given(data=st.data(), mechanism=small_mechanisms(positive=True))
def test_against_an_independent_optimiser(data, mechanism):
    counts = data.draw(st.lists(st.integers(1, 400), min_size=mechanism.n_outputs, max_size=mechanism.n_outputs))
    found = maximum_likelihood(mechanism, counts)
    matrix, size = mechanism.matrix(), mechanism.n_inputs
    total = sum(counts)

    def negative(x):
        return -float(np.array(counts) / total @ np.log(np.maximum(matrix @ x, 1e-300)))

    def slope(x):
        return -(np.array(counts) / total / np.maximum(matrix @ x, 1e-300)) @ matrix

    other = minimize(
        negative,
        np.full(size, 1 / size),
        jac=slope,
        method="SLSQP",
        bounds=[(0, 1)] * size,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1, "jac": lambda x: np.ones(size)},
        options={"ftol": 1e-13, "maxiter": 500},
    )
    point = np.maximum(other.x, 0) / np.maximum(other.x, 0).sum()
    theirs = log_likelihood(mechanism, counts, point)
    assert found.log_likelihood >= theirs - found.bound - SLSQP
    if other.success:
        assert found.log_likelihood <= theirs + SLSQP * (1 + total)


@pytest.mark.parametrize("name", ["GM 4 1/2", "WM 6 1/2", "EM 5 1/2"])
def test_it_is_the_inversion_where_that_is_nonnegative(name):
    mechanism = mechanism_of(name)
    truth = np.random.default_rng(3).integers(0, mechanism.n_inputs, 50_000)
    counts = frequencies_of(mechanism, truth, seed=4)
    inversion = invert(mechanism, counts)
    assert min(inversion.distribution) > 0
    found = maximum_likelihood(mechanism, counts, 1e-8)
    assert found.distribution == pytest.approx(inversion.distribution, abs=NONNEGATIVE)


def test_an_honest_bound_where_the_iterations_run_out():
    mechanism = mechanism_of("WM 8 9/10")
    counts = frequencies_of(mechanism, np.random.default_rng(5).binomial(8, 0.3, 10_000), seed=6)
    best = maximum_likelihood(mechanism, counts, 1e-8)
    for iterations in (0, 1, 2):
        cut = maximum_likelihood(mechanism, counts, 1e-8, iterations)
        assert (cut.iterations, cut.converged) == (iterations, False)
        assert 0 <= best.log_likelihood - cut.log_likelihood <= cut.bound
    assert maximum_likelihood(mechanism, counts, best.bound).iterations <= best.iterations


def test_a_tolerance_below_rounding_is_raised_to_it():
    mechanism = mechanism_of("WM 8 9/10")
    counts = frequencies_of(mechanism, np.random.default_rng(5).binomial(8, 0.3, 10_000), seed=6)
    found = maximum_likelihood(mechanism, counts, 1e-30)
    assert found.converged
    assert found.iterations < 30
    # twice 2 (9 + 9) + 16 = 52 roundings of 2^-53, and 1 % for their products
    assert found.tolerance == pytest.approx(10_000 * 2 * 1.01 * 52 * 2**-53, rel=1e-6)
    assert 0 < found.bound <= found.tolerance
    assert found.tolerance_asked == 1e-30
    best = maximum_likelihood(mechanism, counts)
    assert (best.tolerance, best.tolerance_asked) == (1e-6, 1e-6)


@pytest.mark.parametrize(
    ("name", "groups"), [("WM 8 9/10", 2 * 10**8), ("GM 8 1/10", 10**12), ("GM 128 9/10", 2 * 10**7)]
)
def test_a_maximum_of_very_many_counts_is_found(name, groups):
    mechanism = mechanism_of(name)
    size = mechanism.n_inputs
    counts = np.random.default_rng(9).multinomial(groups, mechanism.matrix() @ np.full(size, 1 / size)).tolist()
    found = maximum_likelihood(mechanism, counts)
    assert found.converged
    assert found.tolerance > found.tolerance_asked == 1e-6
    assert found.iterations < 30


def test_shares_next_to_nothing_are_taken_away():
    """Neither EM nor the quadratic model gets rid of shares of 4e-12; with them the bound stays at 1.8e-6."""
    rows = ((12, 12, 5, 6, 8), (12, 12, 5, 6, 20), (12, 12, 5, 6, 4), (12, 12, 5, 36, 20), (12, 12, 40, 6, 8))
    found = maximum_likelihood(Mechanism(rows, 60), [count * 10**6 for count in (2, 5, 1, 5, 2)])
    assert found.converged
    assert found.iterations < 20
    assert found.distribution == (0, 0, 0, 0, 1)


@settings(max_examples=30)
@given(data=st.data(), mechanism=small_mechanisms(positive=True), scale=st.sampled_from([1, 10**6, 10**13]))
def test_the_bound_is_no_smaller_than_the_exact_one(data, mechanism, scale):
    counts = data.draw(st.lists(st.integers(1, 400), min_size=mechanism.n_outputs, max_size=mechanism.n_outputs))
    counts = [count * scale for count in counts]
    found = maximum_likelihood(mechanism, counts)
    weights = [Fraction(share) for share in found.distribution]
    exact = [share / sum(weights) for share in weights]
    inputs = range(mechanism.n_inputs)
    chances = [sum(mechanism.fraction(i, j) * exact[j] for j in inputs) for i in range(mechanism.n_outputs)]
    steepest = max(sum(c * mechanism.fraction(i, j) / chances[i] for i, c in enumerate(counts)) for j in inputs)
    assert found.converged
    assert steepest - sum(counts) <= found.bound <= found.tolerance


def test_rows_that_vanish_as_floats():
    tiny = Mechanism.from_weights([[10**400 - 1, 10**400 - 2], [1, 2]], 10**400)
    # 5 log(1 - x/10^400) + 3 log(x/10^400) rises with x in 1..2
    found = maximum_likelihood(tiny, [5, 3])
    assert found.distribution == pytest.approx((0.0, 1.0), abs=1e-9)
    assert found.log_likelihood == pytest.approx(3 * (math.log(2) - 400 * math.log(10)), rel=ROUNDING)
    assert found.converged
    assert 0 <= found.bound <= 1e-6


@settings(max_examples=40)
@given(mechanism=small_mechanisms(positive=True), digits=st.integers(1, 500))
def test_a_factor_of_a_row_changes_only_the_likelihood(mechanism, digits):
    """Row i divided by 10^digits, with what is lost put into one more output that never occurs."""
    counts = [3 * i + 2 for i in range(mechanism.n_outputs)]
    found = maximum_likelihood(mechanism, counts)
    faint = [[*row] for row in mechanism.weights]
    rest = [(10**digits - 1) * weight for weight in faint[0]]
    rows = [faint[0], *([10**digits * weight for weight in row] for row in faint[1:]), rest]
    other = maximum_likelihood(Mechanism.from_weights(rows, mechanism.denominator * 10**digits), [*counts, 0])
    expected = found.log_likelihood - counts[0] * digits * math.log(10)
    assert other.log_likelihood == pytest.approx(expected, rel=ROUNDING)
    assert other.distribution == pytest.approx(found.distribution, rel=ROUNDING)
    assert (other.converged, other.iterations) == (found.converged, found.iterations)


@pytest.mark.parametrize("chance", [0.0, 2.0**-1000, math.nan])
def test_what_floats_cannot_tell_is_no_proof(chance):
    sample = Sample(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0.5, 0.5]), 8, 0.0)
    slopes = sample.slopes(np.array([1.0, chance]))
    assert sample.bound(slopes) == math.inf
    assert sample.bound(np.array([math.nan, 1.0])) == sample.bound(np.array([1.0, math.nan])) == math.inf
    assert sample.log_likelihood(np.array([1.0, 0.0])) == -math.inf
    # 2 (2 + 2) + 16 = 24 roundings, and 1 % for their products
    assert sample.bound(sample.slopes(np.array([0.5, 0.5]))) == pytest.approx(8 * 1.01 * 24 * 2**-53, rel=ROUNDING)


def test_no_step_is_taken_from_where_floats_cannot_tell(monkeypatch):
    monkeypatch.setattr("mechdesign.counts.estimation.sample.SMALLEST_CHANCE", 0.9)
    found = maximum_likelihood(Mechanism(((2, 1), (1, 2)), 3), [3, 1])
    assert (found.distribution, found.bound, found.converged, found.iterations) == ((0.5, 0.5), math.inf, False, 0)


def test_it_is_quick_where_em_alone_is_not():
    mechanism = mechanism_of("WM 32 9/10")
    counts = frequencies_of(mechanism, np.random.default_rng(7).binomial(32, 0.3, MILLION), seed=8)
    found = maximum_likelihood(mechanism, counts)
    assert found.converged
    assert found.iterations < 30


def test_em_alone_gets_there_when_least_squares_fails(monkeypatch):
    def fails(system, target):
        raise RuntimeError("Maximum number of iterations reached.")

    counts = [400, 300, 200, 300, 500]
    mechanism = mechanism_of("GM 4 1/2")
    helped = maximum_likelihood(mechanism, counts, 1e-3)
    monkeypatch.setattr("scipy.optimize.nnls", fails)
    alone, path = path_of(mechanism, counts, tolerance=1e-3, most_iterations=100_000)
    assert alone.converged
    assert alone.iterations > 3 * helped.iterations
    assert alone.log_likelihood == pytest.approx(helped.log_likelihood, abs=2e-3)
    matrix, shares = mechanism.matrix(), np.array(counts) / sum(counts)
    for before, after in itertools.pairwise(path[:20]):  # pi_j sum_i f_i P[i,j] / (P pi)_i, term by term
        chances = [sum(matrix[i, j] * before[j] for j in range(5)) for i in range(5)]
        step = [before[j] * sum(shares[i] * matrix[i, j] / chances[i] for i in range(5)) for j in range(5)]
        assert after == pytest.approx(step, rel=ROUNDING)


def test_outputs_that_never_occur_and_outputs_that_cannot():
    gapped = Mechanism(((3, 1, 0), (0, 0, 0), (1, 3, 4)), 4)
    found = maximum_likelihood(gapped, [10, 0, 0])
    assert found.distribution == pytest.approx((1.0, 0.0, 0.0), abs=1e-6)
    assert found.log_likelihood == pytest.approx(10 * math.log(3 / 4), abs=1e-6)
    with refused(InputError):
        maximum_likelihood(gapped, [10, 1, 0])


@pytest.mark.parametrize(
    ("counts", "tolerance"),
    [
        ([1, 2], 1e-6),
        ([0] * 5, 1e-6),
        ([1, 1, 1, 1, -1], 1e-6),
        ([1] * 5, 0.0),
        ([1] * 5, math.nan),
        ([1] * 5, math.inf),
    ],
)
def test_bad_input(counts, tolerance):
    with refused(InputError):
        maximum_likelihood(mechanism_of("GM 4 1/2"), counts, tolerance)

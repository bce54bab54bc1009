import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from estimation_cases import mechanism_of, small_mechanisms
from hypothesis import given, settings
from scipy.integrate import quad
from wording import refused

from mechdesign import InputError, Mechanism
from mechdesign.counts.estimation import (
    MeanEstimator,
    exact_inversion,
    invert,
    maximum_likelihood,
    rank,
    unbiased_weights,
)

COIN = Mechanism(((2, 1), (1, 2)), 3)
LOPSIDED = Mechanism(((5, 2, 1), (2, 4, 3), (1, 2, 4)), 8)
SLOPE = Mechanism(((4, 3, 2), (2, 2, 2), (2, 3, 4)), 8)
"""Of rank 2: it tells means, but neither the distribution nor the mean square."""

CLOSE = 1e-9
"""Relative error of an independent computation in floating point."""

COVERAGE = 5.0
"""Standard deviations of a binomial share."""

REPETITIONS = 800


def outcomes(mechanism, law, groups):
    """Every vector of counts of that many releases, with its exact chance when true counts are drawn from a law."""
    chances = [sum(mechanism.fraction(i, j) * w for j, w in enumerate(law)) for i in range(mechanism.n_outputs)]
    for counts in itertools.product(range(groups + 1), repeat=mechanism.n_outputs):
        if sum(counts) == groups:
            ways = math.factorial(groups)
            for count in counts:
                ways //= math.factorial(count)
            yield counts, ways * math.prod(q**count for q, count in zip(chances, counts, strict=True))


def releases(mechanism, truth):
    """Every sequence of releases of fixed true counts as counts, with its exact chance."""
    size = mechanism.n_outputs
    for outputs in itertools.product(range(size), repeat=len(truth)):
        chance = math.prod((mechanism.fraction(i, j) for i, j in zip(outputs, truth, strict=True)), start=Fraction(1))
        yield [outputs.count(i) for i in range(size)], chance


def moments(pairs):
    """Exact mean and variance of values with chances."""
    pairs = list(pairs)
    mean = sum(value * chance for value, chance in pairs)
    return mean, sum((value - mean) ** 2 * chance for value, chance in pairs)


LAW = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6))


def test_randomised_response_by_hand():
    # P^-1 = ((2, -1), (-1, 2)); f = (5/9, 4/9): shares (6/9, 3/9); variance 9 f0 f1 / (N - 1) = 9 * 20/81 / 89
    shares, variances = exact_inversion(COIN, [50, 40])
    assert shares == (Fraction(2, 3), Fraction(1, 3))
    assert variances == (Fraction(20, 801), Fraction(20, 801))
    floats = invert(COIN, [50, 40])
    assert floats.distribution == (2 / 3, 1 / 3)
    assert floats.standard_errors == pytest.approx((math.sqrt(20 / 801),) * 2, rel=1e-15)
    # never clipped
    assert exact_inversion(COIN, [8, 1])[0] == (Fraction(5, 3), Fraction(-2, 3))


@pytest.mark.parametrize("groups", [1, 2, 4])
def test_the_inversion_and_its_variance_are_exactly_unbiased(groups):
    for j, wanted in enumerate(LAW):
        found = [(exact_inversion(LOPSIDED, counts), chance) for counts, chance in outcomes(LOPSIDED, LAW, groups)]
        mean, variance = moments((shares[j], chance) for (shares, _), chance in found)
        assert mean == wanted
        if groups == 1:
            assert all(variances is None for (_, variances), _ in found)
        else:
            assert sum(variances[j] * chance for (_, variances), chance in found) == variance


def test_equal_releases_have_the_errors_of_the_likeliest_distribution():
    # pi_ML = (1, 0), q = (2/3, 1/3), so 9 q0 q1 / N = 2/N where 9 f0 f1 = 0
    for groups in (2, 3, 50):
        assert exact_inversion(COIN, [groups, 0])[1] == (0, 0)
        assert invert(COIN, [groups, 0]).standard_errors == pytest.approx((math.sqrt(2 / groups),) * 2, rel=CLOSE)
    # another distribution that fits: q = (1/2, 1/2)
    assert invert(COIN, [4, 0], (0.5, 0.5)).standard_errors == (0.75, 0.75)


def test_one_release_has_no_standard_error():
    found = invert(COIN, [0, 1])
    assert (found.distribution, found.standard_errors) == ((-1.0, 2.0), None)
    assert exact_inversion(COIN, [0, 1]) == ((-1, 2), None)


def test_the_inversion_is_exactly_unbiased_for_these_groups():
    truth = (0, 0, 2)
    for j in range(3):
        pairs = ((exact_inversion(LOPSIDED, counts)[0][j], chance) for counts, chance in releases(LOPSIDED, truth))
        assert moments(pairs)[0] == Fraction(truth.count(j), 3)


@settings(max_examples=40)
@given(mechanism=small_mechanisms())
def test_against_floating_point_and_singular_matrices(mechanism):
    matrix = mechanism.matrix()
    counts = [7 * (i + 1) if any(row) else 0 for i, row in enumerate(mechanism.weights)]
    found = invert(mechanism, counts)
    assert (found is None) == (rank(mechanism) < mechanism.n_inputs)
    if found is None or np.linalg.cond(matrix) > 1e6:
        return
    shares = np.array(counts) / sum(counts)
    inverse = np.linalg.inv(matrix)
    chances = matrix @ maximum_likelihood(mechanism, counts).distribution
    seen, fitted = (np.diag(inverse @ (np.diag(q) - np.outer(q, q)) @ inverse.T) for q in (shares, chances))
    variances = np.maximum(seen / (sum(counts) - 1), fitted / sum(counts))
    assert found.distribution == pytest.approx(inverse @ shares, rel=CLOSE, abs=CLOSE)
    assert np.square(found.standard_errors) == pytest.approx(variances, rel=CLOSE, abs=CLOSE)
    assert sum(exact_inversion(mechanism, counts)[0]) == 1


def test_ranks_and_weights_of_singular_matrices():
    uniform = Mechanism(((1, 1, 1),) * 3, 3)
    assert (rank(uniform), rank(SLOPE), rank(LOPSIDED)) == (1, 2, 3)
    assert invert(uniform, [1, 2, 3]) is None
    assert invert(SLOPE, [1, 2, 3]) is None
    assert unbiased_weights(uniform, [0, 1, 2]) is None
    assert unbiased_weights(uniform, [5, 5, 5]) == (5, 5, 5)
    assert unbiased_weights(SLOPE, [0, 1, 4]) is None
    # (c_2 - c_0)/8 = 1 and (4 c_0 + 2 c_1 + 2 c_2)/8 = 0, so c = (x, -3x-8, x+8): shortest at x = -32/11
    assert unbiased_weights(SLOPE, [0, 1, 2]) == (Fraction(-32, 11), Fraction(8, 11), Fraction(56, 11))
    # c_0 + c_1 + c_2 = 0 and c_1 + 2 c_2 = 3
    tall = Mechanism(((1, 0), (1, 1), (1, 2)), 3)
    assert unbiased_weights(tall, [0, 1]) == (Fraction(-3, 2), 0, Fraction(3, 2))
    assert invert(tall, [1, 1, 1]) is None


@settings(max_examples=40)
@given(mechanism=small_mechanisms())
def test_weights_are_unbiased_at_every_count(mechanism):
    size = mechanism.n_inputs
    weights = unbiased_weights(mechanism, range(size))
    extended = [list(row) for row in zip(*mechanism.weights, strict=True)]
    with_target = [[*row, mechanism.denominator * j] for j, row in enumerate(extended)]
    same_rank = np.linalg.matrix_rank(np.array(extended, float)) == np.linalg.matrix_rank(np.array(with_target, float))
    if weights is None:
        assert rank(mechanism) < size
        return
    assert same_rank or rank(mechanism) == size
    for j in range(size):
        assert sum(c * mechanism.fraction(i, j) for i, c in enumerate(weights)) == j
    for c, row in zip(weights, mechanism.weights, strict=True):
        assert any(row) or c == 0


def test_wrong_lengths():
    with refused(InputError, about="values"):
        unbiased_weights(COIN, [1, 2, 3])
    with refused(InputError, about="counts"):
        invert(COIN, [1, 2, 3])


def test_the_mean_of_randomised_response_by_hand():
    # c = (-1, 2): m = 1/3; v(0) = 2/3 + 4/3 - 0 = 2, v(1) = 1/3 + 8/3 - 1 = 2
    estimator = MeanEstimator.of(COIN)
    assert (estimator.weights, estimator.noise, estimator.tells_noise) == ((-1, 2), (2, 2), True)
    found = estimator.estimate([50, 40], (2 / 3, 1 / 3), "0.95")
    z = 1.9599639845400545
    assert found.value == pytest.approx(1 / 3, rel=1e-15)
    assert found.noise.standard_error == pytest.approx(math.sqrt(2 / 90), rel=1e-14)
    # sum q c^2 - m^2 = 5/9 + 16/9 - 1/9
    assert found.population.standard_error == pytest.approx(math.sqrt(20 / 9 / 89), rel=1e-14)
    quantile = (1 / 3 - found.population.low) / math.sqrt(20 / 9 / 89)
    assert student_mass(quantile, 89) == pytest.approx(0.95, abs=CLOSE)
    assert found.noise.high == pytest.approx(1 / 3 + z * math.sqrt(2 / 90), rel=1e-12)


@pytest.mark.parametrize("truth", [(0, 1, 2), (2, 2, 0), (1, 1, 1)])
def test_the_mean_and_its_noise_are_exact_for_these_groups(truth):
    estimator = MeanEstimator.of(LOPSIDED)
    mean, variance = moments((estimator.exact_value(counts), chance) for counts, chance in releases(LOPSIDED, truth))
    assert mean == Fraction(sum(truth), 3)
    assert variance == sum(estimator.noise[t] for t in truth) / Fraction(9)


@pytest.mark.parametrize("mechanism", [LOPSIDED, SLOPE])
def test_the_mean_and_its_variance_are_exact_for_a_population(mechanism):
    estimator, groups = MeanEstimator.of(mechanism), 3
    found = [
        (estimator.exact_value(counts), estimator.exact_variance(counts), chance)
        for counts, chance in outcomes(mechanism, LAW, groups)
    ]
    mean, variance = moments((value, chance) for value, _, chance in found)
    true_mean = sum(j * w for j, w in enumerate(LAW))
    spread = sum(j * j * w for j, w in enumerate(LAW)) - true_mean**2
    assert mean == true_mean
    assert variance == (sum(v * w for v, w in zip(estimator.noise, LAW, strict=True)) + spread) / groups
    assert sum(estimated * chance for _, estimated, chance in found) == variance


def test_one_release_tells_no_population():
    assert MeanEstimator.of(LOPSIDED).exact_variance([0, 1, 0]) is None
    found = MeanEstimator.of(LOPSIDED).estimate([0, 1, 0], (0.0, 1.0, 0.0), "0.95")
    assert found.population is None
    assert found.noise.standard_error > 0
    bounded = MeanEstimator.of(SLOPE).estimate([0, 1, 0], (0.0, 1.0, 0.0), "0.95")
    assert (bounded.noise, bounded.population) == (None, None)


def student_mass(quantile, degrees):
    """Of Student's law between -quantile and quantile, by integrating its density."""
    constant = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(degrees * math.pi)
    return quad(lambda x: constant * (1 + x * x / degrees) ** (-(degrees + 1) / 2), -quantile, quantile)[0]


def test_students_quantiles_of_a_few_groups():
    estimator = MeanEstimator.of(COIN)
    cauchy = math.tan(math.pi * 0.95 / 2)  # one degree of freedom
    two = 0.95 * math.sqrt(2 / (1 - 0.95**2))
    for counts, quantile in (([1, 1], cauchy), ([2, 1], two)):
        found = estimator.estimate(counts, (0.5, 0.5), "0.95").population
        assert (found.high - found.low) / 2 == pytest.approx(quantile * found.standard_error, rel=CLOSE)
    ten = estimator.estimate([5, 5], (0.5, 0.5), "0.95").population
    assert student_mass((ten.high - ten.low) / 2 / ten.standard_error, 9) == pytest.approx(0.95, abs=CLOSE)
    many = estimator.estimate([10**9, 10**9], (0.5, 0.5), "0.95").population
    assert (many.high - many.low) / 2 == pytest.approx(1.959964 * many.standard_error, rel=1e-6)


def test_errors_too_large_for_a_float_are_infinite_and_never_undefined():
    tiny = Mechanism.from_weights([[10**400 - 1, 10**400 - 2], [1, 2]], 10**400)
    found = MeanEstimator.of(tiny).estimate([5, 3], (0.0, 1.0), "0.95")
    for interval in (found.noise, found.population):
        assert (interval.standard_error, interval.low, interval.high) == (math.inf, -math.inf, math.inf)
    assert invert(tiny, [5, 3]).standard_errors == (math.inf, math.inf)


def test_where_noise_and_spread_cannot_be_told_apart():
    estimator = MeanEstimator.of(SLOPE)
    assert not estimator.tells_noise
    found = estimator.estimate([30, 20, 50], maximum_likelihood(SLOPE, [30, 20, 50]).distribution, "0.9")
    assert found.noise_is_bounded
    assert found.noise == found.population
    assert MeanEstimator.of(Mechanism(((1, 1),) * 2, 2)) is None


def test_equal_releases_do_not_make_certain():
    found = MeanEstimator.of(LOPSIDED).estimate([0, 5, 0], maximum_likelihood(LOPSIDED, [0, 5, 0]).distribution, "0.95")
    assert found.population.standard_error == found.noise.standard_error > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["GM 4 1/2", "WM 6 9/10"])
def test_coverage(name):
    mechanism, groups = mechanism_of(name), 2_000
    n, matrix = mechanism.n_inputs - 1, mechanism.matrix()
    law = np.full(n + 1, 0.2 / (n - 1))
    law[[0, n]] = 0.4
    generator = np.random.default_rng(11)
    estimator = MeanEstimator.of(mechanism)
    people = np.arange(n + 1)
    covered = np.zeros(3)
    for _ in range(REPETITIONS):
        truth = generator.multinomial(groups, law)
        counts = sum(generator.multinomial(truth[j], matrix[:, j]) for j in range(n + 1)).tolist()
        found = estimator.estimate(counts, maximum_likelihood(mechanism, counts).distribution, "0.9")
        covered[0] += found.noise.low <= people @ truth / groups <= found.noise.high
        covered[1] += found.population.low <= people @ law <= found.population.high
        covered[2] += found.noise.low <= people @ law <= found.noise.high
    covered /= REPETITIONS
    allowed = COVERAGE * math.sqrt(0.9 * 0.1 / REPETITIONS)
    assert abs(covered[:2] - 0.9).max() < allowed
    if name.startswith("GM"):  # little noise beside the spread: the wrong interval is too short
        assert covered[2] < 0.8


@pytest.mark.slow
@pytest.mark.parametrize(("groups", "least"), [(2, 0.93), (5, 0.92), (10, 0.92)])
def test_a_few_groups_of_a_population_with_little_noise(groups, least):
    """With 1/N for 1/(N - 1) and the normal quantile these were 0.60, 0.85 and 0.90; the aim is 0.95."""
    mechanism = mechanism_of("GM 8 1/10")
    law, generator = np.full(9, 1 / 9), np.random.default_rng(1)
    estimator, covered = MeanEstimator.of(mechanism), 0
    for _ in range(REPETITIONS):
        counts = generator.multinomial(groups, mechanism.matrix() @ law).tolist()
        found = estimator.estimate(counts, maximum_likelihood(mechanism, counts).distribution, "0.95")
        covered += found.population.low <= 4 <= found.population.high
    assert covered / REPETITIONS > least


@pytest.mark.parametrize("confidence", ["0", "1", "95", "-0.5", "0.99999999999999999999", "nan"])
def test_a_confidence_is_a_share(confidence):
    with refused(InputError, about="confidence"):
        MeanEstimator.of(COIN).estimate([1, 1], (0.5, 0.5), confidence)

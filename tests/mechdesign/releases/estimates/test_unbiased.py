"""Estimates over groups of several sizes: unbiased in exact arithmetic, and intervals that hold what they say."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from mechdesign.designs import design
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.sampling import Sampler, seeded_words
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.releases.estimates.estimate import estimate_sizes
from mechdesign.releases.estimates.unbiased import SizeWeights, Sum, estimate_sum

FLAT = Mechanism(((1, 1, 1), (1, 1, 1), (1, 1, 1)), 3)
ONE_SIDED = Mechanism(((3, 2, 1), (0, 0, 0), (1, 2, 3)), 4)
"""Its rank is 2: the mean can be told, the mean of the squares cannot."""


def mechanisms(*sizes, alpha="2/3", properties="WH,RM,CM"):
    return {n: design(DesignProblem(n, alpha, properties=properties)).mechanism for n in sizes}


@pytest.mark.parametrize("truth", [(0, 0, 0), (1, 2, 1), (0, 1, 3), (1, 0, 2), (1, 2, 3)])
def test_the_estimate_and_its_variance_are_unbiased(truth):
    """Over every output of three groups of 1, 2 and 3, with its exact chance."""
    made = mechanisms(1, 2, 3)
    weights = {n: SizeWeights.of(mechanism) for n, mechanism in made.items()}
    coefficients = {1: Fraction(1), 2: Fraction(1, 2), 3: Fraction(-2, 5)}
    mean = second = variance = Fraction(0)
    for released in itertools.product(range(2), range(3), range(4)):
        chance = Fraction(1)
        for n, i, t in zip(made, released, truth, strict=True):
            chance *= made[n].fraction(i, t)
        counts = {n: {i: 1} for n, i in zip(made, released, strict=True)}
        value = estimate_sum(weights, counts, coefficients).value
        mean += chance * value
        second += chance * value**2
        variance += chance * sum(a * a * weights[n].variance(counts[n])[0] for n, a in coefficients.items())
    expected = sum(a * t for a, t in zip(coefficients.values(), truth, strict=True))
    assert mean == expected
    assert variance == second - expected**2


def test_the_variance_stays_between_what_is_possible():
    made = mechanisms(3)
    weights = {3: SizeWeights.of(made[3])}
    for i in range(4):
        found = estimate_sum(weights, {3: {i: 5}}, {3: Fraction(1)}).variance
        assert 5 * weights[3].least <= found <= 5 * weights[3].largest


def test_where_squares_cannot_be_told_the_largest_variance_is_taken():
    weights = SizeWeights.of(ONE_SIDED)
    assert weights.counts[0] == -1
    assert weights.counts[2] == 3
    noise = [sum(ONE_SIDED.fraction(i, j) * weights.counts[i] ** 2 for i in range(3)) - j * j for j in range(3)]
    assert weights.variances == (max(noise),) * 3


def test_intervals_are_cut_to_what_is_possible():
    figure = Sum(Fraction(-1), Fraction(4), Fraction(2)).figure(0.95)
    assert (figure.value, figure.standard_error, figure.low) == (-1.0, 2.0, 0.0)
    assert figure.high == 2.0
    assert Sum(Fraction(-5), Fraction(1), Fraction(9)).figure(0.95).high == pytest.approx(1.96, abs=1e-3)
    assert Sum(Fraction(1), Fraction(1, 100), Fraction(2)).figure(0.95).high == pytest.approx(1.196, abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("alpha", ["1/2", "9/10"])
def test_intervals_hold_the_truth_as_often_as_they_say(alpha):
    """Four standard errors of the number of hits around 95 % of 600 releases of 90 groups."""
    made = mechanisms(2, 5, 9, alpha=alpha)
    chance = np.random.default_rng(8)
    truth = {n: chance.binomial(n, 0.3, size=30) for n in made}
    total = sum(int(counts.sum()) for counts in truth.values())
    weights = {n: SizeWeights.of(mechanism) for n, mechanism in made.items()}
    samplers = {n: Sampler(m.weights, m.denominator, seeded_words((n, 3))) for n, m in made.items()}
    hits, values = 0, []
    for _ in range(600):
        counts = {n: Counter(samplers[n].sample(truth[n]).tolist()) for n in made}
        found = estimate_sum(weights, counts, dict.fromkeys(made, Fraction(1)))
        figure = found.figure(0.95)
        hits += figure.low <= total <= figure.high
        values.append(figure.value)
    assert abs(hits / 600 - 0.95) < 4 * (0.95 * 0.05 / 600) ** 0.5
    assert np.mean(values) == pytest.approx(total, abs=4 * np.std(values) / 600**0.5)


def test_all_sizes_at_once():
    found = estimate_sizes(mechanisms(2, 5, alpha="1/10"), {2: {0: 10, 2: 30}, 5: {1: 200}})
    assert (found.groups, found.units, found.singular) == (240, 1080, ())
    assert found.total.value / 1080 == pytest.approx(found.share.value)
    assert [one.is_informative for one in found.sizes] == [True, True]
    assert found.sizes[1].mean.low < 1.2 < found.sizes[1].mean.high + 0.3
    assert "240 groups of 1080 units" in repr(found)


def test_a_singular_design_is_said_and_has_no_unbiased_figure():
    found = estimate_sizes({1: mechanisms(1)[1], 2: FLAT}, {1: {0: 5}, 2: {0: 4, 1: 2}})
    assert found.singular == (2,)
    assert (found.total, found.share, found.mean_share) == (None, None, None)
    assert found.sizes[0].mean is not None
    assert found.sizes[1].mean is None
    assert not found.sizes[1].is_informative


def test_a_mean_that_the_noise_hides_is_not_told():
    found = estimate_sizes(mechanisms(1, alpha="99/100"), {1: {0: 3, 1: 4}})
    assert (found.sizes[0].mean.low, found.sizes[0].mean.high) == (0.0, 1.0)
    assert not found.sizes[0].is_informative


@pytest.mark.parametrize("alpha", ["1/2", "9/10", "99/100"])
def test_an_estimate_beyond_what_is_possible_rules_out_no_more_than_the_noise_does(alpha):
    """One group of 7: cut to the possible, intervals around estimates below 0 would say `0 to 0`, often falsely."""
    made = mechanisms(7, alpha=alpha)
    matrix = made[7].matrix()
    found = [estimate_sizes(made, {7: {released: 1}}).sizes[0] for released in range(8)]
    for truth in range(8):
        covered = sum(matrix[i, truth] for i, one in enumerate(found) if one.mean.low <= truth <= one.mean.high)
        assert covered > 0.87
    assert all(one.mean.low < one.mean.high for one in found)
    assert any(one.is_informative for one in found) == (alpha == "1/2")

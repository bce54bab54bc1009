"""Estimates and intervals by a law, against the matrix that it is for a group of one size."""

from fractions import Fraction

import pytest

from mechdesign.counts.estimation.by_law import law_estimates, least_estimated
from mechdesign.counts.estimation.intervals import count_intervals
from mechdesign.counts.estimation.intervals_by_law import LawIntervals, largest_power
from mechdesign.counts.estimation.inversion import unbiased_weights
from mechdesign.counts.estimation.mean import MeanEstimator
from mechdesign.laws.finding import design_law
from mechdesign.releases.errors import TypicalErrors, _from

USUAL = "WH,RM,CM"
ASKED = [
    ({"epsilon": 1}, USUAL, "L1"),
    ({"alpha": "1/2"}, USUAL, "L2"),
    ({"alpha": "7/10"}, USUAL, "L0"),
    ({"alpha": "4/5"}, USUAL, "L1"),
    ({"alpha": "7/10"}, "WH", "L1"),
    ({"alpha": "7/10"}, "none", "L2"),
    ({"alpha": "1/100"}, "none", "L0"),
]
CONFIDENCES = [Fraction(text) for text in ("1/1000", "1/2", "3/4", "19/20", "9999/10000", "99999999/100000000")]


@pytest.fixture(scope="module", params=ASKED, ids=str)
def mechanism(request):
    privacy, properties, loss = request.param
    law = design_law(**privacy, properties=properties, loss=loss)
    return law.mechanism


def some_sizes(mechanism):
    return [*range(mechanism.least, mechanism.least + 4), 2 * mechanism.depth + 9]


@pytest.mark.parametrize("confidence", CONFIDENCES, ids=str)
def test_intervals_are_those_of_the_matrix(mechanism, confidence):
    known = LawIntervals(mechanism, confidence)
    for n in some_sizes(mechanism):
        assert [known.of(n, i) for i in range(n + 1)] == list(count_intervals(mechanism.at(n), confidence))


def test_an_output_that_rules_out_every_count_leaves_them_all():
    known = LawIntervals(design_law(alpha="4/5", properties="RM", loss="L1").mechanism, Fraction(19, 20))
    n = known.mechanism.least
    assert known.of(n, 0) == count_intervals(known.mechanism.at(n), Fraction(19, 20))[0]


def test_intervals_of_a_billion_are_those_of_a_hundred_moved(mechanism):
    known, n = LawIntervals(mechanism, Fraction(19, 20)), 10**9
    near = 100 + mechanism.depth
    for released in (0, mechanism.depth, near):
        low, high = known.of(n, released)
        assert known.of(n, n - released) == (n - high, n - low)
    assert [end - 10**6 for end in known.of(n, 10**6)] == [end - near for end in known.of(2 * near, near)]


@pytest.mark.parametrize("alpha", [Fraction(1, 2), Fraction(9, 10), Fraction(10**9 - 1, 10**9)])
def test_powers_are_compared_without_being_formed(alpha):
    for k in (0, 1, 7, 40):
        assert largest_power(Fraction(2), alpha, 2 * alpha**k) == k - 1  # equal is not above
        assert largest_power(Fraction(2), alpha, 2 * alpha**k - Fraction(1, 10**90)) == k
    assert largest_power(Fraction(1, 3), alpha, Fraction(1, 2)) == -1


def test_estimates_are_those_of_the_matrix(mechanism):
    for n in (least_estimated(mechanism), least_estimated(mechanism) + 6):
        found, matrix = law_estimates(mechanism, n), mechanism.at(n)
        weights = unbiased_weights(matrix, range(n + 1))
        if found is None:
            continue  # see the test of what has no inverse
        assert tuple(map(found.estimate, range(n + 1))) == weights
        noise = MeanEstimator.of(matrix).noise
        squares = unbiased_weights(matrix, [j * j for j in range(n + 1)])
        expected = [c * c - s for c, s in zip(weights, squares, strict=True)]
        assert [found.variance(i) for i in range(n + 1)] == expected
        assert found.least <= min(noise) <= max(noise) <= found.largest


def test_without_properties_there_is_no_inverse():
    mechanism = design_law(alpha="7/10", properties="none", loss="L2").mechanism
    assert law_estimates(mechanism, least_estimated(mechanism)) is None


def test_errors_are_those_of_the_matrix(mechanism):
    sizes = some_sizes(mechanism)
    of_each = [TypicalErrors.of(mechanism.at(n)) for n in sizes]
    assert [TypicalErrors.of_law(mechanism, [n]) for n in sizes] == of_each
    together = TypicalErrors.of_law(mechanism, sizes)
    assert together.distance == max(found.distance for found in of_each)
    assert together.root_mean_square == max(found.root_mean_square for found in of_each)


def test_errors_of_large_groups_are_never_below_those_of_the_matrix(mechanism):
    large, one = TypicalErrors.of_law(mechanism, [150, 10**9]), TypicalErrors.of(mechanism.at(150))
    assert (large.distance, large.within) == (one.distance, one.within)
    assert one.root_mean_square <= large.root_mean_square <= one.root_mean_square + Fraction(1, 100)


@pytest.mark.parametrize("first", [Fraction(k) for k in (-50, -3, 0, 2, 40)])
@pytest.mark.parametrize("slope", [Fraction(k, 7) for k in (-20, -1, 0, 1, 90)])
def test_what_an_end_adds_far_from_it_is_bounded_by_its_largest_value(first, slope):
    a = Fraction(9, 10)
    values = [a**k * (first + k * slope) for k in range(1200)]
    assert _from(lambda u: values[u], 0, a) == max(0, *values)

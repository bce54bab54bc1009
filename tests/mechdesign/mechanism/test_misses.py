"""How often a law misses the true count by more than d, against its matrices in exact fractions."""

from fractions import Fraction
from itertools import pairwise

import pytest
from wording import refused

from mechdesign.errors import InputError
from mechdesign.laws.finding import design_law
from mechdesign.laws.law import Law

LAWS = [
    ("4/5", "WH,RM,CM", "L0"),
    ("7/10", "CM", "L1"),
    ("3/5", "WH", "L1"),
    ("1/2", "none", "L2"),
    ("1/2", "none", "L0"),
    ("4/5", "F", "L0"),
    ("99/100", "F,CM", "L0"),
]


def of_matrix(law: Law, d: int, n: int) -> tuple[Fraction, Fraction]:
    """Mean and worst column of the matrix at n."""
    matrix = law.at(n)
    columns = [[matrix.fraction(i, j) for i in range(n + 1)] for j in range(n + 1)]
    misses = [sum((x for i, x in enumerate(column) if abs(i - j) > d), Fraction(0)) for j, column in enumerate(columns)]
    return sum(misses, Fraction(0)) / (n + 1), max(misses)


@pytest.mark.parametrize(("alpha", "properties", "loss"), LAWS)
def test_errors_beyond_a_distance_are_those_of_the_matrix(alpha, properties, loss):
    law = design_law(alpha=alpha, properties=properties, loss=loss)
    for n in (law.least, law.least + 1, law.least + 2, law.least + 9, 41):
        for d in {0, 1, 2, 3, 5, 8, n // 2 - 1, n // 2, n // 2 + 1, n - 2, n - 1, n, n + 5}:
            found = law.error_beyond(max(d, 0), n)
            assert (found.mean, found.worst) == tuple((x, x) for x in of_matrix(law, max(d, 0), n)), (n, d)


@pytest.mark.parametrize(("alpha", "properties", "loss"), LAWS)
def test_beyond_128_people_they_enclose_those_of_the_matrix(alpha, properties, loss):
    law = design_law(alpha=alpha, properties=properties, loss=loss)
    for d in (0, 4, 90):
        found, (mean, worst) = law.error_beyond(d, 149), of_matrix(law, d, 149)
        assert found.mean[0] <= mean <= found.mean[1] <= found.mean[0] + Fraction(1, 10**50)
        assert found.worst[0] <= worst <= found.worst[1] <= found.worst[0] + Fraction(1, 10**50)


@pytest.mark.parametrize("properties", ["none", "F"])
def test_very_large_distances_and_groups_cost_nothing(properties):
    law = design_law(alpha="0.999", properties=properties)
    n = 10**9
    ends = [law.error_beyond(d, n) for d in (10, 2000, 10**5, 10**8, n)]
    for near, far in pairwise(ends):
        assert 0 <= far.mean[0] <= far.mean[1] <= near.mean[1] <= near.worst[1]
    assert ends[-1].worst[1] < Fraction(1, 5)
    bulk = 2 * Fraction(999, 1000) ** 11 / Fraction(1999, 1000)
    assert abs(ends[0].mean[1] - bulk) < Fraction(1, 10**6)


def test_under_l0_the_mean_without_a_distance_is_the_score():
    law = design_law(alpha="9/10", properties="WH,RM,CM")
    low, high = law.error_beyond(0, 10**6).mean
    assert low == high == law.score(10**6)[0] * Fraction(10**6, 10**6 + 1)


def test_a_distance_is_a_whole_number():
    law = design_law(alpha="1/2")
    with refused(InputError, about="d"):
        law.error_beyond(-1, 10)
    with refused(InputError, about="n"):
        law.error_beyond(1, 0)

"""Sums of cosecants from below, against an enclosure of each by another library."""

from fractions import Fraction

import pytest
from flint import arb, ctx, fmpq

from mechdesign.workloads.cosecants import cosecant_sum


@pytest.mark.parametrize(("n", "m"), [(2, 1), (3, 1), (4, 2), (12, 3), (101, 50), (2000, 999), (87_586, 43_793)])
def test_it_is_below_the_sum_and_as_near_as_is_said(n, m):
    bound = cosecant_sum(n, m)
    with ctx.workprec(200):
        exact = sum((1 / (arb.pi() * fmpq(j, n)).sin() for j in range(1, m + 1)), start=arb(0))
        assert 0 < exact - arb(fmpq(bound.numerator, bound.denominator)) < exact * arb(10) ** -11


def test_without_angles_it_is_nothing():
    assert cosecant_sum(9, 0) == Fraction(0)

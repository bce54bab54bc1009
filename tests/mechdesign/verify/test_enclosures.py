"""The kernel's enclosures: of the logarithm, against decimals, and of a power of a fraction, against the powers."""

import random
from decimal import Decimal, localcontext
from fractions import Fraction
from math import gcd

import pytest

from mechdesign.verify.enclosures import encloses_power, is_at_least_power, loss_bounds


def pair(value):
    return value.numerator, value.denominator


def test_against_the_powers_themselves():
    chance = random.Random(12)
    true = 0
    for _ in range(2_000):
        a, b = chance.randint(1, 12), chance.randint(1, 12)
        base = Fraction(chance.randint(1, 30), chance.randint(31, 60))
        low, high = (Fraction(chance.randint(1, 400), 400) for _ in range(2))
        if chance.random() < 0.4:  # close calls, and equal powers
            root = Fraction(chance.randint(1, 5), chance.randint(6, 9))
            base, low = root ** (b // gcd(a, b)), root ** (a // gcd(a, b))
            high = low * Fraction(10**20 + chance.randint(-1, 1), 10**20)
            low *= Fraction(10**20 + chance.randint(-1, 1), 10**20)
        expected = low**b <= base**a <= high**b and high < 1
        true += expected
        given = ((3 * low.numerator, 3 * low.denominator), pair(high), pair(base), (2 * a, 2 * b))
        assert encloses_power(*given) is expected, (low, high, base, a, b)
        assert is_at_least_power(pair(high), pair(base), (2 * a, 2 * b)) is (base**a <= high**b)
    assert 400 < true < 1600


ALPHAS = [Fraction(1, 2), Fraction(2, 3), Fraction(9, 10), Fraction(1, 10**40), 1 - Fraction(1, 10**9)]


@pytest.mark.parametrize("alpha", [*ALPHAS, Fraction(5, 8), 1 - Fraction(1, 2**300), 1 - Fraction(1, 3**70)])
def test_a_loss_is_enclosed_to_180_bits_of_itself(alpha):
    low, high = loss_bounds(alpha)
    with localcontext() as context:
        context.prec = 300
        loss = Fraction(Decimal(alpha.denominator).ln() - Decimal(alpha.numerator).ln())
    assert low < loss < high
    assert high - low < loss / 2**180


def test_no_loss_is_none():
    assert loss_bounds(Fraction(1)) == (0, 0)


@pytest.mark.parametrize("wrong", [(0, 1), (-1, 2), (1, 0), (True, 2), (0.5, 1)])
@pytest.mark.parametrize("place", range(4))
def test_what_is_no_positive_rational_encloses_nothing(wrong, place):
    given = [(7, 10), (71, 100), (1, 2), (1, 2)]
    assert encloses_power(*given)
    given[place] = wrong
    assert not encloses_power(*given)


def test_a_denominator_of_the_unit_costs_little():
    assert encloses_power((10**13 - 7, 10**13), (10**13 - 6, 10**13), (1, 2), (1, 10**12))
    assert not encloses_power((10**13 - 6, 10**13), (10**13 - 5, 10**13), (1, 2), (1, 10**12))
    assert not encloses_power((1, 2), (1, 2), (1, 2), (1, 10**12))

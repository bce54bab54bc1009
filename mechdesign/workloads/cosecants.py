"""Lower bounds of sums of cosecants, of which the singular values of prefixes and ranges consist, at any length.

All coefficients of `csc x = 1/x + sum_(r >= 1) c_r x^(2r-1)`, `c_r = 2 (2^(2r-1) - 1) |B_2r| / (2r)!`, are positive
(B_2r are Bernoulli numbers). So a sum over angles `x = pi j / n` is a harmonic number and sums of odd powers: each is
rounded down, and those that are left out only take away from it.
"""

from fractions import Fraction
from functools import cache
from math import comb, factorial

import numpy as np

PI_BELOW, PI_ABOVE = Fraction(31415926535897932384, 10**19), Fraction(31415926535897932385, 10**19)

TERMS = 26
"""Powers that are added up. Terms fall by a factor of 4 each: what is left out is below 2^-50 of the sum."""

RECIPROCAL_BITS = 58
"""Binary places of a reciprocal: sums of 2^30 of them, which are below 22, fit into 64 bits."""

TOGETHER = 1 << 20
"""Reciprocals that are added up at once."""


@cache
def cosecant_sum(n: int, m: int) -> Fraction:
    """Return a lower bound of `sum_(j=1..m) 1 / sin(pi j / n)` for m at most n/2, too small by less than 1e-11 of it.

    It takes m integer divisions in arrays, and a number of other steps that does not grow.

    >>> round(float(cosecant_sum(12, 3)), 9)  # sqrt(6) + sqrt(2) + 2 + sqrt(2)
    7.277916868
    """
    total = n * _harmonic(m) / PI_ABOVE
    for r in range(1, TERMS + 1):
        coefficient = Fraction(2 * (2 ** (2 * r - 1) - 1), factorial(2 * r)) * abs(_bernoulli(2 * r))
        total += coefficient * (PI_BELOW / n) ** (2 * r - 1) * _power_sum(2 * r - 1, m)
    return total


def _harmonic(m: int) -> Fraction:
    """Return `1 + 1/2 + .. + 1/m` with every term rounded down."""
    starts = range(1, m + 1, TOGETHER)
    parts = (np.arange(start, min(start + TOGETHER, m + 1), dtype=np.int64) for start in starts)
    return Fraction(sum(int(((1 << RECIPROCAL_BITS) // part).sum()) for part in parts), 1 << RECIPROCAL_BITS)


@cache
def _bernoulli(s: int) -> Fraction:
    """Return the Bernoulli number B_s, with `B_1 = 1/2`: `sum_(i<=s) C(s+1, i) B_i = s + 1`."""
    return 1 - sum((comb(s + 1, i) * _bernoulli(i) for i in range(s)), Fraction(0)) / (s + 1)


def _power_sum(s: int, m: int) -> Fraction:
    """Return `1^s + .. + m^s`, exactly, by Faulhaber's formula."""
    return sum((comb(s + 1, i) * _bernoulli(i) * m ** (s + 1 - i) for i in range(s + 1)), Fraction(0)) / (s + 1)

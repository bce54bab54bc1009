"""Lower bounds of sums of square roots, from logarithms of determinants at powers of 4.

For every x > 0, `sum over all whole n of 2^n log2(1 + x/4^n) = pi sqrt(x) / (ln 2)^2 (1 + r)` with `|r| < 3e-7`, by
Poisson's formula: exp(u/2) ln(1 + exp(-u)) has the Fourier transform `pi / (a cosh(pi w))`, a = 1/2 - iw. So the roots
of the eigenvalues of a matrix M sum to what `L_n = log2 det(1 + M/4^n)` say, and no eigenvalue has to be known.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import log2

from flint import arb

POISSON = Fraction(3, 10**7)
"""More than what the sum over whole n differs from the integral, relative to it."""

BELOW, ABOVE = 9, 7
"""Steps of n beyond the least and the largest eigenvalue; what lies beyond has a bound that lacks 1e-7 of the whole."""

UNIT = 2.0**-53
"""The relative error of one operation on floats."""


def exponents_between(least: float, largest: float) -> range:
    """Return the n whose `L_n` give the sum of roots of eigenvalues between about these two."""
    return range(int(log2(least) / 2) - BELOW, int(log2(largest) / 2) + ABOVE + 1)


def root_sum(exponents: range, bounds: Sequence[tuple[Fraction, Fraction]]) -> Fraction:
    """Return a lower bound of the sum of roots, too small by about 3e-7 of it, from bounds of `L_n` for successive n.

    `L_n` is convex in n, and `L_(n+j) >= L_n / 4^j`: so the two first terms and the last bound what lies beyond them.

    >>> exact = [(Fraction(log2(1 + 9 / 4**n)),) * 2 for n in exponents_between(9, 9)]
    >>> round(float(root_sum(exponents_between(9, 9), exact)), 5)
    3.0
    """
    lows = [low for low, _ in bounds]
    before = lows[0] + 2 * max(lows[0] - bounds[1][1], Fraction(0))
    total = before * Fraction(2) ** exponents[0] + lows[-1] * Fraction(2) ** exponents[-1]
    total += sum((low * Fraction(2) ** n for n, low in zip(exponents, lows, strict=True)), Fraction(0))
    return total * exact((arb(2).log() ** 2 / arb.pi()).lower()) / (1 + POISSON)


def log2_bounds(low: Fraction, high: Fraction, exponent: int, slack: Fraction) -> tuple[Fraction, Fraction]:
    """Return bounds of `exponent + log2(x)` for x between two rationals, `slack` wider; the lower is not below 0."""
    below, above = ((arb(x.numerator) / arb(x.denominator)).log() / arb(2).log() + exponent for x in (low, high))
    return max(exact(below.lower()) - slack, Fraction(0)), exact(above.upper()) + slack


def exact(end: arb) -> Fraction:
    """Return the number in the middle of a ball, exactly."""
    mantissa, exponent = end.mid().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)

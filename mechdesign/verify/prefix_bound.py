"""A lower bound of the variance of all prefixes under every local mechanism, by multipliers, in whole numbers.

FORMAT.md, "Design of levels", says why it holds. Determinants of tridiagonal matrices give it: their pivots are found
without a subtraction, so that rounding to one side bounds them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from .circles import pi_below

BITS = 128
"""Binary places of pivots."""

ONE = 1 << BITS

LOGARITHM_BITS = 64

BELOW, ABOVE = 9, 7
"""Powers of 4 beyond the least multiplier and the largest eigenvalue at which determinants are found."""

POISSON = Fraction(3, 10**7)
"""More than what a sum over powers of 4 differs from the sum of roots, relative to it."""

LN2_BELOW = Fraction(693147180559945309, 10**18)

AT_ONCE = 64
"""Factors that are multiplied before the product is cut to `BITS`."""


@dataclass(frozen=True)
class Multipliers:
    """Whole numbers for k items: given at distances 1, 2, 4, .. from the nearer end, linear between, rounded down."""

    k: int
    knots: tuple[int, ...]

    def values(self) -> list[int]:
        """Return the multiplier of each item."""
        found = []
        for distance in range(1, (self.k + 1) // 2 + 1):
            octave = distance.bit_length() - 1
            low, high = self.knots[octave], self.knots[octave + 1]
            found.append(low + ((high - low) * (distance - (1 << octave)) >> octave))
        return found + found[: self.k // 2][::-1]


def knot_count(k: int) -> int:
    """Return how many knots the multipliers of k items have."""
    return ((k + 1) // 2).bit_length() + 1


def bound_by_multipliers(multipliers: Multipliers, alpha: Fraction) -> Fraction:
    """Return a lower bound of the variance for a user of all prefixes; 0 where the multipliers show none.

    Takes a microsecond for each item and each of some 35 powers of 4.
    """
    values, k = multipliers.values(), multipliers.k
    whole = sum(values)
    kappa = (1 + alpha) ** 2 / (4 * alpha)
    charge = (kappa - 1) * whole / (kappa * k * k)
    inverses = sum((ONE // value) + 1 for value in values)
    if charge * inverses >= ONE:
        return Fraction(0)
    scale = kappa / whole
    start = min(values).bit_length() // 2 - BELOW
    end = (max(values) * k * k).bit_length() // 2 + ABOVE
    logarithms = []
    for n in range(start, end + 1):
        power = Fraction(4) ** n
        product, exponent, last, inverse = _eliminated(values, n)
        rest = 1 - charge * Fraction(inverse, ONE) / power
        if rest <= 0:
            return Fraction(0)
        logarithms.append(log2_below(scale * power * product * last * rest / (ONE * ONE)) + exponent)
    of_all = log2_below(scale * (1 - charge * Fraction(inverses, ONE))) + _log2_of_product(values)
    before = of_all - 2 * (k - 1) * (start - 2)
    total = before * Fraction(2) ** start + logarithms[-1] * Fraction(2) ** end
    total += sum((low * Fraction(2) ** n for n, low in enumerate(logarithms, start)), Fraction(0))
    root = total * LN2_BELOW**2 / Fraction(pi_below(BITS) + 1, ONE) / (1 + POISSON)
    return root * root / (whole * (kappa - 1)) - Fraction(k * k - 1, 6 * k)


def _eliminated(values: Sequence[int], n: int) -> tuple[int, int, int, int]:
    """Bound `prod_(i<k) (1 + f_i) = product 2^exponent` and f_k from below, and `4^n 1'Y^-1 1` from above; by `ONE`.

    `f_1 = w_1`, `f_(i+1) = w_(i+1) + f_i / (1 + f_i)` with `w_i = m_i / 4^n`; `4^n 1'Y^-1 1 = sum_(i<k) b_i^2 / (1 +
    f_i) + b_k^2 / f_k` with `b_1 = 1`, `b_(i+1) = 1 + b_i / (1 + f_i)`.
    """
    shift, square = BITS - 2 * n, ONE * ONE
    weights = [value << shift if shift >= 0 else value >> -shift for value in values]
    product, exponent, f, b, inverse = ONE, 0, weights[0], ONE, 0
    for step, weight in enumerate(weights[1:]):
        pivot = ONE + f
        turned = square // pivot + 1
        product = product * pivot >> BITS
        part = b * turned >> BITS
        inverse += (b * (part + 1) >> BITS) + 1
        b = ONE + part + 1
        f = weight + ONE - turned
        if step % AT_ONCE == 0 and (more := product.bit_length() - BITS) > 0:
            product, exponent = product >> more, exponent + more
    return product, exponent, f, inverse + b * b // f + 1


def _log2_of_product(values: Sequence[int]) -> Fraction:
    """Bound the logarithm of the product of whole numbers from below."""
    product, exponent = 1, 0
    for start in range(0, len(values), AT_ONCE):
        product *= prod(values[start : start + AT_ONCE])
        if (more := product.bit_length() - BITS) > 0:
            product, exponent = product >> more, exponent + more
    return log2_below(Fraction(product)) + exponent


def log2_below(value: Fraction) -> Fraction:
    """Bound the logarithm to base 2 of a number above 0 from below, by `2^-LOGARITHM_BITS` or a little more.

    >>> float(log2_below(Fraction(10)))
    3.321928094887362
    """
    exponent = value.numerator.bit_length() - value.denominator.bit_length() - 1
    up, down = (BITS, exponent) if exponent > 0 else (BITS - exponent, 0)
    mantissa = (value.numerator << up) // (value.denominator << down)
    found = 0
    for _ in range(LOGARITHM_BITS):
        while mantissa >= 2 * ONE:
            mantissa >>= 1
            found += 1
        mantissa = mantissa * mantissa >> BITS
        found *= 2
    return Fraction(found, 1 << LOGARITHM_BITS) + exponent

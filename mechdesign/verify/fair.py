"""Verify the explicit fair mechanism, for every number of people: no diagonal can be larger, and so no loss smaller."""

from fractions import Fraction

from .powers import LONGEST_EXACT, power_bounds, rounded_down

GUARD = 256


def fair_sum(alpha: Fraction, n: int) -> tuple[Fraction, Fraction]:
    """Enclose the sum `(n+1) (1-y)` of the losses L0 of all columns of the fair law; exactly up to n = 128.

    `P[i,j] = y a^e`, `e = min(d, ceil((d + min(j, n-j))/2))`, d = |i-j|, and `1/y = 1 + 2 (a + .. + a^h)` with
    h = floor(n/2), and a^(h+1) more where n is odd. Each column has just these powers. Where j moves by 1, d does and
    min(j, n-j) changes by at most 1: so e changes by at most 1, and rises away from the diagonal. P is private with
    all properties. Another private mechanism whose least diagonal entry is z: column h has `1 >= sum_i P[i,i] a^|i-h|`,
    at least z/y. So no mechanism with F has a larger diagonal, and none at all has a smaller largest loss than 1-y.
    """
    h, odd = divmod(n, 2)
    if n <= LONGEST_EXACT:
        powers = [alpha ** (h + 1)]
    else:
        bits = GUARD + 2 * (alpha.denominator.bit_length() + n.bit_length())
        powers = [Fraction(x, 1 << bits) for x in power_bounds(alpha, h + 1, bits)]
    cuts = [(2 - odd * (1 - alpha)) * x for x in powers]
    high, *rest = [(n + 1) * (2 * alpha - x) / (1 + alpha - x) for x in cuts]
    return (rounded_down(rest[0]), -rounded_down(-high)) if rest else (high, high)

"""Proofs about the explicit fair mechanism, for every number of people.

No diagonal can be larger, and so no loss smaller.

`P[i,j] = y a^e`, `e = min(d, ceil((d + min(j, n-j))/2))`, d = |i-j|, and `1/y = 1 + 2 (a + .. + a^h)` with h =
floor(n/2), and a^(h+1) more where n is odd. Each column has just these powers. Where j moves by 1, d does and min(j,
n-j) changes by at most 1: so e changes by at most 1, and rises away from the diagonal. P is private with all
properties. Another private mechanism whose least diagonal entry is z: column h has `1 >= sum_i P[i,i] a^|i-h|`, at
least z/y. So no mechanism with F has a larger diagonal, and none at all has a smaller largest loss than 1-y.

A count j <= n/2 has the powers |i-j| at the outputs i <= 2j, and ceil(i/2) beyond. So the outputs 0..i have a chance
that does not depend on j where 2j < i, falls with j where `j <= i <= 2j`, since then `a^(j+1) <= a^(i-j)`, and where i
< j. Counts above n/2 mirror it. So an output rules out all counts but those between two ends.
"""

from bisect import bisect_left
from fractions import Fraction
from functools import cache

from .enclosures import LONGEST_EXACT, power_bounds, rounded_down

GUARD = 256
ENDS_BITS = 320


def fair_sum(alpha: Fraction, n: int) -> tuple[Fraction, Fraction]:
    """Enclose the sum `(n+1) (1-y)` of the losses L0 of all columns of the fair law; exactly up to n = 128."""
    h, odd = divmod(n, 2)
    if n <= LONGEST_EXACT:
        powers = [alpha ** (h + 1)]
    else:
        bits = GUARD + 2 * (alpha.denominator.bit_length() + n.bit_length())
        powers = [Fraction(x, 1 << bits) for x in power_bounds(alpha, h + 1, bits)]
    cuts = [(2 - odd * (1 - alpha)) * x for x in powers]
    high, *rest = [(n + 1) * (2 * alpha - x) / (1 + alpha - x) for x in cuts]
    return (rounded_down(rest[0]), -rounded_down(-high)) if rest else (high, high)


class FairEnds:
    """The least and the largest count that an output of the fair law leaves, at any size.

    Sums are enclosed by integers over 2^320 where n is above 128. One that may exceed its limit rules nothing out.
    """

    def __init__(self, alpha: Fraction, confidence: Fraction) -> None:
        self.alpha, self.tail = alpha, (1 - confidence) / 2
        self.power = cache(lambda k: power_bounds(alpha, k, ENDS_BITS))
        self.of = cache(self._of)

    def _of(self, n: int, released: int) -> tuple[int, int]:
        """Return the two ends for an output of a group of n."""
        high = self._counts(n, released) - 1
        low = n - (self._counts(n, n - released) - 1)
        return (low, high) if low <= high else (0, n)

    def _counts(self, n: int, i: int) -> int:
        """Count the inputs j for which the outputs 0..i may have more than half of what the confidence leaves."""
        return bisect_left(range(n + 1), True, key=lambda j: not self._may_exceed(n, i, j))

    def _may_exceed(self, n: int, i: int, j: int) -> bool:
        (p, q), (t, one) = self.alpha.as_integer_ratio(), self.tail.as_integer_ratio()
        unit = q**n if n <= LONGEST_EXACT else 1 << ENDS_BITS
        least, most = ((p + q) * unit + x for x in self._missing(n, n))
        if 2 * j > n:  # the outputs 0..n-i-1 of the mirrored input must not have all but the limit
            above = 0 if i == n else self._below(n, n - i - 1, n - j, unit)[0]
            return one * above < (one - t) * most
        return one * self._below(n, i, j, unit)[1] > t * least

    def _below(self, n: int, i: int, j: int, unit: int) -> tuple[int, int]:
        """Enclose the sum over the outputs 0..i of `(1-a) a^e` times q and a unit, for j <= n/2."""
        p, q = self.alpha.as_integer_ratio()
        if i > 2 * j:
            least, most = self._missing(n, i)
            return (p + q) * unit + least, (p + q) * unit + most
        low, high = self._bounds(n, j + 1)
        if i < j:
            first = self._bounds(n, j - i)
            return q * (first[0] - high), q * (first[1] - low)
        second = self._bounds(n, i - j + 1)
        return (p + q) * unit - q * (high + second[1]), (p + q) * unit - q * (low + second[0])

    def _missing(self, n: int, i: int) -> tuple[int, int]:
        """Enclose what `(1+a) q` is more than that sum where i > 2j, with a minus."""
        p, q = self.alpha.as_integer_ratio()
        low, high = self._bounds(n, i // 2 + 1)
        share = p + q if i % 2 else 2 * q
        return -share * high, -share * low

    def _bounds(self, n: int, k: int) -> tuple[int, int]:
        p, q = self.alpha.as_integer_ratio()
        return (p**k * q ** (n - k),) * 2 if n <= LONGEST_EXACT else self.power(k)

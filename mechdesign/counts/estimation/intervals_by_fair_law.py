"""Exact confidence intervals of true counts released by the fair law, at any size.

The rule is that of `count_intervals`: a true count j is left possible by the output i where both tails exceed
`t = (1 - c)/2`. By the sums of a column (`mechdesign.mechanism.fair`) the lower tail falls with j, or stays; the upper
one is the lower of the mirror image, and rises. So two ends are looked for, from where logarithms say that they are.

Up to n = 128 powers of alpha are exact. Beyond, they are enclosed by whole numbers over 2^320, and a tail that they do
not decide counts as above t, which only widens the interval.
"""

import math
from fractions import Fraction
from functools import cache, partial

from mechdesign.counts.estimation.intervals import Bounds
from mechdesign.counts.estimation.intervals_by_law import LawIntervals
from mechdesign.errors import InputError
from mechdesign.mechanism.fair import FairMechanism, LawMechanism
from mechdesign.rational import natural_log, number_text
from mechdesign.verify.enclosures import LONGEST_EXACT, power_bounds

ENCLOSURE_BITS = 320
LONGEST_REACH = 1 << 18
"""An alpha nearer to 1 than one part in so many is refused: powers of it would be too many."""


class FairIntervals:
    """The intervals of all outputs of the fair law at every size, at confidence c in (0, 1)."""

    def __init__(self, mechanism: FairMechanism, confidence: Fraction) -> None:
        self.alpha, self.tail = mechanism.alpha, (1 - confidence) / 2
        if (1 - self.alpha) * LONGEST_REACH < 1:
            raise InputError(f"alpha must be at most 1 - 2^-18 for intervals, got alpha={number_text(self.alpha)}")
        self._power = cache(partial(power_bounds, self.alpha, bits=ENCLOSURE_BITS))
        self._far = math.ceil((ENCLOSURE_BITS + 4) * math.log(2) / -natural_log(self.alpha))
        self._ends = cache(self._search)

    def of(self, n: int, released: int) -> Bounds:
        """Return the least and the largest true count that a released one leaves possible in a group of n."""
        return self._ends(n, released)

    def _search(self, n: int, i: int) -> Bounds:
        reach = max(0, round(natural_log(self.tail * (1 + self.alpha)) / natural_log(self.alpha)))
        high = self._last(n, i, min(n, i + reach))
        low = n - self._last(n, n - i, min(n, n - i + reach))
        return (low, high) if low <= high else (0, n)

    def _last(self, n: int, i: int, guess: int) -> int:
        """Return the last count with a lower tail of output i that may exceed t; -1 where there is none."""
        j = guess
        while j < n and self._is_possible(n, i, j + 1):
            j += 1
        while j >= 0 and not self._is_possible(n, i, j):
            j -= 1
        return j

    def _is_possible(self, n: int, i: int, j: int) -> bool:
        """Return whether `Pr[R <= i | j]` may exceed the tail."""
        t, one = self.tail.as_integer_ratio()
        whole = self._sum(n, n, 0)
        if 2 * j <= n:
            return self._sum(n, i, j)[1] * one > t * whole[0]
        return (one - t) * whole[1] > one * self._sum(n, n - i - 1, n - j)[0]

    def _sum(self, n: int, i: int, j: int) -> tuple[int, int]:
        """Enclose N, the sum of the rows 0..i of column j <= n/2 over that of all rows, times a unit of n."""
        if i < 0:
            return 0, 0
        p, q = self.alpha.as_integer_ratio()
        one = (p + q) * (q**n if n <= LONGEST_EXACT else 1 << ENCLOSURE_BITS)
        if i < j:
            first, second = self._enclosed(n, j - i), self._enclosed(n, j + 1)
            return q * (first[0] - second[1]), q * (first[1] - second[0])
        if i <= 2 * j:
            first, second = self._enclosed(n, j + 1), self._enclosed(n, i - j + 1)
            return one - q * (first[1] + second[1]), one - q * (first[0] + second[0])
        share = p + q if i % 2 else 2 * q
        low, high = self._enclosed(n, 1 + i // 2)
        return one - share * high, one - share * low

    def _enclosed(self, n: int, k: int) -> tuple[int, int]:
        if n <= LONGEST_EXACT:
            p, q = self.alpha.as_integer_ratio()
            return (p**k * q ** (n - k),) * 2
        return self._power(k) if k < self._far else (0, 1)


def law_intervals(mechanism: LawMechanism, confidence: Fraction) -> LawIntervals | FairIntervals:
    """Return what tells the intervals of a law."""
    if isinstance(mechanism, FairMechanism):
        return FairIntervals(mechanism, confidence)
    return LawIntervals(mechanism, confidence)

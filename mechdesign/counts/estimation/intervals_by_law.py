"""Exact confidence intervals of true counts released by a layered law, at any size.

The rule is that of `count_intervals`: a true count j is left possible by the output i where both tails exceed
`t = (1 - c)/2`. With `a = alpha`, a table X of depth b and `C_i[j] = sum_(k <= i) X[k][j]`, the tails are known without
a matrix (docs: any-n):

    Pr[R <= i | j] = a^(j-i) / (1+a)           b - 1 <= i <= n - b, j >= i
    Pr[R >= i | j] = a^(i-j) / (1+a)           b <= i <= n - b + 1, j <= i
    Pr[R <= i | j] = C_i[j]                    i < b, j < b
    Pr[R <= i | j] = C_i[b-1] a^(j-b+1)        i < b, j >= b - 1

In the middle, `b <= i <= n - b`, the count i itself has both tails above 1/2, so i leaves possible all j within d, the
largest k with `a^k / (1+a) > t`. For i < b the columns j < b - 1 are tried one by one. From b - 1 on the lower tail
falls with j, and the upper one rises: it is at most t for the first of these columns alone, if at all, since
`C_(i-1)[b-1] a <= a/(1+a) < 1/2 < 1 - t`. Outputs beyond n - b are mirror images.

Powers are compared by enclosures in whole numbers. One that is not decided by them is computed exactly while that is
short, else the count is left possible, which only widens the interval.
"""

from fractions import Fraction
from itertools import accumulate

from mechdesign.counts.estimation.intervals import Bounds
from mechdesign.mechanism.layered import LayeredMechanism, Rows
from mechdesign.rational import natural_log
from mechdesign.verify.enclosures import power_bounds

ENCLOSURE_BITS = 320
"""Powers of alpha are enclosed to so many bits."""

EXACT_BITS = 1 << 20
"""A power that long is still computed exactly where its enclosure does not decide."""


class LawIntervals:
    """The intervals of all outputs at every size of a law, at confidence c in (0, 1)."""

    def __init__(self, mechanism: LayeredMechanism, confidence: Fraction) -> None:
        self.mechanism = mechanism
        self._tail = (1 - confidence) / 2
        self._reach = largest_power(1 / (1 + mechanism.alpha), mechanism.alpha, self._tail)
        self._near: dict[int, list[Bounds | None]] = {}

    def of(self, n: int, released: int) -> Bounds:
        """Return the least and the largest true count that a released one leaves possible in a group of n."""
        b = self.mechanism.depth
        if b <= released <= n - b:
            return max(0, released - self._reach), min(n, released + self._reach)
        mirrored = released >= b
        found = self._table(n)[n - released if mirrored else released]
        if found is None:
            return 0, n
        low, high = found[0], min(found[1], n)
        return (n - high, n - low) if mirrored else (low, high)

    def _table(self, n: int) -> list[Bounds | None]:
        """Return the bounds of outputs < b, not cut to n; None where an output rules out every count."""
        key = self.mechanism.least if self.mechanism.slopes is None else n
        if key not in self._near:
            self._near[key] = self._bounds(*self.mechanism.table(n))
        return self._near[key]

    def _bounds(self, rows: Rows, denominator: int) -> list[Bounds | None]:
        tail, last = self._tail * denominator, self.mechanism.depth - 1
        columns = [list(accumulate(column)) for column in zip(*rows, strict=True)]
        found: list[Bounds | None] = []
        for i in range(last + 1):
            before = [column[i - 1] if i else 0 for column in columns]
            possible = [j for j in range(last) if columns[j][i] > tail and denominator - before[j] > tail]
            first = last + (denominator - before[last] <= tail)
            power = largest_power(Fraction(columns[last][i], denominator), self.mechanism.alpha, self._tail)
            possible += [j for j in (first, last + power) if first <= last + power]
            found.append((min(possible), max(possible)) if possible else None)
        return found


def largest_power(start: Fraction, alpha: Fraction, floor: Fraction) -> int:
    """Return the largest k >= 0 with `start alpha^k > floor` for a floor > 0; -1 where there is none.

    >>> largest_power(Fraction(2, 3), Fraction(1, 2), Fraction(1, 6)), largest_power(Fraction(0), Fraction(1, 2), 1)
    (1, -1)
    """
    if start <= floor:
        return -1
    k = max(0, round((natural_log(start) - natural_log(Fraction(floor))) / -natural_log(alpha)))
    while k and not _exceeds(start, alpha, k, floor):
        k -= 1
    while _exceeds(start, alpha, k + 1, floor):
        k += 1
    return k


def _exceeds(start: Fraction, alpha: Fraction, k: int, floor: Fraction) -> bool:
    """Return whether `start alpha^k > floor`; true where that is beyond what is computed."""
    low, high = power_bounds(alpha, k, ENCLOSURE_BITS)
    one = 1 << ENCLOSURE_BITS
    if start * low > floor * one:
        return True
    if start * high <= floor * one:
        return False
    return k * alpha.denominator.bit_length() > EXACT_BITS or start * alpha**k > floor

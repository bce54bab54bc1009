"""Exact errors of released counts, whatever the true ones are.

No error is stated better than it is.

Of one matrix every true count is looked at. Of a law, with `a = alpha` and depth b, all true counts j of all its groups
are: by how much they are missed is told by `mechdesign.mechanism.misses`. Columns of one large n serve for all.

The mean square error is `v + e(j) + e(n-j)`, v = 2a/(1-a)^2 that of the middle, and e(u) what one end adds at distance
u: the square error in its b rows, less that of the geometric mechanism in the same rows and in those beyond the end:

    e(u) = sum_(i<b) P[i,u] (i-u)^2 - c sum_(k > u-b) a^|k| k^2.

For u >= b - 1 that is `a^(u-b+1) (q + r u)`. The square of u falls out, as the last column of the table sums to
1/(1+a). `e(u+1) - e(u)` is then `a^(u-b+1) (a r - (1-a)(q + r u))`, which changes its sign once at most: for r > 0 from
rising to falling, for r < 0 from falling to rising, towards 0. So from U on e is at most its value where it stops
rising, or that at U, or 0, which it tends to. The sum over both ends is computed for small n, and
bounded for all others by the largest e and the largest beyond half of n.

Of the fair law (`mechdesign.mechanism.fair`) the count 0 is missed most: its output k has the power `ceil(k/2)`. The
rows within d of another count are at least d + 1, with the smallest powers that a column has, so they are as likely at
least. From count j to j + 1 <= n/2 no square error rises, row by row in the order of powers. In larger groups the
output of count 0 is that of a smaller one but for what is cut off beyond n; so it is nowhere nearer to 0.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import ceil, isqrt

import numpy as np

from mechdesign.mechanism.fair import FairMechanism, LawMechanism
from mechdesign.mechanism.layered import LayeredMechanism, Rows
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.misses import LayeredMisses
from mechdesign.verify.enclosures import power_bounds

MOST = Fraction(9, 10)
"""The share of groups within the distance that is told."""

PLACES = 100
ENCLOSURE_BITS = 320

LARGEST_EXACT = 512
"""For a larger group the errors of the fair law are those of a group without end, which no other exceeds."""

NEGLIGIBLE = 16
"""At a distance of so many times 1/(1-a) what an end adds is less than a hundredth of anything."""

MOST_STEPS = 4096
"""No higher power of alpha is formed where a lower one bounds it."""

FLOAT_ERROR = 1e-12
"""Of the sum of two numbers that were rounded once, in shares of the largest."""


@dataclass(frozen=True)
class TypicalErrors:
    """The errors of groups of one size, for the true count for which they are the worst.

    Attributes:
        distance: the least d with which at least 90 of 100 groups are within d of their true count.
        within: how many of 100 groups are within it, rounded down.
        root_mean_square: in hundredths, rounded up.
    """

    distance: int
    within: int
    root_mean_square: Fraction

    @classmethod
    def of(cls, mechanism: Mechanism) -> "TypicalErrors":
        """Find them for every true count, and keep the worst."""
        size, whole = mechanism.n_inputs, mechanism.denominator
        near = [[row[j] for row in mechanism.weights] for j in range(size)]
        square = max(sum(w * (i - j) ** 2 for i, w in enumerate(column)) for j, column in enumerate(near))
        distance = 0
        while (least := min(_within(column, j, distance) for j, column in enumerate(near))) < MOST * whole:
            distance += 1
        return cls(distance, 100 * least // whole, _root_above(Fraction(square, whole)))

    @classmethod
    def of_law(cls, mechanism: LawMechanism, sizes: Sequence[int]) -> "TypicalErrors":
        """Find them for every true count in groups of these sizes, and keep the worst."""
        if isinstance(mechanism, FairMechanism):
            return cls._of_fair(mechanism.alpha, max(sizes))
        distance = 0
        while (most := _largest_miss(mechanism, sizes, distance)) > 1 - MOST:
            distance += 1
        return cls(distance, int(100 * (1 - most)), _root_above(_largest_square(mechanism, sizes)))

    @classmethod
    def _of_fair(cls, a: Fraction, n: int) -> "TypicalErrors":
        """Find them for the true count 0 of the largest group, of which no other is missed by more."""
        whole = 1 + a
        if n <= LARGEST_EXACT:
            whole -= (2 - n % 2 * (1 - a)) * a ** (n // 2 + 1)
            squares = sum((a ** -(-k // 2) * k * k for k in range(1, n + 1)), Fraction(0))
        else:
            squares = 8 * a * (1 + a) / (1 - a) ** 3 - 4 * a / (1 - a) ** 2 + a / (1 - a)

        def inside(distance: int) -> Fraction:
            return 1 + a - (2 - distance % 2 * (1 - a)) * _power_above(a, distance // 2 + 1)

        distance = bisect_left(range(n), MOST * whole, key=inside)
        return cls(distance, int(100 * inside(distance) / whole), _root_above((1 - a) / whole * squares))

    def __str__(self) -> str:
        rmse = f"{float(self.root_mean_square):.2f}"
        return f"within {self.distance} in at least {self.within} of 100 groups, root-mean-square error at most {rmse}"


def _power_above(a: Fraction, k: int) -> Fraction:
    if 2 * k <= LARGEST_EXACT + 2:
        return a**k
    return Fraction(power_bounds(a, k, ENCLOSURE_BITS)[1], 1 << ENCLOSURE_BITS)


def _root_above(square: Fraction) -> Fraction:
    """Return the square root in hundredths, rounded up."""
    ceiling = -(-square.numerator * PLACES**2 // square.denominator)
    return Fraction(isqrt(ceiling - 1) + 1 if ceiling else 0, PLACES)


def _within(column: list[int], j: int, distance: int) -> int:
    return sum(column[max(j - distance, 0) : j + distance + 1])


def _largest_miss(mechanism: LayeredMechanism, sizes: Sequence[int], distance: int) -> Fraction:
    """Return the largest chance of any true count to be missed by more than `distance`."""
    misses = LayeredMisses(mechanism, distance)
    small = [n for n in sizes if n < misses.far]
    cases = [(n, mechanism.table(n)) for n in small]
    if len(small) < len(sizes):
        cases += [(misses.far, table) for table in _tables(mechanism, min(n for n in sizes if n >= misses.far))]
    most = max(chance for n, table in cases for _, chance in misses.runs(n, table))
    return most * mechanism.alpha**misses.factor_power


def _tables(mechanism: LayeredMechanism, n: int) -> list[tuple[Rows, int]]:
    """Return tables between which those of all sizes from n on are: what is affine in them is largest at one."""
    tables = [mechanism.table(n)]
    return tables if mechanism.slopes is None else [*tables, (mechanism.rows, mechanism.denominator)]


def _largest_square(mechanism: LayeredMechanism, sizes: Sequence[int]) -> Fraction:
    """Return a mean square error that no true count exceeds: the largest one for small groups, for others a bound."""
    b, a = mechanism.depth, mechanism.alpha
    far = 2 * (b + ceil(NEGLIGIBLE / (1 - a)))
    small, larger = [n for n in sizes if n < far], [n for n in sizes if n >= far]
    found = []
    for some in [small] if mechanism.slopes is None else [[n] for n in small]:
        found += [_largest_pair(_end_squares(a, *mechanism.table(some[0])), some)] if some else []
    for table in _tables(mechanism, min(larger)) if larger else ():
        end = _end_squares(a, *table)
        found.append(max(*map(end, range(b)), _from(end, b, a)) + _from(end, far // 2, a))
    return 2 * a / (1 - a) ** 2 + max(found)


def _largest_pair(end: Callable[[int], Fraction], sizes: Sequence[int]) -> Fraction:
    """Return the largest `e(j) + e(n-j)`; floats tell which sums come near it, and these are compared exactly."""
    values = np.array([float(end(u)) for u in range(max(sizes) + 1)])
    sums = {n: values[: n + 1] + values[n::-1] for n in sizes}
    near = max(map(np.max, sums.values())) - FLOAT_ERROR * np.abs(values).max()
    return max(end(j) + end(n - j) for n, found in sums.items() for j in np.flatnonzero(found >= near).tolist())


def _from(end: Callable[[int], Fraction], u: int, a: Fraction) -> Fraction:
    """Bound e from u >= b - 1 on by its largest value, or 0, which it tends to.

    With `A = e(u)` and `r = e(u+1)/a - e(u)`, `e(u+k) = a^k (A + k r)`. For r > 0 it rises while `k < k0`, the k that
    solves `a r = (1-a)(A + k r)`, and falls from there on. For r <= 0 it is nowhere above both A and 0.
    """
    first = end(u)
    slope = end(u + 1) / a - first
    if slope <= 0:
        return max(first, Fraction(0))
    steps = max(0, ceil((a * slope - (1 - a) * first) / ((1 - a) * slope)))
    return max(Fraction(0), a ** min(steps, MOST_STEPS) * (first + steps * slope))


def _end_squares(a: Fraction, rows: Rows, denominator: int) -> Callable[[int], Fraction]:
    """Return what one end adds to the mean square error at distance u from it, e(u)."""
    b, c = len(rows), (1 - a) / (1 + a)
    whole = 2 * a / (1 - a) ** 2

    @cache
    def end(u: int) -> Fraction:
        column = min(u, b - 1)
        inside = Fraction(sum(row[column] * (i - u) ** 2 for i, row in enumerate(rows)), denominator)
        inside *= a ** (u - column)
        first = abs(u - b + 1) if u >= b else b - u  # the least distance of a row beyond
        beyond = c * a**first * (first**2 / (1 - a) + 2 * first * a / (1 - a) ** 2 + a * (1 + a) / (1 - a) ** 3)
        return inside - beyond if u >= b else inside + beyond - whole

    return end

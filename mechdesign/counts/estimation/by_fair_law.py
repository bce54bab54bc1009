"""Estimate true counts without bias from what the fair law released, whatever the size of the group.

P has an inverse, but none in closed form: `sum_i g(i) P[i,j] = f(j)` is an equation in many steps. With `F = f/y`, and
`S_k = sum_(i>=k) g(i) a^ceil(i/2)`, the combination of columns j-1, j and j+1 in which a geometric row falls out leaves

    (1+a) g(j) = a^(j+1) g(2j) + a^(j+2) g(2j+1) - (1-a) S_(2j+2) + ((1+a^2) F(j) - a F(j-1) - a F(j+1)) / (1-a)

for 1 <= j <= n/2 (g is 0 beyond n; for 2j = n add `a^(j+1) g(0)`), and column 0 is `g(0) = F(0) - S_1`. So g(j) hangs
on g(2j), g(2j+1), .. with weights that fall as a^j. It is `j - O(j a^j)` in the middle: the count itself, as of a
layered law. The other half follows by `g(n-i) = n - g(i)`. The equations are solved from the middle to the end, again
and again until nothing changes, in whole numbers over 2^256. What is left of a bias is below 2^-40. Where an end does
not change anything by more than that, a larger group has the weights of a smaller one.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate

from mechdesign.counts.estimation.by_law import LawEstimates
from mechdesign.mechanism.fair import FairMechanism
from mechdesign.rational import natural_log

BITS = 256
NEGLIGIBLE_BITS = 80
"""An end is left out of account where a power of alpha has so many bits."""

LONGEST_END = 1 << 15
"""Estimates near an end are refused where more counts than this are near it: alpha above .998."""

MOST_SWEEPS = 40
SETTLED = 64
"""Units of the last place by which the last sweep may change a weight."""

Weights = list[int]


def fair_reach(mechanism: FairMechanism) -> int:
    """Return how many counts are near an end."""
    return math.ceil(NEGLIGIBLE_BITS * math.log(2) / -natural_log(mechanism.alpha))


def fair_estimates(mechanism: FairMechanism, n: int) -> LawEstimates | None:
    """Compute unbiased estimates for groups of n, to within 2^-40.

    None where alpha is too near to 1, or n too small, for the sweeps to settle: below about 12/(1 - alpha)."""
    found = _of_size(mechanism.alpha, min(n, 3 * fair_reach(mechanism)))
    return None if found is None else replace(found, n=n)


@lru_cache(maxsize=4096)
def _of_size(a: Fraction, size: int) -> LawEstimates | None:
    reach = fair_reach(FairMechanism(a))
    if reach > LONGEST_END:
        return None
    system = _System(a, size)
    half = system.solved(lambda j: Fraction(2 * j - size, 2), -1)
    if half is None:
        return None
    near = [x + (size << BITS - 1) for x in half]
    squares = [x * x >> BITS for x in near + [(size << BITS) - x for x in near[: (size + 1) // 2][::-1]]]
    noise = [x - (j * j << BITS) for j, x in enumerate(system.expected(squares))]
    variances = system.solved(lambda j: Fraction(noise[min(j, size - j)], 1 << BITS), 1)
    if variances is None:
        return None
    kept = min(reach, size // 2) + 1
    ends = [Fraction(x, 1 << BITS) for x in (min(noise), max(noise))]
    numbers = [tuple(Fraction(x, 1 << BITS) for x in some[:kept]) for some in (near, variances)]
    return LawEstimates(size, numbers[0], numbers[1], 2 * a / (1 - a) ** 2, *ends)


class _System:
    """The equations of one n, for sides f that are even or odd about n/2; numbers are over 2^BITS."""

    def __init__(self, a: Fraction, n: int) -> None:
        self.a, self.n, self.middle = a, n, n // 2
        p, q = a.as_integer_ratio()
        self.powers = list(accumulate(range(n + 2), lambda power, _: power * p // q, initial=1 << BITS))
        cut = (2 - n % 2 * (1 - a)) * Fraction(self.powers[self.middle + 1], 1 << BITS)
        self.whole = (1 + a - cut) / (1 - a)  # 1/y

    def solved(self, side: Callable[[int], Fraction], sign: int) -> Weights | None:
        """Find g(0), .., g(n/2) with `g(n-i) = sign g(i)`; None where the sweeps do not settle."""
        sides = [int(self.whole * side(j) * (1 << BITS)) for j in range(self.middle + 2)]
        known = self._known(sides)
        found = [0] * (self.middle + 1)
        for _ in range(MOST_SWEEPS):
            before = list(found)
            self._sweep(found, known, sides[0], sign)
            if max(abs(x - y) for x, y in zip(before, found, strict=True)) <= SETTLED:
                return found
        return None

    def _known(self, sides: Sequence[int]) -> list[int]:
        p, q = self.a.as_integer_ratio()
        unit = q * (q - p)
        return [0] + [
            ((q * q + p * p) * sides[j] - p * q * (sides[j - 1] + sides[j + 1])) // unit
            for j in range(1, self.middle + 1)
        ]

    def _sweep(self, found: Weights, known: Sequence[int], first: int, sign: int) -> None:
        p, q = self.a.as_integer_ratio()
        n, powers = self.n, self.powers

        def weight(i: int) -> int:
            return 0 if i > n else found[i] if i <= self.middle else sign * found[n - i]

        tails = [0] * (n + 3)  # S, filled from above as far as weights of this sweep are known
        for i in range(n, self.middle, -1):
            tails[i] = tails[i + 1] + (weight(i) * powers[(i + 1) // 2] >> BITS)
        for j in range(self.middle, 0, -1):
            value = weight(2 * j) * powers[j + 1] + weight(2 * j + 1) * powers[j + 2]
            value += found[0] * powers[j + 1] if 2 * j == n else 0
            value = (value >> BITS) - (q - p) * tails[2 * j + 2] // q + known[j]
            found[j] = value * q // (p + q)
            tails[j] = tails[j + 1] + (found[j] * powers[(j + 1) // 2] >> BITS)
        found[0] = first - tails[1]

    def expected(self, values: Sequence[int]) -> Weights:
        """Return `sum_i values[i] P[i,j]` for j = 0..n/2."""
        p, q = self.a.as_integer_ratio()
        n, powers = self.n, self.powers
        before, after, ends = 0, [0] * (n + 2), [0] * (n + 2)
        for i in range(n, 0, -1):
            after[i - 1] = (values[i] + after[i]) * p // q
            ends[i] = ends[i + 1] + (values[i] * powers[(i + 1) // 2] >> BITS)
        found = []
        for j in range(self.middle + 1):
            before = before * p // q + values[j]
            total = before + after[j] - (powers[j] * after[2 * j] >> BITS) + ends[2 * j + 1]
            found.append(int(total / self.whole))
        return found

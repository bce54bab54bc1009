"""Unbiased estimates of true counts from counts that the fair law released, at any size.

P has an inverse, but none in closed form: `sum_i g(i) P[i,j] = f(j)` is an equation in many steps. With `F = f/y`, and
`S_k = sum_(i>=k) g(i) a^ceil(i/2)`, the combination of columns j-1, j and j+1 in which a geometric row falls out leaves

    (1+a) g(j) = a^(j+1) g(2j) + a^(j+2) g(2j+1) - (1-a) S_(2j+2) + ((1+a^2) F(j) - a F(j-1) - a F(j+1)) / (1-a)

for 1 <= j <= n/2 (g is 0 beyond n; for 2j = n add `a^(j+1) g(0)`), and column 0 is `g(0) = F(0) - S_1`. So g(j) hangs
on g(2j), g(2j+1), .. with weights that fall as a^j. It is `j - O(j a^j)` in the middle: the count itself, as of a
layered law. The other half follows by `g(n-i) = n - g(i)`.

One sweep from the middle to the end takes each g(j) from the weights beyond it. Where an end is far it changes next to
nothing a second time. Elsewhere its changes are the residual of a linear system, well conditioned in all cases that
were tried, which generalised conjugate residuals solve: every sweep gives a new direction, and the sum of squares of
the residual is least over all of them. It is exact after at most n/2 + 1 directions, and after a few where the ends are
far apart. All numbers are integers over 2^256. What was found is put into the columns of P again: a bias above 2^-40
is refused. Where an end does not change anything by more than that, a larger group has the weights of a smaller one.

Reference: Eisenstat, Elman, Schultz, "Variational iterative methods for nonsymmetric systems of linear equations",
SIAM J. Numer. Anal. 20(2), 1983.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from operator import mul

from mechdesign.counts.estimation.by_law import LawEstimates
from mechdesign.mechanism.fair import FairMechanism
from mechdesign.rational import natural_log

BITS = 256
NEGLIGIBLE_BITS = 80
"""An end is left out of account where a power of alpha has so many bits."""

LARGEST_SOLVED = 3 << 15
"""Groups up to which the equations are solved: all n up to alpha .998, where larger ones have these weights."""

MOST_SWEEPS = 100
SETTLED_BITS = 120
"""A residual is small enough below 2^-120."""

LARGEST_BIAS = 1 << BITS - 40

Weights = list[int]


def fair_reach(mechanism: FairMechanism) -> int:
    """Return how many counts are near an end."""
    return math.ceil(NEGLIGIBLE_BITS * math.log(2) / -natural_log(mechanism.alpha))


def fair_estimates(mechanism: FairMechanism, n: int) -> LawEstimates | None:
    """Compute estimates for groups of n without a bias above 2^-40.

    None where n and 1/(1 - alpha) are both too large, or alpha is so near to 1 that the numbers are too short."""
    size = min(n, 3 * fair_reach(mechanism))
    found = None if size > LARGEST_SOLVED else _of_size(mechanism.alpha, size)
    return None if found is None else replace(found, n=n)


@lru_cache(maxsize=4096)
def _of_size(a: Fraction, n: int) -> LawEstimates | None:
    system, kept = _System(a, n), min(fair_reach(FairMechanism(a)), n // 2) + 1
    columns, middle = range(n // 2 + 1), 2 * a / (1 - a) ** 2
    half = system.solved([Fraction(2 * j - n, 2) for j in columns], -1)
    if half is None:
        return None
    near = [x + (n << BITS - 1) for x in half[:kept]] + [j << BITS for j in columns[kept:]]
    seen = system.expected(near, [(n << BITS) - x for x in near])
    squares = [[x * x >> BITS for x in some] for some in (near, [(n << BITS) - x for x in near])]
    noise = [x - (j * j << BITS) for j, x in enumerate(system.expected(*squares))]
    half = system.solved([Fraction(x, 1 << BITS) for x in noise], 1)
    if half is None:
        return None
    spread = half[:kept] + [int(middle * (1 << BITS))] * len(columns[kept:])
    biases = [x - (j << BITS) for j, x in enumerate(seen)]
    biases += [x - y for x, y in zip(system.expected(spread, spread), noise, strict=True)]
    if max(map(abs, biases)) > LARGEST_BIAS:
        return None
    ends = [Fraction(x, 1 << BITS) for x in (min(noise), max(noise))]
    numbers = [tuple(Fraction(x, 1 << BITS) for x in some[:kept]) for some in (near, spread)]
    return LawEstimates(n, numbers[0], numbers[1], middle, *ends)


class _System:
    """The equations of one n, for sides f that are even or odd about n/2; numbers are over 2^BITS."""

    def __init__(self, a: Fraction, n: int) -> None:
        self.a, self.n, self.middle = a, n, n // 2
        p, q = a.as_integer_ratio()
        self.powers = list(accumulate(range(n + 2), lambda power, _: power * p // q, initial=1 << BITS))
        cut = (2 - n % 2 * (1 - a)) * Fraction(self.powers[self.middle + 1], 1 << BITS)
        self.whole = (1 + a - cut) / (1 - a)  # 1/y

    def solved(self, wanted: Sequence[Fraction], sign: int) -> Weights | None:
        """Find g(0), .., g(n/2) with `g(n-i) = sign g(i)` and f(0), .., f(n/2) `wanted`; None where it is not found.

        The residual of g is what a sweep changes. Of a change p of g it changes by `q = p - (a sweep of p for f = 0)`.
        """
        beyond = sign * wanted[self.n - self.middle - 1]
        sides = [int(self.whole * f * (1 << BITS)) for f in (*wanted, beyond)]
        known, found = self._known(sides), [0] * len(wanted)
        residual = self._swept(found, known, sides[0], sign)
        directions: list[tuple[Weights, Weights, int]] = []
        for _ in range(MOST_SWEEPS):
            if max(map(abs, residual)) >> BITS - SETTLED_BITS == 0:
                return found
            p = residual
            q = _less(p, self._swept(p, [0] * len(known), 0, sign), 1 << BITS)
            for other, image, square in directions:
                share = (_product(q, image) << BITS) // square
                p, q = _less(p, other, share), _less(q, image, share)
            if not (square := _product(q, q)):
                return None
            step = (_product(residual, q) << BITS) // square
            found, residual = _less(found, p, -step), _less(residual, q, step)
            directions.append((p, q, square))
        return None

    def _known(self, sides: Sequence[int]) -> list[int]:
        p, q = self.a.as_integer_ratio()
        unit = q * (q - p)
        return [0] + [
            ((q * q + p * p) * sides[j] - p * q * (sides[j - 1] + sides[j + 1])) // unit
            for j in range(1, self.middle + 1)
        ]

    def _swept(self, given: Weights, known: Sequence[int], first: int, sign: int) -> Weights:
        """Take each weight from those beyond it, from the middle to the end."""
        p, q = self.a.as_integer_ratio()
        n, powers, found = self.n, self.powers, list(given)

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
        return found

    def expected(self, left: Weights, right: Weights) -> Weights:
        """Return `sum_i g(i) P[i,j]` for j = 0..n/2, where g(i) is left[i] and g(n-i) is right[i]."""
        values = left + right[: (self.n + 1) // 2][::-1]
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


def _product(x: Weights, y: Weights) -> int:
    return sum(map(mul, x, y))


def _less(x: Weights, y: Weights, times: int) -> Weights:
    """Return `x - times y`, times over 2^BITS."""
    return [u - (times * v >> BITS) for u, v in zip(x, y, strict=True)]

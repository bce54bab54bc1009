"""Promises of a release of several cells: delta of m cells with independent noise, never below the truth.

One unit is in one cell of each set of variables, so m cells change where somebody is added or removed, and 2m where
answers change. The noises of differently named cells are independent. For every pair of neighbouring counts that may
occur, the dominating pair of all of them stands (Zhu, Dong, Wang, AISTATS 2022): its curve is nowhere below any of
theirs, so no mixture of pairs is worse. Its losses `ln(p/q)` are rounded up to a grid and added up m times.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from mechdesign.interop.dominating_pair import upper_hull
from mechdesign.mechanism.privacy_curve import Law
from mechdesign.noise_tables.guarantee import ratio_below
from mechdesign.noise_tables.table import NoiseTable

GRID_POINTS = 1 << 16
"""Of all losses that m cells may have together."""

LARGEST = Fraction(200)
"""Delta falls in epsilon, so that at a larger one it is at most that here."""

ROUNDING = 1e-9
"""What sums of floats may lack, and more: it is added to every delta, relatively, and 1e-15 absolutely."""


@dataclass(frozen=True)
class Promise:
    """Delta of so many cells at an epsilon, for counts from a start on."""

    epsilon: Fraction
    start: int | str
    cells: int
    delta: float


@dataclass(frozen=True)
class LossAtoms:
    """The dominating pair as losses: their chances under the first law, and the chance of an infinite one."""

    losses: tuple[float, ...]
    chances: tuple[float, ...]
    infinite: float

    @classmethod
    def of(cls, pairs: Iterable[tuple[Law, Law]], denominator: int) -> "LossAtoms":
        """Find the dominating pair of laws of neighbours, in both orders.

        `(P[A|b], P[A|a])` over sets A of the outputs that speak most for a are the corners of one curve; the steps of
        the upper hull of all of them are the pair, exactly.
        """
        points = [(0, 0), (denominator, denominator)]
        for a, b in pairs:
            low = high = 0
            shared = sorted(((Fraction(w, b[i]), w, b[i]) for i, w in a.items() if i in b), reverse=True)
            high = sum(w for i, w in a.items() if i not in b)
            points.append((low, high))
            for _, p, q in shared:
                low, high = low + q, high + p
                points.append((low, high))
        corners = upper_hull(points)
        infinite = Fraction(corners[0][1], denominator)
        steps = [(y1 - y0, x1 - x0) for (x0, y0), (x1, y1) in pairwise(corners) if y1 > y0]
        losses = tuple(_above(_log_ratio(p, q)) for p, q in steps)
        return cls(losses, tuple(_above(p / denominator) for p, _ in steps), _above(float(infinite)))

    def composed(self, cells: int) -> "Composed":
        """Add up the losses of so many cells, each rounded up to the grid."""
        if not self.losses:
            return Composed(0.0, 0.0, np.zeros(1), 1.0)
        low, high = min(self.losses), max(self.losses)
        step = max((high - low) * cells / GRID_POINTS, 1e-12)
        places = [math.ceil((loss - low) / step) for loss in self.losses]
        one = max(places)
        total = np.array([1.0])
        for _ in range(cells):
            longer = np.zeros(len(total) + one)
            for place, chance in zip(places, self.chances, strict=True):
                longer[place : place + len(total)] += chance * total
            total = longer
        finite = sum(self.chances)
        infinite = 1.0 if self.infinite >= 1 else _above(-math.expm1(cells * math.log1p(-self.infinite)))
        return Composed(low * cells, step, total, infinite, finite)


@dataclass(frozen=True)
class Composed:
    """The losses of several cells on a grid that begins at `low`, with the chance that one is infinite."""

    low: float
    step: float
    chances: "np.ndarray"
    infinite: float
    finite: float = 1.0

    def delta(self, ratio: Fraction) -> float:
        """Return delta at `exp(epsilon) >= ratio`, rounded up: `E max(0, 1 - exp(epsilon - loss))`."""
        epsilon = math.log(ratio.numerator) - math.log(ratio.denominator)
        losses = self.low + self.step * np.arange(len(self.chances))
        shares = -np.expm1(np.minimum(0.0, epsilon - losses - ROUNDING))
        return min(1.0, (self.infinite + float(self.chances @ shares)) * (1 + ROUNDING) + 1e-15)


def _above(value: float) -> float:
    return value + abs(value) * 1e-14


def _log_ratio(p: int, q: int) -> float:
    """Return `ln(p/q)` to the last digits, however long the integers are."""
    try:
        return math.log1p((p - q) / q)
    except (OverflowError, ValueError):  # a ratio beyond floats, or near 0
        return math.log(p) - math.log(q) + 1e-9


def promises(
    table: NoiseTable, points: Iterable[tuple[Fraction, int | str, int]], cells: int
) -> list[tuple[Promise, Promise, Promise]]:
    """Compute what m cells promise, for each point of a guarantee.

    Args:
        table: the noise table.
        points: (epsilon, start as it is said, first count).
        cells: m.

    Returns:
        For each point the promise of m cells at epsilon and at m epsilon, and of 2m cells at 2m epsilon.
    """
    found = []
    for epsilon, start, first in points:
        atoms = LossAtoms.of(table.pairs(first), table.denominator)
        one, changed = atoms.composed(cells), atoms.composed(2 * cells)
        at = ((epsilon, cells, one), (cells * epsilon, cells, one), (2 * cells * epsilon, 2 * cells, changed))
        own = [Promise(e, start, m, law.delta(ratio_below(min(e, LARGEST)))) for e, m, law in at]
        found.append((own[0], own[1], own[2]))
    return found

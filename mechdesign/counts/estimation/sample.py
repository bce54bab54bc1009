"""The likelihood of one sample of releases: slopes, their bound, and Newton steps."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.rational import natural_log

Vector = NDArray[np.float64]

MOST_HALVINGS = 30
CRUMBS = (1e-3, 1e-5, 1e-7, 1e-9)
"""Shares below each of these are worth trying without."""

SUFFICIENT = 1e-4
"""A Newton step must gain this share of what the slope at its start promises (Armijo)."""

UNIT_ROUNDING = 2.0**-53
SMALLEST_CHANCE = 2.0**-960
"""Chances below it may have lost digits to underflow, which the bound does not count. At the maximum none is: with a
largest entry of 1 in each row, `f_i / (P pi)_i <= max_j g_j = 1`."""


@dataclass(frozen=True)
class Sample:
    """The rows of P that occurred, shape (occurred, n_inputs), their shares f, and N.

    Other rows do not matter to L.

    Each row is divided by its largest entry `s_i` before it becomes floats, so that none of them vanishes: slopes, and
    so EM and Newton steps, stay as they are, and L lacks `N sum_i f_i log s_i`, which is `offset`.
    """

    rows: Vector
    shares: Vector
    total: int
    offset: float

    @classmethod
    def of(cls, mechanism: Mechanism, counts: Sequence[int]) -> "Sample":
        """Make the sample of `counts[i]` releases of i."""
        occurred = [(count, row, max(row)) for count, row in zip(counts, mechanism.weights, strict=True) if count]
        total = sum(counts)
        rows = np.array([[weight / largest for weight in row] for _, row, largest in occurred])
        shares = np.array([count / total for count, _, _ in occurred])
        offset = math.fsum(
            count * natural_log(Fraction(largest, mechanism.denominator)) for count, _, largest in occurred
        )
        return cls(rows, shares, total, offset)

    def log_likelihood(self, distribution: Vector) -> float:
        """Compute L; minus infinity where something that occurred has no chance."""
        chances = self.rows @ distribution
        if not chances.min() > 0:
            return -math.inf
        return self.offset + self.total * math.fsum(self.shares * np.log(chances))

    def slopes(self, distribution: Vector) -> Vector:
        """Compute `g_j`: 1 where L is level towards j, above 1 where it rises; infinite where floats cannot tell."""
        chances = self.rows @ distribution
        if not chances.min() >= SMALLEST_CHANCE:
            return np.full(self.rows.shape[1], np.inf)
        slopes: Vector = (self.shares / chances) @ self.rows
        return slopes

    @property
    def rounding(self) -> float:
        """The relative error of a slope: each of the 2(rows + inputs) + 16 roundings behind it takes one unit."""
        return 1.01 * (2 * sum(self.rows.shape) + 16) * UNIT_ROUNDING

    @property
    def rounding_floor(self) -> float:
        """The bound `N ((1 + rounding)^2 - 1)`, where every true slope is at most 1 and rounding is at its worst."""
        return self.total * self.rounding * (2.0 + self.rounding)

    def bound(self, slopes: Vector) -> float:
        """Compute `N (max_j g_j - 1)`, and what rounding can take from it; infinite where a slope is not finite."""
        if not np.isfinite(slopes).all():
            return math.inf
        largest = float(slopes.max())
        return self.total * max(0.0, largest - 1.0 + self.rounding * largest)

    def newton_step(self, distribution: Vector) -> Vector:
        """Find a point of larger likelihood towards the maximum of the quadratic model, or return the same point."""
        chances = self.rows @ distribution
        aim = self._model_maximum(chances)
        if aim is None:
            return distribution
        change = (self.rows @ (aim - distribution)) / chances
        promised = float(self.shares @ change)
        step = 1.0
        for _ in range(MOST_HALVINGS):
            if promised <= 0:
                break
            if step * change.min() > -1:
                gain = float(self.shares @ np.log1p(step * change))
                if gain >= SUFFICIENT * step * promised:
                    return normalised(distribution + step * (aim - distribution))
            step /= 2
        return distribution

    def without_tiny_shares(self, distribution: Vector) -> Vector:
        """Set small shares to 0 where that is no less likely, to rounding, and the bound falls.

        EM makes them smaller and never 0, and the quadratic model is too coarse to see them where the data fit exactly.
        """
        chances, bound = self.rows @ distribution, self.bound(self.slopes(distribution))
        for crumb in CRUMBS:
            small = distribution < crumb
            if not small.any():
                break
            kept = normalised(np.where(small, 0.0, distribution))
            change = (self.rows @ (kept - distribution)) / chances
            is_likely = change.min() > -1 and float(self.shares @ np.log1p(change)) >= -UNIT_ROUNDING
            if is_likely and self.bound(self.slopes(kept)) < bound:
                return kept
        return distribution

    def _model_maximum(self, chances: Vector) -> Vector | None:
        """Minimise `|S x - 2 sqrt(f)|^2` over the simplex, `S = diag(sqrt(f)/chances) P`; None where that fails.

        On the simplex `S x - 2 sqrt(f) = G x` with `G = S - 2 sqrt(f) 1^T`, and the minimum of `|G x|^2` there is
        `y / sum(y)`, y the nonnegative least-squares solution of `G y = 0, 1^T y = 1` (Dax 1990).
        """
        from scipy.optimize import nnls

        roots = np.sqrt(self.shares)
        system = (roots / chances)[:, None] * self.rows - 2.0 * roots[:, None]
        inputs = system.shape[1]
        try:
            solution, _ = nnls(np.vstack([system, np.ones(inputs)]), np.append(np.zeros(len(system)), 1.0))
        except RuntimeError:  # it did not finish; EM goes on alone
            return None
        total = float(solution.sum())
        return solution / total if total > 0 and math.isfinite(total) else None


def normalised(weights: Vector) -> Vector:
    """Scale a vector to sum to 1, with what rounding left below 0 cut off."""
    kept = np.maximum(weights, 0.0)
    scaled: Vector = kept / kept.sum()
    return scaled

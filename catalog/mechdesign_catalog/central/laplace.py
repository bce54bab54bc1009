"""Laplace noise on every count."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mechdesign_catalog.central.baseline import SENSITIVITY, Counts, EqualBase, checked_counts
from mechdesign_catalog.central.opendp_ import opendp, private
from mechdesign_catalog.randomizers.reports.probabilities import Floats


@dataclass(frozen=True)
class Laplace(EqualBase):
    """Laplace noise: `count + Lap(2/eps)` for each item; epsilon-DP (Dwork, McSherry, Nissim, Smith, TCC 2006).

    >>> from mechdesign.problem.privacy import Privacy
    >>> Laplace(Privacy(epsilon=1)).variance(np.array([5, 0])).tolist()
    [8.0, 8.0]
    """

    name: ClassVar[str] = "laplace"

    def simulate(self, counts: Counts, generator: np.random.Generator) -> Floats:
        """Draw noisy counts with floats."""
        counts = checked_counts(counts)
        return counts + generator.laplace(scale=self.scale, size=len(counts))

    def release(self, counts: Counts) -> Floats:
        """Release noisy counts through OpenDP."""
        values = checked_counts(counts).astype(np.float64)
        return np.array(self.measurement()(values.tolist()), dtype=np.float64)

    def measurement(self) -> Any:
        """Make OpenDP's measurement for the distance 2.0; its `map` says what it loses."""
        dp = opendp()
        space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l1_distance(T=float)
        return private(lambda scale: dp.m.make_laplace(*space, scale), float(SENSITIVITY), self.privacy.budget)

    @property
    def item_variance(self) -> float:
        """Variance of each result, `2 (2/eps)^2 = 8/eps^2`."""
        return 2 * self.scale**2

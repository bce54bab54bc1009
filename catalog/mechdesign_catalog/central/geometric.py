"""Two-sided geometric noise on every count: whole numbers stay whole."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mechdesign_catalog.central.baseline import SENSITIVITY, Counts, EqualBase, checked_counts
from mechdesign_catalog.central.opendp_ import WHOLE, opendp, private
from mechdesign_catalog.randomizers.reports.probabilities import Floats


@dataclass(frozen=True)
class Geometric(EqualBase):
    """Two-sided geometric noise: `count + Z` with `Pr[Z = z] = (1-a)/(1+a) a^|z|`, `a = e^(-eps/2)`; epsilon-DP.

    Ghosh, Roughgarden, Sundararajan, STOC 2009, not truncated; also called discrete Laplace.

    >>> from mechdesign.problem.privacy import Privacy
    >>> Geometric(Privacy(epsilon=1)).variance(np.array([5, 0])).round(4).tolist()
    [7.8354, 7.8354]
    """

    name: ClassVar[str] = "geometric"

    def simulate(self, counts: Counts, generator: np.random.Generator) -> Floats:
        """Draw noisy counts with floats: Z is the difference of two geometric numbers."""
        counts = checked_counts(counts)
        success = -math.expm1(-1 / self.scale)
        plus, minus = generator.geometric(success, size=(2, len(counts)))
        noisy: Floats = (counts + plus - minus).astype(np.float64)
        return noisy

    def release(self, counts: Counts) -> Floats:
        """Release noisy counts through OpenDP."""
        return np.array(self.measurement()(checked_counts(counts).tolist()), dtype=np.float64)

    def measurement(self) -> Any:
        """Make OpenDP's measurement for the distance 2; its `map` says what it loses."""
        dp = opendp()
        space = dp.vector_domain(dp.atom_domain(T=WHOLE)), dp.l1_distance(T=WHOLE)
        return private(lambda scale: dp.m.make_geometric(*space, scale), SENSITIVITY, self.privacy.budget)

    @property
    def item_variance(self) -> float:
        """Variance of each result, `2 a / (1-a)^2 = 1 / (2 sinh(eps/4)^2)`."""
        return 1 / (2 * math.sinh(1 / (2 * self.scale)) ** 2)

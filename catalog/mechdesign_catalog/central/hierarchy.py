"""Laplace noise on the nodes of a tree, whose counts are then made consistent."""

import itertools
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from mechdesign.errors import InputError
from mechdesign_catalog.central.baseline import Counts
from mechdesign_catalog.central.contrasts import REPLACED, ContrastBaseline
from mechdesign_catalog.decoders.contrasts.side import Side
from mechdesign_catalog.decoders.planes.inference import inferred
from mechdesign_catalog.randomizers.reports.probabilities import Floats

POINT = Side(1, (1,))
"""The second side of a tree in one dimension."""


@dataclass(frozen=True)
class Hierarchy(ContrastBaseline):
    """Hierarchy of fan-out b: `Lap(s/eps)` on every node of the h levels below the root, and constrained inference.

    s is 2 h (`replaced`) or h (`added`). Hay, Rastogi, Miklau, Suciu, *Boosting the accuracy of differentially private
    histograms through consistency*, VLDB 2010; Qardaji, Yang, Li, *Understanding hierarchical methods for
    differentially private histograms*, VLDB 2013, who advise a fan-out near 16. All nodes have b children, but the root
    as few as suffice, and the last leaves may stand for no item.

    Raises:
        InputError: for a fan-out below 2.

    >>> from mechdesign.problem.privacy import Privacy
    >>> from mechdesign.workloads.ordered import Ranges
    >>> tree = Hierarchy(Privacy(epsilon=1), neighbours="added", b=16)
    >>> round(float(tree.average_variance(Ranges(256))), 2)
    79.23
    """

    b: int = 16
    name: ClassVar[str] = "central-hh"

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.b, bool) or not isinstance(self.b, int) or self.b < 2:
            raise InputError(f"b must be a whole number of at least 2, got b={self.b}")

    def side(self, k: int) -> Side:
        """Return the tree over k items."""
        if k < 2:
            raise InputError(f"counts must be of at least two items for {self.name}, got {k}")
        return Side.tree(k, self.b)

    def sensitivity(self, k: int) -> int:
        """Return 2 h or h: one node of each level changes by 1, or two do."""
        return (self.side(k).rows - 1) * (2 if self.neighbours == REPLACED else 1)

    def factors(self, k: int) -> list[Fraction]:
        """Return `1 / (m_0 + ... + m_(i-1))` for the contrast of height i; the constant's is 0 where n is public."""
        below = itertools.accumulate(self.side(k).sizes[:-1])
        found = [Fraction(1, size) for size in below]
        return [*found, Fraction(0) if self.neighbours == REPLACED else found[-1]]

    def sums_of(self, counts: Counts) -> Floats:
        """Compute the counts of all nodes below the root, leaves first."""
        side = self.side(len(counts))
        leaves = np.pad(counts.astype(np.float64), (0, side.leaves - side.items))
        return np.concatenate([leaves.reshape(-1, size).sum(axis=1) for size in side.sizes[:-1]])

    def counts_from(self, sums: Floats, k: int, users: int) -> Floats:
        """Compute the least squares estimate of the items' counts."""
        side = self.side(k)
        nodes = [side.leaves // size for size in side.sizes[:-1]]
        levels = np.split(sums, np.cumsum(nodes)[:-1])
        tables = [[level[:, None]] for level in (*levels, np.zeros(1))]
        weights = np.array([[1.0]] * len(levels) + [[0.0]])
        total = float(users) if self.neighbours == REPLACED else None
        return side.folded(inferred((side, POINT), tables, weights, total)[:, 0])

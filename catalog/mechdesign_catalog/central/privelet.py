"""Laplace noise on Haar differences."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from mechdesign.errors import InputError
from mechdesign_catalog.central.baseline import Counts
from mechdesign_catalog.central.contrasts import REPLACED, ContrastBaseline
from mechdesign_catalog.decoders.contrasts.haar import differences_of, leaves_of
from mechdesign_catalog.decoders.contrasts.side import Side
from mechdesign_catalog.randomizers.reports.probabilities import Floats


@dataclass(frozen=True)
class Privelet(ContrastBaseline):
    """Privelet: `Lap(s/eps)` on the difference of the counts of both halves of every node of a binary tree.

    s is 2 h (`replaced`), h the number of heights; with `added` the total gets noise as well, and s is h + 1. Xiao,
    Wang, Gehrke, *Differential privacy via wavelet transforms*, IEEE TKDE 2011: their coefficient is the difference
    over the number of leaves, and their weight that number, so noise is equal on differences. The number of items is
    padded to a power of two.

    >>> from mechdesign.problem.privacy import Privacy
    >>> from mechdesign.workloads.ordered import Ranges
    >>> round(float(Privelet(Privacy(epsilon=1), neighbours="added").average_variance(Ranges(1024))), 2)
    410.29
    """

    name: ClassVar[str] = "privelet"

    def side(self, k: int) -> Side:
        """Return the binary tree over k items."""
        if k < 2:
            raise InputError(f"counts must be of at least two items for {self.name}, got {k}")
        return Side(k, tuple(1 << height for height in range((k - 1).bit_length() + 1)))

    def sensitivity(self, k: int) -> int:
        """Return 2 h or h + 1: differences of one height change by 1 for each user that comes or goes."""
        heights = self.side(k).rows - 1
        return 2 * heights if self.neighbours == REPLACED else heights + 1

    def factors(self, k: int) -> list[Fraction]:
        """Return `1/2^i` for the contrast of height i, and for the constant `1/2^h`, or 0 where n is public."""
        sizes = self.side(k).sizes
        total = Fraction(0) if self.neighbours == REPLACED else Fraction(1, sizes[-1])
        return [*(Fraction(1, size) for size in sizes[1:]), total]

    def sums_of(self, counts: Counts) -> Floats:
        """Compute the differences of all nodes, of height 1 first, and the total where n is not public."""
        side = self.side(len(counts))
        found = differences_of(np.pad(counts.astype(np.float64), (0, side.leaves - side.items)))
        return np.concatenate(found if self.neighbours == REPLACED else [*found, [float(counts.sum())]])

    def counts_from(self, sums: Floats, k: int, users: int) -> Floats:
        """Compute the items' counts from their differences and the total."""
        side = self.side(k)
        nodes = [side.leaves // size for size in side.sizes[1:]]
        *differences, rest = np.split(sums, np.cumsum(nodes))
        return side.folded(leaves_of(differences, np.array([float(users)]) if self.neighbours == REPLACED else rest))

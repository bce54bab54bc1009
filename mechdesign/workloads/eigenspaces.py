"""Workloads with levels: symmetries leave a Gram matrix of a few numbers."""

from dataclasses import dataclass
from fractions import Fraction
from math import comb

from mechdesign.workloads.marginals import Marginals
from mechdesign.workloads.ordered import Histogram
from mechdesign.workloads.workload import Workload


@dataclass(frozen=True)
class Eigenspaces:
    """The centred Gram matrix `Gc = sum_j eigenvalues[j] P_j` of a workload on k items that are equally likely.

    For marginals of d attributes of two items, P_j projects on the products of j attributes' signs, j = 1..d: every
    flip of an attribute and every permutation of attributes leaves them alone. For a histogram, which every
    permutation of the items leaves alone, there is one level: all vectors of sum 0.

    Attributes:
        dimensions: of each level from 1 on.
        eigenvalues: of W'W there, whole numbers.
        flips: d where items are the tuples of d attributes of two items each, 0 for a histogram.
        diagonal: an entry of the diagonal of W'W, all of which are equal.
        mean: `p'W'W p` at `p = 1/k`.

    >>> levels = levels_of(Marginals((2, 2, 2), 2))
    >>> levels.dimensions, levels.eigenvalues
    ((3, 3, 1), (4, 2, 0))
    """

    k: int
    dimensions: tuple[int, ...]
    eigenvalues: tuple[int, ...]
    flips: int
    diagonal: int
    mean: Fraction

    @property
    def constant(self) -> Fraction:
        """What is added to `tr(Gc A^-1)` for the variance: `p'Gp - sum_u p_u G_uu`."""
        return self.mean - self.diagonal


def levels_of(workload: Workload) -> Eigenspaces | None:
    """Return the levels of a workload, None for one that has none."""
    k = workload.k
    if isinstance(workload, Marginals) and set(workload.domains) == {2}:
        d, way = len(workload.domains), workload.way
        eigenvalues = tuple((k >> way) * comb(d - j, way - j) if j <= way else 0 for j in range(1, d + 1))
        dimensions = tuple(comb(d, j) for j in range(1, d + 1))
        return Eigenspaces(k, dimensions, eigenvalues, d, comb(d, way), Fraction(comb(d, way), 1 << way))
    if k > 1 and isinstance(workload, Histogram):
        return Eigenspaces(k, (k - 1,), (1,), 0, 1, Fraction(1, k))
    return None

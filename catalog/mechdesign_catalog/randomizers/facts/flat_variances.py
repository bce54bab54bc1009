"""Variances of a workload's answers at uniform shares, mean and largest.

The oracle is on the items themselves.

Where each of k items has the share 1/k, an oracle that treats all items alike answers the query w with the variance
`(a q1^2 + b q2) / n`, `q1 = sum w`, `q2 = sum w^2` (`Moments.at_uniform_shares`). Its mean over a workload of Q queries
is `(a E(k) + b E(1)) / (n Q)`, with the energies `E(k)`, the sum of all `q1^2`, and `E(1)`, the sum of all `q2`.

A centred query, with the weights `w_v - q1/k`, has the sum 0 and the squares `q2 - q1^2/k`: b alone counts.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mechdesign.workloads.arcs import Arcs
from mechdesign.workloads.marginals import Marginals
from mechdesign.workloads.ordered import Prefixes, Ranges
from mechdesign.workloads.queries import Floats
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.randomizers.facts.moments import Moments

PART = 1 << 20
"""Queries that are looked at together."""


@dataclass(frozen=True, eq=False)
class Sizes:
    """The sizes by which queries differ for such an oracle: pairs of `sums` and `squares`."""

    sums: Floats
    squares: Floats

    @classmethod
    def of_lengths(cls, lengths: Floats) -> "Sizes":
        """Hold ranges of these lengths."""
        return cls(lengths, lengths)


def mean_at_uniform_shares(moments: Moments, workload: Workload, users: int, *, centred: bool = False) -> Fraction:
    """Compute the mean of the variances of all answers, exactly."""
    of_sums, of_squares = _factors(moments, workload.k, centred)
    total = of_sums * workload.block_energy(workload.k) + of_squares * workload.block_energy(1)
    return Fraction(total) / (users * workload.count)


def largest_at_uniform_shares(moments: Moments, workload: Workload, users: int, *, centred: bool = False) -> float:
    """Compute the largest variance of an answer, at any k for ranges and tables; others are gone through one by one."""
    factors = _factors(moments, workload.k, centred)
    sizes = _extreme_sizes(workload, *factors)
    of_sums, of_squares = map(float, factors)
    return float((of_sums * sizes.sums**2 + of_squares * sizes.squares).max()) / users


def _factors(moments: Moments, k: int, centred: bool) -> tuple[Fraction, Fraction]:
    """Return a and b, of the queries' own sums and squares."""
    of_sums, of_squares = moments.at_uniform_shares(k)
    return (-of_squares / k, of_squares) if centred else (of_sums, of_squares)


def _extreme_sizes(workload: Workload, of_sums: Fraction, of_squares: Fraction) -> Sizes:
    """Find queries among which one has the largest variance.

    In ranges of every length r it is `a r^2 + b r`: largest at an end or beside the vertex `-b / 2a`.
    """
    if not isinstance(workload, Ranges | Prefixes):
        return _all_sizes(workload)
    vertex = int(-of_squares / (2 * of_sums)) if of_sums else 0
    ends = (1, workload.k, *(min(max(length, 1), workload.k) for length in (vertex, vertex + 1)))
    return Sizes.of_lengths(np.array(ends, dtype=np.float64))


def _all_sizes(workload: Workload) -> Sizes:
    if isinstance(workload, Arcs):
        return Sizes.of_lengths(np.arange(1.0, workload.k))
    if workload.sides is not None:
        rows, columns = (np.flatnonzero(side.lengths) + 1.0 for side in workload.sides)
        return Sizes.of_lengths(np.unique(np.outer(rows, columns)))
    if isinstance(workload, Marginals):
        return Sizes.of_lengths(np.array([float(Fraction(workload.k, cells)) for cells in workload.table_sizes]))
    starts = range(0, workload.count, PART)
    parts = [workload.queries(start, min(start + PART, workload.count)) for start in starts]
    pairs = np.unique(np.concatenate([np.stack([part.sums, part.squares], axis=1) for part in parts]), axis=0)
    return Sizes(*pairs.T)

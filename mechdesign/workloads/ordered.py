"""The workloads of items in a row: single items, prefixes, and all ranges."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mechdesign.workloads.blocks import Blocks, sum_of_squares
from mechdesign.workloads.cosecants import cosecant_sum
from mechdesign.workloads.queries import Floats, Integers, Intervals, fitting
from mechdesign.workloads.workload import OrderedWorkload, Rows


@dataclass(frozen=True)
class Histogram(OrderedWorkload):
    """The workload of each item alone: k queries, W = I."""

    k: int
    name = "histogram"

    @property
    def count(self) -> int:
        """One query for each item."""
        return self.k

    def at(self, indexes: Integers) -> Intervals:
        """Return queries of single items."""
        return Intervals(self.k, indexes, indexes)

    def gram_times(self, vector: Floats) -> Floats:
        """Return the vector: W'W = I."""
        return fitting(vector, self.k).copy()

    def _gram(self) -> Rows:
        identity: Rows = np.eye(self.k, dtype=np.int64).tolist()
        return identity

    def _energy(self, blocks: Blocks) -> int:
        """Each item is in one block, with weight 1."""
        return blocks.width * blocks.count


@dataclass(frozen=True)
class Prefixes(OrderedWorkload):
    """The workload of all prefixes `0 .. i`: k queries, the whole included."""

    k: int
    name = "prefixes"

    @property
    def count(self) -> int:
        """One query for each last item."""
        return self.k

    def at(self, indexes: Integers) -> Intervals:
        """Return prefixes by their last items."""
        return Intervals(self.k, np.zeros_like(indexes), indexes)

    def singular_sum_square(self) -> Fraction:
        """Return the square of the sum of `1 / (2 sin(pi j / 2k))`, j = 1..k-1, from below.

        Without the whole, `W P = T^-1 D` with the differences D of neighbours and the second differences `T = D D'`.
        """
        return (cosecant_sum(2 * self.k, self.k - 1) / 2) ** 2

    def gram_times(self, vector: Floats) -> Floats:
        """Return `W'W x`: items u and v are together in the k - max(u, v) prefixes from the later one on."""
        x = fitting(vector, self.k)
        beyond = np.arange(self.k, 0, -1, dtype=np.float64)
        times: Floats = beyond * np.cumsum(x) + _sums_after(beyond * x)
        return times

    def _gram(self) -> Rows:
        u = np.arange(self.k)
        entries: Rows = (self.k - np.maximum(u[:, None], u)).tolist()
        return entries

    def _energy(self, blocks: Blocks) -> int:
        """A block [a, a+m) holds 1, .., m items of the prefixes that end in it, and m of the k - a - m longer ones."""
        m = blocks.width
        longer = blocks.count * (self.k - m) - blocks.starts
        return blocks.count * sum_of_squares(m + 1) + m * m * longer


@dataclass(frozen=True)
class Ranges(OrderedWorkload):
    """The workload of all ranges `a .. b`: k (k+1) / 2 queries, with single items and the whole, by a and then by b."""

    k: int
    name = "ranges"

    @property
    def count(self) -> int:
        """One query for each pair of items, first at most last."""
        return self.k * (self.k + 1) // 2

    def at(self, indexes: Integers) -> Intervals:
        """Return ranges by their numbers: those from item a on begin with number a k - a (a-1) / 2."""
        a = np.arange(self.k, dtype=np.int64)
        begins = a * self.k - a * (a - 1) // 2
        first = np.searchsorted(begins, indexes, side="right") - 1
        return Intervals(self.k, first, first + indexes - begins[first])

    def singular_sum_square(self) -> Fraction:
        """Return the square of the sum of `sqrt(k+1) / (2 sin x)`, from below, over these angles.

        They are `pi j / k`, j < k/2, of vectors that a reflection leaves alone, and `pi j / (k+1)`, j <= k/2, of those
        that it turns.
        """
        k = self.k
        return (k + 1) * ((cosecant_sum(k, (k - 1) // 2) + cosecant_sum(k + 1, k // 2)) / 2) ** 2

    def gram_times(self, vector: Floats) -> Floats:
        """Return `W'W x`: items u <= v are together in the (u + 1)(k - v) ranges around both."""
        return ranges_gram_times(fitting(vector, self.k))

    def _gram(self) -> Rows:
        u = np.arange(self.k)
        entries: Rows = ((np.minimum(u[:, None], u) + 1) * (self.k - np.maximum(u[:, None], u))).tolist()
        return entries

    def _energy(self, blocks: Blocks) -> int:
        """Count by what a range has of a block [a, a+m): L = a items lie before it, R = k - a - m after it.

        A part inside belongs to one range, a part from the first item on to L + 1, one up to the last to R + 1, the
        whole block to (L + 1)(R + 1). Parts of all places weigh m (m+1)^2 (m+2) / 12, and L + R = k - m.
        """
        m, outside = blocks.width, self.k - blocks.width
        inside = m * (m + 1) ** 2 * (m + 2) // 12
        around = blocks.starts * outside - blocks.squared_starts
        return blocks.count * (inside + outside * sum_of_squares(m + 1)) + m * m * around


def ranges_gram_times(vectors: Floats) -> Floats:
    """Return `W'W x` of all ranges for vectors along the last axis."""
    k = vectors.shape[-1]
    before, beyond = np.arange(1.0, k + 1), np.arange(k, 0, -1, dtype=np.float64)
    times: Floats = beyond * np.cumsum(before * vectors, axis=-1) + before * _sums_after(beyond * vectors)
    return times


def _sums_after(vectors: Floats) -> Floats:
    """Return for each place of the last axis the sum of the numbers after it."""
    after = np.zeros_like(vectors)
    after[..., :-1] = np.cumsum(vectors[..., :0:-1], axis=-1)[..., ::-1]
    return after

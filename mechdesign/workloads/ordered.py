"""The workloads of items in a row: single items, prefixes, and all ranges."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mechdesign.workloads.blocks import Blocks, sum_of_first, sum_of_squares
from mechdesign.workloads.cosecants import cosecant_sum
from mechdesign.workloads.queries import Floats, Integers, Intervals
from mechdesign.workloads.spectrum import Spectrum, sines
from mechdesign.workloads.workload import OrderedWorkload


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

    @property
    def lengths(self) -> Floats:
        """All have one item."""
        return np.append(float(self.k), np.zeros(self.k - 1))

    @property
    def spectrum(self) -> Spectrum:
        """All eigenvalues are 1, one of them that of the ones."""
        return np.ones(self.k), np.eye(1, self.k)[0]

    def gram_times_each(self, vectors: Floats) -> Floats:
        """Return the vectors: W'W = I."""
        return vectors.copy()

    def together(self, u: Integers, v: Integers) -> Integers:
        """Return whether they are one item."""
        return np.asarray(u == v, dtype=np.int64)

    def from_start(self, short: int, long: int) -> int:
        """Return the items of the short block, which are in both."""
        return min(short, long)

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

    @property
    def lengths(self) -> Floats:
        """One has each length."""
        return np.ones(self.k)

    @property
    def spectrum(self) -> Spectrum:
        """`1 / (4 sin^2 x)`, x = (2i - 1) pi / (4k + 2), belongs to all `cos((2u + 1) x)`, i = 1..k.

        The ones have the share `cot^2 x / (k (2k + 1))`.
        """
        k = self.k
        below, beside = sines(range(1, 2 * k, 2), 4 * k + 2), sines(range(2 * k, 0, -2), 4 * k + 2)
        return 1 / (2 * below) ** 2, (beside / below) ** 2 / (k * (2 * k + 1.0))

    def gram_times_each(self, vectors: Floats) -> Floats:
        """Return `W'W x`, by the places where two items are together."""
        beyond = np.arange(self.k, 0, -1, dtype=np.float64)
        times: Floats = beyond * np.cumsum(vectors, axis=-1) + _sums_after(beyond * vectors)
        return times

    def together(self, u: Integers, v: Integers) -> Integers:
        """Count the k - max(u, v) prefixes from the later item on."""
        found: Integers = self.k - np.maximum(u, v)
        return found

    def from_start(self, short: int, long: int) -> int:
        """Add up prefixes of 1, .., short items, which have as many of both blocks, and longer ones."""
        beyond = sum_of_first(long + 1) - sum_of_first(short + 1) + (self.k - long) * long
        return sum_of_squares(short + 1) + short * beyond

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

    @property
    def lengths(self) -> Floats:
        """One of k items, two of k - 1, and so on."""
        return np.arange(self.k, 0, -1, dtype=np.float64)

    @property
    def spectrum(self) -> Spectrum:
        """`(k+1) / (4 sin^2 x_i)`, `x_i = pi i / (2k + 2)`, belongs to all `sin(2 i u x_1)`, i = 1..k.

        The ones have the share `2 cot^2(x_i) / (k (k+1))` for odd i, and none for even ones.
        """
        k = self.k
        below = sines(range(1, k + 1), 2 * k + 2)
        shares = np.where(np.arange(k) % 2, 0.0, 2 / (k * (k + 1.0)) * (below[::-1] / below) ** 2)
        return (k + 1) / (2 * below) ** 2, shares

    def gram_times_each(self, vectors: Floats) -> Floats:
        """Return `W'W x`, by the places where two items are together."""
        before, beyond = np.arange(1.0, self.k + 1), np.arange(self.k, 0, -1, dtype=np.float64)
        times: Floats = beyond * np.cumsum(before * vectors, axis=-1) + before * _sums_after(beyond * vectors)
        return times

    def together(self, u: Integers, v: Integers) -> Integers:
        """Count the (u + 1)(k - v) ranges around items u <= v."""
        found: Integers = (np.minimum(u, v) + 1) * (self.k - np.maximum(u, v))
        return found

    def from_start(self, short: int, long: int) -> int:
        """Add up pairs of the short block, which count twice, and pairs of one in it and one beyond it."""
        k = self.k
        squares = sum_of_squares(short + 1)
        within = short * (short + 1) ** 2 * (short + 2) // 12 + (k - short) * squares
        return within + sum_of_first(short + 1) * (sum_of_first(k - short + 1) - sum_of_first(k - long + 1))

    def _energy(self, blocks: Blocks) -> int:
        """Count by what a range has of a block [a, a+m): L = a items lie before it, R = k - a - m after it.

        A part inside belongs to one range, a part from the first item on to L + 1, one up to the last to R + 1, the
        whole block to (L + 1)(R + 1). Parts of all places weigh m (m+1)^2 (m+2) / 12, and L + R = k - m.
        """
        m, outside = blocks.width, self.k - blocks.width
        inside = m * (m + 1) ** 2 * (m + 2) // 12
        around = blocks.starts * outside - blocks.squared_starts
        return blocks.count * (inside + outside * sum_of_squares(m + 1)) + m * m * around


def _sums_after(vectors: Floats) -> Floats:
    """Return for each place of the last axis the sum of the numbers after it."""
    after = np.zeros_like(vectors)
    after[..., :-1] = np.cumsum(vectors[..., :0:-1], axis=-1)[..., ::-1]
    return after

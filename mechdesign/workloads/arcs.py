"""The workload of all arcs of items on a circle, such as hours of a day, and its queries."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mechdesign.arguments import parse_fields
from mechdesign.errors import InputError
from mechdesign.workloads.blocks import Blocks, sum_of_first, sum_of_squares
from mechdesign.workloads.cosecants import cosecant_sum
from mechdesign.workloads.queries import (
    Floats,
    Indicators,
    Integers,
    fitting,
    frozen,
    integers_in_a_row,
    require_writable_matrix,
    running_sums,
)
from mechdesign.workloads.spectrum import Spectrum, sines
from mechdesign.workloads.workload import OrderedWorkload


@dataclass(frozen=True, eq=False)
class ArcQueries(Indicators):
    """Queries that sum `lengths[i]` items from `first[i]` on, of k on a circle: item 0 follows item k-1.

    Raises:
        InputError: for arcs that begin at no item, or are not of 1 to k items; the query is named.
    """

    k: int
    first: Integers
    lengths: Integers

    def __post_init__(self) -> None:
        """Check the arcs."""
        parse_fields(self)
        first, lengths = (integers_in_a_row(getattr(self, name), name) for name in ("first", "lengths"))
        if len(first) != len(lengths):
            raise InputError(f"each arc must have a first item and a length, got {len(first)} and {len(lengths)}")
        outside = (first < 0) | (first >= self.k) | (lengths < 1) | (lengths > self.k)
        if outside.any():
            query = int(np.argmax(outside))
            got = f"{lengths[query]} from {first[query]} in query {query}"
            raise InputError(f"an arc must have 1 to {self.k} items from one of 0..{self.k - 1} on, got {got}")
        object.__setattr__(self, "first", first)
        object.__setattr__(self, "lengths", lengths)

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self.first)

    def __getitem__(self, part: slice) -> "ArcQueries":
        """Return some of the queries, in their order."""
        return ArcQueries(self.k, self.first[part], self.lengths[part])

    @property
    def ends(self) -> Integers:
        """The item after the last of each arc, counted on from the first: at most 2k - 1."""
        return frozen(self.first + self.lengths)

    def apply(self, vector: Floats) -> Floats:
        """Return the sum over each arc, as differences of running sums over one round, and what goes beyond it."""
        running = running_sums(fitting(vector, self.k))
        rounds, rest = np.divmod(self.ends, self.k)
        answers: Floats = running[rest] - running[self.first] + rounds * running[-1]
        return answers

    @property
    def sums(self) -> Floats:
        """The lengths of the arcs, in items."""
        return self.lengths.astype(np.float64)

    def weights(self) -> Floats:
        """Return the zeros and ones, q x k."""
        require_writable_matrix(len(self), self.k)
        return ((np.arange(self.k) - self.first[:, None]) % self.k < self.lengths[:, None]).astype(np.float64)


@dataclass(frozen=True)
class Arcs(OrderedWorkload):
    """The workload of all arcs of 1 to k-1 of k items on a circle: k (k-1) queries, by first items and then by lengths.

    The whole circle is left out; its share is known.
    """

    k: int
    name = "circular"

    def __post_init__(self) -> None:
        """Check k."""
        super().__post_init__()
        if self.k < 2:
            raise InputError(f"circular must have at least 2 items, got k={self.k}")

    @property
    def count(self) -> int:
        """One query for each first item and each length."""
        return self.k * (self.k - 1)

    def at(self, indexes: Integers) -> ArcQueries:
        """Return arcs by their numbers."""
        first, length = np.divmod(indexes, self.k - 1)
        return ArcQueries(self.k, first, length + 1)

    def singular_sum_square(self) -> Fraction:
        """Return the square of the sum of `sqrt(k/2) / sin(pi j / k)`, j = 1..k-1, from below."""
        once = cosecant_sum(self.k, (self.k - 1) // 2)
        return Fraction(self.k, 2) * (2 * once + (1 - self.k % 2)) ** 2

    @property
    def lengths(self) -> Floats:
        """As many as items have each length but that of the whole circle."""
        return np.append(np.full(self.k - 1, float(self.k)), 0.0)

    def gram_times_each(self, vectors: Floats) -> Floats:
        """Return `W'W x`, by the distances at which two items are together."""
        item = np.arange(self.k, dtype=np.float64)
        total, first, second = (vectors @ power[:, None] for power in (np.ones(self.k), item, item * item))
        apart = item * (2 * np.cumsum(vectors, axis=-1) - total) - 2 * np.cumsum(item * vectors, axis=-1) + first
        apart_squared = item * item * total - 2 * item * first + second
        times: Floats = self.k * (self.k - 1) / 2 * total - self.k * apart + apart_squared
        return times

    @property
    def spectrum(self) -> Spectrum:
        """`1^2 + .. + (k-1)^2` belongs to the ones, `k / (2 sin^2(pi j / k))` to the frequencies j of the circle."""
        whole = (self.k - 1) * self.k * (2 * self.k - 1) // 6
        others = self.k / 2 / sines(range(1, self.k), self.k) ** 2
        return np.append(float(whole), others), np.eye(1, self.k)[0]

    def together(self, u: Integers, v: Integers) -> Integers:
        """Count the `k (k-1) / 2 - d (k - d)` arcs that hold both of two items d apart."""
        apart = np.abs(u - v)
        found: Integers = self.k * (self.k - 1) // 2 - apart * (self.k - apart)
        return found

    def from_start(self, short: int, long: int) -> int:
        """Add up the distances of all pairs, and their squares."""
        one, two = sum_of_first(short), sum_of_first(long)
        apart = short * (short**2 - 1) // 3 + short * (two - one) - (long - short) * one
        squared = long * sum_of_squares(short) - 2 * one * two + short * sum_of_squares(long)
        return short * long * self.k * (self.k - 1) // 2 - self.k * apart + squared

    def _energy(self, blocks: Blocks) -> int:
        """A block's pairs of items are apart by `m (m^2 - 1) / 3` in all, and by `m^2 (m^2 - 1) / 6` in squares."""
        k, m = self.k, blocks.width
        pairs = m * m * k * (k - 1) // 2
        return blocks.count * (pairs - k * (m * (m * m - 1) // 3) + m * m * (m * m - 1) // 6)


def spectrum(k: int) -> Floats:
    """Return the eigenvalues `k / (2 sin^2(pi j / k))` of W'W for the frequencies j = 1 .. k//2 of the circle."""
    eigenvalues: Floats = k / 2 / np.sin(np.pi * np.arange(1, k // 2 + 1) / k) ** 2
    return eigenvalues

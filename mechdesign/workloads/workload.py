"""The workload: a finite set of linear queries on k items, in a fixed order, with a name.

A workload is the matrix W with a row of k weights for each query. No such matrix is written down: all that designs and
comparisons need of it is stated in closed form, in integers or fractions where averages are formed.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from mechdesign.arguments import checked
from mechdesign.errors import InputError
from mechdesign.workloads.blocks import Blocks, partition, tiles
from mechdesign.workloads.queries import Floats, Integers, Queries, fitting
from mechdesign.workloads.spectrum import Spectrum

Exact = int | Fraction
Rows = Sequence[Sequence[Exact]]

LARGEST_K = 1 << 30
MOST_ANSWERS = 1 << 24
"""Queries that are written down at once."""

LARGEST_GRAM = 1 << 11
"""Items up to which the exact Gram matrix is written down: 4 million integers."""


class Workload(ABC):
    """The interface of a workload, and derive what is the same for all.

    A subclass is a frozen dataclass with the field `k`; it states `name`, `count`, `at`, `gram_times`, `gram` and the
    energy over a partition.
    """

    k: int

    @property
    @abstractmethod
    def name(self) -> str:
        """The text that reads back as this workload."""

    @property
    @abstractmethod
    def count(self) -> int:
        """How many queries it has."""

    @property
    def described(self) -> str:
        """How many queries it has, and its name."""
        return f"{self.count:,} {'query' if self.count == 1 else 'queries'} ({self.name})"

    @abstractmethod
    def at(self, indexes: Integers) -> Queries:
        """Return the queries of some numbers `0 .. count-1`."""

    @abstractmethod
    def gram_times(self, vector: Floats) -> Floats:
        """Return `W'W x` in O(k) steps, for a vector of k numbers."""

    @abstractmethod
    def _gram(self) -> Rows:
        """Return `W'W`, for k up to `LARGEST_GRAM`."""

    @abstractmethod
    def block_energy(self, size: int) -> Exact:
        """Return the energy over the tiles `[0, size), [size, 2 size), ..` of which the last may be shorter.

        The energy over a partition of the items is the sum, over all queries and all blocks, of the square of the
        query's sum of weights in the block. For size 1 it is the trace of W'W; for k or more, the sum of squared row
        sums. It is exact at any k.

        Raises:
            InputError: for a size that is no whole number of at least 1.
        """

    @abstractmethod
    def energy(self, edges: ArrayLike) -> Exact:
        """Return the energy over the blocks `[e_0, e_1), [e_1, e_2), ..`, as `block_energy` defines it, exactly.

        Raises:
            InputError: for edges that do not increase from 0 to k.
        """

    def singular_sum_square(self) -> Fraction | None:
        """Return a lower bound of the square of the sum of the singular values of WP, by a formula for any k.

        P takes the mean of each query's weights away. None where no formula is known.
        """
        return None

    @property
    def sides(self) -> tuple["OrderedWorkload", "OrderedWorkload"] | None:
        """The workloads on rows and on columns whose product this one is, None for workloads in one dimension."""
        return None

    @checked
    def queries(self, start: int = 0, stop: int | None = None) -> Queries:
        """Return the queries of the numbers `start .. stop-1`, all by default.

        Raises:
            InputError: for numbers that no query has, or more than `MOST_ANSWERS` queries at once.
        """
        end = self.count if stop is None else stop
        if not 0 <= start <= end <= self.count:
            raise InputError(f"queries must be some of 0..{self.count - 1}, got {start}..{end - 1}")
        if end - start > MOST_ANSWERS:
            raise InputError(f"queries must be at most {MOST_ANSWERS} at once, got {end - start} of {self.name}")
        return self.at(np.arange(start, end, dtype=np.int64))

    def sample(self, count: int, generator: np.random.Generator) -> Queries:
        """Draw queries uniformly, with replacement; for simulations."""
        return self.at(generator.integers(0, self.count, size=count))

    @checked
    def answers(self, vector: Floats) -> Floats:
        """Return the answers to all queries on a vector of k numbers.

        Raises:
            InputError: for more than `MOST_ANSWERS` queries; ask for parts by `queries`.
        """
        return self.queries().apply(vector)

    def gram(self) -> Rows:
        """Return the matrix `W'W`, exact.

        Raises:
            InputError: for more than `LARGEST_GRAM` items; `gram_times` serves any number.
        """
        if self.k > LARGEST_GRAM:
            raise InputError(f"k must be at most {LARGEST_GRAM} for a Gram matrix to be written down, got k={self.k}")
        return self._gram()


class OrderedWorkload(Workload):
    """A workload of items in a row or on a circle, each of whose queries is a run of items.

    Its energies follow from the sums of a partition; it may be a side of a table.
    """

    def __post_init__(self) -> None:
        """Check k."""
        require_items(self.k)

    @abstractmethod
    def _energy(self, blocks: Blocks) -> int:
        """Return the energy over blocks of one width."""

    @property
    @abstractmethod
    def lengths(self) -> Floats:
        """How many queries have 1, 2, .., k items."""

    @abstractmethod
    def together(self, u: Integers, v: Integers) -> Integers:
        """Return how many queries hold both of two items, elementwise: the entries of `W'W`."""

    @abstractmethod
    def from_start(self, short: int, long: int) -> int:
        """Return the sum over all queries of (items in `[0, short)`) x (items in `[0, long)`), short <= long."""

    @property
    @abstractmethod
    def spectrum(self) -> Spectrum:
        """The eigenvalues of `W'W` and the shares of the ones, each within 12 units of 2^-53 of itself."""

    @abstractmethod
    def gram_times_each(self, vectors: Floats) -> Floats:
        """Return `W'W x` for vectors along the last axis."""

    def gram_times(self, vector: Floats) -> Floats:
        """Return `W'W x` for one vector."""
        return self.gram_times_each(fitting(vector, self.k))

    def _gram(self) -> Rows:
        item = np.arange(self.k)
        entries: Rows = self.together(item[:, None], item).tolist()
        return entries

    def block_energy(self, size: int) -> int:
        """Return the energy over tiles of one size in a number of steps that does not grow with k."""
        return sum(map(self._energy, tiles(self.k, size)))

    def energy(self, edges: ArrayLike) -> int:
        """Return the energy over any partition."""
        return sum(map(self._energy, partition(self.k, edges)))


def require_items(k: int) -> None:
    """Refuse a number of items that no workload has.

    Raises:
        InputError: for what is no whole number in 1 .. 2^30.
    """
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= LARGEST_K:
        raise InputError(f"k must be a whole number from 1 to 2^30 for a workload, got k={k}")

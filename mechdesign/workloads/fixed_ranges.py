"""The workload of all ranges of one length."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mechdesign.errors import InputError
from mechdesign.workloads.blocks import require_edges, require_size, sum_of_squares
from mechdesign.workloads.queries import Floats, Integers, Intervals, fitting, running_sums
from mechdesign.workloads.workload import Rows, Workload, require_items

EXACT_IN_64_BITS = 1 << 20
"""Items up to which energies, at most k^3, fit 64 bits with all that leads to them."""


@dataclass(frozen=True)
class FixedRanges(Workload):
    """The workload of all ranges of exactly `length` items: k - length + 1 queries, by their first items."""

    k: int
    length: int

    def __post_init__(self) -> None:
        """Check k and the length."""
        require_items(self.k)
        if not 1 <= self.length <= self.k:
            raise InputError(f"ranges:L must have L from 1 to k = {self.k}, got L={self.length}")

    @property
    def name(self) -> str:
        """The text `ranges:L`."""
        return f"ranges:{self.length}"

    @property
    def count(self) -> int:
        """One query for each first item."""
        return self.k - self.length + 1

    def at(self, indexes: Integers) -> Intervals:
        """Return ranges by their first items."""
        return Intervals(self.k, indexes, indexes + self.length - 1)

    def gram_times(self, vector: Floats) -> Floats:
        """Return `W'W x`: sums over windows, and for each item the sum over the windows that hold it."""
        running = running_sums(fitting(vector, self.k))
        windows = running_sums(running[self.length :] - running[: self.count])
        item = np.arange(self.k)
        times: Floats = windows[np.minimum(item + 1, self.count)] - windows[np.maximum(item - self.length + 1, 0)]
        return times

    def _gram(self) -> Rows:
        u = np.arange(self.k)
        low, high = np.minimum(u[:, None], u), np.maximum(u[:, None], u)
        starts = np.minimum(low, self.count - 1) - np.maximum(high - self.length + 1, 0) + 1
        entries: Rows = np.maximum(starts, 0).tolist()
        return entries

    def block_energy(self, size: int) -> int:
        """Return the energy over tiles in a number of steps that does not grow with k.

        A range's parts depend only on how far in its tile it starts, so whole rounds of starts have one energy.
        """
        size = min(require_size(size), self.k)
        rounds, rest = divmod(self.count, size)
        return rounds * self._energy_of_offsets(size, size) + self._energy_of_offsets(size, rest)

    def _energy_of_offsets(self, size: int, stop: int) -> int:
        """Add up the energies of ranges that start 0, 1, .., stop-1 items after a tile's first item, stop <= size.

        From offset f on, L <= size items reach the next tile where f > size - L: they are cut in size - f and the rest.
        Longer ranges have size - f items in the first tile, whole tiles, and a rest, which from some f on fills one
        more tile.
        """
        if self.length <= size:
            inside = min(stop, size - self.length + 1)
            heads = _squares(size - stop + 1, size - inside + 1)
            tails = _squares(inside + self.length - size, stop + self.length - size)
            return int(inside * self.length**2 + heads + tails)
        whole, rest = divmod(self.length - size, size)
        turn = min(stop, size - rest)
        heads = _squares(size - stop + 1, size + 1)
        tails = _squares(rest, rest + turn) + _squares(rest + turn - size, rest + stop - size)
        return int(heads + tails + size**2 * (whole * stop + stop - turn))

    def energy(self, edges: ArrayLike) -> int:
        """Return the energy over any partition, block by block."""
        at = require_edges(self.k, edges).astype(np.int64 if self.k <= EXACT_IN_64_BITS else object)
        return int(self._energies(at[:-1], at[1:]).sum())

    def _energies(self, a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
        """Return the energy of each block [a, b).

        As the first item of a range moves on, what the range has of the block grows by one item each, stays, and
        shrinks by one; starts before 0 and after k - L are missing.
        """
        from_, to = np.maximum(a - self.length + 1, 0), np.minimum(b, self.count)
        full, over = np.minimum(a, b - self.length), np.maximum(a, b - self.length)
        grown = np.clip(full, from_, to)
        shrinking = np.clip(over + 1, from_, to)
        growing = _squares(from_ + self.length - a, grown + self.length - a)
        staying = np.minimum(b - a, self.length) ** 2 * (shrinking - grown)
        energies: NDArray[Any] = growing + staying + _squares(b - to + 1, b - shrinking + 1)
        return energies


def _squares(start: Any, stop: Any) -> Any:
    """Return `start^2 + .. + (stop - 1)^2`, 0 where they are equal; elementwise for arrays."""
    return sum_of_squares(stop) - sum_of_squares(start)

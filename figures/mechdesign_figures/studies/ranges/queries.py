"""The queries of the published averages: ranges that begin at a multiple of a step."""

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mechdesign.workloads.blocks import require_edges, require_size
from mechdesign.workloads.queries import Floats, Integers, Intervals
from mechdesign.workloads.workload import Rows, Workload


@dataclass(frozen=True)
class RangesFrom(Workload):
    """All ranges of k items that begin at a multiple of `step`, by beginning and then by end.

    Energies are sums over beginnings of closed forms: O(k / step) integers.
    """

    k: int
    step: int

    @property
    def name(self) -> str:
        """What is asked, and the step."""
        return f"ranges from every {self.step}"

    @property
    def count(self) -> int:
        """`k - a` ranges begin at item a."""
        return sum(self.k - start for start in self.starts)

    @property
    def starts(self) -> range:
        """Where ranges begin."""
        return range(0, self.k, self.step)

    def at(self, indexes: Integers) -> Intervals:
        """Return ranges by their numbers."""
        starts = np.array(self.starts)
        begins = np.concatenate([[0], np.cumsum(self.k - starts)[:-1]])
        which = np.searchsorted(begins, indexes, side="right") - 1
        return Intervals(self.k, starts[which], starts[which] + indexes - begins[which])

    def gram_times(self, vector: Floats) -> Floats:
        """Return `W'W x`: items u <= v are together in `(u // step + 1) (k - v)` ranges."""
        before, beyond = self._around()
        times = np.cumsum(before * vector) * beyond
        after = np.cumsum((beyond * vector)[::-1])[::-1] - beyond * vector
        return np.asarray(times + before * after)

    def _around(self) -> tuple[Floats, Floats]:
        items = np.arange(self.k)
        return np.asarray(items // self.step + 1.0), np.asarray(self.k - items, dtype=np.float64)

    def _gram(self) -> Rows:
        u = np.arange(self.k)
        entries: Rows = ((np.minimum(u[:, None], u) // self.step + 1) * (self.k - np.maximum(u[:, None], u))).tolist()
        return entries

    def block_energy(self, size: int) -> int:
        """Return the energy over tiles: that of ranges from one beginning does not depend on the number of tiles."""
        return sum(_energy_from(start, self.k, require_size(size)) for start in self.starts)

    def energy(self, edges: ArrayLike) -> int:
        """Return the energy over any partition, beginning by beginning and block by block."""
        ends = require_edges(self.k, edges)[1:].tolist()
        total = 0
        for start in self.starts:
            within = [start, *(end for end in ends if end > start)]
            total += sum(_block(end - begin, self.k - end) for begin, end in itertools.pairwise(within))
        return total


def _energy_from(start: int, k: int, size: int) -> int:
    """For the ranges from `start`: the rest of the tile that it lies in, full ones after it, the short last one."""
    end = min((start // size + 1) * size, k)
    full, rest = divmod(k - end, size)
    ends_after = full * (k - end) - size * (full * (full + 1) // 2)
    return _block(end - start, k - end) + full * _block(size, 0) + size**2 * ends_after + _block(rest, 0)


def _block(width: int, longer: int) -> int:
    """Of a block, `1, 2, .., width` items are in the ranges that end in it, all of it in `longer` more."""
    return width * (width + 1) * (2 * width + 1) // 6 + width**2 * longer

"""Neighbouring inputs, as a graph with distances.

A mechanism is alpha-DP on a graph of neighbouring inputs when `P[i,j] >= alpha^d P[i,l]` and
`P[i,l] >= alpha^d P[i,j]` for every output i and every edge (j, l) of length d. Counts use the path 0 - 1 - ... - n
(adding or changing one person moves a count by at most 1), the local model the complete graph, limited precision a
band, a metric its distances; everything else that the studio does with privacy is written once, for graphs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Weights = Sequence[Sequence[int]]
"""`weights[i][j]`: nonnegative integers over one denominator, output i, input j."""

Edge = tuple[int, int, int]
"""(j, l, d): inputs j < l are neighbours of length d."""

Lengths = NDArray[np.int64]
FAR = 1 << 40


@dataclass(frozen=True)
class NeighbourGraph:
    """An undirected graph on the inputs `0 .. size-1`; `edges` has each (j, l, d) with j < l once.

    `edges` None stands for all pairs with d = 1, which large domains could not list.
    """

    name: str
    size: int
    edges: tuple[Edge, ...] | None

    @classmethod
    def path(cls, size: int) -> "NeighbourGraph":
        """Make the graph of counts: inputs j and j+1 are neighbours."""
        return cls("path", size, tuple((j, j + 1, 1) for j in range(size - 1)))

    @classmethod
    def complete(cls, size: int) -> "NeighbourGraph":
        """Make the graph of the local model: any two inputs are neighbours."""
        return cls.path(size) if size == 2 else cls("complete", size, None)

    @classmethod
    def band(cls, size: int, radius: int) -> "NeighbourGraph":
        """Make the graph of limited precision: inputs are neighbours up to `radius` apart."""
        if radius == 1 or radius >= size - 1:
            return cls.path(size) if radius == 1 else cls.complete(size)
        return cls("band", size, tuple((j, k, 1) for j in range(size) for k in range(j + 1, min(size, j + radius + 1))))

    @classmethod
    def metric(cls, lengths: Lengths) -> "NeighbourGraph":
        """Make the graph of integer lengths with the triangle inequality; edges that it implies are left out.

        `alpha^d(j,l)` follows from `alpha^d(j,m) alpha^d(m,l)` where m lies between: d(j,l) = d(j,m) + d(m,l).
        """
        size = len(lengths)
        implied = np.zeros((size, size), dtype=bool)
        for m in range(size):
            through = (lengths[:, m, None] + lengths[None, m, :]) == lengths
            through[m, :] = through[:, m] = False
            implied |= through
        kept = np.argwhere(np.triu(~implied, 1)).tolist()
        if len(kept) == size * (size - 1) // 2 and (lengths[np.triu_indices(size, 1)] == 1).all():
            return cls.complete(size)
        return cls("metric", size, tuple((j, k, int(lengths[j, k])) for j, k in kept))

    @cached_property
    def is_path(self) -> bool:
        """Whether the edges are exactly (j, j+1), of any length."""
        return self.edges is not None and [edge[:2] for edge in self.edges] == [
            (j, j + 1) for j in range(self.size - 1)
        ]

    @cached_property
    def radius(self) -> int:
        """The largest number of steps between neighbours on a path or a band; 0 for other graphs."""
        if self.name not in ("path", "band") or self.edges is None:
            return 0
        return max((k - j for j, k, _ in self.edges), default=1)

    @property
    def is_complete(self) -> bool:
        """Whether all pairs are neighbours of length 1."""
        return self.edges is None

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return self.size * (self.size - 1) // 2 if self.edges is None else len(self.edges)

    @property
    def is_symmetric(self) -> bool:
        """Whether the graph stays the same under j -> size-1-j."""
        if self.edges is None or self.name in ("path", "band"):
            return True
        last = self.size - 1
        return {(last - k, last - j, d) for j, k, d in self.edges} == set(self.edges)

    def edge_arrays(self) -> tuple[Lengths, Lengths, Lengths]:
        """Return first input, second input and length of every edge, as arrays."""
        if self.edges is None:
            first, second = (array.astype(np.int64) for array in np.triu_indices(self.size, 1))
            return first, second, np.ones(len(first), dtype=np.int64)
        table = np.array(self.edges, dtype=np.int64).reshape(-1, 3)
        return table[:, 0], table[:, 1], table[:, 2]

    @cached_property
    def distances(self) -> Lengths:
        """The length of the shortest way between any two inputs, shape (size, size).

        Privacy gives `P[i,j] >= alpha^distance P[i,l]`.
        """
        if self.edges is None:
            return 1 - np.eye(self.size, dtype=np.int64)
        if self.name in ("path", "band"):
            apart = np.abs(np.subtract.outer(np.arange(self.size), np.arange(self.size)))
            return -(-apart // self.radius)
        lengths = np.full((self.size, self.size), FAR, dtype=np.int64)
        first, second, steps = self.edge_arrays()
        lengths[first, second] = lengths[second, first] = steps
        np.fill_diagonal(lengths, 0)
        return shortest_paths(lengths)


def shortest_paths(lengths: Lengths) -> Lengths:
    """Compute the lengths of the shortest ways between all inputs (Floyd, Warshall); shape (size, size)."""
    lengths = lengths.copy()
    for m in range(len(lengths)):
        np.minimum(lengths, lengths[:, m, None] + lengths[None, m, :], out=lengths)
    return lengths

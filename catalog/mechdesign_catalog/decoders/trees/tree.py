"""The tree over items in a row, and the numbers of its nodes."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError

Nodes = NDArray[np.int64]


@dataclass(frozen=True)
class Tree:
    """The tree over `0 .. k-1`: blocks of `B^(h-1)` items, each cut into B, down to items.

    There are `h = ceil(log_B k)` levels below the root, numbered 1 (the largest blocks) to h (the items). The nodes of
    a level are its blocks, from left to right. All nodes but the last of each level are full; the last one ends with
    the item k-1, so that there is no node without items. The root has `ceil(k / B^(h-1))` children, at most B.

    Raises:
        InputError: for less than two items, or a B below 2.

    >>> tree = Tree(120, 4)
    >>> tree.height, tree.sizes, tree.nodes, tree.is_full
    (4, (64, 16, 4, 1), (2, 8, 30, 120), False)
    """

    k: int
    b: int

    def __post_init__(self) -> None:
        if isinstance(self.b, bool) or not isinstance(self.b, int) or not 2 <= self.b <= MOST_CHILDREN:
            raise InputError(f"b must be a whole number from 2 to 2^20, got b={self.b}")
        if self.k < 2:
            raise InputError(f"a tree must have at least two items, got k={self.k}")

    @cached_property
    def height(self) -> int:
        """Number of levels below the root: 1 where k is at most B."""
        height, leaves = 1, self.b
        while leaves < self.k:
            height, leaves = height + 1, leaves * self.b
        return height

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Items of a full node, for levels 1 to h."""
        return tuple(self.b ** (self.height - level) for level in range(1, self.height + 1))

    @cached_property
    def nodes(self) -> tuple[int, ...]:
        """Number of nodes, for levels 1 to h."""
        return tuple(-(-self.k // size) for size in self.sizes)

    @property
    def is_full(self) -> bool:
        """Whether all nodes of a level have as many items."""
        return self.k % self.sizes[0] == 0

    @cached_property
    def last_children(self) -> tuple[int, ...]:
        """Number of children of the root and of the last node of levels 1 to h-1."""
        above = (1, *self.nodes[:-1])
        return tuple(nodes - self.b * (parents - 1) for nodes, parents in zip(self.nodes, above, strict=True))

    def node_shares(self, shares: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """Sum the items' numbers, shape (k,), within each node, for levels 1 to h."""
        found = [np.asarray(shares, dtype=np.float64)]
        for _ in range(self.height - 1):
            found.append(self.within_parents(found[-1]))
        return found[::-1]

    def within_parents(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum the numbers of the nodes of a level below the first, shape (nodes,), within each parent."""
        full = len(values) // self.b * self.b
        sums: NDArray[np.float64] = values[:full].reshape(-1, self.b).sum(axis=1)
        return sums if full == len(values) else np.append(sums, values[full:].sum())


MOST_CHILDREN = 1 << 20

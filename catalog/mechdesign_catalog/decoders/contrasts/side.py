"""Intervals of one ordered side, split into the contrasts of a tree over it.

The tree has nodes of the heights 0 (leaves) to H (the root); a node of height j holds `m_j` leaves, `m_0 = 1`. The
contrast of height i = 1..H of a vector x over the leaves is `P_i x`: at each leaf the mean of x over its ancestor of
height i-1, less the mean over the ancestor of height i. With the constant part, the mean over all leaves, these are
orthogonal projections that add up to x. Arrays have them in rows: row i-1 is the contrast of height i, row H the
constant.

An interval may go on over the end of a side that is a circle: its last item is then before its first one. All items
but those between have opposite contrasts, and another mean.

Leaves after the last item are padding that nobody has, so a query may have any weights there. They are chosen child by
child on the way from the last item to the root: the children of a node that are all padding have the mean of the
others. So they add no contrast, and a query for everything has the weight 1 everywhere: its answer is known.
"""

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mechdesign.workloads.queries import Intervals, Queries
from mechdesign_catalog.randomizers.reports.probabilities import Floats

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Pieces:
    """A partition of the leaves for each of q intervals: every contrast of the interval is constant on a piece.

    All have the shape (q, pieces); pieces of size 0 fill up the rows.
    """

    starts: Integers
    sizes: Integers


@dataclass(frozen=True)
class Side:
    """One ordered side: its number of items, and the sizes `m_0 = 1, ..., m_H` of its tree's nodes.

    Items are the first leaves; leaves beyond them are padding.
    """

    items: int
    sizes: tuple[int, ...]

    @classmethod
    def tree(cls, items: int, fan_out: int) -> "Side":
        """Make the lowest tree over so many items whose nodes have this many children, the root as few as suffice.

        >>> Side.tree(100, 4)
        Side(items=100, sizes=(1, 4, 16, 64, 128))
        """
        sizes = [1]
        while sizes[-1] * fan_out < items:
            sizes.append(sizes[-1] * fan_out)
        return cls(items, (*sizes, -(-items // sizes[-1]) * sizes[-1]))

    @property
    def leaves(self) -> int:
        """Number of leaves, padding included."""
        return self.sizes[-1]

    @cached_property
    def rows(self) -> int:
        """Number of contrasts and the constant, H + 1: also the number of heights of nodes."""
        return len(self.sizes)

    @cached_property
    def widths(self) -> Floats:
        """Sizes of the nodes of height 0..H as floats, shape (rows,)."""
        return np.array(self.sizes, dtype=np.float64)

    @cached_property
    def spans(self) -> Floats:
        """Sizes of the nodes that the contrasts live on: `m_1, ..., m_H`, and `m_H` for the constant."""
        return np.array([*self.sizes[1:], self.sizes[-1]], dtype=np.float64)

    @property
    def is_padded(self) -> bool:
        """Whether there is padding."""
        return self.items < self.leaves

    @cached_property
    def last_path(self) -> tuple[int, ...]:
        """First leaves of the nodes of height 0..H that the last item is in."""
        return tuple((self.items - 1) // size * size for size in self.sizes)

    @cached_property
    def path_children(self) -> tuple[int, ...]:
        """How many children of these nodes, of height 1..H, are not all padding."""
        starts = zip(self.last_path, self.last_path[1:], self.sizes, strict=False)
        return tuple((below - start) // size + 1 for below, start, size in starts)

    def energies(self, first: Integers, last: Integers) -> Floats:
        """Compute the squared lengths `|P_i o|^2` of intervals' indicators, shape (rows, q)."""
        over = last < first
        found = self._energies(*_inner(first, last))
        found[-1, over] = (np.sqrt(self.leaves) - np.sqrt(found[-1, over])) ** 2
        return found

    def _energies(self, first: Integers, last: Integers) -> Floats:
        """Compute them for intervals that do not go over the end.

        With `s_j` the sum of the squared overlaps with the nodes of height j it is `s_(i-1)/m_(i-1) - s_i/m_i`, formed
        in whole numbers; the constant's is `r^2/m_H`, r the length. Nodes with items and padding are put right after.
        """
        squares = [self._squared_overlaps(size, first, last) for size in self.sizes]
        found = np.empty((self.rows, len(first)))
        for row, (size, larger) in enumerate(itertools.pairwise(self.sizes)):
            found[row] = (squares[row] * (larger // size) - squares[row + 1]) / larger
        found[-1] = squares[-1] / self.leaves
        if self.is_padded:
            self._mend_path(found, squares, first, last)
        return found

    def _mend_path(self, found: Floats, squares: list[Integers], first: Integers, last: Integers) -> None:
        """Put the energies between the children of nodes on the way right: there are those with items alone."""
        means = self.path_means(first, last)
        for row, (size, larger) in enumerate(itertools.pairwise(self.sizes)):
            begin = np.maximum(first, self.last_path[row + 1])
            inside = np.maximum(last + 1 - begin, 0)
            of_children = np.where(inside > 0, self._squared_overlaps(size, begin, last), 0)
            others = ((squares[row] - of_children) * (larger // size) - (squares[row + 1] - inside**2)) / larger
            below = np.maximum(last + 1 - np.maximum(first, self.last_path[row]), 0)
            full = (of_children - below**2) / size**2
            total = (inside - below) / size + means[row]
            found[row] = others + size * (full + means[row] ** 2 - total**2 / self.path_children[row])
        found[-1] = means[-1] ** 2 * self.leaves

    def path_means(self, first: Integers, last: Integers) -> Floats:
        """Compute the mean weights of the nodes of height 0..H on the way, shape (rows, q), of intervals."""
        means = np.empty((self.rows, len(first)))
        means[0] = last == self.items - 1
        for row, (children, size) in enumerate(zip(self.path_children, self.sizes, strict=False)):
            begin = np.maximum(first, self.last_path[row + 1])
            full = np.maximum(np.minimum(last + 1, self.last_path[row]) - begin, 0) / size
            means[row + 1] = (full + means[row]) / children
        return means

    def extended(self, weights: Floats) -> Floats:
        """Write weights of the items, shape (q, items), as weights of all leaves."""
        found = np.pad(weights, ((0, 0), (0, self.leaves - self.items)))
        for row, children in enumerate(self.path_children):
            size, start = self.sizes[row], self.last_path[row + 1]
            end = start + children * size
            means = found[:, start:end].mean(axis=1, keepdims=True)
            found[:, end : start + self.sizes[row + 1]] = means
        return found

    def folded(self, leaves: Floats) -> Floats:
        """Turn estimates of all leaves, shape (..., leaves), into those of the items: `extended`, transposed.

        What is estimated for padding goes to the nodes beside it, in equal parts. So the sum stays.
        """
        found = leaves[..., : self.items].copy()
        if not self.is_padded:
            return found
        carried = np.zeros(leaves.shape[:-1])
        for row in reversed(range(self.rows - 1)):
            size, start, below = self.sizes[row], self.last_path[row + 1], self.last_path[row]
            end = start + self.path_children[row] * size
            carried = (carried + leaves[..., end : start + self.sizes[row + 1]].sum(axis=-1)) / self.path_children[row]
            found[..., start:below] += (carried / size)[..., None]
        found[..., -1] += carried
        return found

    def energies_of(self, queries: Queries) -> Floats:
        """Compute the squared lengths of the contrasts of queries on the items, shape (rows, q).

        Intervals take O(H) each, others O(k) from weights that are written down.
        """
        if isinstance(queries, Intervals):
            return self.energies(queries.first, queries.last)
        weights = self.extended(queries.weights())
        found = np.empty((self.rows, len(queries)))
        for row, size in enumerate(self.sizes):
            means = weights.reshape(len(queries), -1, size).mean(axis=2)
            if row + 1 < self.rows:
                siblings = means.reshape(len(queries), -1, self.sizes[row + 1] // size)
                means = siblings - siblings.mean(axis=2, keepdims=True)
            found[row] = size * (means**2).reshape(len(queries), -1).sum(axis=1)
        return found

    @staticmethod
    def _squared_overlaps(size: int, first: Integers, last: Integers) -> Integers:
        """The sum of the squared overlaps of [first, last] with the blocks of this size."""
        left, right = first // size, last // size
        head, tail = (left + 1) * size - first, last + 1 - right * size
        inside = head**2 + tail**2 + (right - left - 1) * size**2
        return np.where(left == right, (last - first + 1) ** 2, inside)

    def pieces(self, first: Integers, last: Integers) -> Pieces:
        """List the children of the nodes on the ways from the root to both ends of each interval.

        Nodes that are on such a way themselves are left out, but for the leaves.
        """
        first, last = _inner(first, last)
        starts, sizes = [], []
        for height in range(1, self.rows):
            size, larger = self.sizes[height - 1], self.sizes[height]
            shared = first // larger == last // larger
            for end, counted in ((first, np.ones_like(shared)), (last, ~shared)):
                children = (end // larger * larger)[:, None] + size * np.arange(larger // size)
                kept = np.broadcast_to(counted[:, None], children.shape)
                if height > 1:
                    for other in (first, last):
                        kept = kept & (children // size != (other // size)[:, None])
                starts.append(children)
                sizes.append(np.where(kept, size, 0))
        return Pieces(np.concatenate(starts, axis=1), np.concatenate(sizes, axis=1))

    def contrasts_at(self, leaves: Integers, first: Integers, last: Integers) -> Floats:
        """Compute the contrasts of intervals at leaves of items, shape (rows, q, ...) for leaves (q, ...)."""
        shape = (-1,) + (1,) * (leaves.ndim - 1)
        over, (first, last) = last < first, _inner(first, last)
        low, high = first.reshape(shape), last.reshape(shape) + 1
        means, on_way = np.empty((self.rows, *leaves.shape)), self.path_means(first, last)
        for row, size in enumerate(self.sizes):
            start = leaves // size * size
            means[row] = np.maximum(np.minimum(start + size, high) - np.maximum(start, low), 0) / size
            if self.is_padded:
                means[row] = np.where(start == self.last_path[row], on_way[row].reshape(shape), means[row])
        means[:, over] = 1 - means[:, over]
        means[:-1] -= means[1:]
        return means

    def parting(self, items: Integers) -> Integers:
        """Return the height where each item's way parts from that of the last item; 0 where there is no padding.

        Contrasts of items that part at one height are alike.
        """
        found = np.zeros_like(items)
        if self.is_padded:
            for size, start in zip(self.sizes, self.last_path, strict=True):
                found += items // size * size != start
        return found

    def beside(self, items: Integers) -> Integers:
        """Return leaves whose ways part from that of each item at the heights 0..H, shape (q, rows)."""
        found = [items]
        for size, larger in itertools.pairwise(self.sizes):
            start = items // larger * larger
            found.append(np.where(items < start + size, start + size, start))
        return np.stack(found, axis=1)

    def edges_of(self, pieces: Pieces) -> tuple[Integers, Integers]:
        """Return first leaves of pieces and the leaves after them, without the padding: both in 0..items."""
        ends = pieces.starts + pieces.sizes
        return np.minimum(pieces.starts, self.items), np.minimum(ends, self.items)


def _inner(first: Integers, last: Integers) -> tuple[Integers, Integers]:
    """Return the ends of intervals, and for those over the end of the ones between that they leave out."""
    over = last < first
    return np.where(over, last + 1, first), np.where(over, first - 1, last)

"""Sums of the contrasts of a workload's queries on one side, in closed form.

They are exact at any number of items.
"""

import itertools
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from mechdesign.workloads.workload import OrderedWorkload, Workload
from mechdesign_catalog.decoders.contrasts.side import Side
from mechdesign_catalog.randomizers.reports.probabilities import Floats


@dataclass(frozen=True, eq=False)
class SideEnergies:
    """Sums over all queries o of a workload, where all items of the side have equal shares.

    With `P_i o` the contrasts (`Side`): `lengths[i]` is the sum of `|P_i o|^2`, shape (rows,). `products[i, j]` is that
    of the mean over items of `(P_i o)(P_j o)`, `means[i, j]` that of the product of the means over items of both,
    shape (rows, rows).
    """

    lengths: Floats
    products: Floats
    means: Floats


def side_energies(side: Side, workload: Workload) -> SideEnergies:
    """Add up the contrasts of a workload on the items of a side.

    Without padding different contrasts are orthogonal to each other and to the equal shares. With padding, nodes that
    have items and padding are not; there is one at each height at most, on the way from the root to the last item. The
    Gram matrix of the blocks beside that way, and of the last item, gives what they add.
    """
    if side.is_padded:
        return _Padded(side, workload).energies()
    lengths = np.array([float(length) for length in _tiled(side, workload)])
    products = np.diag(lengths) / side.items
    means = np.zeros_like(products)
    means[-1, -1] = products[-1, -1]
    return SideEnergies(lengths, products, means)


def exact_lengths(side: Side, workload: Workload) -> list[Fraction]:
    """Add up the squared lengths `|P_i o|^2` of all queries; exactly, but from floats where there is padding."""
    if side.is_padded:
        return [Fraction(float(length)) for length in side_energies(side, workload).lengths]
    return _tiled(side, workload)


def _tiled(side: Side, workload: Workload) -> list[Fraction]:
    """The sums of `|P_i o|^2` with the weight 0 on padding, from energies over tiles."""
    energies = [Fraction(workload.block_energy(size)) / size for size in side.sizes]
    return [*(below - above for below, above in itertools.pairwise(energies)), energies[-1]]


@lru_cache(maxsize=16)
def block_products(workload: Workload, edges: tuple[int, ...]) -> Floats:
    """Add up over all queries the products of their sums of weights within two blocks `[e_0, e_1), [e_1, e_2), ..`.

    Systems with the same tree share them, so nobody may change them.
    """
    if isinstance(workload, OrderedWorkload):
        sums = [[workload.from_start(*sorted((one, other))) for other in edges] for one in edges]
        found = np.diff(np.diff(np.array(sums, dtype=object), axis=0), axis=1).astype(np.float64)
    else:
        items, spans = np.arange(workload.k), itertools.pairwise(edges)
        blocks = (np.where((start <= items) & (items < end), 1.0, 0.0) for start, end in spans)
        found = np.array([np.add.reduceat(workload.gram_times(block), edges[:-1]) for block in blocks])
    found.flags.writeable = False
    return found


@dataclass(frozen=True, eq=False)
class _Padded:
    """A side with padding. A vector over its blocks stands for a number that each query has.

    It is the product with the sums of the query's weights within the blocks: the largest nodes without padding beside
    the way, and the last item.
    """

    side: Side
    workload: Workload

    @cached_property
    def blocks(self) -> list[tuple[int, int]]:
        """Height and first leaf of each block, from the left; the last item is the last one."""
        found = []
        for height in reversed(range(self.side.rows - 1)):
            ends = self.side.last_path[height + 1], self.side.last_path[height], self.side.sizes[height]
            found += [(height, start) for start in range(*ends)]
        return [*found, (0, self.side.items - 1)]

    @cached_property
    def heights(self) -> NDArray[np.int64]:
        """Heights of the blocks beside the way, and -1 for the last item, which is on it."""
        return np.array([*(height for height, _ in self.blocks[:-1]), -1])

    @cached_property
    def gram(self) -> Floats:
        """Sums over all queries of the products of their sums within two blocks."""
        return block_products(self.workload, (*(start for _, start in self.blocks), self.side.items))

    def squared(self, one: Floats) -> float:
        """Add up the squares of a number over all queries."""
        return float(one @ self.gram @ one)

    @cached_property
    def means(self) -> Floats:
        """Mean weights of the nodes on the way, of height 0..H, shape (rows, blocks)."""
        found = [(self.heights < 0).astype(np.float64)]
        for row, children in enumerate(self.side.path_children):
            beside = (self.heights == row) / self.side.sizes[row]
            found.append((beside + found[-1]) / children)
        return np.array(found)

    @cached_property
    def between_full(self) -> Floats:
        """Sums of the squared lengths of contrasts within nodes without padding, off the way: shape (rows,)."""
        found = np.array([float(length) for length in _tiled(self.side, self.workload)])
        found[-1] = 0.0
        for row, (size, larger) in enumerate(itertools.pairwise(self.side.sizes)):
            beside = float(np.trace(self.gram[np.ix_(self.heights == row, self.heights == row)]))
            below, above = ((self.heights < height).astype(np.float64) for height in (row, row + 1))
            found[row] -= (beside + self.squared(below)) / size - self.squared(above) / larger
        return found

    def energies(self) -> SideEnergies:
        """Add up what nodes off the way and nodes on it have."""
        side, means, count = self.side, self.means, len(self.blocks)
        sizes = np.array([side.sizes[height] for height, _ in self.blocks], dtype=np.float64)
        values = np.zeros((side.rows, count, count))  # values[i, p] is `P_i o` on block p
        values[-1] = means[-1]
        lengths = self.between_full.copy()
        lengths[-1] = self.squared(means[-1]) * side.leaves
        for row, size in enumerate(side.sizes[:-1]):
            values[row, self.heights < row] = means[row] - means[row + 1]
            values[row, self.heights == row] = np.eye(count)[self.heights == row] / size - means[row + 1]
            children = [*values[row, self.heights == row], means[row] - means[row + 1]]
            lengths[row] += size * sum(self.squared(child) for child in children)
        products = np.einsum("p,ipu,uv,jpv->ij", sizes, values, self.gram, values, optimize=True)
        averages = np.einsum("p,ipu->iu", sizes, values) / side.items
        products += np.diag(self.between_full)
        return SideEnergies(lengths, products / side.items, averages @ self.gram @ averages.T)

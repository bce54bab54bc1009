"""Add up the contrasts of all queries of a workload on one side, in closed form: exact at any number of items."""

import itertools
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mechdesign.workloads.workload import Workload
from mechdesign_catalog.oracles.levels.contrasts.side import Side
from mechdesign_catalog.oracles.probabilities import Floats


@dataclass(frozen=True, eq=False)
class SideEnergies:
    """Hold sums over all queries o of a workload, where all items of the side have equal shares.

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
    have items and padding are not; there is one at each height, on the way from the root to the first leaf of the
    padding. The Gram matrix of the items beside that way gives what they add.
    """
    lengths = np.array([float(length) for length in exact_lengths(side, workload)])
    if side.items == side.leaves:
        products = np.diag(lengths) / side.items
        means = np.zeros_like(products)
        means[-1, -1] = products[-1, -1]
        return SideEnergies(lengths, products, means)
    return _padded(side, workload, lengths)


def exact_lengths(side: Side, workload: Workload) -> list[Fraction]:
    """Add up the squared lengths `|P_i o|^2` of all queries, from energies over tiles."""
    energies = [Fraction(workload.block_energy(size)) / size for size in side.sizes]
    return [*(below - above for below, above in itertools.pairwise(energies)), energies[-1]]


def _padded(side: Side, workload: Workload, lengths: Floats) -> SideEnergies:
    """Sums where there is padding: `values[i, p]` are the coefficients of `P_i o` on piece p, from sums over pieces."""
    heights, starts = _pieces_before(side)
    sizes = np.array([side.sizes[height] for height in heights])
    gram = _gram(workload, starts, sizes)
    rows, count = side.rows, len(heights)
    on_way = np.array([[float(height < above) for height in heights] for above in range(rows)]) / side.widths[:, None]
    values = np.zeros((rows, count, count))
    values[-1] = on_way[-1]
    for piece, height in enumerate(heights):
        values[height, piece] = np.eye(count)[piece] / side.sizes[height] - on_way[height + 1]
        for row in range(height + 1, rows - 1):
            values[row, piece] = on_way[row] - on_way[row + 1]
    products = np.einsum("p,ipu,uv,jpv->ij", sizes, values, gram, values)
    averages = np.einsum("p,ipu->iu", sizes, values) / side.items
    for row in range(rows - 1):
        products[row, row] += lengths[row] - _on_way(side, row, np.array(heights) == row, values[row], on_way, gram)
    return SideEnergies(lengths, products / side.items, averages @ gram @ averages.T)


def _pieces_before(side: Side) -> tuple[list[int], list[int]]:
    """Heights and first leaves of the largest nodes before the padding: siblings of the way to its first leaf."""
    heights, starts = [], []
    for height in reversed(range(side.rows - 1)):
        size, larger = side.sizes[height], side.sizes[height + 1]
        begin = side.items // larger * larger
        for start in range(begin, side.items // size * size, size):
            heights.append(height)
            starts.append(start)
    return heights, starts


def _gram(workload: Workload, starts: list[int], sizes: Floats) -> Floats:
    """The sums over all queries of products of their sums over two pieces."""
    pieces = len(starts)
    found = np.empty((pieces, pieces))
    for piece in range(pieces):
        indicator = np.zeros(workload.k)
        indicator[starts[piece] : starts[piece] + int(sizes[piece])] = 1.0
        running = np.concatenate([[0.0], np.cumsum(workload.gram_times(indicator))])
        found[piece] = [running[start + int(size)] - running[start] for start, size in zip(starts, sizes, strict=True)]
    return found


def _on_way(side: Side, row: int, beside: Floats, values: Floats, on_way: Floats, gram: Floats) -> float:
    """The part of `lengths[row]` of the node on the way: its children beside it, on it, and in the padding."""
    size, larger = side.sizes[row], side.sizes[row + 1]
    next_on_way = on_way[row] - on_way[row + 1]
    padding = larger // size - 1 - int(beside.sum())
    total = size * np.einsum("pu,uv,pv->", values[beside], gram, values[beside])
    total += size * next_on_way @ gram @ next_on_way + padding * size * on_way[row + 1] @ gram @ on_way[row + 1]
    return float(total)

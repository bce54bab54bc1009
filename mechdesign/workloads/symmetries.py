"""Symmetries of a workload known by its kind, each checked against its Gram matrix."""

from itertools import pairwise

import numpy as np

from mechdesign.workloads.arcs import Arcs
from mechdesign.workloads.grid import Grid
from mechdesign.workloads.marginals import Marginals
from mechdesign.workloads.merged import Exacts, MergedWorkload
from mechdesign.workloads.queries import Integers
from mechdesign.workloads.workload import Workload

MOST_SYMMETRIES = 16
"""Symmetries that a search takes up: each is one more image of every row, while few save much already."""


def symmetries_of(workload: Workload, merged: MergedWorkload, most: int = MOST_SYMMETRIES) -> tuple[Integers, ...]:
    """List permutations of the groups of items that leave the variance of every mechanism as it is.

    Candidates are the reversal of all items; of a circle its rotations; of a table the reversal of either side,
    rotations of one that is a circle and, where it is square, transposing it; for marginals the cyclic shifts of each
    attribute and swaps of attributes of one size. One counts where it leaves the sizes of the groups and the exact Gram
    matrix `P'W'W P` unchanged, `P = I - p 1'`, p the groups' sizes by k: the number of users is known, so answers may
    be measured from their mean. Candidates are taken in this order as long as the group that they generate has at most
    `most` members.

    Returns:
        Permutations g of shape (K,), closed under composition, the identity first: group u is moved to `g[u]`.

    >>> from mechdesign.workloads.ordered import Prefixes
    >>> prefixes = Prefixes(4)
    >>> [g.tolist() for g in symmetries_of(prefixes, MergedWorkload.of(prefixes))]
    [[0, 1, 2, 3], [3, 2, 1, 0]]
    """
    group = [tuple(range(merged.size))]
    centred = _centred(merged)
    for items in _candidates(workload):
        moved = _on_groups(items, merged)
        if moved is None or moved in group or not (centred[np.ix_(moved, moved)] == centred).all():
            continue
        larger = _closed([*group, moved], most)
        group = larger or group
    return tuple(np.array(found, dtype=np.int64) for found in group)


def _candidates(workload: Workload) -> list[Integers]:
    """Return permutations of the items, as arrays of where each goes."""
    items = np.arange(workload.k)
    if isinstance(workload, Grid):
        table = items.reshape(workload.shape)
        moves = [table[::-1], table[:, ::-1], *([table.T] if table.shape[0] == table.shape[1] else [])]
        moves += [np.roll(table, 1, axis) for axis, side in enumerate(workload.sides) if isinstance(side, Arcs)]
        return [moved.reshape(-1) for moved in moves]
    if isinstance(workload, Marginals):
        cells = items.reshape(workload.domains)
        axes = range(len(workload.domains))
        shifts = [np.roll(cells, 1, axis=axis) for axis in axes]
        swaps = [np.swapaxes(cells, *pair) for pair in pairwise(axes) if len({workload.domains[i] for i in pair}) == 1]
        return [moved.reshape(-1) for moved in shifts + swaps]
    return [items[::-1], *([np.roll(items, 1)] if isinstance(workload, Arcs) else [])]


def _on_groups(items: Integers, merged: MergedWorkload) -> tuple[int, ...] | None:
    """Return where each group goes, None where a permutation of the items tears one; groups then keep their sizes."""
    found = []
    for group in merged.groups:
        images = {merged.group_of[int(items[item])] for item in group}
        if len(images) > 1:
            return None
        found.append(images.pop())
    return tuple(found)


def _centred(merged: MergedWorkload) -> Exacts:
    """Return `k^2 P'W'W P` times the denominator, in integers."""
    sizes = np.array(merged.sizes, dtype=object)
    means = merged.integers @ sizes
    sums = merged.k * means
    centred: Exacts = merged.k**2 * merged.integers - sums[:, None] - sums[None, :] + sizes @ means
    return centred


def _closed(members: list[tuple[int, ...]], most: int) -> list[tuple[int, ...]] | None:
    """Return the group that some permutations generate, None for more than `most` members."""
    found = list(dict.fromkeys(members))
    for left in found:
        for right in members:
            product = tuple(left[place] for place in right)
            if product not in found:
                found.append(product)
        if len(found) > most:
            return None
    return found

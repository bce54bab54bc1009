"""Haar contrasts over `2^h` leaves: leaves from differences, and sums over cut nodes.

A node of height i = 1..h covers `2^i` leaves. Its difference d is the share of its left half less that of its right
half. A query with the weights w is `(sum_x w_x) / 2^h + sum_i sum_v u_v d_v` with `u_v = (w_L - w_R) / 2^i` from the
sums of w over both halves of v; an interval has at most two nodes of a height with `u_v` not 0: those that its ends
cut.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mechdesign_catalog.decoders.contrasts.side import Side
from mechdesign_catalog.decoders.trees.level_sums import ContrastSums
from mechdesign_catalog.randomizers.reports.probabilities import Floats

Integers = NDArray[np.int64]

AT_ONCE = 1 << 15
"""Intervals that are handled at once: their arrays stay in the processor's cache."""


def leaves_of(differences: Sequence[Floats], totals: Floats | None = None) -> Floats:
    """Compute the shares of the leaves, shape (..., 2^h), from the differences of the heights 1..h, finest first.

    `totals`, shape (..., 1), are what the shares add up to; one row of shares adds up to 1.
    """
    shares = np.ones(1) if totals is None else totals
    for difference in reversed(differences):
        halves = np.empty((*shares.shape, 2))
        np.add(shares, difference, out=halves[..., 0])
        np.subtract(shares, difference, out=halves[..., 1])
        halves *= 0.5
        shares = halves.reshape(*shares.shape[:-1], -1)
    return shares


def differences_of(leaves: Floats) -> list[Floats]:
    """Compute the differences of the heights 1..h, finest first, along the last axis; `leaves_of` turned around."""
    found, shares = [], leaves
    while shares.shape[-1] > 1:
        found.append(shares[..., 0::2] - shares[..., 1::2])
        shares = shares[..., 0::2] + shares[..., 1::2]
    return found


@dataclass(frozen=True, eq=False)
class NodeShares:
    """The differences of the nodes of a side for each height 1..h, and their shares."""

    side: Side
    differences: Sequence[Floats]
    shares: Sequence[Floats]

    @classmethod
    def of(cls, side: Side, frequencies: Floats) -> "NodeShares":
        """Add up the shares of items; leaves after them have none."""
        leaves = np.pad(frequencies, (0, side.leaves - side.items))
        sums = [leaves]
        for _ in range(side.rows - 1):
            sums.append(sums[-1][0::2] + sums[-1][1::2])
        return cls(side, differences_of(leaves), sums[1:])


def interval_sums(first: Integers, last: Integers, nodes: NodeShares) -> ContrastSums:
    """Compute the sums of intervals [first, last] of items in O(h) each.

    An interval is the items up to its last one, less those before its first one. So each end adds the weight of the
    node that it cuts, whatever the other end does.
    """
    found = ContrastSums.zeros(len(nodes.shares), len(first))
    for start in range(0, len(first), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        ends = first[part], last[part]
        left, right = (prefix_weights(nodes.side, count) for count in (ends[0], ends[1] + 1))
        for row, weights in enumerate(zip(left, right, strict=True)):
            _set_cut_nodes(found, row, part, ends, weights, nodes)
    return found


def prefix_weights(side: Side, counts: Integers) -> Iterator[Floats]:
    """Yield the weights u of the nodes of height 1..h that the first `counts` items cut; padding is as `Side` says."""
    mean = (counts == side.items).astype(np.float64)
    for row in range(side.rows - 1):
        half, size = 1 << row, 2 << row
        within = counts & (size - 1)
        weights = np.minimum(within, size - within) / size
        if side.is_padded:
            on_way = (counts - 1) >> row + 1 == side.last_path[row + 1] >> row + 1
            of_way = np.zeros_like(mean)
            if side.path_children[row] == 2:
                left = np.clip(counts - side.last_path[row + 1], 0, half) / half
                of_way, mean = (left - mean) / 2, (left + mean) / 2
            weights = np.where(on_way, of_way, weights)
        yield weights


def _set_cut_nodes(
    found: ContrastSums,
    row: int,
    part: slice,
    ends: tuple[Integers, Integers],
    weights: tuple[Floats, Floats],
    nodes: NodeShares,
) -> None:
    """Compute what the nodes of height `row + 1` give that the ends cut, two or one."""
    own = ends[0] >> row + 1, ends[1] >> row + 1
    left, right = weights
    both = np.where(own[0] == own[1], -2 * left * right, 0.0)
    left_squared, right_squared = left * left, right * right
    shares = nodes.shares[row][own[0]], nodes.shares[row][own[1]]
    differences = nodes.differences[row]
    found.squares[row, part] = left_squared + right_squared + both
    found.answers[row, part] = right * differences[own[1]] - left * differences[own[0]]
    found.square_answers[row, part] = (left_squared + both) * shares[0] + right_squared * shares[1]


def weight_sums(weights: Floats, nodes: NodeShares) -> ContrastSums:
    """Compute the sums of queries with any weights, shape (q, k), in O(k) each."""
    heights = len(nodes.shares)
    queries = differences_of(nodes.side.extended(weights))
    found = ContrastSums.zeros(heights, len(weights))
    for row in range(heights):
        u = queries[row] / (2 << row)
        found.squares[row] = (u**2).sum(axis=1)
        found.answers[row] = u @ nodes.differences[row]
        found.square_answers[row] = u**2 @ nodes.shares[row]
    return found

"""Compute with Haar contrasts of shares over `2^h` leaves: leaves from differences, and sums over cut nodes.

A node of height i = 1..h covers `2^i` leaves. Its difference d is the share of its left half less that of its right
half. A query with the weights w is `(sum_x w_x) / 2^h + sum_i sum_v u_v d_v` with `u_v = (w_L - w_R) / 2^i` from the
sums of w over both halves of v; an interval has at most two nodes of a height with `u_v` not 0: those that its ends
cut.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mechdesign_catalog.oracles.probabilities import Floats

Integers = NDArray[np.int64]

AT_ONCE = 1 << 15
"""Intervals that are handled at once: their arrays stay in the processor's cache."""


@dataclass(frozen=True, eq=False)
class HaarSums:
    """Hold for each height 1..h sums over its nodes, shape (heights, q).

    `squares` is `sum u^2`, `answers` the mean over users of their own u with its sign, `sum u d`, and `square_answers`
    the mean of its square, `sum u^2 F`.
    """

    squares: Floats
    answers: Floats
    square_answers: Floats


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
    """Hold for each height 1..h the differences of its nodes, and their shares."""

    differences: Sequence[Floats]
    shares: Sequence[Floats]

    @classmethod
    def of(cls, frequencies: Floats, heights: int) -> "NodeShares":
        """Add up the shares of items; leaves after them have none."""
        leaves = np.pad(frequencies, (0, (1 << heights) - len(frequencies)))
        sums = [leaves]
        for _ in range(heights):
            sums.append(sums[-1][0::2] + sums[-1][1::2])
        return cls(differences_of(leaves), sums[1:])


def interval_sums(first: Integers, last: Integers, nodes: NodeShares) -> HaarSums:
    """Compute the sums of intervals [first, last] of items in O(h) each.

    An interval is what lies from its first item on, and what lies up to its last one, less everything: and everything
    has no differences. So each end adds the weight of the node that it cuts, whatever the other end does.
    """
    found = HaarSums(*(np.empty((len(nodes.shares), len(first))) for _ in range(3)))
    for start in range(0, len(first), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        for row in range(len(nodes.shares)):
            _set_cut_nodes(found, row, part, (first[part], last[part]), nodes)
    return found


def _set_cut_nodes(found: HaarSums, row: int, part: slice, ends: tuple[Integers, Integers], nodes: NodeShares) -> None:
    """Compute what the nodes of height `row + 1` give that the ends cut, two or one."""
    size = 2 << row
    own = ends[0] >> row + 1, ends[1] >> row + 1
    before, within = ends[0] & (size - 1), (ends[1] + 1) & (size - 1)
    left, right = np.minimum(before, size - before) / -size, np.minimum(within, size - within) / size
    both = np.where(own[0] == own[1], 2 * left * right, 0.0)
    left_squared, right_squared = left * left, right * right
    shares = nodes.shares[row][own[0]], nodes.shares[row][own[1]]
    differences = nodes.differences[row]
    found.squares[row, part] = left_squared + right_squared + both
    found.answers[row, part] = left * differences[own[0]] + right * differences[own[1]]
    found.square_answers[row, part] = (left_squared + both) * shares[0] + right_squared * shares[1]


def weight_sums(weights: Floats, nodes: NodeShares) -> HaarSums:
    """Compute the sums of queries with any weights, shape (q, k), in O(k) each."""
    heights = len(nodes.shares)
    queries = differences_of(np.pad(weights, ((0, 0), (0, (1 << heights) - weights.shape[1]))))
    found = HaarSums(*(np.empty((heights, len(weights))) for _ in range(3)))
    for row in range(heights):
        u = queries[row] / (2 << row)
        found.squares[row] = (u**2).sum(axis=1)
        found.answers[row] = u @ nodes.differences[row]
        found.square_answers[row] = u**2 @ nodes.shares[row]
    return found

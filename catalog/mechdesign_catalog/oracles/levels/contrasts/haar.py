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


def interval_sums(first: Integers, last: Integers, frequencies: Floats, heights: int) -> HaarSums:
    """Compute the sums of intervals [first, last] of items whose true shares are `frequencies`, in O(h) each."""
    running = np.zeros(len(frequencies) + 1)
    np.cumsum(frequencies, out=running[1:])
    found = HaarSums(*(np.zeros((heights, len(first))) for _ in range(3)))
    for start in range(0, len(first), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        for row in range(heights):
            _add_cut_nodes(found, row, part, (first[part], last[part]), running)
    return found


def _add_cut_nodes(found: HaarSums, row: int, part: slice, ends: tuple[Integers, Integers], running: Floats) -> None:
    """Add what the nodes of height `row + 1` at both ends give; one node alone where they are the same."""
    first, last = ends
    nodes = first >> row + 1, last >> row + 1
    for node, counted in ((nodes[0], None), (nodes[1], nodes[0] != nodes[1])):
        start = node << row + 1
        middle, end = start + (1 << row), start + (2 << row)
        left = np.maximum(np.minimum(middle, last + 1) - np.maximum(start, first), 0)
        right = np.maximum(np.minimum(end, last + 1) - np.maximum(middle, first), 0)
        weight = (left - right) / (2 << row)
        if counted is not None:
            weight *= counted
        below, between, above = (running[np.minimum(edge, len(running) - 1)] for edge in (start, middle, end))
        squared = weight * weight
        found.squares[row, part] += squared
        found.answers[row, part] += weight * (2 * between - below - above)
        found.square_answers[row, part] += squared * (above - below)


def weight_sums(weights: Floats, frequencies: Floats, heights: int) -> HaarSums:
    """Compute the sums of queries with any weights, shape (q, k), in O(k) each."""
    padding = (1 << heights) - len(frequencies)
    queries = differences_of(np.pad(weights, ((0, 0), (0, padding))))
    shares = np.pad(frequencies, (0, padding))
    differences, nodes = differences_of(shares), shares
    found = HaarSums(*(np.zeros((heights, len(weights))) for _ in range(3)))
    for row in range(heights):
        u = queries[row] / (2 << row)
        nodes = nodes[0::2] + nodes[1::2]
        found.squares[row] = (u**2).sum(axis=1)
        found.answers[row] = u @ differences[row]
        found.square_answers[row] = u**2 @ nodes
    return found

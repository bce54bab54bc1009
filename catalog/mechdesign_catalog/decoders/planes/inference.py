"""Constrained weighted least squares in two dimensions, on tables of all pairs of levels.

It reconciles the noisy tables.

Nodes of the pair (a, b) are products of a node of height a on the first side and one of height b on the second; their
estimates y_ab are the true shares plus noise of one variance 1/w_ab. Products of contrasts are eigenvectors of the
normal equations, whatever the variances: the pair of row a and row b has the eigenvalue

    lambda_ab = sum over c <= a, d <= b of m_c m_d w_cd.

So the estimate that is best of all linear ones, with the total known to be 1, takes one sweep up and one down.
"""

from collections.abc import Sequence

import numpy as np

from mechdesign_catalog.decoders.contrasts.side import Side
from mechdesign_catalog.randomizers.reports.probabilities import Floats

Tables = Sequence[Sequence[Floats]]
"""`tables[a][b]` has the estimates of the pair of heights (a, b), shape (nodes of height a, nodes of height b)."""


def eigenvalues(sides: tuple[Side, Side], weights: Floats) -> Floats:
    """Compute `lambda_ab`, shape (rows, rows); `weights[a, b]` is the inverse variance of the pair of heights (a, b).

    That of the two roots is never measured: its weight does not matter to any pair but the two constants.
    """
    spread: Floats = np.outer(sides[0].widths, sides[1].widths) * weights
    return spread.cumsum(axis=0).cumsum(axis=1)


def inferred(sides: tuple[Side, Side], tables: Tables, weights: Floats, total: float | None = 1.0) -> Floats:
    """Infer the leaves from the tables of all pairs but the roots', shape (leaves, leaves), summing to `total`.

    Constrained weighted least squares, with a number of steps that is proportional to the number of leaves; without the
    constraint where `total` is None. The table of the two roots is not read, and their weight must be 0.
    """
    return _spread_down(sides, _gathered(sides, tables, weights), eigenvalues(sides, weights), total)


def _gathered(sides: tuple[Side, Side], tables: Tables, weights: Floats) -> list[list[Floats]]:
    """For each pair the weighted estimates of all finer pairs, added up into its nodes: `H' W y` there."""
    (one, two), last = sides, (sides[0].rows - 1, sides[1].rows - 1)
    sums: list[list[Floats]] = []
    for a in range(one.rows):
        sums.append([])
        for b in range(two.rows):
            shape = one.leaves // one.sizes[a], two.leaves // two.sizes[b]
            here = np.zeros(shape) if (a, b) == last else weights[a, b] * one.sizes[a] * two.sizes[b] * tables[a][b]
            if a:
                here = here + _up(sums[a - 1][b], 0, shape[0])
            if b:
                here = here + _up(sums[a][b - 1], 1, shape[1])
            if a and b:
                here -= _up(_up(sums[a - 1][b - 1], 0, shape[0]), 1, shape[1])
            sums[a].append(here)
    return sums


def _spread_down(sides: tuple[Side, Side], sums: list[list[Floats]], values: Floats, total: float | None) -> Floats:
    """Divide each pair of contrasts by its eigenvalue and add all up, from the roots to the leaves."""
    one, two = sides
    top, right = one.rows - 1, two.rows - 1
    found = [[np.empty(0)] * two.rows for _ in range(one.rows)]
    for a in reversed(range(one.rows)):
        for b in reversed(range(two.rows)):
            shape = one.leaves // one.sizes[a], two.leaves // two.sizes[b]
            if (a, b) == (top, right) and total is not None:
                found[a][b] = np.full(shape, total / (one.leaves * two.leaves))
                continue
            here = sums[a][b] / (values[a, b] * one.sizes[a] * two.sizes[b])
            if a < top:
                here = _centred(here, 0, one.sizes[a + 1] // one.sizes[a])
            if b < right:
                here = _centred(here, 1, two.sizes[b + 1] // two.sizes[b])
            if a < top:
                here += _down(found[a + 1][b], 0, shape[0])
            if b < right:
                here += _down(found[a][b + 1], 1, shape[1])
            if a < top and b < right:
                here -= _down(_down(found[a + 1][b + 1], 0, shape[0]), 1, shape[1])
            found[a][b] = here
    return found[0][0]


def _up(table: Floats, axis: int, nodes: int) -> Floats:
    sums: Floats = _siblings(table, axis, nodes).sum(axis=axis + 1)
    return sums


def _down(table: Floats, axis: int, nodes: int) -> Floats:
    repeated: Floats = np.repeat(table, nodes // table.shape[axis], axis=axis)
    return repeated


def _centred(table: Floats, axis: int, fan: int) -> Floats:
    grouped = _siblings(table, axis, table.shape[axis] // fan)
    centred: Floats = grouped - grouped.mean(axis=axis + 1, keepdims=True)
    return centred.reshape(table.shape)


def _siblings(table: Floats, axis: int, groups: int) -> Floats:
    shape = list(table.shape)
    shape[axis : axis + 1] = [groups, shape[axis] // groups]
    return table.reshape(shape)

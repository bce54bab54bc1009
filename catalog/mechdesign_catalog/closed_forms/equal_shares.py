"""Variances of all rectangles of a table at once, at equal shares, and the largest.

Each is a sum of products of a number of the rows' interval and one of the columns' interval, so a matrix product has
those of all pairs of intervals.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mechdesign.workloads.grid import ends_of
from mechdesign.workloads.queries import Queries
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.closed_forms.largest import MOST_EXACT
from mechdesign_catalog.decoders.contrasts.side import Side
from mechdesign_catalog.decoders.planes.rectangle_sums import Scores
from mechdesign_catalog.randomizers.facts.moments import Moments
from mechdesign_catalog.randomizers.reports.probabilities import Floats

AT_ONCE, MOST_SIDE = 1 << 21, 1 << 11
"""Numbers of contrasts, and intervals of one side, that are handled at once."""

MOST_ITEMS, INTERVALS_AT_ONCE = 1 << 10, 1 << 15
"""Items of a side whose intervals are all looked at for a bound, and intervals that are looked at together."""

SAMPLED, SEED = 1 << 10, 5
"""Intervals of each side that are looked at where there are too many rectangles."""


@dataclass(frozen=True, eq=False)
class Features:
    """Numbers of q intervals or arcs of one side.

    `energies` are the squared lengths of the contrasts, shape (rows, q); `products` the means over items of products of
    two contrasts, and `means` products of their means, shape (rows^2, q); `areas` the lengths in items.
    """

    energies: Floats
    products: Floats
    means: Floats
    areas: Floats


def features(side: Side, queries: Queries) -> Features:
    """Compute the numbers of intervals or arcs."""
    first, last = ends_of(queries)
    pieces = side.pieces(first, last)
    starts, ends = side.edges_of(pieces)
    shares = (ends - starts) / side.items
    contrasts = side.contrasts_at(pieces.starts, first, last)
    means = np.einsum("iqp,qp->iq", contrasts, shares)
    count = side.rows**2
    return Features(
        side.energies(first, last),
        np.einsum("iqp,jqp,qp->ijq", contrasts, contrasts, shares, optimize=True).reshape(count, -1),
        (means[:, None] * means[None]).reshape(count, -1),
        queries.sums,
    )


@dataclass(frozen=True, eq=False)
class EqualShares:
    """An estimator on a table whose items have equal shares: pairs of levels with their moments and users.

    `users` has the numbers of users of the pairs, shape (rows, rows), and 0 for that of both roots.
    """

    sides: tuple[Side, Side]
    scores: Scores
    moments: dict[tuple[int, int], Moments]
    users: Floats

    @property
    def total(self) -> float:
        """Number n of users."""
        return float(self.users.sum())

    @property
    def items(self) -> int:
        """Number k of items."""
        return self.sides[0].items * self.sides[1].items

    @cached_property
    def _parts(self) -> tuple[Floats, Floats, Floats]:
        """What `sum u^2`, the mean of u^2 and the squared mean of u add to the variance, for each pair."""
        found = np.zeros((3, *self.users.shape))
        nothing, one = np.zeros(1), np.ones(1)
        drawn = self.total / (self.total - 1)
        for pair, moments in self.moments.items():
            factor = self.scores.scale[pair] ** 2 / self.users[pair]
            found[0, pair[0], pair[1]] = factor * float(moments.noise(0.0, 1.0, nothing, nothing)[0])
            found[1, pair[0], pair[1]] = factor * (float(moments.noise(0.0, 0.0, nothing, one)[0]) + drawn)
            found[2, pair[0], pair[1]] = -factor * drawn
        return found[0], found[1], found[2]

    def variances(self, rows: Features, columns: Features) -> Floats:
        """Compute the variance of each product of an interval of rows and one of columns, shape (q rows, q columns)."""
        spread = self.scores.spread
        squares, products, means = self._parts
        noise = self._summed(squares * self.scores.lengths) * spread**2
        found = rows.energies.T @ noise @ columns.energies
        found += rows.products.T @ self._pairs(products) @ columns.products
        found += rows.means.T @ self._pairs(means) @ columns.means
        shares = np.outer(rows.areas, columns.areas) / self.items
        return np.maximum(found - shares * (1 - shares) / (self.total - 1), 0.0)

    def _summed(self, parts: Floats) -> Floats:
        """What each pair of contrasts adds, from the parts of the pairs of levels that it is in."""
        return parts.cumsum(axis=0).cumsum(axis=1) if self.scores.nested else parts

    def _pairs(self, parts: Floats) -> Floats:
        """Factors of products of two contrasts (i, j) of rows and two (s, t) of columns, shape (rows^2, rows^2)."""
        rows, columns = (np.arange(side.rows) for side in self.sides)
        summed, spread = self._summed(parts), self.scores.spread
        low = np.minimum(rows[:, None], rows)[:, :, None, None], np.minimum(columns[:, None], columns)[None, None]
        found = summed[low] * spread[:, None, :, None] * spread[None, :, None, :]
        if not self.scores.nested:
            found = found * (np.eye(len(rows))[:, :, None, None] * np.eye(len(columns))[None, None])
        return found.reshape(len(rows) ** 2, len(columns) ** 2)

    def largest_of_all(self, rows: Queries, columns: Queries) -> float:
        """Look at all products of the queries."""
        of_columns = list(_features(self.sides[1], columns))
        return max(
            float(self.variances(one, two).max()) for one in _features(self.sides[0], rows) for two in of_columns
        )

    def largest(self, workloads: tuple[Workload, Workload]) -> tuple[float, float]:
        """Return a value that the largest variance of a product has at least, and a bound of it.

        They are equal where the products are at most `MOST_EXACT`.
        """
        rows, columns = workloads
        if rows.count * columns.count <= MOST_EXACT:
            found = self.largest_of_all(rows.queries(), columns.queries())
            return found, found
        generator = np.random.default_rng(SEED)
        some = [
            workload.queries() if workload.count <= SAMPLED else workload.sample(SAMPLED, generator)
            for workload in workloads
        ]
        return self.largest_of_all(some[0], some[1]), self.bound(workloads)

    def bound(self, workloads: tuple[Workload, Workload]) -> float:
        """Bound all products: the rows are taken as bad as they can be for each contrast of the columns.

        Users' own u^2 is at most `sum u^2` times the share of the largest node.
        """
        squares, products, _ = self._parts
        blocks = np.minimum(1.0, self.scores.blocks / self.items)
        each = (squares + np.maximum(products, 0.0) * blocks) * self.scores.lengths
        of_rows = _largest_sums(self.sides[0], workloads[0], self._summed(each) * self.scores.spread**2)
        return float(_largest_sums(self.sides[1], workloads[1], of_rows[:, None])[0])


def _largest_sums(side: Side, workload: Workload, factors: Floats) -> Floats:
    """The most that the squared lengths of contrasts of a query add up to, times factors (rows, c): shape (c,).

    On a side of more than `MOST_ITEMS` items each is taken as long as it can be by itself.
    """
    if side.items > MOST_ITEMS:
        return np.asarray(_most(side) @ factors, dtype=np.float64)
    found = np.zeros(factors.shape[1])
    for start in range(0, workload.count, INTERVALS_AT_ONCE):
        energies = side.energies(*ends_of(workload.queries(start, min(start + INTERVALS_AT_ONCE, workload.count))))
        found = np.maximum(found, (factors.T @ energies).max(axis=1))
    return found


def _most(side: Side) -> Floats:
    """What the squared length of each contrast of an interval is at most, shape (rows,).

    A node's is convex in the parts of its children that the interval has, so the most is that of whole children, half
    of them; and an interval cuts two nodes of a height.
    """
    found = np.empty(side.rows)
    for row, (size, larger) in enumerate(itertools.pairwise(side.sizes)):
        children = larger // size
        found[row] = min(2, side.leaves // larger) * size * (children // 2) * -(-children // 2) / children
    found[-1] = side.leaves
    return found


def _features(side: Side, queries: Queries) -> Iterator[Features]:
    """The numbers of queries, some at a time."""
    pieces = 2 * sum(larger // size for size, larger in itertools.pairwise(side.sizes))
    step = max(1, min(MOST_SIDE, AT_ONCE // (side.rows * pieces)))
    return (features(side, queries[start : start + step]) for start in range(0, len(queries), step))

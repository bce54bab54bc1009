"""Sums of a query's weights on pairs of levels, for the exact variance of rectangles.

On the pair of heights (a, b) an unbiased estimator gives a user with the leaves (x, z) the mean score u(x, z), and the
scores of all pairs add up to the rectangle's indicator, but for a constant. u is a sum of products of contrasts of the
rectangle's two sides; so it is constant on products of pieces (`Side.pieces`), and the shares of these come from
running sums of the true shares.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mechdesign.workloads.queries import Rectangles
from mechdesign_catalog.decoders.contrasts.side import Integers, Side
from mechdesign_catalog.decoders.trees.level_sums import ContrastSums
from mechdesign_catalog.randomizers.reports.probabilities import Floats

AT_ONCE = 1 << 21
"""Products of pieces that are handled at once."""


@dataclass(frozen=True, eq=False)
class Scores:
    """An estimator by the scores of its pairs of heights: sums of products of contrasts.

    The pair (a, b) has the scores `scale_ab sum over r >= a, s >= b of spread_rs P_r o_1 P_s o_2` where `nested`, and
    `scale_ab P_a o_1 P_b o_2` alone where not. `lengths` is the number that makes `sum u^2` over nodes of a squared
    length over leaves: shape (rows, rows).
    """

    scale: Floats
    spread: Floats
    lengths: Floats
    nested: bool

    @property
    def blocks(self) -> Floats:
        """Leaves of one node, or of one place of a difference."""
        found: Floats = 1 / self.lengths
        return found


def noise_squares(scores: Scores, energies: tuple[Floats, Floats]) -> Floats:
    """Compute `sum u^2` over the nodes of each pair, shape (rows, rows, q), from the sides' energies (rows, q)."""
    products: Floats = scores.spread[:, :, None] ** 2 * energies[0][:, None, :] * energies[1][None, :, :]
    if scores.nested:
        products = _over_larger(products)
    return (scores.scale**2 * scores.lengths)[:, :, None] * products


def _over_larger(numbers: Floats) -> Floats:
    """Add up what pairs of heights have over the pairs that are nowhere smaller, along the first two axes."""
    found: Floats = numbers[::-1, ::-1].cumsum(axis=0).cumsum(axis=1)[::-1, ::-1]
    return found


@dataclass(frozen=True, eq=False)
class PlaneShares:
    """The true shares of a table of items, shape (A, B), and what is summed up of them once for many queries."""

    sides: tuple[Side, Side]
    table: Floats

    @classmethod
    def of(cls, sides: tuple[Side, Side], frequencies: Floats) -> "PlaneShares":
        """Hold shares that are given row by row, shape (A B,)."""
        return cls(sides, frequencies.reshape(sides[0].items, sides[1].items))

    @cached_property
    def running(self) -> Floats:
        """Shares of the first rows and columns together, shape (A + 1, B + 1)."""
        found = np.zeros((self.sides[0].items + 1, self.sides[1].items + 1))
        found[1:, 1:] = self.table.cumsum(axis=0).cumsum(axis=1)
        return found

    @cached_property
    def leaves(self) -> Floats:
        """Shares of the leaves, shape (leaves, leaves)."""
        one, two = self.sides
        return np.pad(self.table, ((0, one.leaves - one.items), (0, two.leaves - two.items)))

    @cached_property
    def nodes(self) -> list[list[Floats]]:
        """Shares of the nodes of each pair of heights."""
        found = []
        for size in self.sides[0].sizes:
            rows = self.leaves.reshape(-1, size, self.sides[1].leaves).sum(axis=1)
            found.append([rows.reshape(len(rows), -1, width).sum(axis=2) for width in self.sides[1].sizes])
        return found


def level_sums(scores: Scores, queries: Rectangles, shares: PlaneShares) -> ContrastSums:
    """Compute the sums of rectangles."""
    sides = shares.sides
    ends = (queries.first_rows, queries.last_rows), (queries.first_columns, queries.last_columns)
    energies = sides[0].energies(*ends[0]), sides[1].energies(*ends[1])
    shape = (sides[0].rows, sides[1].rows, len(queries))
    found = ContrastSums(noise_squares(scores, energies), np.zeros(shape), np.zeros(shape))
    for part in _parts(sides, len(queries)):
        one, two = ((first[part], last[part]) for first, last in ends)
        rows, columns = _contrasts(sides[0], one), _contrasts(sides[1], two)
        of_pieces = _shares(shares.running, sides, (one, two))
        found.answers[:, :, part] = _mean_scores(scores, rows, of_pieces, columns)
        if not scores.nested:
            factors = (scores.scale * scores.spread)[:, :, None]
            found.square_answers[:, :, part] = factors**2 * _of_products(rows**2, of_pieces, columns**2)
            continue
        for a, b, u in _scores(scores, rows, columns):
            found.square_answers[a, b, part] = np.einsum("qxy,qxy,qxy->q", u, u, of_pieces)
    return found


def _mean_scores(scores: Scores, rows: Floats, of_pieces: Floats, columns: Floats) -> Floats:
    """Compute the mean score over users of each pair, shape (rows, rows, q)."""
    products = scores.spread[:, :, None] * _of_products(rows, of_pieces, columns)
    if scores.nested:
        products = _over_larger(products)
    found: Floats = scores.scale[:, :, None] * products
    return found


def _of_products(rows: Floats, of_pieces: Floats, columns: Floats) -> Floats:
    """Sum the shares of pieces with the products of two factors as weights, for each pair: shape (rows, rows, q)."""
    products = rows.transpose(1, 0, 2) @ of_pieces @ columns.transpose(1, 2, 0)
    return products.transpose(1, 2, 0)


def _parts(sides: tuple[Side, Side], count: int) -> Iterator[slice]:
    pieces = [2 * sum(larger // size for size, larger in zip(s.sizes, s.sizes[1:], strict=False)) for s in sides]
    step = max(1, AT_ONCE // (pieces[0] * pieces[1]))
    return (slice(start, start + step) for start in range(0, count, step))


def _contrasts(side: Side, ends: tuple[Integers, Integers]) -> Floats:
    return side.contrasts_at(side.pieces(*ends).starts, *ends)


def _shares(
    running: Floats, sides: tuple[Side, Side], ends: tuple[tuple[Integers, Integers], tuple[Integers, Integers]]
) -> Floats:
    """The true shares of the products of pieces, shape (q, pieces, pieces)."""
    (top, bottom), (left, right) = (s.edges_of(s.pieces(*e)) for s, e in zip(sides, ends, strict=True))

    def at(row: Integers, column: Integers) -> Floats:
        return running[row[:, :, None], column[:, None, :]]

    return at(bottom, right) - at(top, right) - at(bottom, left) + at(top, left)


def _scores(scores: Scores, rows: Floats, columns: Floats) -> Iterator[tuple[int, int, Floats]]:
    """The mean score on each product of pieces, for every pair whose scale is not 0."""
    if not scores.nested:
        for a, b in np.argwhere(scores.scale):
            yield (
                int(a),
                int(b),
                scores.scale[a, b] * scores.spread[a, b] * rows[a][:, :, None] * columns[b][:, None, :],
            )
        return
    # inner[r, b] = sum over s >= b of spread_rs P_s o_2
    terms = scores.spread[:, :, None, None] * columns[None]
    inner = terms[:, ::-1].cumsum(axis=1)[:, ::-1]
    for b in range(len(columns)):
        total = np.zeros((*rows.shape[1:], columns.shape[2]))
        for a in reversed(range(len(rows))):
            total += rows[a][:, :, None] * inner[a, b][:, None, :]
            if scores.scale[a, b]:
                yield a, b, scores.scale[a, b] * total


def item_sums(scores: Scores, queries: Rectangles, shares: PlaneShares) -> ContrastSums:
    """Compute `level_sums` of single items, in a number of steps for each that does not grow with the sides.

    The score of a user for an item depends on the heights at which the ways to both part, on each side. So the shares
    of the users with these heights are all that is needed; and scores are the same for all items whose own ways part
    from that of the last item, where padding begins, at the same heights.
    """
    sides, parted = shares.sides, _parted(shares, queries)
    squares, answers, square_answers = (np.zeros_like(parted) for _ in range(3))
    kinds = sides[0].parting(queries.first_rows), sides[1].parting(queries.first_columns)
    for kind in np.unique(np.stack(kinds), axis=1).T:
        same = np.flatnonzero((kinds[0] == kind[0]) & (kinds[1] == kind[1]))
        ends = queries.first_rows[same[:1]], queries.first_columns[same[:1]]
        contrasts = [side.contrasts_at(side.beside(end), end, end) for side, end in zip(sides, ends, strict=True)]
        energies = [side.energies(end, end) for side, end in zip(sides, ends, strict=True)]
        squares[same] = noise_squares(scores, (energies[0], energies[1]))[:, :, 0].reshape(-1)
        u = np.zeros((*scores.scale.shape, scores.scale.size))
        for a, b, of_pair in _scores(scores, contrasts[0], contrasts[1]):
            u[a, b] = of_pair.reshape(-1)
        of_pairs, alike = u.reshape(len(parted[0]), -1).T, parted[same]
        answers[same] = alike @ of_pairs
        square_answers[same] = alike @ of_pairs**2
    shape = *scores.scale.shape, len(queries)
    return ContrastSums(*(found.T.reshape(shape) for found in (squares, answers, square_answers)))


def _parted(shares: PlaneShares, queries: Rectangles) -> Floats:
    """The shares of users whose ways part from an item's at each pair of heights, shape (q, rows rows)."""
    one, two = shares.sides
    parted = np.empty((one.rows, two.rows, len(queries)))
    for a, size in enumerate(one.sizes):
        for b, width in enumerate(two.sizes):
            parted[a, b] = shares.nodes[a][b][queries.first_rows // size, queries.first_columns // width]
    parted[1:] -= parted[:-1].copy()
    parted[:, 1:] -= parted[:, :-1].copy()
    return np.ascontiguousarray(parted.reshape(-1, len(queries)).T)


def weight_sums(scores: Scores, weights: Floats, shares: PlaneShares) -> ContrastSums:
    """Compute `level_sums` of queries with any weights, shape (q, A B), in a number of steps that grows with A B."""
    one, two = shares.sides
    shape = one.rows, two.rows, len(weights)
    found = ContrastSums.zeros(*shape)
    for query, of_items in enumerate(weights):
        rows = two.extended(of_items.reshape(one.items, two.items))
        contrasts = _plane_contrasts(shares.sides, one.extended(rows.T).T)
        lengths = scores.spread**2 * (contrasts**2).sum(axis=(2, 3))
        parts = scores.spread[:, :, None, None] * contrasts
        if scores.nested:
            lengths = _over_larger(lengths)
            parts = _over_larger(parts)
        u = scores.scale[:, :, None, None] * parts
        found.squares[:, :, query] = scores.scale**2 * scores.lengths * lengths
        found.answers[:, :, query] = (u * shares.leaves).sum(axis=(2, 3))
        found.square_answers[:, :, query] = (u**2 * shares.leaves).sum(axis=(2, 3))
    return found


def _plane_contrasts(sides: tuple[Side, Side], table: Floats) -> Floats:
    """All products of contrasts of a table, at each leaf: shape (rows, rows, leaves, leaves)."""
    one, two = sides
    found = np.empty((one.rows, two.rows, *table.shape))
    for a, size in enumerate(one.sizes):
        rows = np.repeat(table.reshape(-1, size, two.leaves).mean(axis=1), size, axis=0)
        for b, width in enumerate(two.sizes):
            found[a, b] = np.repeat(rows.reshape(one.leaves, -1, width).mean(axis=2), width, axis=1)
    found[:-1] -= found[1:].copy()
    found[:, :-1] -= found[:, 1:].copy()
    return found

"""Estimate items exactly from reports about levels: each level by itself, and then all of them together."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from mechdesign.errors import NoAnswerError
from mechdesign_catalog.oracles.levels.contrasts.side import Side
from mechdesign_catalog.oracles.levels.haar import Haar
from mechdesign_catalog.oracles.levels.hierarchical import HierarchicalHistograms, contrast_variance
from mechdesign_catalog.oracles.levels.level_oracle import LevelOracle
from mechdesign_catalog.oracles.levels.plane.haar2 import Haar2
from mechdesign_catalog.oracles.levels.plane.hh2 import HierarchicalHistograms2
from mechdesign_catalog.oracles.levels.signed_hadamard import SignedHrr
from mechdesign_catalog.reference.rows import Row, parity, read_row
from mechdesign_catalog.reference.servers.least_squares import Measured, least_squares
from mechdesign_catalog.reference.servers.scores import FLAT_SCORES, Scorer, Scores, mean_scores

Levels = Sequence[Scores]
"""For each level the estimates of its nodes."""

Grid = list[list[Fraction]]


def estimate_levels(oracle: LevelOracle, rows: Sequence[Row]) -> list[Scores]:
    """Average the scores of each level's nodes over its own users.

    Raises:
        NoAnswerError: for a level without users.
    """
    found = []
    for level, kind in enumerate(oracle.level_oracles, start=1):
        own = [
            NODE_SCORES[type(kind)](kind, read_row(kind.wire, row["report"])) for row in rows if row["level"] == level
        ]
        if not own:
            raise NoAnswerError(f"each level must have a report, got none of level {level}")
        found.append(mean_scores(own))
    return found


def items_from_levels(oracle: LevelOracle, rows: Sequence[Row]) -> Scores:
    """Estimate the share of each item, unbiased; errors as `estimate_levels`."""
    return LEVEL_ESTIMATES[type(oracle)](oracle, estimate_levels(oracle, rows))


def _score_signed(oracle: SignedHrr, row: Row) -> Scores:
    """A place v scores `(1+alpha)/(1-alpha)` times the sign of the reported bit less that of c and v."""
    word, bit = divmod(row["report"], 2)
    return [oracle.scale * (-1) ** (parity(word & place) ^ bit) for place in range(oracle.places)]


def _items_of_tree(oracle: HierarchicalHistograms, levels: Levels) -> Scores:
    """Take the last level, or by `ci` the least squares of all nodes.

    A node of level l weighs `p_l / a_l`: the chance of its level over the variance of a contrast of its nodes.
    """
    if not oracle.is_consistent:
        return list(levels[-1])
    measured = []
    for level, estimates in enumerate(levels):
        weight = oracle.level_chances[level] / contrast_variance(oracle.level_oracles[level])
        size = oracle.tree.sizes[level]
        for node, value in enumerate(estimates):
            measured.append(Measured(weight, range(node * size, min(node * size + size, oracle.k)), value))
    return least_squares(oracle.k, measured)


def _items_of_trees(oracle: HierarchicalHistograms2, levels: Levels) -> Scores:
    """Take the least squares of all nodes over the leaves of both trees, and fold padding away."""
    rows, columns = oracle.trees
    measured = []
    for level, (pair, estimates) in enumerate(zip(oracle.pairs, levels, strict=True)):
        weight = oracle.level_chances[level] / contrast_variance(oracle.level_oracles[level])
        height, width = rows.sizes[pair[0]], columns.sizes[pair[1]]
        for node, value in enumerate(estimates):
            top, left = divmod(node, columns.leaves // width)
            members = [
                row * columns.leaves + column
                for row in range(top * height, top * height + height)
                for column in range(left * width, left * width + width)
            ]
            measured.append(Measured(weight, members, value))
    leaves = least_squares(rows.leaves * columns.leaves, measured)
    return _folded_grid(
        oracle, [leaves[start : start + columns.leaves] for start in range(0, len(leaves), columns.leaves)]
    )


def _items_of_halves(oracle: Haar, levels: Levels) -> Scores:
    """Halve each node by its difference, from 1 for all items down to the leaves, and fold padding away."""
    return _folded(oracle.side, _halved([Fraction(1)], levels))


def _items_of_quarters(oracle: Haar2, levels: Levels) -> Scores:
    """Halve nodes along the columns for each contrast of the rows, then along the rows, and fold padding away."""
    by_pair: dict[tuple[int, int], Scores] = dict(zip(oracle.pairs, levels, strict=True))
    rows, columns = (tree.rows - 1 for tree in oracle.trees)
    by_pair[rows, columns] = [Fraction(1)]
    along: list[Grid] = []
    for first in range(rows, -1, -1):
        places = 1 if first == rows else 1 << rows - first - 1
        parts = [_rows_of(by_pair[first, second], places) for second in range(columns, -1, -1)]
        along.append([_halved(part[0], part[1:]) for part in (list(each) for each in zip(*parts, strict=True))])
    whole, *differences = ([list(column) for column in zip(*grid, strict=True)] for grid in along)
    by_column = [_halved(one, rest) for one, *rest in zip(whole, *differences, strict=True)]
    return _folded_grid(oracle, [list(row) for row in zip(*by_column, strict=True)])


def _rows_of(numbers: Scores, count: int) -> Grid:
    width = len(numbers) // count
    return [list(numbers[start : start + width]) for start in range(0, len(numbers), width)]


def _halved(shares: Scores, differences: Sequence[Scores]) -> Scores:
    """Part the shares of nodes by the differences of their halves, the largest nodes first."""
    for of_level in differences:
        halves = zip(shares, of_level, strict=True)
        shares = [half for share, difference in halves for half in ((share + difference) / 2, (share - difference) / 2)]
    return list(shares)


def _folded_grid(oracle: HierarchicalHistograms2 | Haar2, leaves: Grid) -> Scores:
    rows, columns = oracle.trees
    by_row = [_folded(columns, row) for row in leaves]
    by_column = [_folded(rows, list(column)) for column in zip(*by_row, strict=True)]
    return [share for row in zip(*by_column, strict=True) for share in row]


def _folded(side: Side, leaves: Scores) -> Scores:
    """Give what is estimated for padding to the items beside it, in equal parts; the sum stays.

    From the root down, on the way to the last item: what a node's children without items have, and what was carried
    from above, is shared evenly among its children with items.
    """
    found = list(leaves[: side.items])
    start, carried = 0, Fraction(0)
    for size, larger in reversed(list(zip(side.sizes, side.sizes[1:], strict=False))):
        last = (side.items - 1) // size * size
        children = (last - start) // size + 1
        carried = (carried + sum(leaves[start + children * size : start + larger])) / children
        for place in range(start, last):
            found[place] += carried / size
        start = last
    found[-1] += carried
    return found


NODE_SCORES: dict[type, Scorer] = {**FLAT_SCORES, SignedHrr: _score_signed}

LEVEL_ESTIMATES: dict[type, Callable[[Any, Levels], Scores]] = {
    HierarchicalHistograms: _items_of_tree,
    HierarchicalHistograms2: _items_of_trees,
    Haar: _items_of_halves,
    Haar2: _items_of_quarters,
}

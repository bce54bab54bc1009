"""Plane oracles on two ordered columns: users share out over pairs of levels."""

import re
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.errors import InputError, shorten
from mechdesign.workloads.grid import Grid
from mechdesign.workloads.ordered import Histogram
from mechdesign.workloads.queries import Intervals, Queries, Rectangles, written_parts
from mechdesign.workloads.workload import OrderedWorkload, Workload
from mechdesign_catalog.closed_forms.averages import SumsOfSquares, average_variance
from mechdesign_catalog.closed_forms.equal_shares import EqualShares
from mechdesign_catalog.closed_forms.workload_sums import workload_sums
from mechdesign_catalog.decoders.contrasts.side import Side
from mechdesign_catalog.decoders.contrasts.side_energies import exact_lengths, side_energies
from mechdesign_catalog.decoders.planes.rectangle_sums import (
    PlaneShares,
    Scores,
    item_sums,
    level_sums,
    weight_sums,
)
from mechdesign_catalog.decoders.trees.level_sums import ContrastSums
from mechdesign_catalog.decoders.trees.plan import OPTIMAL
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.systems.levels.level_oracle import LevelOracle, SumsOfQueries

Sides = tuple[Side, Side]
Pair = tuple[int, int]


@dataclass(frozen=True)
class PlaneOracle(LevelOracle):
    """The system of a table of A x B items: row a and column b are item `a B + b`.

    So items are numbered row by row, and k = A B.

    `sides` is its size, `AxB`. Levels are the pairs of a height on the first side and one on the second, but the pair
    of both roots, from the largest nodes to the items; the height on the second side changes fastest.

    `levels=optimal` has the best weights for all rectangles, `levels=circular-prefixes` those for all products of an
    arc of rows and a prefix of columns, `levels=prefixes` those for products of prefixes.

    Raises:
        InputError: for no sides, or sides that do not have k items.
    """

    sides: str | tuple[int, int] = ""
    is_published: ClassVar[bool] = False
    """A thesis names products of trees, and works none out."""

    def settle_options(self) -> None:
        """Write the sides out, and levels that are named by a workload of two sides."""
        numbers = parse_sides(self.sides, self.k, self.name)
        object.__setattr__(self, "sides", "x".join(map(str, numbers)))
        if isinstance(self.levels, str):
            object.__setattr__(self, "levels", meant(self.levels, self.shape) or self.levels)

    @cached_property
    def shape(self) -> tuple[int, int]:
        """Numbers A of rows and B of columns."""
        return parse_sides(self.sides, self.k, self.name)

    @property
    @abstractmethod
    def trees(self) -> Sides:
        """The trees over both sides."""

    @property
    @abstractmethod
    def scores(self) -> Scores:
        """The estimator."""

    @abstractmethod
    def chances_for(self, energies: Floats) -> Floats:
        """Compute the best chances of all pairs, shape (rows, rows), for a workload.

        `energies` are the summed squared lengths of its products of contrasts.
        """

    @property
    def pairs(self) -> list[Pair]:
        """Heights of the nodes of each level, or the rows of its contrasts."""
        rows, columns = (range(tree.rows)[::-1] for tree in self.trees)
        return [(a, b) for a in rows for b in columns][1:]

    def require_sides(self, workload: Workload) -> tuple[OrderedWorkload, OrderedWorkload]:
        """Return the workloads on rows and on columns that a workload on the table is the product of.

        Raises:
            InputError: for one that is no product on these sides.
        """
        if isinstance(workload, Histogram) and workload.k == self.k:
            return Histogram(self.shape[0]), Histogram(self.shape[1])
        found = workload.sides
        if found is None or (found[0].k, found[1].k) != self.shape:
            asked = f"grid:{self.shape[0]},{self.shape[1]}"
            raise InputError(f"workload must be {asked} for {self.name}:sides={self.sides}, got {workload.name}")
        return found

    def best_chances(self, workload: Workload) -> Floats:
        """Compute the chances of the pairs that are best for a workload that is a product on both sides."""
        rows, columns = (
            np.array([float(length) for length in exact_lengths(tree, on_side)])
            for tree, on_side in zip(self.trees, self.require_sides(workload), strict=True)
        )
        chances = self.chances_for(np.outer(rows, columns))
        return np.array([chances[pair] for pair in self.pairs])

    def average_variance(self, workload: Workload, users: int) -> float:
        """Average the variance over all queries of a workload, where the items have equal shares, in closed form.

        Raises:
            InputError: as `require_sides`.
        """
        rows, columns = map(side_energies, self.trees, self.require_sides(workload))
        sums = workload_sums(self.scores, rows, columns)
        levels = [
            SumsOfSquares(sums.squares[pair], sums.square_answers[pair], squared_answers=sums.squared_answers[pair])
            for pair in self.pairs
        ]
        return average_variance(levels, self.moments, workload, self.users_by_branch(users))

    def largest_variance(self, workload: Workload, users: int) -> tuple[float, float]:
        """Return a value that the largest variance over a workload has at least, and a bound of it, at equal shares.

        They are equal, and exact, up to as many rectangles as there are ranges of 2^12 items.

        Raises:
            InputError: as `require_sides`.
        """
        counts = np.zeros((self.trees[0].rows, self.trees[1].rows))
        for pair, count in zip(self.pairs, self.users_by_branch(users), strict=True):
            counts[pair] = count
        moments = dict(zip(self.pairs, self.moments, strict=True))
        return EqualShares(self.trees, self.scores, moments, counts).largest(self.require_sides(workload))

    def folded(self, leaves: Floats) -> Floats:
        """Turn estimates of all leaves, a table, into those of the items, shape (k,)."""
        one, two = self.trees
        found: Floats = one.folded(two.folded(leaves).T).T.reshape(-1)
        return found

    def sums_at(self, shares: Floats) -> SumsOfQueries:
        """Return what forms the sums of all levels for queries, where the items have these shares."""
        known = PlaneShares.of(self.trees, shares)
        return lambda queries: self._sums(queries, known).at(self.pairs)

    def _sums(self, queries: Queries, shares: PlaneShares) -> ContrastSums:
        rectangles = as_rectangles(queries, self.shape)
        if rectangles is None:
            return ContrastSums.joined([weight_sums(self.scores, part, shares) for part in written_parts(queries)])
        if (rectangles.squares == 1).all():
            return item_sums(self.scores, rectangles, shares)
        return level_sums(self.scores, rectangles, shares)


def meant(levels: str, shape: tuple[int, int]) -> Grid | None:
    """Return the workload that levels are best for: `optimal` for all rectangles, or as `Grid.words`; else None."""
    return Grid(shape) if levels.strip().lower() == OPTIMAL else Grid.of_words(shape, levels)


def parse_sides(sides: object, k: int, name: str) -> tuple[int, int]:
    """Parse `AxB`, or a pair of numbers, for k = A B items.

    Raises:
        InputError: for anything else, sides of less than two items, or another product.
    """
    text = "x".join(map(str, sides)) if isinstance(sides, tuple) else str(sides)
    found = re.fullmatch(r"\s*(\d{1,12})\s*[xX]\s*(\d{1,12})\s*", text)
    if not found:
        given = shorten(text) if text else "none"
        raise InputError(
            f"sides must be given for {name} as AxB with A B = k, such as 8x16, or two columns with bins, got {given}"
        )
    numbers = int(found[1]), int(found[2])
    if min(numbers) < 2 or numbers[0] * numbers[1] != k:
        raise InputError(f"sides must be AxB with A B = k = {k}, both at least 2, got sides={text}")
    return numbers


def as_rectangles(queries: Queries, shape: tuple[int, int]) -> Rectangles | None:
    """Return queries as rectangles of a table, None where they are none."""
    if isinstance(queries, Rectangles):
        return queries if queries.sides == shape else None
    if not isinstance(queries, Intervals):
        return None
    (top, left), (bottom, right) = (np.divmod(ends, shape[1]) for ends in (queries.first, queries.last))
    if not ((top == bottom) | ((left == 0) & (right == shape[1] - 1))).all():
        return None
    return Rectangles(shape, top, bottom, left, right)

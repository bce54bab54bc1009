"""The workload of products of a table: queries of its rows times queries of its columns, such as rectangles."""

import itertools
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from mechdesign.errors import InputError
from mechdesign.workloads.arcs import ArcQueries, Arcs
from mechdesign.workloads.blocks import require_edges, require_size
from mechdesign.workloads.queries import Floats, Integers, Intervals, Queries, Rectangles, fitting
from mechdesign.workloads.root_sums import UNIT, exponents_between, log2_bounds, root_sum
from mechdesign.workloads.sides import KINDS
from mechdesign.workloads.workload import OrderedWorkload, Rows, Workload, require_items

TOGETHER = 1 << 14
"""Eigenvalues that are looked at together."""

Span = tuple[int, int]
"""First item, and the one after the last."""

RANGES = "ranges"
"""The kind of a side that is named by its number of items alone."""


@dataclass(frozen=True)
class Grid(Workload):
    """The workload of all products of a query on A rows and one on B columns, k = A B items row by row.

    `kinds` are the workloads of both sides, of `KINDS`: with ranges and ranges queries are all rectangles. They are
    ordered by their rows, then by their columns, each as in the side's workload.
    """

    shape: tuple[int, int]
    kinds: tuple[str, str] = (RANGES, RANGES)
    k: int = field(init=False)

    def __post_init__(self) -> None:
        """Check the sides."""
        for side in self.shape:
            require_items(side)
        object.__setattr__(self, "k", self.shape[0] * self.shape[1])
        require_items(self.k)
        _ = self.sides

    @classmethod
    def of_words(cls, shape: tuple[int, int], text: str) -> "Grid | None":
        """Return the workload on a table that a text names by its kinds, None for other texts.

        It is `circular-prefixes`, or `prefixes` where both sides have the same.
        """
        words = [word.strip().lower() for word in text.split("-")]
        return cls(shape, (words[0], words[-1])) if len(words) <= 2 and set(words) <= set(KINDS) else None

    @property
    def words(self) -> str:
        """The kinds of the sides, as `of_words` reads them."""
        return "-".join(dict.fromkeys(self.kinds))

    @property
    def name(self) -> str:
        """The text `grid:A,B`, a side as its number or as `prefixes:A`."""
        sides = zip(self.kinds, self.shape, strict=True)
        return "grid:" + ",".join(f"{size}" if kind == RANGES else f"{kind}:{size}" for kind, size in sides)

    @property
    def sides(self) -> tuple[OrderedWorkload, OrderedWorkload]:
        """The workloads on rows and on columns."""
        (rows, columns), (height, width) = self.kinds, self.shape
        return KINDS[rows](height), KINDS[columns](width)

    @property
    def count(self) -> int:
        """One query for each range of rows and range of columns."""
        rows, columns = self.sides
        return rows.count * columns.count

    def at(self, indexes: Integers) -> Rectangles:
        """Return rectangles by their numbers."""
        rows, columns = self.sides
        row_numbers, column_numbers = np.divmod(indexes, columns.count)
        ends = ends_of(rows.at(row_numbers)), ends_of(columns.at(column_numbers))
        return Rectangles(self.shape, *ends[0], *ends[1], (isinstance(rows, Arcs), isinstance(columns, Arcs)))

    def gram_times(self, vector: Floats) -> Floats:
        """Return `W'W x`: the Gram matrix is the Kronecker product of those of the sides."""
        table = fitting(vector, self.k).reshape(self.shape)
        rows, columns = self.sides
        return rows.gram_times_each(columns.gram_times_each(table).T).T.ravel()

    def singular_sum_square(self) -> Fraction:
        """Return the square of the sum of the singular values without the whole, from below.

        `det(1 + PGP/s) = det(1 + G/s) 1'(1 + G/s)^-1 1 / k` for the Gram matrix G. Its eigenvalues are known.
        A factor is off by 24 units of 2^-53, so logarithms by as much of themselves and 3 k more.
        """
        (rows, row_shares), (columns, column_shares) = (side.spectrum for side in self.sides)
        exponents = exponents_between(rows.min() * columns.min(), rows.max() * columns.max())
        nodes = np.ldexp(1.0, 2 * np.array(exponents))[:, None]
        shares, mantissas, powers = np.zeros(len(nodes)), np.ones(len(nodes)), np.zeros(len(nodes), dtype=np.int64)
        for start in range(0, self.k, TOGETHER):
            row, column = np.divmod(np.arange(start, min(start + TOGETHER, self.k)), self.shape[1])
            factors = 1 + rows[row] * columns[column] / nodes
            shares += (row_shares[row] * column_shares[column] / factors).sum(axis=1)
            parts, exponent = np.frexp(factors)
            products, carried = np.frexp(np.multiply.reduceat(parts, np.arange(0, len(row), 1 << 9), axis=1))
            mantissas, last = np.frexp(mantissas * products.prod(axis=1))
            powers += exponent.sum(axis=1) + carried.sum(axis=1) + last
        ends = [Fraction(1 + sign * (2 * self.k + 100) * UNIT) for sign in (-1, 1)]
        bounds = []
        for share, mantissa, power in zip(shares.tolist(), mantissas.tolist(), powers.tolist(), strict=True):
            low, high = (Fraction(share) * Fraction(mantissa) * end for end in ends)
            bounds.append(log2_bounds(low, high, power, Fraction((24 * max(power, 1) + 4 * self.k) * UNIT)))
        return root_sum(exponents, bounds) ** 2

    def _gram(self) -> Rows:
        rows, columns = (np.array(side.gram(), dtype=np.int64) for side in self.sides)
        entries: Rows = np.kron(rows, columns).tolist()
        return entries

    def block_energy(self, size: int) -> int:
        """Return the energy over tiles of the items row by row.

        Tiles that cut rows evenly, or are whole rows, are products of blocks of the sides. Others take a number of
        steps that grows with the larger side.
        """
        size = min(require_size(size), self.k)
        rows, columns = self.sides
        if columns.k % size == 0:
            return rows.block_energy(1) * columns.block_energy(size)
        if size % columns.k == 0:
            return rows.block_energy(size // columns.k) * columns.block_energy(columns.k)
        if size > columns.k:
            return self.energy(np.array([*range(0, self.k, size), self.k]))
        return self._energy_of_short_tiles(size)

    def _energy_of_short_tiles(self, size: int) -> int:
        """Add up tiles shorter than a row, grouped by the column in which they start."""
        height, width = self.shape
        full, rest = divmod(self.k, size)
        row, column = np.divmod(np.arange(full, dtype=np.int64) * size, width)
        own = np.zeros(width, dtype=np.int64)
        both, next_ = own.copy(), own.copy()
        rows, columns = self.sides
        after = np.minimum(row + 1, height - 1)
        reaches = after > row
        np.add.at(own, column, rows.together(row, row))
        np.add.at(both, column, rows.together(row, after) * reaches)
        np.add.at(next_, column, rows.together(after, after) * reaches)
        energy = self._energy_of((full * size, self.k)) if rest else 0
        for start in np.unique(column).tolist():
            head, tail = (start, min(start + size, width)), (0, max(start + size - width, 0))
            energy += int(own[start]) * together(columns, head, head)
            energy += 2 * int(both[start]) * together(columns, head, tail)
            energy += int(next_[start]) * together(columns, tail, tail)
        return energy

    def energy(self, edges: ArrayLike) -> int:
        """Return the energy over any partition of the items row by row, block by block."""
        at = require_edges(self.k, edges).tolist()
        return sum(map(self._energy_of, itertools.pairwise(at)))

    def _energy_of(self, block: Span) -> int:
        """Return the energy of one block: its part of the first row, whole rows, and its part of the last row."""
        pieces = self._pieces(block)
        one, two = self.sides
        return sum(
            together(one, rows, other_rows) * together(two, columns, other_columns)
            for rows, columns in pieces
            for other_rows, other_columns in pieces
        )

    def _pieces(self, block: Span) -> list[tuple[Span, Span]]:
        width = self.shape[1]
        (row, column), (last, end) = divmod(block[0], width), divmod(block[1], width)
        if row == last:
            return [((row, row + 1), (column, end))]
        pieces = [((row, row + 1), (column, width)), ((row + 1, last), (0, width)), ((last, last + 1), (0, end))]
        return [(rows, columns) for rows, columns in pieces if rows[0] < rows[1] and columns[0] < columns[1]]


def ends_of(queries: Queries) -> tuple[Integers, Integers]:
    """Return the first and the last items of intervals or arcs; an arc over the end has the last before the first.

    Raises:
        InputError: for other queries.
    """
    if isinstance(queries, Intervals):
        return queries.first, queries.last
    if isinstance(queries, ArcQueries):
        return queries.first, (queries.ends - 1) % queries.k
    raise InputError("queries on a side of a table must be intervals or arcs, got others")


def parse_grid_name(text: str, k: int | None) -> Grid:
    """Parse `A,B`, the sides of a table with k items where this is known.

    A side is a whole number, or a workload of `KINDS` and a number, as in `prefixes:16`.

    Raises:
        InputError: for another text or product.

    >>> parse_grid_name("circular:24,ranges:60", None).name
    'grid:circular:24,60'
    """
    sides = [part.strip().lower().rpartition(":") for part in text.split(",")]
    kinds = [kind.strip() if colon else RANGES for kind, colon, _ in sides]
    sizes = [size.strip() for _, _, size in sides]
    numbers = [size for size in sizes if size.isdecimal() and size.isascii() and len(size) <= 10]
    if len(sides) != 2 or len(numbers) != 2 or not set(kinds) <= set(KINDS):
        raise InputError(
            f"grid:A,B must have two sides A,B such as 16, prefixes:16 or circular:16, got workload=grid:{text[:40]}"
        )
    height, width = map(int, numbers)
    if k is not None and height * width != k:
        raise InputError(f"grid:A,B must have A B = k = {k}, got {height} x {width} = {height * width}")
    return Grid((height, width), (kinds[0], kinds[1]))


def together(side: OrderedWorkload, block: Span, other: Span) -> int:
    """Return the sum over all queries of a side of (items in one block) x (items in the other)."""
    return sum(
        sign * side.from_start(min(end, other_end), max(end, other_end))
        for end, sign in ((block[1], 1), (block[0], -1))
        for other_end, sign in ((other[1], sign), (other[0], -sign))
    )

"""The workload of all rectangles of a table: ranges of its rows times ranges of its columns."""

import itertools
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import ArrayLike

from mechdesign.errors import InputError
from mechdesign.workloads.blocks import require_edges, require_size
from mechdesign.workloads.ordered import Ranges, ranges_gram_times
from mechdesign.workloads.queries import Floats, Integers, Rectangles, fitting
from mechdesign.workloads.root_sums import UNIT, exponents_between, log2_bounds, root_sum
from mechdesign.workloads.workload import Rows, Workload, require_items

TOGETHER = 1 << 14
"""Eigenvalues that are looked at together."""

Span = tuple[int, int]
"""First item, and the one after the last."""


@dataclass(frozen=True)
class Grid(Workload):
    """The workload of all rectangles of a table of A rows and B columns, k = A B items row by row.

    Queries are ordered by their rows, then by their columns, each as in `Ranges`.
    """

    shape: tuple[int, int]
    k: int = field(init=False)

    def __post_init__(self) -> None:
        """Check the sides."""
        for side in self.shape:
            require_items(side)
        object.__setattr__(self, "k", self.shape[0] * self.shape[1])
        require_items(self.k)

    @property
    def name(self) -> str:
        """The text `grid:A,B`."""
        return f"grid:{self.shape[0]},{self.shape[1]}"

    @property
    def sides(self) -> tuple[Ranges, Ranges]:
        """The ranges of rows and the ranges of columns."""
        return Ranges(self.shape[0]), Ranges(self.shape[1])

    @property
    def count(self) -> int:
        """One query for each range of rows and range of columns."""
        rows, columns = self.sides
        return rows.count * columns.count

    def at(self, indexes: Integers) -> Rectangles:
        """Return rectangles by their numbers."""
        rows, columns = self.sides
        row_numbers, column_numbers = np.divmod(indexes, columns.count)
        vertical, horizontal = rows.at(row_numbers), columns.at(column_numbers)
        return Rectangles(self.shape, vertical.first, vertical.last, horizontal.first, horizontal.last)

    def gram_times(self, vector: Floats) -> Floats:
        """Return `W'W x`: the Gram matrix is the Kronecker product of those of the sides."""
        table = fitting(vector, self.k).reshape(self.shape)
        return ranges_gram_times(ranges_gram_times(table).T).T.ravel()

    def singular_sum_square(self) -> Fraction:
        """Return the square of the sum of the singular values without the whole, from below.

        `det(1 + PGP/s) = det(1 + G/s) 1'(1 + G/s)^-1 1 / k` for the Gram matrix G. Its eigenvalues are known.
        A factor is off by 24 units of 2^-53, so logarithms by as much of themselves and 3 k more.
        """
        (rows, row_shares), (columns, column_shares) = map(_spectrum, self.shape)
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
        np.add.at(own, column, (row + 1) * (height - row))
        np.add.at(both, column, (row + 1) * (height - row - 1))
        np.add.at(next_, column, (row + 2) * (height - row - 1))
        energy = self._energy_of((full * size, self.k)) if rest else 0
        for start in np.unique(column).tolist():
            head, tail = (start, min(start + size, width)), (0, max(start + size - width, 0))
            energy += int(own[start]) * together(width, head, head)
            energy += 2 * int(both[start]) * together(width, head, tail)
            energy += int(next_[start]) * together(width, tail, tail)
        return energy

    def energy(self, edges: ArrayLike) -> int:
        """Return the energy over any partition of the items row by row, block by block."""
        at = require_edges(self.k, edges).tolist()
        return sum(map(self._energy_of, itertools.pairwise(at)))

    def _energy_of(self, block: Span) -> int:
        """Return the energy of one block: its part of the first row, whole rows, and its part of the last row."""
        pieces = self._pieces(block)
        height, width = self.shape
        return sum(
            together(height, rows, other_rows) * together(width, columns, other_columns)
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


def _spectrum(side: int) -> tuple[Floats, Floats]:
    """Return the eigenvalues of the ranges of a side, and the share of each in the vector of ones.

    `(n+1) / (4 sin^2 x_i)` with `x_i = pi i / (2n+2)` belongs to the vector of all `sin(2 i u x_1)`. The
    ones have the share `2 cot^2(x_i) / (n (n+1))` for odd i, and none for even ones.
    """
    sines = np.array([float((arb.pi() * i / (2 * side + 2)).sin()) for i in range(1, side + 1)])
    shares = np.where(np.arange(side) % 2, 0.0, 2 / (side * (side + 1.0)) * (sines[::-1] / sines) ** 2)
    return (side + 1) / (2 * sines) ** 2, shares


def parse_sides(text: str, k: int | None) -> tuple[int, int]:
    """Parse `A,B`, two whole numbers whose product is k where this is known.

    Raises:
        InputError: for another text or product.
    """
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(part.isdecimal() and part.isascii() and len(part) <= 10 for part in parts):
        raise InputError(f"grid:A,B must have two whole numbers A,B, got workload=grid:{text[:40]}")
    height, width = map(int, parts)
    if k is not None and height * width != k:
        raise InputError(f"grid:A,B must have A B = k = {k}, got {height} x {width} = {height * width}")
    return height, width


def together(k: int, block: Span, other: Span) -> int:
    """Return the sum over all ranges of k items of (items in one block) x (items in the other)."""
    return sum(
        sign * _from_start(k, min(end, other_end), max(end, other_end))
        for end, sign in ((block[1], 1), (block[0], -1))
        for other_end, sign in ((other[1], sign), (other[0], -sign))
    )


def _from_start(k: int, short: int, long: int) -> int:
    """Return the same for the blocks [0, short) and [0, long), short <= long.

    Items u <= v are together in (u + 1)(k - v) ranges: those of the short block twice, and pairs of one in it and one
    beyond it.
    """
    squares = short * (short + 1) * (2 * short + 1) // 6
    within = short * (short + 1) ** 2 * (short + 2) // 12 + (k - short) * squares
    beyond = ((k - short) * (k - short + 1) - (k - long) * (k - long + 1)) // 2
    return within + short * (short + 1) // 2 * beyond

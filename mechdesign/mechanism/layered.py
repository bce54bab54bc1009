"""Layered mechanisms for counts of every size: geometric, with a layer at each end.

For n people, `alpha = a`, `c = (1-a)/(1+a)` and a table X of depth b:

    P[i,j] = X[i][j]                       i < b, j < b
    P[i,j] = X[i][b-1] a^(j-b+1)           i < b, j >= b - 1
    P[i,j] = c a^|i-j|                     b <= i <= n-b
    P[n-i,n-j] = P[i,j]

It is a mechanism for every n >= 2b-1 once `sum_i X[i][j] = 1 - a^(b-j)/(1+a)` (docs: any-n). No power of alpha with n
in it is ever formed: an entry is a rational and a power, and a draw is the difference of two geometric variables, with
what falls beyond the middle replaced by a row of the table.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from math import gcd, lcm
from operator import add

import numpy as np
from numpy.typing import NDArray

from mechdesign.arguments import checked
from mechdesign.errors import InputError
from mechdesign.mechanism.geometric_sampling import GeometricSampler
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.notebook import one_line
from mechdesign.mechanism.sampling import ColumnSampler, WordSource, counts_in_groups, system_words
from mechdesign.verify.layers import remapped_layer

Rows = Sequence[Sequence[int]]
Counts = NDArray[np.int64]

MOST_PEOPLE = 10**9
"""Groups are no larger than this."""

LARGEST_MATRIX = 4095
"""A mechanism is written out as a matrix up to so many people."""


@dataclass(frozen=True)
class LayeredMechanism:
    """The mechanisms of one law, for every n from `2 depth - 1` on.

    Args:
        alpha: that of every neighbouring pair of counts.
        rows: the table X, depth x depth, whole numbers over `denominator`.
        denominator: under every entry of both tables.
        slopes: where the table changes with n: it is then `X + slopes / (n + 1)`.
        remap: where the table is that of the geometric mechanism with the outputs y < b replaced by `remap[y]`.
    """

    alpha: Fraction
    rows: Rows
    denominator: int
    slopes: Rows | None = None
    remap: tuple[int, ...] | None = None

    @classmethod
    def of(
        cls,
        alpha: Fraction,
        table: Sequence[Sequence[Fraction]],
        slopes: Sequence[Sequence[Fraction]] | None = None,
    ) -> "LayeredMechanism":
        """Make the mechanism of tables of rationals, over their least common denominator."""
        common = lcm(*(value.denominator for rows in (table, slopes or ()) for row in rows for value in row))
        whole = [
            tuple(tuple(value.numerator * (common // value.denominator) for value in row) for row in rows)
            for rows in (table, slopes or ())
        ]
        return cls(alpha, whole[0], common, whole[1] or None)

    @classmethod
    def remapped(cls, alpha: Fraction, remap: tuple[int, ...], has_floor: bool = False) -> "LayeredMechanism":
        """Make the geometric mechanism with each output y < b, and its mirror image, replaced by `remap[y]`.

        With a floor 1/(n+1) under its diagonal the output 0 is replaced by an i < remap[0], which is no answer else,
        as often as that asks for: row i has `alpha^(j-i) / (n+1)` and row remap[0] so much less.
        """
        layer = remapped_layer(alpha, remap, has_floor)
        return cls(alpha, layer.rows, layer.denominator, layer.slopes, remap)

    @property
    def depth(self) -> int:
        """The number b of rows at each end."""
        return len(self.rows)

    @property
    def least(self) -> int:
        """The smallest n."""
        return 2 * self.depth - 1

    @property
    def weight(self) -> Fraction:
        """The diagonal entry c in the middle."""
        return (1 - self.alpha) / (1 + self.alpha)

    @property
    def sums_to_one(self) -> bool:
        """Whether every column sums to exactly 1 at every size."""
        b, a = self.depth, self.alpha
        wanted = [self.denominator * (1 - a ** (b - j) / (1 + a)) for j in range(b)]
        return _column_sums(self.rows) == wanted and not (self.slopes and any(_column_sums(self.slopes)))

    def table(self, n: int) -> tuple[Rows, int]:
        """Return the table at n, whole numbers and their denominator."""
        if self.slopes is None:
            return self.rows, self.denominator
        rows = zip(self.rows, self.slopes, strict=True)
        table = tuple(tuple((n + 1) * x + slope for x, slope in zip(*both, strict=True)) for both in rows)
        return table, (n + 1) * self.denominator

    def entry(self, i: int, j: int, n: int) -> tuple[Fraction, int]:
        """Return `P[i,j]` at n as a rational r and a power k, `r alpha^k`."""
        if not 0 <= i <= n or not 0 <= j <= n:
            raise InputError(f"i and j must be in 0..{n}, got {i} and {j}")
        if min(i, n - i) >= self.depth:
            return self.weight, abs(i - j)
        if i > n - i:
            i, j = n - i, n - j
        rows, denominator = self.table(n)
        column = min(j, self.depth - 1)
        return Fraction(rows[i][column], denominator), j - column

    @checked
    def at(self, n: int) -> Mechanism:
        """Write the mechanism out as a matrix, for up to 4095 people."""
        self.require_size(n)
        require_matrix_size(n)
        b, (p, q) = self.depth, self.alpha.as_integer_ratio()
        table, denominator = self.table(n)
        powers = [p**k * q ** (n - k) for k in range(n + 1)]
        ends = [[(p + q) * x * powers[max(j - b + 1, 0)] for j, x in enumerate(_prolonged(row, n))] for row in table]
        middle = [denominator * (q - p) * power for power in powers[: n - b + 1 if n >= 2 * b else 0]]
        whole = denominator * (p + q) * powers[0]
        common = gcd(whole, *middle, *(x for row in ends for x in row))
        middle, ends = [x // common for x in middle], [[x // common for x in row] for row in ends]
        left = [tuple(row) for row in ends]
        inner = [tuple(middle[abs(i - j)] for j in range(n + 1)) for i in range(b, n - b + 1)]
        return Mechanism((*left, *inner, *(row[::-1] for row in reversed(left))), whole // common)

    def rows_at(self, n: int, outputs: Sequence[int]) -> NDArray[np.float64]:
        """Return rows of the matrix at n as floats, one for each of these outputs, shape (outputs, n + 1)."""
        self.require_size(n)
        a, b, places = float(self.alpha), self.depth, np.arange(n + 1)
        table, denominator = self.table(n)
        found = np.empty((len(outputs), n + 1))
        for row, i in zip(found, outputs, strict=True):
            if min(i, n - i) >= b:
                row[:] = float(self.weight) * a ** np.abs(places - i)
                continue
            known = [float(Fraction(x, denominator)) for x in table[min(i, n - i)]]
            near = np.concatenate([known[:-1], known[-1] * a ** places[: n - b + 2]])
            row[:] = near if i < b else near[::-1]
        return found

    def require_size(self, n: int) -> None:
        """Refuse a group that is too small for the layers, or too large.

        Raises:
            InputError
        """
        if not self.least <= n <= MOST_PEOPLE:
            raise InputError(f"n must be from {self.least} to {MOST_PEOPLE} for this law, got n={n}")

    @checked
    def sample(
        self, sizes: Counts | Iterable[int], counts: Counts | Iterable[int], words: WordSource | None = None
    ) -> Counts:
        """Draw one exact random output for each true count of a group of that size.

        The randomness is the operating system's unless `words` are given.

        Raises:
            InputError: for arrays of different lengths, a size the law does not reach, a count outside its group.
        """
        n, j = counts_in_groups(sizes, counts)
        if not n.size:
            return np.empty(0, dtype=np.int64)
        for size in (int(n.min()), int(n.max())):
            self.require_size(size)
        source = words or system_words
        if self.slopes is None:
            return self._table_sampler(self.least).sample(n, j, source)
        result = np.empty_like(n)
        for size in np.unique(n).tolist():
            here = n == size
            result[here] = self._table_sampler(size).sample(n[here], j[here], source)
        return result

    @cached_property
    def _geometric(self) -> GeometricSampler:
        return GeometricSampler(self.alpha)

    @cached_property
    def _samplers(self) -> "dict[int, _TableSampler]":
        return {}

    def _table_sampler(self, n: int) -> "_TableSampler":
        if n not in self._samplers:
            self._samplers[n] = _TableSampler(self._geometric, *self.table(n))
        return self._samplers[n]

    def __repr__(self) -> str:
        return one_line("LayeredMechanism", f"depth {self.depth}, every n from {self.least}")


def _column_sums(rows: Rows) -> list[int]:
    """Sum the rows of a table, of which perhaps none is kept."""
    return reduce(lambda sums, row: list(map(add, sums, row)), rows, [0] * len(rows))


def _prolonged(row: Sequence[int], n: int) -> list[int]:
    """Return a row of a table, its last entry as often as there are inputs beyond the table."""
    return [*row, *[row[-1]] * (n + 1 - len(row))]


def require_matrix_size(n: int) -> None:
    """Refuse a group for which no matrix is written out.

    Raises:
        InputError
    """
    if n > LARGEST_MATRIX:
        raise InputError(f"n must be at most {LARGEST_MATRIX} to be written out as a matrix, got n={n}")


class _TableSampler:
    """A sampler of outputs by one table.

    It draws two geometric variables in the middle, and a row of the table beyond.
    """

    def __init__(self, geometric: GeometricSampler, rows: Rows, denominator: int) -> None:
        self.depth = len(rows)
        self.geometric = geometric
        last = [row[-1] for row in rows]
        self.tail = ColumnSampler(last, sum(last))
        self.columns = []
        for column in zip(*rows, strict=True):
            self.columns.append(ColumnSampler([*column, denominator - sum(column)], denominator))

    def sample(self, sizes: Counts, counts: Counts, source: WordSource) -> Counts:
        """Draw an output for each count."""
        b = self.depth
        mirrored = 2 * counts > sizes
        near = np.where(mirrored, sizes - counts, counts)
        result = np.empty_like(near)
        middle = np.flatnonzero(near >= b)
        up, down = (self.geometric.draw(source, len(middle)) for _ in range(2))
        result[middle] = near[middle] + up - down
        low = middle[result[middle] < b]
        result[low] = self.tail.draw(source, len(low))
        for j in np.unique(near[near < b]).tolist():
            here = np.flatnonzero(near == j)
            drawn = self.columns[j].draw(source, len(here))
            beyond = np.flatnonzero(drawn == b)
            drawn[beyond] += self.geometric.draw(source, len(beyond))
            result[here] = drawn
        high = np.flatnonzero(result > sizes - b)
        # a row of the table, drawn for a count below it, is never beyond the middle, since n >= 2b - 1
        result[high] = sizes[high] - self.tail.draw(source, len(high))
        return np.where(mirrored, sizes - result, result)

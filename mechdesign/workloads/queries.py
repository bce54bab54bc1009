"""Batches of linear queries on a vector of k numbers, and their answers.

A query is a row of k weights; its answer on a vector x is `sum_v w_v x_v`. Intervals and rectangles never write their
weights down: a batch of q of them answers in O(k + q).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mechdesign.arguments import parse_fields
from mechdesign.errors import InputError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Array = TypeVar("Array", Floats, Integers)

MOST_WEIGHTS = 1 << 24
"""Numbers in the largest matrix of weights that is written down: 128 MiB."""

LARGEST_WEIGHT = 10**100
"""Weights are this large at most, so that sums of their squares are numbers."""

PART_WEIGHTS = 1 << 20
"""Numbers in a part of the weights that is worked on at once: 8 MiB."""


class Queries(Protocol):
    """The interface of a batch of q linear queries on k numbers."""

    @property
    def k(self) -> int:
        """How many numbers a query weighs."""

    def __len__(self) -> int:
        """Return q, the number of queries."""

    def __getitem__(self, part: slice) -> "Queries":
        """Return some of the queries, in their order."""

    def apply(self, vector: Floats) -> Floats:
        """Return the q answers `sum_v w_v x_v` on a vector of k numbers."""

    def apply_squares(self, vector: Floats) -> Floats:
        """Return the q sums `sum_v w_v^2 x_v`."""

    @property
    def sums(self) -> Floats:
        """The q sums of weights, `sum_v w_v`."""

    @property
    def squares(self) -> Floats:
        """The q sums of squared weights, `sum_v w_v^2`."""

    def extremes(self) -> tuple[Floats, Floats]:
        """Return the least and the largest weight of each query, zeros included; shape (q,) each."""

    def weights(self) -> Floats:
        """Return the matrix of weights, q x k.

        Raises:
            InputError: for more than `MOST_WEIGHTS` of them.
        """


class Indicators:
    """Queries of weights 0 and 1, by their answers and their sums."""

    def apply_squares(self: Queries, vector: Floats) -> Floats:
        """Return the same as `apply`: weights are their own squares."""
        return self.apply(vector)

    @property
    def squares(self: Queries) -> Floats:
        """The sums of weights again, in items."""
        return self.sums

    def extremes(self: Queries) -> tuple[Floats, Floats]:
        """Return the least and the largest weight of each: 0, or 1 for all k items, and 1."""
        sizes = self.sums
        return (sizes == self.k).astype(np.float64), np.ones(len(sizes))


@dataclass(frozen=True, eq=False)
class Intervals(Indicators):
    """Queries that sum the items `first[i] .. last[i]`, both inclusive, of k in a row.

    Raises:
        InputError: for ends that are no integers of 0 .. k-1, or a first item after its last; the query is named.
    """

    k: int
    first: Integers
    last: Integers

    def __post_init__(self) -> None:
        """Check the ends."""
        parse_fields(self)
        first, last = _ends(self.first, self.last, self.k)
        object.__setattr__(self, "first", first)
        object.__setattr__(self, "last", last)

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self.first)

    def __getitem__(self, part: slice) -> "Intervals":
        """Return some of the queries, in their order."""
        return Intervals(self.k, self.first[part], self.last[part])

    def apply(self, vector: Floats) -> Floats:
        """Return `x_first + .. + x_last` for each query, as differences of running sums."""
        running = running_sums(fitting(vector, self.k))
        answers: Floats = running[self.last + 1] - running[self.first]
        return answers

    @property
    def sums(self) -> Floats:
        """The lengths of the intervals, in items."""
        return (self.last - self.first + 1).astype(np.float64)

    def weights(self) -> Floats:
        """Return the zeros and ones, q x k."""
        require_writable_matrix(len(self), self.k)
        return _indicators(self.first, self.last, self.k)


@dataclass(frozen=True, eq=False)
class Runs:
    """The rows, or the columns, of rectangles: `first .. last` of `size`, over the end where last is before first."""

    size: int
    first: Integers
    last: Integers

    @property
    def over(self) -> Integers:
        """Which go over the end, as zeros and ones."""
        return (self.last < self.first).astype(np.int64)

    @property
    def lengths(self) -> Integers:
        """Numbers of rows or columns."""
        return self.last - self.first + 1 + self.size * self.over

    @property
    def cuts(self) -> list[tuple[Integers | int, Integers | int]]:
        """Places of running sums, each with the number of times that it counts."""
        ends: list[tuple[Integers | int, Integers | int]] = [(self.last + 1, 1), (self.first, -1)]
        return [*ends, (self.size, self.over)] if self.over.any() else ends

    def weights(self) -> Floats:
        """Return zeros and ones, q x size."""
        after = (np.arange(self.size) - self.first[:, None]) % self.size
        return (after < self.lengths[:, None]).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Rectangles(Indicators):
    """Queries that sum the rows `first_rows[i] .. last_rows[i]` and columns alike of a table of A x B items.

    Items are numbered row by row: the one in row a and column b is `a B + b`, and k = A B. Rows, or columns, may lie on
    a circle, as `is_circle` says: where the last one is before the first one, the rectangle goes on over the end.

    Raises:
        InputError: as `Intervals`.
    """

    sides: tuple[int, int]
    first_rows: Integers
    last_rows: Integers
    first_columns: Integers
    last_columns: Integers
    is_circle: tuple[bool, bool] = (False, False)

    def __post_init__(self) -> None:
        """Check the ends."""
        parse_fields(self)
        rows = _ends(self.first_rows, self.last_rows, self.sides[0], "row", is_circle=self.is_circle[0])
        columns = _ends(self.first_columns, self.last_columns, self.sides[1], "column", is_circle=self.is_circle[1])
        if len(rows[0]) != len(columns[0]):
            raise InputError(f"rectangles must have rows and columns, got {len(rows[0])} and {len(columns[0])} of them")
        for name, ends in zip(("rows", "columns"), (rows, columns), strict=True):
            object.__setattr__(self, f"first_{name}", ends[0])
            object.__setattr__(self, f"last_{name}", ends[1])

    @property
    def k(self) -> int:
        """How many items the table has, A B."""
        return self.sides[0] * self.sides[1]

    @property
    def rows(self) -> Runs:
        """The rows of the rectangles, of 0 .. A-1."""
        return Runs(self.sides[0], self.first_rows, self.last_rows)

    @property
    def columns(self) -> Runs:
        """The columns of the rectangles, of 0 .. B-1."""
        return Runs(self.sides[1], self.first_columns, self.last_columns)

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self.first_rows)

    def __getitem__(self, part: slice) -> "Rectangles":
        """Return some of the queries, in their order."""
        rows, columns = ((run.first[part], run.last[part]) for run in (self.rows, self.columns))
        return Rectangles(self.sides, *rows, *columns, self.is_circle)

    def apply(self, vector: Floats) -> Floats:
        """Return the sum over each rectangle, from running sums over rows and columns."""
        table = fitting(vector, self.k).reshape(self.sides)
        running = np.zeros((self.sides[0] + 1, self.sides[1] + 1))
        running[1:, 1:] = table.cumsum(axis=0).cumsum(axis=1)
        answers = np.zeros(len(self))
        for row, of_row in self.rows.cuts:
            for column, of_column in self.columns.cuts:
                answers += of_row * of_column * running[row, column]
        return answers

    @property
    def sums(self) -> Floats:
        """The areas of the rectangles, in items."""
        areas: Floats = (self.rows.lengths * self.columns.lengths).astype(np.float64)
        return areas

    def weights(self) -> Floats:
        """Return the zeros and ones, q x k, items row by row."""
        require_writable_matrix(len(self), self.k)
        rows, columns = self.rows.weights(), self.columns.weights()
        return (rows[:, :, None] * columns[:, None, :]).reshape(len(self), self.k)


@dataclass(frozen=True, eq=False)
class LinearQueries:
    """Queries of any weights: `matrix[i, v]` is the weight of item v in query i.

    Raises:
        InputError: for a matrix that is not q x k, or an entry that is no finite number, or beyond `LARGEST_WEIGHT`.
    """

    matrix: Floats

    def __post_init__(self) -> None:
        """Check the matrix."""
        parse_fields(self)
        matrix = np.asarray(self.matrix)
        if matrix.ndim != 2 or matrix.shape[1] == 0 or matrix.dtype.kind not in "biuf":
            raise InputError(f"queries must be a matrix of numbers, q x k, got shape {matrix.shape}, {matrix.dtype}")
        matrix = frozen(matrix.astype(np.float64, copy=False))
        fits = np.abs(matrix) <= float(LARGEST_WEIGHT)
        if not fits.all():
            query, item = np.unravel_index(int(np.argmin(fits)), matrix.shape)
            got = f"{matrix[query, item]} in query {query}"
            raise InputError(f"weights must be finite numbers of -1e100 to 1e100, got {got}")
        object.__setattr__(self, "matrix", matrix)

    @property
    def k(self) -> int:
        """How many numbers a query weighs."""
        return int(self.matrix.shape[1])

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self.matrix)

    def __getitem__(self, part: slice) -> "LinearQueries":
        """Return some of the queries, in their order."""
        return LinearQueries(self.matrix[part])

    def apply(self, vector: Floats) -> Floats:
        """Return the weighted sum of the vector for each query."""
        answers: Floats = self.matrix @ fitting(vector, self.k)
        return answers

    def apply_squares(self, vector: Floats) -> Floats:
        """Return the sum weighted by the squares of weights for each query."""
        answers: Floats = self.matrix**2 @ fitting(vector, self.k)
        return answers

    @property
    def sums(self) -> Floats:
        """The sums of the rows."""
        sums: Floats = self.matrix.sum(axis=1)
        return sums

    @property
    def squares(self) -> Floats:
        """The sums of squares of the rows."""
        squares: Floats = np.einsum("qv,qv->q", self.matrix, self.matrix)
        return squares

    def extremes(self) -> tuple[Floats, Floats]:
        """Return the least and the largest entry of each row."""
        return self.matrix.min(axis=1), self.matrix.max(axis=1)

    def weights(self) -> Floats:
        """Return the matrix."""
        return self.matrix


@dataclass(frozen=True, eq=False)
class Centred:
    """Queries less the mean of their weights, `w_v - q1/k`, so that they answer 0 on a constant vector.

    On shares that add up to one, the answer of w is that of the centred query and the known number q1/k.

    >>> Centred(Intervals(4, [0, 0], [1, 3])).weights().tolist()
    [[0.5, 0.5, -0.5, -0.5], [0.0, 0.0, 0.0, 0.0]]
    """

    queries: Queries

    @property
    def k(self) -> int:
        """How many numbers a query weighs."""
        return self.queries.k

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self.queries)

    def __getitem__(self, part: slice) -> "Centred":
        """Return some of the queries, in their order."""
        return Centred(self.queries[part])

    @property
    def means(self) -> Floats:
        """The q means that are taken off, `q1/k`."""
        means: Floats = self.queries.sums / self.k
        return means

    def apply(self, vector: Floats) -> Floats:
        """Return the answers of the queries less their means times the sum of the vector."""
        answers: Floats = self.queries.apply(vector) - self.means * _added_in_order(vector)
        return answers

    def apply_squares(self, vector: Floats) -> Floats:
        """Return `sum_v (w_v - q1/k)^2 x_v` for each query."""
        means, own = self.means, self.queries.apply(vector)
        answers: Floats = self.queries.apply_squares(vector) - 2 * means * own + means**2 * _added_in_order(vector)
        return answers

    @property
    def sums(self) -> Floats:
        """Zeros."""
        return np.zeros(len(self))

    @property
    def squares(self) -> Floats:
        """The sums of squared weights, `q2 - q1^2 / k`."""
        squares: Floats = self.queries.squares - self.queries.sums * self.means
        return squares

    def extremes(self) -> tuple[Floats, Floats]:
        """Return the least and the largest weight less the mean."""
        low, high = self.queries.extremes()
        return low - self.means, high - self.means

    def weights(self) -> Floats:
        """Return the matrix of weights, each row with the sum 0."""
        weights: Floats = self.queries.weights() - self.means[:, None]
        return weights


def chosen_queries(queries: Queries, rows: Integers) -> LinearQueries:
    """Return some of the queries by their numbers, in this order, with their weights written down.

    Raises:
        InputError: for more than `MOST_WEIGHTS` weights.
    """
    require_writable_matrix(len(rows), queries.k)
    weights = [queries[row : row + 1].weights() for row in rows.tolist()]
    return LinearQueries(np.concatenate([np.zeros((0, queries.k)), *weights]))


def some_queries(queries: Queries, rows: Integers) -> Queries:
    """Return some of the queries by their numbers: intervals as such, others as `chosen_queries`."""
    if isinstance(queries, Intervals):
        return Intervals(queries.k, queries.first[rows], queries.last[rows])
    return chosen_queries(queries, rows)


def written_parts(queries: Queries) -> Iterator[Floats]:
    """Yield the weights of the queries, part after part, however many queries there are."""
    step = max(1, PART_WEIGHTS // queries.k)
    for start in range(0, len(queries), step):
        yield queries[start : start + step].weights()


def _ends(
    first: ArrayLike, last: ArrayLike, size: int, what: str = "item", *, is_circle: bool = False
) -> tuple[Integers, Integers]:
    """Check the ends of intervals of `0 .. size-1`, and return them as integers that nobody changes."""
    if size < 1:
        raise InputError(f"queries must be on at least one {what}, got {size}")
    ends = tuple(integers_in_a_row(values, f"{side} {what}s") for side, values in (("first", first), ("last", last)))
    if len(ends[0]) != len(ends[1]):
        raise InputError(f"each first {what} must have a last one, got {len(ends[0])} and {len(ends[1])}")
    if is_circle:
        return _ends_on_circle(ends[0], ends[1], size, what)
    outside = (ends[0] < 0) | (ends[1] >= size) | (ends[0] > ends[1])
    if outside.any():
        query = int(np.argmax(outside))
        got = f"{ends[0][query]}..{ends[1][query]} in query {query}"
        raise InputError(f"an interval's first {what} must be at most its last, both in 0..{size - 1}, got {got}")
    return ends[0], ends[1]


def _ends_on_circle(first: Integers, last: Integers, size: int, what: str) -> tuple[Integers, Integers]:
    """Check ends of which the last may come before the first; a whole circle begins at 0."""
    outside = (np.minimum(first, last) < 0) | (np.maximum(first, last) >= size)
    if outside.any():
        query = int(np.argmax(outside))
        got = f"{first[query]}..{last[query]} in query {query}"
        raise InputError(f"an arc's first and last {what} must be in 0..{size - 1}, got {got}")
    whole = first == last + 1
    return frozen(np.where(whole, 0, first)), frozen(np.where(whole, size - 1, last))


def integers_in_a_row(values: ArrayLike, name: str) -> Integers:
    """Return integers that nobody changes.

    Raises:
        InputError: with their name, for what is no row of integers.
    """
    array = np.asarray(values)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size):
        raise InputError(f"{name} must be a row of integers, got shape {array.shape}, {array.dtype}")
    return frozen(array.astype(np.int64, copy=False))


def frozen(array: Array) -> Array:
    """Return a view that cannot be written to; the array itself stays its owner's."""
    view = array.view()
    view.flags.writeable = False
    return view


def fitting(vector: Floats, k: int) -> Floats:
    """Return a vector of k numbers as floats.

    Raises:
        InputError: for another number of them.
    """
    values = np.asarray(vector, dtype=np.float64)
    if values.shape != (k,):
        raise InputError(f"queries on k = {k} items must be given a vector of {k} numbers, got shape {values.shape}")
    return values


def running_sums(vector: Floats) -> Floats:
    """Return the sums of the first 0, 1, .., k numbers."""
    running = np.zeros(len(vector) + 1)
    np.cumsum(vector, out=running[1:])
    return running


def _added_in_order(vector: Floats) -> float:
    """Add the numbers up as `running_sums` does, so that the interval of all items answers 0 exactly when centred."""
    return float(running_sums(vector)[-1])


def _indicators(first: Integers, last: Integers, size: int) -> Floats:
    items = np.arange(size)
    return ((first[:, None] <= items) & (items <= last[:, None])).astype(np.float64)


def require_writable_matrix(count: int, k: int) -> None:
    """Refuse to write down more than `MOST_WEIGHTS` weights.

    Raises:
        InputError: with the number of queries and items.
    """
    if count * k > MOST_WEIGHTS:
        raise InputError(f"weights must be at most {MOST_WEIGHTS} to be written down, got {count} queries on {k} items")

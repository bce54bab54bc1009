"""Quadratic forms in the running sums of values, sparse: how partitions see them, for many vectors at once.

A vector x of k numbers that adds up to 0 has the running sums `R_c = x_0 + .. + x_(c-1)` at the cuts c = 1 .. k-1, and
0 at both ends. A cell from cut a to cut b has the sum `R_b - R_a` of x. So a sum of squares over the cells of many
partitions is that of the graph whose edges are cells. Equal cells are one edge, and there are few in fine partitions.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mechdesign.errors import NoAnswerError
from mechdesign.workloads.queries import Floats, Integers, Intervals, Queries

if TYPE_CHECKING:
    from scipy import sparse

Function = tuple[Integers, Floats]
"""A linear function of each row of cells: where these begin and the last one ends, and what the sum of each counts."""

MOST_STEPS = 200

SINGLE_BITS = 24
"""Bits of a number in single precision."""

ADDED_AT_ONCE = 1 << 12
"""Numbers that are added up in their own precision."""


@dataclass(frozen=True, eq=False)
class CutTerm:
    """A form in running sums: squares of the sums of cells, and products of linear functions of each row of cells.

    Args:
        k: number of items.
        edges: where cells begin, and where the last one ends; shape (S, m + 1).
        weights: of the squares, shape (S, m).
        functions: of each row.
        products: what each product of two functions counts in each row, shape (functions, functions, S), symmetric.
    """

    k: int
    edges: Integers
    weights: Floats
    functions: Sequence[Function] = ()
    products: Floats | None = None

    @property
    def counted(self) -> Floats:
        """The weights of the squares, without those of cells that have no items."""
        return _counted(self.edges, self.weights)


def written(terms: Sequence[CutTerm], factors: Sequence[float]) -> Floats:
    """Write the matrix of a sum of forms down, each with a factor, shape (k - 1, k - 1)."""
    size = terms[0].k + 1
    first = np.concatenate([term.edges[:, :-1].ravel() for term in terms])
    end = np.concatenate([term.edges[:, 1:].ravel() for term in terms])
    apart = np.concatenate([factor * term.counted.ravel() for term, factor in zip(terms, factors, strict=True)])
    found = -np.bincount(size * first + end, apart, size * size).astype(np.float64, copy=False).reshape(size, size)
    found += found.T
    found.flat[:: size + 1] += np.bincount(first, apart, size) + np.bincount(end, apart, size)
    for term, factor in zip(terms, factors, strict=True):
        rows = [_dense_rows(size, function) for function in term.functions]
        for one, of_one in zip(rows, () if term.products is None else factor * term.products, strict=True):
            found += one.T @ sum(counts[:, None] * other for other, counts in zip(rows, of_one, strict=True))
    return found[1:-1, 1:-1]


@dataclass(frozen=True, eq=False)
class CutForm:
    """The form `R'LR + (FR)'T (FR)` in the running sums R at the cuts 1 .. k-1.

    Args:
        half: U, the entries of `L = U + U'` above the diagonal, and half of those on it, shape (k - 1, k - 1).
        rows: the linear functions F, shape (rows, k - 1).
        products: the symmetric matrix T, shape (rows, rows).
    """

    half: "sparse.csr_matrix"
    rows: "sparse.csr_matrix"
    products: "sparse.csr_matrix"

    @classmethod
    def of(cls, term: CutTerm) -> "CutForm":
        """Make the form."""
        from scipy import sparse

        k, inner = term.k, slice(1, term.k)
        first, end, apart = term.edges[:, :-1].ravel(), term.edges[:, 1:].ravel(), term.counted.ravel()
        links = sparse.coo_matrix((apart, (first, end)), shape=(k + 1, k + 1)).tocsr()
        degrees = np.bincount(first, apart, k + 1) + np.bincount(end, apart, k + 1)
        half = (sparse.diags(degrees / 2) - links).tocsr()[inner, inner]
        if term.products is None:
            return cls(half, sparse.csr_matrix((0, k - 1)), sparse.csr_matrix((0, 0)))
        rows = sparse.vstack([_rows_of(k, function) for function in term.functions]).tocsr()[:, inner]
        blocks = [[sparse.diags(row) for row in of_function] for of_function in term.products]
        return cls(half, rows, sparse.bmat(blocks).tocsr())

    @staticmethod
    def pooled(forms: Iterable["CutForm"], chances: Iterable[float]) -> "CutForm":
        """Add forms up, each with its chance; one after the other is made, if `forms` makes them."""
        from scipy import sparse

        half, rows, products = None, [], []
        for form, chance in zip(forms, chances, strict=True):
            own = form.half * float(chance)
            half = own if half is None else half + own
            rows.append(form.rows)
            products.append(form.products * float(chance))
        return CutForm(half, sparse.vstack(rows).tocsr(), sparse.block_diag(products, format="csr"))

    @property
    def size(self) -> int:
        """Number of cuts, k - 1."""
        return int(self.half.shape[0])

    @cached_property
    def single(self) -> "CutForm":
        """The form in single precision: solutions for many right sides at once then take half the time.

        Entries off the diagonal are rounded so that the sum of each row of L stays what it was: else all rows with the
        same entries would be off by as much, and the smoothest vectors would see them add up.
        """
        from scipy import sparse

        apart = sparse.triu(self.half, 1, format="csr")
        sums, unit = self._graph.sum(axis=1).A1, _unit(self._graph.diagonal())
        apart.data = np.rint(apart.data / unit) * unit
        diagonal = np.rint(sums / unit) * unit - apart.sum(axis=0).A1 - apart.sum(axis=1).A1
        half = apart + sparse.diags(diagonal / 2)
        return CutForm(*(part.astype(np.float32).tocsr() for part in (half, self.rows, self.products)))

    @cached_property
    def _graph(self) -> "sparse.csr_matrix":
        """The symmetric matrix L."""
        return (self.half + self.half.T).tocsr()

    @cached_property
    def _columns(self) -> "sparse.csr_matrix":
        return self.rows.T.tocsr()

    def times(self, values: Floats) -> Floats:
        """Return the matrix of the form times running sums, shape (k - 1, q)."""
        found: Floats = self._graph @ values
        found += self._columns @ (self.products @ (self.rows @ values))
        return found

    def squares(self, values: Floats) -> Floats:
        """Return the form of each of these, shape (k - 1, q)."""
        told = self.rows @ values
        return 2 * products_of(values, self.half @ values) + products_of(told, self.products @ told)

    def solved(self, rights: Floats, settled: float) -> tuple[Floats, Floats]:
        """Solve by conjugate gradients, all right sides r at once, shape (k - 1, q).

        In the sine transform the information is nearly diagonal, with entries in proportion to `sin(pi j / 2k)`. The
        transform may be a little longer than there are cuts, which makes it fast at any k. The last step is taken when
        it changes `r'z` by less than `settled` of it.

        Returns:
            The solutions z, and `r'z`. The last step is as long as the one before it; what `r'z` gains by it is known
            without another product.

        Raises:
            NoAnswerError: where `MOST_STEPS` do not suffice.
        """
        residual = rights.astype(self.half.dtype)
        found, values = np.zeros_like(residual), np.zeros(rights.shape[1])
        turned = self._preconditioned(residual)
        direction, product = turned.copy(), products_of(residual, turned)
        for _ in range(MOST_STEPS):
            image = self.times(direction)
            step = _ratio(product, products_of(direction, image)).astype(image.dtype)
            values += step * product
            image *= step
            residual -= image
            found += np.multiply(direction, step, out=image)
            turned = self._preconditioned(residual)
            before, product = product, products_of(residual, turned)
            if (product <= settled * values).all():
                turned *= step
                found += turned
                return found, values + step * product
            direction *= _ratio(product, before).astype(direction.dtype)
            direction += turned
        raise NoAnswerError(f"answers must be found within {MOST_STEPS} steps, got errors above {settled:g} of them")

    def _preconditioned(self, values: Floats) -> Floats:
        """Divide by the diagonal in the sine transform, in single precision: only the number of steps hangs on it."""
        from scipy.fft import dst, idst, next_fast_len

        size = next_fast_len(self.size + 1, real=True)
        first = (size - self.size) // 2
        padded = np.zeros((size, values.shape[1]), dtype=np.float32)
        padded[first : first + self.size] = values
        waves = dst(padded, type=2, axis=0, norm="ortho", overwrite_x=True)
        waves /= np.sin(np.pi * np.arange(1, size + 1) / (2 * size)).astype(np.float32)[:, None]
        found = idst(waves, type=2, axis=0, norm="ortho", overwrite_x=True)[first : first + self.size]
        return np.asarray(found, dtype=values.dtype)


def sums_of(queries: Queries) -> Floats:
    """Write queries as functions of the running sums at the cuts 1 .. k-1, shape (k - 1, q)."""
    if not isinstance(queries, Intervals):
        return np.ascontiguousarray(-np.diff(queries.weights(), axis=1).T)
    found, every = np.zeros((queries.k + 1, len(queries))), np.arange(len(queries))
    found[queries.last + 1, every] = 1.0
    found[queries.first, every] = -1.0
    return found[1:-1]


def _counted(edges: Integers, weights: Floats) -> Floats:
    """Return weights of cells, 0 where one has no items: large ones there would cancel but for rounding."""
    return np.where(edges[:, 1:] > edges[:, :-1], weights, 0.0)


def _dense_rows(size: int, function: Function) -> Floats:
    """Write a weighted sum over the cells of each row as a function of the running sums at all cuts, dense."""
    edges, weights = function
    places = edges + size * np.arange(len(edges))[:, None]
    steps = -np.diff(_counted(edges, weights), axis=1, prepend=0.0, append=0.0)
    found = np.bincount(places.ravel(), steps.ravel(), size * len(edges)).astype(np.float64)
    return found.reshape(-1, size)


def _rows_of(k: int, function: Function) -> "sparse.csr_matrix":
    """Write a weighted sum over the cells of each row as a function of the running sums at all cuts."""
    from scipy import sparse

    edges, weights = function
    steps = -np.diff(_counted(edges, weights), axis=1, prepend=0.0, append=0.0)
    ends = np.arange(len(edges) + 1) * edges.shape[1]
    found = sparse.csr_matrix((steps.ravel(), edges.ravel(), ends), shape=(len(edges), k + 1))
    found.sum_duplicates()
    found.eliminate_zeros()
    return found


def products_of(one: Floats, other: Floats) -> Floats:
    """Return the products of the columns of one with those of another, shape (q,); sums of many rows are doubles."""
    parts = (slice(start, start + ADDED_AT_ONCE) for start in range(0, len(one), ADDED_AT_ONCE))
    found: Floats = np.array([np.einsum("cq,cq->q", one[part], other[part]) for part in parts]).sum(
        axis=0, dtype=np.float64
    )
    return found


def _unit(values: Floats) -> float:
    """Return a power of two of which all of these are less than 2^24 times as large."""
    return 2.0 ** (math.frexp(float(abs(values).max()))[1] - SINGLE_BITS)


def _ratio(one: Floats, other: Floats) -> Floats:
    return np.divide(one, other, out=np.zeros_like(one), where=other > 0)

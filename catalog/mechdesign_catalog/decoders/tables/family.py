"""Families of all tables of as many attributes, and their orthogonal projection."""

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError
from mechdesign_catalog.decoders.tables.subsets import Domains, Subset, cells_of, subsets_of
from mechdesign_catalog.randomizers.reports.probabilities import Floats

MOST_CELLS = 2**22
"""Cells of all tables together; each takes some 100 bytes while they are made to agree."""


def orthonormal_tensor(tensor: Floats, bases: list[Floats], first: int) -> Floats:
    """Transform a tensor by a square matrix along each axis from `first` on."""
    for axis, basis in enumerate(bases, start=first):
        tensor = np.moveaxis(np.tensordot(tensor, basis, (axis, 1)), -1, axis)
    return tensor


@dataclass(frozen=True, eq=False)
class _Group:
    """Tables whose attributes have the same numbers of items, one after the other."""

    shape: tuple[int, ...]
    subsets: list[Subset]
    numbers: NDArray[np.int64]  # of the coefficient that each one of a table's is a multiple of, (tables, *shape)
    factors: Floats  # how many times, shape as the tables

    @cached_property
    def bases(self) -> list[Floats]:
        """For each attribute, an orthonormal basis in rows, the constant first."""
        from scipy.linalg import helmert

        return [helmert(r, full=True) for r in self.shape]

    def transformed(self, tables: Floats) -> Floats:
        """Coefficients of tables, shape (tables, *shape)."""
        return orthonormal_tensor(tables.reshape(self.numbers.shape), self.bases, 1)

    def composed(self, coefficients: Floats) -> Floats:
        """Tables of coefficients, in a row."""
        return orthonormal_tensor(coefficients, [basis.T for basis in self.bases], 1).reshape(-1)


@dataclass(frozen=True)
class TableFamily:
    """The tables of all subsets of `way` attributes, cells in one row, in the order of `places`.

    With an orthonormal basis for each attribute whose first function is constant, a joint law has a coefficient for
    each choice of a basis function for each attribute. A table on beta tells those that are constant outside of beta:
    its own coefficient, in the basis of its cells, is `1/sqrt(r_beta/r_S)` times that of the component of the set S of
    attributes that are not constant. So tables agree where they tell the same coefficients, and the nearest tables that
    agree average each one over the tables, weighted by these factors: the orthogonal projection.

    Raises:
        InputError: for more than 2^22 cells.
    """

    domains: Domains
    way: int

    def __post_init__(self) -> None:
        cells = sum(cells_of(self.domains, subset) for subset in self.subsets)
        if cells > MOST_CELLS:
            raise InputError(
                f"tables of k={self.way} attributes must have at most {MOST_CELLS} cells together to be brought to "
                f"agree without negative shares, got {cells}"
            )

    @property
    def subsets(self) -> list[Subset]:
        """The subsets, in lexicographic order."""
        return subsets_of(len(self.domains), self.way)

    @cached_property
    def starts(self) -> dict[Subset, int]:
        """Where the coefficients of each component begin, after the total, which is the first."""
        d = len(self.domains)
        parts = [part for size in range(self.way + 1) for part in itertools.combinations(range(d), size)]
        sizes = [math.prod(self.domains[i] - 1 for i in part) for part in parts]
        return dict(zip(parts, itertools.accumulate([0, *sizes]), strict=False))

    @cached_property
    def _groups(self) -> list[_Group]:
        members: dict[tuple[int, ...], list[Subset]] = {}
        for subset in self.subsets:
            members.setdefault(tuple(self.domains[i] for i in subset), []).append(subset)
        return [self._group(shape, subsets) for shape, subsets in members.items()]

    def _group(self, shape: tuple[int, ...], subsets: list[Subset]) -> _Group:
        numbers = np.zeros((len(subsets), *shape), dtype=np.int64)
        factors = np.zeros(shape)
        for varies in itertools.product((False, True), repeat=len(shape)):
            where = tuple(slice(1, None) if varied else slice(0, 1) for varied in varies)
            inside = [r - 1 if varied else 1 for r, varied in zip(shape, varies, strict=True)]
            parts = [tuple(itertools.compress(subset, varies)) for subset in subsets]
            starts = np.array([self.starts[part] for part in parts]).reshape(-1, *[1] * len(shape))
            numbers[:, *where] = starts + np.arange(math.prod(inside)).reshape(inside)
            factors[where] = 1 / math.sqrt(math.prod(itertools.compress(shape, [not varied for varied in varies])))
        return _Group(shape, subsets, numbers, factors)

    @cached_property
    def count(self) -> int:
        """Number of coefficients, with the total."""
        return 1 + max(int(group.numbers.max()) for group in self._groups)

    @cached_property
    def places(self) -> dict[Subset, slice]:
        """Where the cells of each table are in the row."""
        subsets = [subset for group in self._groups for subset in group.subsets]
        ends = list(itertools.accumulate([0, *(cells_of(self.domains, subset) for subset in subsets)]))
        return {subset: slice(*ends[i : i + 2]) for i, subset in enumerate(subsets)}

    @cached_property
    def squares(self) -> Floats:
        """Sum of the squared factors of each coefficient over the tables."""
        found = np.zeros(self.count)
        for group in self._groups:
            factors = np.broadcast_to(group.factors**2, group.numbers.shape)
            found += np.bincount(group.numbers.reshape(-1), factors.reshape(-1), self.count)
        return found

    def row(self, tables: Mapping[Subset, Floats]) -> Floats:
        """Put the tables in one row."""
        return np.concatenate([tables[subset] for subset in self.places])

    def tables(self, row: Floats) -> dict[Subset, Floats]:
        """Take the tables from the row."""
        return {subset: row[place] for subset, place in self.places.items()}

    def coefficients(self, row: Floats) -> Floats:
        """Average what the tables tell of each coefficient, by least squares; the total is the first."""
        sums = np.zeros(self.count)
        start = 0
        for group in self._groups:
            own = group.factors * group.transformed(row[start : start + group.numbers.size])
            sums += np.bincount(group.numbers.reshape(-1), own.reshape(-1), self.count)
            start += group.numbers.size
        return sums / self.squares

    def composed(self, coefficients: Floats) -> Floats:
        """Compose all tables from the coefficients, in one row."""
        return np.concatenate([group.composed(group.factors * coefficients[group.numbers]) for group in self._groups])

    def projected(self, row: Floats, total: float) -> Floats:
        """Return the nearest tables that agree and sum to `total`, by the sum of squares over all cells."""
        found = self.coefficients(row)
        found[0] = total
        return self.composed(found)

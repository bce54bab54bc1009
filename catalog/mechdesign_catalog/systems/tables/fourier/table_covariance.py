"""The exact covariance of a table that is a sum of parts, each from users of its own.

Let an estimate of a table's cells be a sum over sets T of the table's attributes, and let user x add, on average over
the reports, `p_T(x)` to part T: with one matrix `own_i` and one vector `rest_i` for each attribute i,

    p_T(x) = kron over i of (column x_i of own_i  if i is in T, else rest_i).

With the constant, where T is empty, these parts add up to 1 in the user's own cell and 0 elsewhere. Branch b, of n_b
users, tells `sum_T w_(b,T) p_T`. With `m_(T,T') = sum_b w_(b,T) w_(b,T') / n_b`, E the mean over the users, and `A_T`
the second moments of the reports, added up over the branches, the two sums that `table_covariance` takes are

    sum_b N_b / n_b = sum_T A_T - sum_(T,T') m_(T,T') E[p_T p_T'],
    sum_b S_b / n_b = sum_(T,T') m_(T,T') (E[p_T p_T'] - E[p_T] E[p_T']).

They are made axis by axis from the shares of the table.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.systems.tables.sampling.branches import table_covariance, table_variances

Part = tuple[int, ...]
"""Places of the attributes of a set T within the table's subset."""


@dataclass(frozen=True, eq=False)
class Axis:
    """The part of an attribute with r items in the components of its tables.

    Args:
        own: what a user's item adds to the parts of the sets that have the attribute, shape (r, r), a column an item.
        rest: what it adds to the others, shape (r,).
        noise: second moment of a report's sign, drawn function and all, in `own`, shape (r, r).
    """

    own: Floats
    rest: Floats
    noise: Floats

    @cached_property
    def means(self) -> tuple[Floats, Floats]:
        """What users add to the parts of the sets without the attribute, and with it, shape (r, r) each."""
        return np.repeat(self.rest[:, None], len(self.rest), axis=1), self.own

    @cached_property
    def squares(self) -> dict[tuple[bool, bool], Floats]:
        """Products of what users add to two parts, item by item; keys say which of the two have the attribute."""
        return {(a, b): self.means[a] * self.means[b] for a in (False, True) for b in (False, True)}

    @cached_property
    def noise_pairs(self) -> tuple[Floats, Floats]:
        """Second moments for parts without the attribute, and with it, for each pair of items in a row."""
        return np.outer(self.rest, self.rest).reshape(-1), self.noise.reshape(-1)

    @cached_property
    def noise_squares(self) -> tuple[Floats, Floats]:
        """Second moments for parts without the attribute, and with it, for each item."""
        return self.rest**2, np.diag(self.noise).copy()


@dataclass(frozen=True, eq=False)
class TableParts:
    """The parts of one table, and the coefficients that tell them.

    Args:
        axes: one for each attribute of the table.
        noises: what the noise of each part is multiplied by in the covariance, shape (parts,), as `parts_of` has them.
        mixing: `m_(T,T')`, shape (parts, parts).
        users: numbers of users of all branches.
    """

    axes: Sequence[Axis]
    noises: Floats
    mixing: Floats
    users: Floats

    def covariance(self, shares: Floats) -> Floats:
        """Compute the covariance of the cells, shape (cells, cells), where they have these shares."""
        cells, means = len(shares), self._means(shares)
        diagonal, moments = np.diag(shares).reshape(-1), np.zeros((cells, cells))
        for mixed, first, second in self._mixed:
            matrices = [*self._chosen(first), *self._chosen(second)]
            moments += mixed * along(matrices, diagonal).reshape(cells, cells)
        noise = self._matrix(self._noise([axis.noise_pairs for axis in self.axes]))
        return table_covariance(noise - moments, moments - means.T @ self.mixing @ means, shares, self.users)

    def variances(self, shares: Floats) -> Floats:
        """Compute the diagonal of the covariance alone, shape (cells,)."""
        means, moments = self._means(shares), np.zeros(len(shares))
        for mixed, first, second in self._mixed:
            matrices = [axis.squares[place in first, place in second] for place, axis in enumerate(self.axes)]
            moments += mixed * along(matrices, shares)
        spread = moments - np.einsum("ac,ab,bc->c", means, self.mixing, means)
        return table_variances(self.second_moments() - moments, spread, shares, self.users)

    def second_moments(self) -> Floats:
        """Compute the diagonal of `sum_T A_T`, shape (cells,)."""
        return self._noise([axis.noise_squares for axis in self.axes])

    @cached_property
    def _parts(self) -> list[Part]:
        return parts_of(len(self.axes))

    @cached_property
    def _mixed(self) -> list[tuple[float, Part, Part]]:
        """`m_(T,T')`, T and T' of those that are not 0."""
        pairs = np.argwhere(self.mixing).tolist()
        return [(float(self.mixing[one, other]), self._parts[one], self._parts[other]) for one, other in pairs]

    def _noise(self, noises: Sequence[tuple[Floats, Floats]]) -> Floats:
        of_parts = (
            weight * _outer([both[place in part] for place, both in enumerate(noises)])
            for part, weight in zip(self._parts, self.noises.tolist(), strict=True)
        )
        return sum(of_parts, np.zeros(()))

    def _chosen(self, part: Part) -> list[Floats]:
        return [axis.means[place in part] for place, axis in enumerate(self.axes)]

    def _means(self, shares: Floats) -> Floats:
        """`E[p_T]` of all parts, shape (parts, cells)."""
        return np.stack([along(self._chosen(part), shares) for part in self._parts])

    def _matrix(self, found: Floats) -> Floats:
        """Bring pairs of items, an axis for each attribute, to pairs of cells."""
        sizes = [len(axis.rest) for axis in self.axes]
        order = (*range(0, 2 * len(sizes), 2), *range(1, 2 * len(sizes), 2))
        cells = math.prod(sizes)
        return found.reshape([size for size in sizes for _ in range(2)]).transpose(order).reshape(cells, cells)


def parts_of(count: int) -> list[Part]:
    """List the sets of 1 to `count` places, the smaller ones first."""
    return [part for size in range(1, count + 1) for part in combinations(range(count), size)]


def along(matrices: Sequence[Floats], table: Floats) -> Floats:
    """Return a table, in a row, with one matrix, shape (s, r), applied along each of its axes."""
    for matrix in matrices:  # the first axis goes, and comes back as the last one
        table = (table.reshape(matrix.shape[1], -1).T @ matrix.T).reshape(-1)
    return table


def _outer(vectors: Sequence[Floats]) -> Floats:
    """Outer product of vectors in a row, the last one changing fastest."""
    found = vectors[0]
    for vector in vectors[1:]:
        found = np.multiply.outer(found, vector).reshape(-1)
    return found

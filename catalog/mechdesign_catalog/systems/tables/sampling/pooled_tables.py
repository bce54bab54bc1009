"""Pooled tables of users' samples: linear estimates, and their covariance.

Let `y_b` be the table of set b from its own users, and w the weights of least squares (`component_weights`). The table
of attributes S is, raw, the mean of the sums of `y_b` over the sets b that contain S; and by least squares the sum over
parts P of S of the components of P, pooled over the sets that contain P, and 1 for the total. Weights come from the
numbers of users alone. A set b tells nothing of S but by the table of T, the attributes that it shares with S, so sets
with the same T are added up before any table is formed.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from mechdesign_catalog.decoders.tables.decomposition import (
    cell_precision,
    component_map,
    component_weights,
    pooled_components,
    subsets_within,
    summed_table,
    table_from_components,
)
from mechdesign_catalog.decoders.tables.subsets import Domains, Shares, Subset, cell_numbers, cells_of
from mechdesign_catalog.randomizers.exchangeable import ExchangeableOracle
from mechdesign_catalog.randomizers.facts.liars import (
    MOST_PAIRS,
    PooledBranch,
    WorstBias,
    bounded,
    most_moved_by_components,
)
from mechdesign_catalog.randomizers.facts.moments import Moments
from mechdesign_catalog.randomizers.oracle import Users, Values
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import State
from mechdesign_catalog.systems.attributes.one_of_tables import OneOfTables
from mechdesign_catalog.systems.tables.sampling.branches import table_covariance, table_variances

KEPT_CELLS = 64
"""Cells of a table at most, for maps to be kept: they take the square of that, and small tables are many."""


@dataclass(frozen=True, eq=False)
class _Piece:
    """The covariance that sets with the attributes `shared` with a table add to it.

    A set's table is summed to that of `shared`. Map i, shape (cells of the table, cells of `shared`), is applied to the
    sum with the set's weight for it. The matrices, shape (maps, maps), are sums over the sets of products of two
    weights with what `Moments.covariance` is made of, over the set's number of users.
    """

    shared: Subset
    maps: Floats
    diagonal: Floats
    constant: Floats
    crossed: Floats
    own: Floats
    spread: Floats

    def noise(self, shares: Floats) -> Floats:
        """Form `sum_b N_b / n_b`, shape (cells, cells)."""
        sums = self.maps.sum(axis=2)
        means = self.maps @ shares
        found = _between(self.maps, self.diagonal, self.maps) + _between(self.maps * shares, self.own, self.maps)
        found += np.einsum("st,si,tj->ij", self.constant, sums, sums)
        crossed = np.einsum("st,si,tj->ij", self.crossed, means, sums)
        noise: Floats = found + crossed + crossed.T
        return noise

    def sampling(self, shares: Floats) -> Floats:
        """Form `sum_b S_b / n_b`, shape (cells, cells)."""
        means = self.maps @ shares
        between = _between(self.maps * shares, self.spread, self.maps)
        found: Floats = between - np.einsum("st,si,tj->ij", self.spread, means, means)
        return found

    def noise_by_own(self) -> Floats:
        """Form the diagonal of the noise where all users have the same cell; shape (cells, cells of `shared`)."""
        sums = self.maps.sum(axis=2)
        fixed = np.einsum("st,sij,tij->i", self.diagonal, self.maps, self.maps)
        fixed += np.einsum("st,si,ti->i", self.constant, sums, sums)
        found: Floats = fixed[:, None] + np.einsum("st,sij,tij->ij", self.own, self.maps, self.maps)
        found += 2 * np.einsum("st,sij,ti->ij", self.crossed, self.maps, sums)
        return found

    def sampling_variances(self, shares: Floats) -> Floats:
        """Form the diagonal of `sampling`, shape (cells,)."""
        means = self.maps @ shares
        found: Floats = np.einsum("st,sij,tij,j->i", self.spread, self.maps, self.maps, shares)
        found -= np.einsum("st,si,ti->i", self.spread, means, means)
        return found


@dataclass(frozen=True)
class PooledTables:
    """Tables from those that users sampled; by least squares where all should be `agreeing`.

    Kulkarni's thesis, section 4.3.3, for raw tables of k attributes; Zhang, Wang, Li, He, Chen, *CALM: consistent
    adaptive local marginal*, CCS 2018, for the idea of sets that overlap.
    """

    oracle: OneOfTables
    agreeing: bool

    @property
    def title(self) -> str:
        """Least squares over all sets, or the tables of the sets that contain all attributes."""
        return "least squares over sets" if self.agreeing else "mean of the sets' tables"

    def estimate(self, state: State, subsets: Sequence[Subset]) -> list[Floats]:
        """Estimate the shares of each table's cells, shape (cells,) each.

        Raises:
            InputError: for a state that is not the oracle's.
            NoAnswerError: for a table whose sets have no user.
        """
        domains, oracle = self.oracle.domains, self.oracle
        users = oracle.users_of(state)
        told = [self._told(subset, users) for subset in subsets]
        if self.agreeing:
            return [table_from_components(_components(oracle, state), domains, subset) for subset in subsets]
        tables, found = oracle.set_tables(state), []
        for subset, part in zip(subsets, told, strict=True):
            sets = [oracle.sets[number] for number in part.numbers]
            found.append(part.weights @ [summed_table(tables[own], domains, own, subset) for own in sets])
        return found

    def _told(self, subset: Subset, users: Floats) -> "_SetWeights":
        told = _telling(self.oracle, users.tobytes())
        if subset not in told:
            raise self.oracle.without_reports(int(self.oracle.telling[subset][0]), float(users.sum()))
        return told[subset]

    def covariance(self, subset: Subset, shares: Shares, users: Users) -> Floats:
        """Compute the exact covariance of a table's cells, shape (cells, cells), as `branches` says."""
        counts = self.oracle.users_by_branch(users)
        both = [
            (piece.noise(shares.table(piece.shared)), piece.sampling(shares.table(piece.shared)))
            for piece in self._pieces(subset, counts)
        ]
        noise, spread = (np.sum(parts, axis=0) for parts in zip(*both, strict=True))
        return table_covariance(noise, spread, shares.table(subset), counts)

    def variances(self, subset: Subset, shares: Shares, users: Users) -> Floats:
        """Compute the exact variance of each cell, shape (cells,)."""
        counts = self.oracle.users_by_branch(users)
        both = [
            (piece.noise_by_own() @ true, piece.sampling_variances(true))
            for piece in self._pieces(subset, counts)
            for true in [shares.table(piece.shared)]
        ]
        noise, spread = (np.sum(parts, axis=0) for parts in zip(*both, strict=True))
        return table_variances(noise, spread, shares.table(subset), counts)

    def least_variances(self, subset: Subset, users: Users) -> Floats:
        """Compute the least variance of each cell, shape (cells,).

        The noise is a mean over users, and no other part goes below 0. So it is the least over populations whose users
        have all the same cell.
        """
        domains = tuple(self.oracle.domains[i] for i in subset)
        cells = np.array(list(np.ndindex(domains)), dtype=np.int64)
        noise = np.zeros((len(cells), len(cells)))
        for piece in self._pieces(subset, self.oracle.users_by_branch(users)):
            places = tuple(subset.index(i) for i in piece.shared)
            noise += piece.noise_by_own()[:, cell_numbers(domains, places, cells)]
        found: Floats = noise.min(axis=1)
        return found

    def worst_bias(self, subset: Subset, liars: Fraction) -> WorstBias | None:
        """Compute the largest bias of the first cell, as all are alike, or a bound of it; None for very large tables.

        A set's user weighs `cell_precision` over the cells of the set's table. By least squares a set tells each
        component of the attributes that it shares with the table; a raw table is told by the sets that have it whole.
        """
        oracle, cells = self.oracle, cells_of(self.oracle.domains, subset)
        if self.agreeing and cells**2 > MOST_PAIRS:
            return None
        parts = subsets_within(subset)[1:] if self.agreeing else [subset]
        telling = [oracle.telling[part].tolist() for part in parts]
        alike = Counter(
            (tuple(i for i in oracle.sets[number] if i in subset), oracle.parts[number])
            for number in sorted({number for numbers in telling for number in numbers})
        )
        branches = [self._branch(subset, own, kind, count, parts) for (own, kind), count in alike.items()]
        honest, found = np.unique(self._first_cell(subset, subset, parts), axis=1), []
        for sign in (1.0, -1.0):
            turned = [replace(branch, rows=sign * branch.rows) for branch in branches]
            found.append(most_moved_by_components(turned, sign * honest, float(liars)))
        return bounded(found, all(kind.score_is_reached for _, kind in alike))

    def _branch(
        self, subset: Subset, own: Subset, kind: ExchangeableOracle, count: int, parts: Sequence[Subset]
    ) -> PooledBranch:
        """Describe what so many sets tell of a table that share the attributes `own` with it."""
        precision = float(cell_precision(kind.moments, kind.k) / kind.k)
        weights = precision * np.array([{*part} <= {*own} for part in parts])
        rows = np.repeat(self._first_cell(subset, own, parts), kind.k // cells_of(self.oracle.domains, own), axis=1)
        return PooledBranch(count / len(self.oracle.sets), weights, rows, kind.highest_scores)

    def _first_cell(self, subset: Subset, own: Subset, parts: Sequence[Subset]) -> Floats:
        """Form what a table of some of the attributes counts in the first cell, by way of each component."""
        if not self.agreeing:
            return np.eye(1, cells_of(self.oracle.domains, subset))
        none = np.zeros(cells_of(self.oracle.domains, own))
        return np.array(
            [component_map(self.oracle.domains, subset, own, part)[0] if {*part} <= {*own} else none for part in parts]
        )

    def _pieces(self, subset: Subset, users: Floats) -> Iterator[_Piece]:
        sizes, whole = tuple(self.oracle.domains[i] for i in subset), self._told(subset, users)
        if not self.agreeing:
            yield self._piece(subset, np.eye(math.prod(sizes))[None], whole.numbers, whole.weights[None], users)
            return
        told = _telling(self.oracle, users.tobytes())
        for shared in subsets_within(subset)[1:]:
            numbers = told[shared].numbers
            for i in set(subset).difference(shared):
                larger = tuple(sorted((*shared, i)))
                numbers = np.setdiff1d(numbers, told[larger].numbers, assume_unique=True)
            if len(numbers):
                make = _kept_maps if math.prod(sizes) <= KEPT_CELLS else _component_maps
                maps = make(sizes, tuple(subset.index(i) for i in shared))
                own = [told[part].weights_of(numbers) for part in subsets_within(shared)[1:]]
                yield self._piece(shared, maps, numbers, np.array(own), users)

    def _piece(self, shared: Subset, maps: Floats, numbers: Values, weights: Floats, users: Floats) -> _Piece:
        cells = cells_of(self.oracle.domains, shared)
        factors = _factors(self.oracle, cells)[:, numbers] / users[numbers]
        return _Piece(shared, maps, *((weights * factor) @ weights.T for factor in factors))


@lru_cache(maxsize=2)
def _components(oracle: OneOfTables, state: State) -> dict[Subset, Floats]:
    """Pool the components of all sets of attributes whose tables can be told, and 1 for the total."""
    weights = {
        part: {oracle.sets[i]: weight for i, weight in zip(told.numbers, told.weights.tolist(), strict=True)}
        for part, told in _telling(oracle, oracle.users_of(state).tobytes()).items()
    }
    return pooled_components(oracle.set_tables(state), oracle.domains, weights)


def _component_maps(sizes: Domains, places: Subset) -> Floats:
    """Form what takes a table of these places to the components of each part of it in a table of these domains."""
    target = tuple(range(len(sizes)))
    return np.array([component_map(sizes, target, places, part) for part in subsets_within(places)[1:]])


_kept_maps = lru_cache(maxsize=256)(_component_maps)


@dataclass(frozen=True, eq=False)
class _SetWeights:
    """The numbers of the sets with users that contain some attributes, rising, and their weights."""

    numbers: Values
    weights: Floats

    def weights_of(self, numbers: Values) -> Floats:
        """Return the weights of some of the sets."""
        found: Floats = self.weights[np.searchsorted(self.numbers, numbers)]
        return found


@lru_cache(maxsize=8)
def _telling(oracle: OneOfTables, users: bytes) -> dict[Subset, _SetWeights]:
    """Compute the weights of the sets that tell each table; `users` are the bytes of the numbers of their users."""
    counts = np.frombuffer(users)
    precisions = {
        own: count * float(cell_precision(cells.moments, cells.k))
        for own, cells, count in zip(oracle.sets, oracle.parts, counts.tolist(), strict=True)
        if count
    }
    weights, found = component_weights(oracle.domains, precisions), {}
    for part, numbers in oracle.telling.items():
        if part in weights:
            found[part] = _SetWeights(numbers[counts[numbers] > 0], np.array(list(weights[part].values())))
    return found


@lru_cache(maxsize=64)
def _factors(oracle: OneOfTables, cells: int) -> Floats:
    """Compute what one report adds to the covariance of a table of so many cells that its own is summed to.

    The rows are what multiplies the identity, a matrix of ones, the shares in a row and a column, the shares on the
    diagonal, and the users' own spread; shape (5, sets). Sets with fewer cells have zeros.
    """
    made = {own: _moment_factors(own.moments, own.k // cells) for own in set(oracle.parts) if own.k % cells == 0}
    return np.array([made.get(own, (0.0,) * 5) for own in oracle.parts]).T


def _moment_factors(moments: Moments, size: int) -> tuple[float, ...]:
    of_groups = moments.of_groups(size)
    crossed = of_groups.own_other - of_groups.others
    exact = (
        of_groups.other - of_groups.others,
        of_groups.others,
        crossed,
        of_groups.own - of_groups.other - 2 * crossed,
    )
    return (*(float(factor) for factor in exact), 1.0)


def _between(left: Floats, factors: Floats, right: Floats) -> Floats:
    """Form `sum_st factors[s, t] left_s right_t^T`, shape (cells, cells)."""
    scaled = np.tensordot(factors, right, axes=1)
    found: Floats = (left @ scaled.transpose(0, 2, 1)).sum(axis=0)
    return found

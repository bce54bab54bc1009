"""Pooling: agreeing tables from Hadamard coefficients.

Numbers of items need not be powers of two.

With r items in `2^b > r` codes, functions of an attribute are not orthogonal to the constant among the items. So a
coefficient of a set S also tells something of the tables of the sets T within S. Let `f_T` be the component of T, what
the table of T adds to smaller ones; `C = I - J/r`; and B the signs of an attribute, with `B'B = 2^b I - J`. That has
the eigenvalue `2^b - r` for the constant and `2^b` for contrasts of the items. So least squares for coefficients of
equal variance goes component by component. Coefficients y of S tell

    kron over i in T of (C_i B_i' / 2^b_i),  over i in S but not in T of (1' B_i' / (2^b_i - r_i)),  applied to y,

unbiased for `f_T`, and these are averaged over all S that contain T in proportion to the users of a coefficient of S,
on average, times `prod_(i in S but not in T) (2^b_i - r_i)/r_i`. All tables are put together from the same components.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from mechdesign_catalog.decoders.tables.decomposition import component_map
from mechdesign_catalog.decoders.tables.subsets import Subset
from mechdesign_catalog.randomizers.facts.information import kronecker
from mechdesign_catalog.randomizers.facts.liars import (
    MOST_PAIRS,
    MOST_SPLITS,
    PooledBranch,
    WorstBias,
    bounded,
    most_moved_by_components,
)
from mechdesign_catalog.randomizers.oracle import Users
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import State
from mechdesign_catalog.systems.tables.fourier.fourier_oracle import FourierOracle
from mechdesign_catalog.systems.tables.fourier.inversion import Inversion, Means
from mechdesign_catalog.systems.tables.fourier.table_covariance import Axis, TableParts, parts_of

CLOSE = 1e-3
"""Part of a bias by which the bound that is stated may lie above it: many cells are looked into."""


@dataclass(frozen=True, eq=False)
class Pool:
    """The pool of one component's average: supports by number, shape (supports,).

    What S tells weighs its number of users times `parts`, shape (supports,). `noises` are the second moments of what a
    report of each support tells, times that of one of the component's own attributes alone.
    """

    numbers: NDArray[np.int64]
    parts: Floats
    noises: Floats

    def weights(self, users: Floats) -> Floats:
        """Return the weights at these numbers of users of all supports; they add up to 1, or are all 0."""
        found: Floats = self.parts * users[self.numbers]
        return found / (found.sum() or 1.0)


@dataclass(frozen=True, eq=False)
class Pooling(Inversion):
    """The average of each component over the coefficients that tell it.

    Its weights are the numbers of their users.
    """

    title: ClassVar[str] = "least squares over components"

    def __reduce__(self) -> tuple[type, tuple[FourierOracle]]:
        return Pooling, (self.oracle,)  # without the components of states

    def estimate(self, state: State, subsets: Sequence[Subset]) -> list[Floats]:
        """Estimate the shares of each table's cells."""
        means, known = Means(self.oracle, state), self._known.setdefault(state, {})
        found = []
        for subset in subsets:
            sizes = [self.oracle.domains[i] for i in subset]
            table = np.full(sizes, 1 / math.prod(sizes))
            for part in parts_of(len(subset)):
                chosen = tuple(subset[axis] for axis in part)
                if chosen not in known:
                    known[chosen] = self._component(means, chosen)
                others = [size for axis, size in enumerate(sizes) if axis not in part]
                shape = [size if axis in part else 1 for axis, size in enumerate(sizes)]
                table += known[chosen].reshape(shape) / math.prod(others)
            found.append(table.reshape(-1))
        return found

    @cached_property
    def _known(self) -> WeakKeyDictionary[State, dict[Subset, Floats]]:
        """Components of states that are still in use: tables are often asked for one by one."""
        return WeakKeyDictionary()

    def _component(self, means: Means, part: Subset) -> Floats:
        pool = self._pools[part]
        total = np.zeros([self.oracle.domains[i] for i in part])
        for number, weight in zip(pool.numbers.tolist(), self._weights(part, means.users).tolist(), strict=True):
            if not weight:
                continue
            support = self.oracle.supports.all[number]
            found = means.of(support)
            for i in support:
                found = np.tensordot(found, self._contrasts[i] if i in part else self._constants[i], axes=(0, 0))
            total += weight * found
        return total

    def _weights(self, part: Subset, users: Floats) -> Floats:
        """Weights of a component's supports, which add up to 1."""
        weights = self._pools[part].weights(users)
        if not weights.any():
            raise self.oracle.without_reports(self.oracle.supports.numbers[part], float(users.sum()))
        return weights

    @cached_property
    def _contrasts(self) -> list[Floats]:
        """`B C / 2^b` of each attribute, shape (functions, items)."""
        signs = [one.values for one in self.oracle.functions]
        return [(one - one.mean(axis=1, keepdims=True)) / (len(one) + 1) for one in signs]

    @cached_property
    def _constants(self) -> list[Floats]:
        """`B 1 / (2^b - r)` of each attribute, shape (functions,); not used where r is `2^b`."""
        signs = [one.values for one in self.oracle.functions]
        return [one.sum(axis=1) / max(len(one) + 1 - one.shape[1], 1) for one in signs]

    @cached_property
    def _shares_of_constant(self) -> list[float]:
        """`(2^b - r)/r` of each attribute."""
        return [
            (one.count + 1 - items) / items
            for one, items in zip(self.oracle.functions, self.oracle.domains, strict=True)
        ]

    @cached_property
    def _pools(self) -> dict[Subset, "Pool"]:
        """The pool of each component."""
        found: dict[Subset, list[tuple[int, float, float]]] = {}
        sizes = self.oracle.supports.sizes.tolist()
        for number, support in enumerate(self.oracle.supports.all):
            for places in parts_of(len(support)):
                others = [i for place, i in enumerate(support) if place not in places]
                told = math.prod(self._shares_of_constant[i] for i in others)
                if told > 0:
                    noise = math.prod(self.oracle.functions[i].count for i in others) / told
                    part = tuple(support[place] for place in places)
                    found.setdefault(part, []).append((number, told / sizes[number], noise))
        return {part: Pool(*map(np.array, zip(*rows, strict=True))) for part, rows in found.items()}

    def worst_bias(self, subset: Subset, liars: Fraction) -> WorstBias | None:
        """Compute the largest bias of a cell, or a bound of it; None for very large tables.

        What a liar reports of a function of a support, over its chance, counts in every component that is told by it.
        """
        domains, supports = self.oracle.domains, self.oracle.supports
        cells = list(np.ndindex(*(domains[i] for i in subset)))
        if len(cells) ** 2 > MOST_PAIRS:
            return None
        parts = [tuple(subset[axis] for axis in part) for part in parts_of(len(subset))]
        pools = [self._pools[part] for part in parts]
        weighs = [dict(zip(pool.numbers.tolist(), pool.parts.tolist(), strict=True)) for pool in pools]
        alike: dict[object, list[int]] = {}
        for number in sorted({number for weights in weighs for number in weights}):
            kind = tuple(sorted(i if i in subset else -domains[i] for i in supports.all[number]))
            alike.setdefault(kind, []).append(number)
        honest = np.array([component_map(domains, subset, subset, part) for part in parts])
        found, splits = [(0.0, 0.0)], MOST_SPLITS // len(cells)
        for place, cell in enumerate(cells):
            branches = [
                PooledBranch(
                    sum(float(self.oracle.branch_chances[number]) for number in numbers),
                    np.array([weights.get(numbers[0], 0.0) for weights in weighs]),
                    self._scores(supports.all[numbers[0]], dict(zip(subset, cell, strict=True)), parts),
                    _highest_of_signs,
                )
                for numbers in alike.values()
            ]
            for sign in (1.0, -1.0):
                known = max(reached for reached, _ in found)
                found.append(
                    most_moved_by_components(
                        branches, sign * honest[:, place], float(liars), known, close=CLOSE, most_splits=splits
                    )
                )
        return bounded(found, scores_are_reached=True)

    def _scores(self, support: Subset, cell: dict[int, int], parts: Sequence[Subset]) -> Floats:
        """Compute what a report of plus on each function of a support counts in a cell by way of each component."""
        found = np.zeros((len(parts), len(self.oracle.function_chances(support))))
        for row, part in zip(found, parts, strict=True):
            if {*part} <= {*support}:
                columns = [self._contrasts[i][:, cell[i]] if i in part else self._constants[i] for i in support]
                others = math.prod(self.oracle.domains[i] for i in cell if i not in part)
                row[:] = kronecker([column[None] for column in columns])[0] / others
        return self.oracle.scale * found / self.oracle.function_chances(support)

    def _parts(self, subset: Subset, users: Users) -> TableParts:
        of_all, parts = self.oracle.users_by_branch(users), parts_of(len(subset))
        inverse = np.divide(1.0, of_all, out=np.zeros_like(of_all), where=of_all > 0)
        told, noises = np.zeros((len(parts), len(of_all))), np.zeros(len(parts))
        for place, part in enumerate(parts):
            chosen = tuple(subset[axis] for axis in part)
            pool, weights = self._pools[chosen], self._weights(chosen, of_all)
            told[place, pool.numbers] = weights
            noises[place] = weights**2 * inverse[pool.numbers] @ pool.noises
        mixing = (told * inverse) @ told.T
        axes = [self._axes[self.oracle.domains[i]] for i in subset]
        return TableParts(axes, self.oracle.scale**2 * noises, mixing, of_all)

    @cached_property
    def _axes(self) -> dict[int, Axis]:
        known = {}
        for items, one in zip(self.oracle.domains, self.oracle.functions, strict=True):
            centred = np.eye(items) - 1 / items
            known[items] = Axis(centred, np.full(items, 1 / items), one.count / (one.count + 1) * centred)
        return known


def _highest_of_signs(weights: Floats) -> Floats:
    """Compute the largest score of a report of one function's sign, plus or minus."""
    found: Floats = np.abs(weights).max(axis=1)
    return found

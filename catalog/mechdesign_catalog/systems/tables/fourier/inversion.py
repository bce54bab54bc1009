"""Inversion: tables from the coefficients of their own attributes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign_catalog.decoders.tables.subsets import Shares, Subset
from mechdesign_catalog.randomizers.facts.information import kronecker
from mechdesign_catalog.randomizers.facts.liars import MOST_PAIRS, WorstBias, most_moved
from mechdesign_catalog.randomizers.oracle import Users
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import State
from mechdesign_catalog.systems.tables.fourier.fourier_oracle import FourierOracle
from mechdesign_catalog.systems.tables.fourier.functions import Functions
from mechdesign_catalog.systems.tables.fourier.table_covariance import Axis, TableParts, along, parts_of


class Means:
    """The estimated means of coefficients, unbiased, support by support."""

    def __init__(self, oracle: FourierOracle, state: State) -> None:
        self.oracle = oracle
        self.users = oracle.users_of(state)
        self.signs = state.sums[len(self.users) :]

    def of(self, support: Subset) -> Floats:
        """Return those of one support, with an axis for each of its attributes.

        Raises:
            NoAnswerError: for a support without users.
        """
        supports, functions = self.oracle.supports, [self.oracle.functions[i] for i in support]
        number = supports.numbers[support]
        if not self.users[number]:
            raise self.oracle.without_reports(number, float(self.users.sum()))
        start = int(supports.starts[number])
        sums = self.signs[start : start + int(supports.sizes[number])].reshape([one.count for one in functions])
        found: Floats = self.oracle.scale / self.users[number] * sums
        for place, one in enumerate(functions):
            if one.count > 1:
                found /= one.chances.reshape([-1] + [1] * (len(functions) - 1 - place))
        return found


@dataclass(frozen=True, eq=False)
class Inversion:
    """The inverse of each attribute's functions and of the constant, axis by axis.

    The mean of a coefficient of the table's attributes, `theta_a`, enters its cells as the product of the attributes'
    columns of `decode`. For two items that is `F_g = 2^-k sum_a (-1)^<a, g> theta_a` (Kulkarni's thesis, Lemma 6).
    """

    title: ClassVar[str] = "inverse of the matrix of functions"

    oracle: FourierOracle

    def estimate(self, state: State, subsets: Sequence[Subset]) -> list[Floats]:
        """Estimate the shares of each table's cells."""
        means = Means(self.oracle, state)
        return [self._table(means, subset) for subset in subsets]

    def _table(self, means: Means, subset: Subset) -> Floats:
        functions = [self.oracle.functions[i] for i in subset]
        spectrum = np.empty([one.count + 1 for one in functions])
        spectrum[(0,) * len(subset)] = 1.0
        for part in parts_of(len(subset)):
            place = tuple(slice(1, None) if axis in part else 0 for axis in range(len(subset)))
            spectrum[place] = means.of(tuple(subset[axis] for axis in part))
        return along([one.decode for one in functions], spectrum.reshape(-1))

    def covariance(self, subset: Subset, shares: Shares, users: Users) -> Floats:
        """Compute the exact covariance of the cells, at these true shares."""
        return self._parts(subset, users).covariance(shares.table(subset))

    def variances(self, subset: Subset, shares: Shares, users: Users) -> Floats:
        """Compute the diagonal of the covariance."""
        return self._parts(subset, users).variances(shares.table(subset))

    def least_variances(self, subset: Subset, users: Users) -> Floats:
        """Compute values that the variances do not go below: the sampling of the users only adds to the noise.

        What a user's reports add to a cell has at most `1/A` of its second moment in the square of its mean, where a
        sign counts `sqrt(A)`.
        """
        return (1 - 1 / self.oracle.scale**2) * self._parts(subset, users).second_moments()

    def worst_bias(self, subset: Subset, liars: Fraction) -> WorstBias | None:
        """Compute the largest bias of a cell, exactly; None for very large tables.

        A liar chooses a set, a function and a sign, which count over the chance of the function, as for all users.
        """
        oracle, parts = self.oracle, [tuple(subset[axis] for axis in part) for part in parts_of(len(subset))]
        if math.prod(oracle.domains[i] for i in subset) ** 2 > MOST_PAIRS:
            return None
        chances = np.array([float(oracle.branch_chances[oracle.supports.numbers[part]]) for part in parts])
        pieces, worst = [self._scores_and_means(subset, part) for part in parts], 0.0
        for sign in (1.0, -1.0):
            gains = np.stack([best[:, None] - sign * means for best, means in pieces], axis=-1)
            worst = max(worst, float(most_moved(gains, float(1 - liars) * chances, float(liars)).max()))
        return WorstBias(Fraction(worst), is_exact=True)

    def _scores_and_means(self, subset: Subset, part: Subset) -> tuple[Floats, Floats]:
        """Compute for each cell of a table the largest score of reports on a part, and the mean of users of each cell.

        Shapes (cells,) and (cells, cells).
        """
        columns, values = [], []
        for i in subset:
            functions, of_part = self.oracle.functions[i], i in part
            columns.append(functions.decode[:, 1:] if of_part else functions.decode[:, :1])
            values.append(functions.values if of_part else np.ones((1, self.oracle.domains[i])))
        decode = kronecker(columns)
        best = self.oracle.scale * np.abs(decode / self.oracle.function_chances(part)).max(axis=1)
        return best, decode @ kronecker(values)

    def _parts(self, subset: Subset, users: Users) -> TableParts:
        of_all = self.oracle.users_by_branch(users)
        numbers = [self.oracle.supports.numbers[tuple(subset[i] for i in part)] for part in parts_of(len(subset))]
        if not of_all[numbers].all():
            raise self.oracle.without_reports(numbers[int(np.argmin(of_all[numbers]))], float(of_all.sum()))
        inverse = 1 / of_all[numbers]
        axes = [self._axes[items] for items in (self.oracle.domains[i] for i in subset)]
        noises = self.oracle.scale**2 * inverse
        return TableParts(axes, noises, np.diag(inverse), of_all)

    @cached_property
    def _axes(self) -> dict[int, Axis]:
        return {items: axis_of(one) for items, one in zip(self.oracle.domains, self.oracle.functions, strict=True)}


def axis_of(functions: Functions) -> Axis:
    """Form what an attribute brings to tables by inversion."""
    constant, columns = functions.decode[:, 0], functions.decode[:, 1:]
    own = np.eye(len(constant)) - constant[:, None]
    return Axis(own, constant, columns / functions.chances @ columns.T)

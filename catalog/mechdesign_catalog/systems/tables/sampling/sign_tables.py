"""Sign tables of attributes of two items, from coefficients that several branches tell."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import ClassVar

import numpy as np

from mechdesign_catalog.decoders.tables.subsets import Shares, Subset
from mechdesign_catalog.randomizers.facts.liars import WorstBias, most_moved
from mechdesign_catalog.randomizers.kernels.walsh import parity
from mechdesign_catalog.randomizers.oracle import Users, Values
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import State
from mechdesign_catalog.systems.tables.coefficients import Coefficients
from mechdesign_catalog.systems.tables.sampling.branches import table_covariance, table_variances

BranchesOf = Callable[[Subset], Sequence[Values]]
"""Lists for the coefficients 1, 2, .. of a table the branches that each is averaged over."""


@dataclass(frozen=True)
class SignTables:
    """Tables `C(c) = 2^-k sum_a (-1)^<a, c> theta_a` over their cells' numbers a.

    `theta_0` is 1.

    In binary, the digits of a say which attributes the coefficient is of, those of c which items the cell has, first
    attribute first. A coefficient is the mean sign of all users who told it, whichever branch they are in.

    Kulkarni's thesis, Lemma 6.
    """

    title: ClassVar[str] = "inverse Walsh-Hadamard transform of mean signs"

    oracle: Coefficients
    branches_of: BranchesOf

    def estimate(self, state: State, subsets: Sequence[Subset]) -> list[Floats]:
        """Estimate the shares of each table's cells, shape (cells,) each.

        Raises:
            InputError: for a state that is not the oracle's.
            NoAnswerError: for a table with a coefficient that no user told.
        """
        counts, sums = self.oracle.split_state(state)
        found = []
        for subset in subsets:
            told = np.array([sums[branches].sum() for branches in self.branches_of(subset)])
            means = told / self._users_of_coefficients(subset, counts.astype(np.float64))
            coefficients = np.concatenate([[1.0], self.oracle.scale * means])
            found.append(hadamard(len(coefficients)) @ coefficients / len(coefficients))
        return found

    def covariance(self, subset: Subset, shares: Shares, users: Users) -> Floats:
        """Compute the exact covariance of a table's cells, shape (cells, cells), as `branches` says."""
        true, noise, spread = self._parts(subset, shares, users)
        signs = hadamard(len(true))[:, 1:] / len(true)
        return table_covariance((signs * noise) @ signs.T, (signs * spread) @ signs.T, true, self._checked(users))

    def variances(self, subset: Subset, shares: Shares, users: Users) -> Floats:
        """Compute the exact variance of each cell, shape (cells,)."""
        true, noise, spread = self._parts(subset, shares, users)
        of_cell = np.array([noise.sum(), spread.sum()]) / len(true) ** 2
        return table_variances(of_cell[0], of_cell[1], true, self._checked(users))

    def least_variances(self, subset: Subset, users: Users) -> Floats:
        """Compute the variance of each cell where all users have the same tuple: the noise alone, shape (cells,)."""
        cells = self.oracle.cells(subset)
        return np.full(cells, (self.oracle.sign_noise / self._users_of_coefficients(subset, users)).sum() / cells**2)

    def worst_bias(self, subset: Subset, liars: Fraction) -> WorstBias:
        """Compute the largest bias of a cell, exactly: coefficients are branches of their own, with all who tell them.

        A liar adds the sign that each coefficient has at the cell, times `scale`; an honest user adds the own sign.
        """
        told = [len(branches) for branches in self.branches_of(subset)]
        signs = hadamard(len(told) + 1)[:, 1:]
        gains = np.concatenate([float(self.oracle.scale) - signs, float(self.oracle.scale) + signs]) / (len(told) + 1)
        present = np.array(told) * float((1 - liars) * self.oracle.branch_chances[0])
        return WorstBias(Fraction(float(most_moved(gains, present, float(liars)).max())), is_exact=True)

    def _parts(self, subset: Subset, shares: Shares, users: Users) -> tuple[Floats, Floats, Floats]:
        """Return the true shares, and for each coefficient but the known one noise and spread, over its users."""
        true = shares.table(subset)
        counts = self._users_of_coefficients(subset, users)
        coefficients = (hadamard(len(true)) @ true)[1:]
        return true, self.oracle.sign_noise / counts, (1 - coefficients**2) / counts

    def _users_of_coefficients(self, subset: Subset, users: Users) -> Floats:
        counts, told = self._checked(users), self.branches_of(subset)
        found = np.array([counts[branches].sum() for branches in told])
        if not found.all():
            raise self.oracle.without_reports(int(told[int(np.argmin(found))][0]), float(counts.sum()))
        return found

    def _checked(self, users: Users) -> Floats:
        return self.oracle.users_by_branch(users)


@cache
def hadamard(size: int) -> Floats:
    """Return the matrix with the sign of coefficient a at cell c, `(-1)^<a, c>`; shape (size, size)."""
    numbers = np.arange(size)
    return np.where(parity(numbers[:, None] & numbers) == 1, -1.0, 1.0)

"""Tables with only their totals wrong: least squares where a report tells all attributes."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np

from mechdesign_catalog.decoders.tables.subsets import Domains, PeopleShares, Shares, Subset, cells_of
from mechdesign_catalog.randomizers.facts.liars import WorstBias
from mechdesign_catalog.randomizers.oracle import Users
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import State
from mechdesign_catalog.systems.attributes.marginal_oracle import LinearEstimator


class SummedTables(LinearEstimator, Protocol):
    """An estimator whose cells are means, over all users or those of one branch, of what a report says of them."""

    def cells_to_ask(self, subset: Subset) -> int:
        """Return how many cells of a table, the first ones, liars can move as far as any."""

    def bias_of_sums(self, subset: Subset, weights: Floats, liars: Fraction) -> WorstBias | None:
        """Compute the largest bias of some weighted sum of cells, for weights of the shape (sums, cells)."""


@dataclass(frozen=True)
class SumToOneTables(LinearEstimator):
    """Tables with totals of 1, by least squares, where they already agree with each other.

    For systems without sampling: every user reports on the whole tuple, and each table is a sum over one estimate of
    the shares of all tuples, whose noise is the same for all of them (exchangeable). The component of no attribute is
    then the one that is known, and what a total is off 1 is taken from all cells alike: with I the identity and J a
    matrix of ones,

        t' = (I - J/cells) t + 1/cells,    Cov(t') = (I - J/cells) Cov(t) (I - J/cells).

    Args:
        domains: number of items of each attribute.
        raw: the estimator whose tables are corrected.
    """

    domains: Domains
    raw: SummedTables

    @property
    def title(self) -> str:
        """That of what is corrected, and the known total."""
        return f"{self.raw.title}, known total"

    def estimate(self, state: State, subsets: Sequence[Subset]) -> list[Floats]:
        """Estimate the shares of each table's cells; they sum to 1."""
        return [table + (1 - table.sum()) / len(table) for table in self.raw.estimate(state, subsets)]

    def covariance(self, subset: Subset, shares: Shares, users: Users) -> Floats:
        """Compute the exact covariance of a table's cells, shape (cells, cells)."""
        half = _centred(self.raw.covariance(subset, shares, users))
        return _centred(half.T)

    def least_variances(self, subset: Subset, users: Users) -> Floats:
        """Compute the least variance of a cell over all shares.

        The variance is a mean over the users, and a cell is either a user's own or not. So it is the lesser of the two
        values where all users have the same tuple.
        """
        everybody = PeopleShares(self.domains, np.zeros((1, len(self.domains)), dtype=np.int64))
        found = self.variances(subset, everybody, users)
        return np.full(cells_of(self.domains, subset), found.min())

    def worst_bias(self, subset: Subset, liars: Fraction) -> WorstBias | None:
        """Compute the largest bias of a cell less the mean of all cells."""
        cells = cells_of(self.domains, subset)
        weights = np.eye(self.raw.cells_to_ask(subset), cells) - 1 / cells
        return self.raw.bias_of_sums(subset, weights, liars)


def _centred(matrix: Floats) -> Floats:
    """Take the mean of each column from it."""
    found: Floats = matrix - matrix.mean(axis=0)
    return found

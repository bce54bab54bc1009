"""Estimate the tables of single attributes, where each is told by reports about it alone.

Let `n_j` of the n users report attribute j. For users whose items are fixed, and f the attribute's true shares,

    Cov = N / n_j + n/(n-1) (1/n_j - 1/n) (diag(f) - f f^T),

N the covariance of the scores of one report, in the mean over all users. The second part is that of drawing `n_j` of n
users; it is 0 where everybody reports the attribute.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from mechdesign.errors import NoAnswerError
from mechdesign_catalog.multidimensional.tables import Domains, Shares, Subset, checked_subset
from mechdesign_catalog.oracles.moments import Moments
from mechdesign_catalog.oracles.oracle import Users
from mechdesign_catalog.oracles.probabilities import Floats
from mechdesign_catalog.oracles.reports import State


class OneWayOracle(Protocol):
    """What estimates of single attributes follow from."""

    @property
    def domains(self) -> Domains:
        """Number of items of each attribute."""

    @property
    def moments(self) -> Sequence[Moments]:
        """Second moments of one report's scores, for each attribute."""

    def estimate(self, state: State, attributes: Sequence[int] | None = None) -> list[Floats]:
        """Estimate the shares of these attributes' items (of all if not given), unbiased."""


@dataclass(frozen=True)
class OneWayTables:
    """Estimate tables of one attribute from the reports about it."""

    oracle: OneWayOracle

    def estimate(self, state: State, subsets: Sequence[Subset]) -> list[Floats]:
        """Estimate the shares of each table's cells."""
        return self.oracle.estimate(state, [self._attribute(subset) for subset in subsets])

    def covariance(self, subset: Subset, shares: Shares, users: Users) -> Floats:
        """Compute the exact covariance of a table's cells, shape (cells, cells)."""
        j, table = self._attribute(subset), shares.table(subset)
        own, drawn = _reporters(users, j)
        found: Floats = self.oracle.moments[j].covariance(table) / own
        return found + drawn * (np.diag(table) - np.outer(table, table))

    def variances(self, subset: Subset, shares: Shares, users: Users) -> Floats:
        """Compute the diagonal of the covariance."""
        j, table = self._attribute(subset), shares.table(subset)
        own, drawn = _reporters(users, j)
        return self.oracle.moments[j].items(table) / own + drawn * table * (1 - table)

    def least_variances(self, subset: Subset, users: Users) -> Floats:
        """Compute the variance of the noise where it is least: every user has the item, or nobody."""
        j = self._attribute(subset)
        moments, (own, _) = self.oracle.moments[j], _reporters(users, j)
        return np.full(self.oracle.domains[j], float(min(moments.own, moments.other)) / own)

    def _attribute(self, subset: Subset) -> int:
        return checked_subset(subset, len(self.oracle.domains), 1)[0]


def _reporters(users: Users, attribute: int) -> tuple[float, float]:
    """Return how many report the attribute, and the factor of the part for drawing them of all users."""
    if not isinstance(users, np.ndarray):
        return float(users), 0.0
    require_reported(users, [attribute])
    own, everybody = float(users[attribute]), float(users.sum())
    return own, (everybody / own - 1) / max(1.0, everybody - 1)


def require_reported(users: Floats, attributes: Iterable[int]) -> None:
    """Refuse attributes that no user reported; `users` has the numbers of those who did, shape (d,).

    Raises:
        NoAnswerError: with the first of them.
    """
    for j in attributes:
        if not users[j]:
            raise NoAnswerError(
                f"each attribute must be reported by a user, got none for attribute {j + 1} of {len(users)} from "
                f"{users.sum():.0f}; collect more reports"
            )

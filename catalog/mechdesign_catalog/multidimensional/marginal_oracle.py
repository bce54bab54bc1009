"""State what an oracle for marginal tables does: its client, its server, and the exact variance of what it estimates.

Users have one item of each of d attributes. Each sends one report; the server estimates the marginal tables of up to
`way` attributes at a time, without bias.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from mechdesign_catalog.multidimensional.tables import Domains, Shares, Subset
from mechdesign_catalog.oracles.oracle import MeasuredOracle, Users, Values
from mechdesign_catalog.oracles.probabilities import Floats
from mechdesign_catalog.oracles.reports import State


class LinearEstimator(Protocol):
    """A way to estimate tables that is linear in the server's sums, and unbiased."""

    def estimate(self, state: State, subsets: Sequence[Subset]) -> list[Floats]:
        """Estimate the shares of each table's cells, shape (cells,) each; they may be below 0, or above 1.

        Raises:
            NoAnswerError: for a table that needs a branch without users.
        """

    def covariance(self, subset: Subset, shares: Shares, users: Users) -> Floats:
        """Compute the exact covariance of a table's cells, shape (cells, cells), at these true shares.

        The users' tuples are fixed. `users` is what `users_of` says of a state, or `planned_users`.
        """

    def variances(self, subset: Subset, shares: Shares, users: Users) -> Floats:
        """Compute the diagonal of the covariance, shape (cells,)."""

    def least_variances(self, subset: Subset, users: Users) -> Floats:
        """Compute values above 0 that the variances do not go below, whatever the shares are, shape (cells,)."""


class MarginalOracle(MeasuredOracle, Protocol):
    """An oracle for users with several attributes, whose server estimates marginal tables."""

    @property
    def domains(self) -> Domains:
        """Number of items of each attribute."""

    @property
    def way(self) -> int:
        """The most attributes of a table that can be estimated; the option k."""

    def kind_of_table(self, subset: Subset) -> object:
        """Return what tables have in common whose variances are the same at equal shares."""

    def users_of(self, state: State) -> Users:
        """Return how many users a state is of: their number, or that in each branch that users share out over.

        Raises:
            NoAnswerError: where a branch that every table needs has no user.
        """

    def planned_users(self, users: int) -> Users:
        """Return what `users_of` says on average where there are so many users, as real numbers."""

    @property
    def raw(self) -> LinearEstimator:
        """The estimates as the system was published, each table by itself."""

    @property
    def least_squares(self) -> LinearEstimator:
        """Estimates by which all tables agree: totals are 1, and tables that overlap say the same of their overlap."""

    def draw_state(self, values: Values, generator: np.random.Generator) -> State:
        """Draw the server's state for these users at once, from the law of its sums; for simulation only."""

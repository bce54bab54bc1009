"""Hold estimates of marginal tables, with what is known of their errors."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np

from mechdesign_catalog.multidimensional.marginal_oracle import LinearEstimator, MarginalOracle
from mechdesign_catalog.multidimensional.tables import Domains, Shares, Subset, checked_subset
from mechdesign_catalog.oracles.intervals import normal_intervals
from mechdesign_catalog.oracles.oracle import Users
from mechdesign_catalog.oracles.probabilities import Floats
from mechdesign_catalog.oracles.reports import State


@dataclass(frozen=True, eq=False)
class TableEstimate:
    """Hold the estimated shares of a table's cells, shape (cells,), and their covariance, shape (cells, cells).

    The covariance is of the unbiased estimates; `shares` are those, unless the tables' source says otherwise.
    """

    subset: Subset
    shares: Floats
    covariance: Floats
    standard_errors: Floats

    def intervals(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return confidence intervals for each cell by itself."""
        return normal_intervals(self.shares, self.standard_errors, level)


class TableSource(Protocol):
    """The tables of one collection of reports, as one way to estimate them has them."""

    @property
    def domains(self) -> Domains:
        """Number of items of each attribute."""

    @property
    def way(self) -> int:
        """The most attributes of a table."""

    @property
    def users(self) -> int:
        """Number of users."""

    @property
    def post(self) -> str:
        """The name of this way to estimate."""

    @property
    def unbiased(self) -> bool:
        """Whether shares are unbiased, and standard errors are theirs."""

    def table(self, subset: Subset) -> TableEstimate:
        """Return the estimate of one table, of 1 to `way` attributes."""

    def tables(self, subsets: Sequence[Subset]) -> list[TableEstimate]:
        """Return the estimates of several tables."""

    def shares(self, subsets: Sequence[Subset]) -> list[Floats]:
        """Return the estimated shares of several tables alone, shape (cells,) each."""


@runtime_checkable
class UnbiasedTables(TableSource, Protocol):
    """Unbiased tables, whose covariance is known at any true shares."""

    def covariance(self, subset: Subset, shares: Shares) -> Floats:
        """Compute the exact covariance of a table's cells at these true shares, shape (cells, cells)."""


@dataclass(frozen=True, eq=False)
class LinearTables:
    """Tables by a linear estimator of an oracle: unbiased, with exact variances at the estimated shares.

    `post` is `raw` or `least-squares`.
    """

    oracle: MarginalOracle
    state: State
    post: str = "least-squares"
    unbiased: bool = True

    @property
    def domains(self) -> Domains:
        """Number of items of each attribute."""
        return self.oracle.domains

    @property
    def way(self) -> int:
        """The most attributes of a table."""
        return self.oracle.way

    @property
    def users(self) -> int:
        """Number of users."""
        return self.state.users

    @property
    def estimator(self) -> LinearEstimator:
        """The estimator of that name."""
        return self.oracle.raw if self.post == "raw" else self.oracle.least_squares

    def table(self, subset: Subset) -> TableEstimate:
        """Return the estimate of one table."""
        return self.tables([subset])[0]

    def tables(self, subsets: Sequence[Subset]) -> list[TableEstimate]:
        """Return the estimates of several tables."""
        found = self.shares(subsets)
        asked = [tuple(subset) for subset in subsets]
        self._plugged_in.prepare(asked)
        return [self._with_errors(subset, shares) for subset, shares in zip(asked, found, strict=True)]

    def shares(self, subsets: Sequence[Subset]) -> list[Floats]:
        """Return the estimated shares of several tables alone."""
        asked = [checked_subset(subset, len(self.domains), self.way) for subset in subsets]
        return self.estimator.estimate(self.state, asked)

    def covariance(self, subset: Subset, shares: Shares) -> Floats:
        """Compute the exact covariance of a table's cells at these true shares, as users share out over branches."""
        return self.estimator.covariance(subset, shares, self._shared_out)

    def _with_errors(self, subset: Subset, shares: Floats) -> TableEstimate:
        covariance = self.covariance(subset, self._plugged_in)
        least = self.estimator.least_variances(subset, self._shared_out)
        return TableEstimate(subset, shares, covariance, np.sqrt(np.maximum(np.diag(covariance), least)))

    @cached_property
    def _shared_out(self) -> Users:
        return self.oracle.users_of(self.state)

    @cached_property
    def _plugged_in(self) -> "EstimatedShares":
        return EstimatedShares(self.oracle, self.state)


@dataclass(frozen=True, eq=False)
class EstimatedShares:
    """Shares that are plugged into variances: estimates by which all tables agree, neither clipped nor rescaled."""

    oracle: MarginalOracle
    state: State

    @property
    def domains(self) -> Domains:
        """Number of items of each attribute."""
        return self.oracle.domains

    @cached_property
    def _known(self) -> dict[Subset, Floats]:
        return {(): np.ones(1)}

    def prepare(self, subsets: Sequence[Subset]) -> None:
        """Estimate the tables that are not known yet, all at once, as later each by itself would take longer."""
        missing = [subset for subset in dict.fromkeys(subsets) if subset not in self._known]
        if missing:
            self._known.update(zip(missing, self.oracle.least_squares.estimate(self.state, missing), strict=True))

    def table(self, subset: Subset) -> Floats:
        """Return the estimated shares of a table."""
        self.prepare([subset])
        return self._known[subset]

"""Marginal tables of one collection of reports, as one way to estimate them has them."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign_catalog.decoders.estimate import Estimate
from mechdesign_catalog.decoders.tables.subsets import Domains, Shares, Subset, checked_subset
from mechdesign_catalog.randomizers.oracle import Users
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import State
from mechdesign_catalog.systems.attributes.marginal_oracle import LinearEstimator, MarginalOracle


class TableSource(ABC):
    """The tables of one collection of reports, as one way to estimate them has them."""

    unbiased: ClassVar[bool] = False
    """Whether shares are unbiased, and standard errors are theirs."""

    post: str
    """The name of this way to estimate."""

    @property
    @abstractmethod
    def domains(self) -> Domains:
        """Number of items of each attribute."""

    @property
    @abstractmethod
    def way(self) -> int:
        """The most attributes of a table."""

    @property
    @abstractmethod
    def users(self) -> int:
        """Number of users."""

    def table(self, subset: Subset) -> Estimate:
        """Return the estimate of one table, of 1 to `way` attributes."""
        return self.tables([subset])[0]

    @abstractmethod
    def tables(self, subsets: Sequence[Subset]) -> list[Estimate]:
        """Return the estimates of several tables, a row for each cell."""

    @abstractmethod
    def shares(self, subsets: Sequence[Subset]) -> list[Floats]:
        """Return the estimated shares of several tables alone, shape (cells,) each."""


class UnbiasedTables(TableSource):
    """Unbiased tables, whose covariance is known at any true shares."""

    unbiased: ClassVar[bool] = True

    @abstractmethod
    def covariance(self, subset: Subset, shares: Shares) -> Floats:
        """Compute the exact covariance of a table's cells at these true shares, shape (cells, cells)."""


def table_estimate(shares: Floats, covariance: Floats, standard_errors: Floats, post: str) -> Estimate:
    """Make the estimate of an unbiased table, of the covariance of its cells."""
    return Estimate(shares, shares, standard_errors, lambda rows: covariance[np.ix_(rows, rows)], post)


@dataclass(frozen=True, eq=False)
class LinearTables(UnbiasedTables):
    """Tables by a linear estimator of an oracle: unbiased, with exact variances at the estimated shares.

    `post` is `raw` or `least-squares`.
    """

    oracle: MarginalOracle
    state: State
    post: str = "least-squares"

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

    def tables(self, subsets: Sequence[Subset]) -> list[Estimate]:
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

    def _with_errors(self, subset: Subset, shares: Floats) -> Estimate:
        covariance = self.covariance(subset, self._plugged_in)
        least = self.estimator.least_variances(subset, self._shared_out)
        return table_estimate(shares, covariance, np.sqrt(np.maximum(np.diag(covariance), least)), self.post)

    @cached_property
    def _shared_out(self) -> Users:
        return self.oracle.users_of(self.state)

    @cached_property
    def _plugged_in(self) -> "EstimatedShares":
        return EstimatedShares(self.oracle, self.state)


@dataclass(frozen=True, eq=False)
class ReplacedTables(TableSource):
    """Replacements for the tables of `base`, not unbiased; a subclass says by which.

    Covariances and standard errors stay those of the base.
    """

    base: TableSource

    @property
    def domains(self) -> Domains:
        """Number of items of each attribute."""
        return self.base.domains

    @property
    def way(self) -> int:
        """The most attributes of a table."""
        return self.base.way

    @property
    def users(self) -> int:
        """Number of users."""
        return self.base.users

    def tables(self, subsets: Sequence[Subset]) -> list[Estimate]:
        """Return the estimates of several tables."""
        pairs = zip(self.base.tables(subsets), self.shares(subsets), strict=True)
        return [found.replaced(shares, self.post) for found, shares in pairs]


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

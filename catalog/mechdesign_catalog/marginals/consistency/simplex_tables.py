"""Bring each table on the simplex by itself: no cell below 0, and a total of 1."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mechdesign_catalog.marginals.estimates import TableEstimate, TableSource
from mechdesign_catalog.multidimensional.tables import Domains, Subset
from mechdesign_catalog.oracles.probabilities import Floats
from mechdesign_catalog.oracles.simplex import norm_sub


@dataclass(frozen=True, eq=False)
class SimplexTables:
    """Replace each table by the nearest one on the simplex (norm-sub); tables need not agree any more.

    Shares are biased. Covariances and standard errors stay those of the unbiased estimates beneath.

    Args:
        base: the tables that are replaced.
    """

    base: TableSource
    post: str = "norm-sub"
    unbiased: bool = False

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

    def table(self, subset: Subset) -> TableEstimate:
        """Return the estimate of one table."""
        return self.tables([subset])[0]

    def tables(self, subsets: Sequence[Subset]) -> list[TableEstimate]:
        """Return the estimates of several tables."""
        return [replace(found, shares=norm_sub(found.shares)) for found in self.base.tables(subsets)]

    def shares(self, subsets: Sequence[Subset]) -> list[Floats]:
        """Return the estimated shares of several tables alone."""
        return [norm_sub(shares) for shares in self.base.shares(subsets)]

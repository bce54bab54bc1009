"""Hold what tables that are made of other tables have in common."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mechdesign_catalog.marginals.estimates import TableEstimate, TableSource
from mechdesign_catalog.multidimensional.tables import Domains, Subset
from mechdesign_catalog.oracles.probabilities import Floats


@dataclass(frozen=True, eq=False)
class ReplacedTables(ABC):
    """Replace the tables of `base` by others, which are not unbiased; a subclass says by which.

    Covariances and standard errors stay those of the base.
    """

    base: TableSource
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
        pairs = zip(self.base.tables(subsets), self.shares(subsets), strict=True)
        return [replace(found, shares=shares) for found, shares in pairs]

    @abstractmethod
    def shares(self, subsets: Sequence[Subset]) -> list[Floats]:
        """Return the estimated shares of several tables alone."""

"""Tell tables of any number of attributes by maximum entropy."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mechdesign_catalog.marginals.consistency.agreeing_tables import AgreeingTables
from mechdesign_catalog.marginals.consistency.family import TableFamily
from mechdesign_catalog.marginals.consistency.max_entropy import max_entropy_law
from mechdesign_catalog.marginals.estimates import TableEstimate
from mechdesign_catalog.multidimensional.tables import Domains, Subset, checked_subset
from mechdesign_catalog.oracles.probabilities import Floats


@dataclass(frozen=True, eq=False)
class MaxEntropyTables:
    """Tell larger tables from those that were collected: what they do not say is taken to be as even as can be.

    The last step of CALM (Zhang, Wang, Li, He, Chen, CCS 2018). A table of more attributes than `base.way` is the law
    of the most entropy with the tables that agree and have no negative share (`max_entropy_law`); others are these.

    Shares are biased. Covariances and standard errors of tables of at most `base.way` attributes stay those of the
    unbiased estimates beneath. For larger ones there are none, and they are NaN.

    Args:
        base: tables that agree, and have no negative share.
    """

    base: AgreeingTables
    post: str = "max-entropy"
    unbiased: bool = False

    @property
    def domains(self) -> Domains:
        """Number of items of each attribute."""
        return self.base.domains

    @property
    def way(self) -> int:
        """The most attributes of a table: all."""
        return len(self.domains)

    @property
    def users(self) -> int:
        """Number of users."""
        return self.base.users

    def table(self, subset: Subset) -> TableEstimate:
        """Return the estimate of one table."""
        if len(subset) <= self.base.way:
            return self.base.table(subset)
        (shares,) = self.shares([subset])
        cells = len(shares)
        return TableEstimate(tuple(subset), shares, np.full((cells, cells), np.nan), np.full(cells, np.nan))

    def tables(self, subsets: Sequence[Subset]) -> list[TableEstimate]:
        """Return the estimates of several tables."""
        return [self.table(subset) for subset in subsets]

    def shares(self, subsets: Sequence[Subset]) -> list[Floats]:
        """Return the estimated shares of several tables alone."""
        return [self._share(checked_subset(subset, self.way, self.way)) for subset in subsets]

    def _share(self, subset: Subset) -> Floats:
        if len(subset) <= self.base.way:
            return self.base.shares([subset])[0]
        if subset not in self._known:
            family = TableFamily(tuple(self.domains[i] for i in subset), self.base.way)
            tables = {part: self.base.largest[tuple(subset[i] for i in part)] for part in family.subsets}
            self._known[subset] = max_entropy_law(family, family.row(tables))
        return self._known[subset]

    @cached_property
    def _known(self) -> dict[Subset, Floats]:
        return {}

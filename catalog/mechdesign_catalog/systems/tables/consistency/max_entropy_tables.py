"""Tables of any number of attributes by maximum entropy."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mechdesign_catalog.decoders.estimate import Estimate, Rows
from mechdesign_catalog.decoders.tables.family import TableFamily
from mechdesign_catalog.decoders.tables.max_entropy import max_entropy_law
from mechdesign_catalog.decoders.tables.subsets import Subset, checked_subset
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.systems.tables.consistency.agreeing_tables import AgreeingTables
from mechdesign_catalog.systems.tables.estimates import ReplacedTables


@dataclass(frozen=True, eq=False)
class MaxEntropyTables(ReplacedTables):
    """Larger tables from those that were collected: what they do not say is taken to be as even as can be.

    The last step of CALM (Zhang, Wang, Li, He, Chen, CCS 2018). A table of more attributes than `base.way` is the law
    of the most entropy with the tables that agree and have no negative share (`max_entropy_law`); others are these.

    Shares are biased. Covariances and standard errors of tables of at most `base.way` attributes stay those of the
    unbiased estimates beneath. For larger ones there are none, and they are NaN.

    Args:
        base: tables that agree, and have no negative share.
    """

    base: AgreeingTables
    post: str = "max-entropy"

    @property
    def way(self) -> int:
        """The most attributes of a table: all."""
        return len(self.domains)

    def tables(self, subsets: Sequence[Subset]) -> list[Estimate]:
        """Return the estimates of several tables."""
        return [self._one(subset, shares) for subset, shares in zip(subsets, self.shares(subsets), strict=True)]

    def _one(self, subset: Subset, shares: Floats) -> Estimate:
        if len(subset) <= self.base.way:
            return self.base.table(subset).replaced(shares, self.post)
        unknown = np.full(len(shares), np.nan)
        return Estimate(shares, unknown, unknown, _unknown, self.post, is_unbiased=False)

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


def _unknown(rows: Rows) -> Floats:
    return np.full((len(rows), len(rows)), np.nan)

"""Tables on the simplex, each by itself: no cell below 0, and a total of 1."""

from collections.abc import Sequence
from dataclasses import dataclass

from mechdesign_catalog.decoders.simplex import norm_sub
from mechdesign_catalog.decoders.tables.subsets import Subset
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.systems.tables.estimates import ReplacedTables


@dataclass(frozen=True, eq=False)
class SimplexTables(ReplacedTables):
    """The nearest table on the simplex (norm-sub), for each; they need not agree any more.

    Shares are biased. Covariances and standard errors stay those of the unbiased estimates beneath.

    Args:
        base: the tables that are replaced.
    """

    post: str = "norm-sub"

    def shares(self, subsets: Sequence[Subset]) -> list[Floats]:
        """Return the estimated shares of several tables alone."""
        return [norm_sub(shares) for shares in self.base.shares(subsets)]

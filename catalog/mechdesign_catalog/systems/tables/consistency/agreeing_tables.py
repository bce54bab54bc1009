"""Tables that agree and have no negative share."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from mechdesign_catalog.decoders.tables.decomposition import summed_table
from mechdesign_catalog.decoders.tables.family import TableFamily
from mechdesign_catalog.decoders.tables.nonnegative import nearest_nonnegative
from mechdesign_catalog.decoders.tables.subsets import Subset, checked_subset
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.systems.tables.estimates import ReplacedTables


@dataclass(frozen=True, eq=False)
class AgreeingTables(ReplacedTables):
    """The nearest tables that agree, sum to 1 and have no negative share.

    What PriView does to the tables it collected (Qardaji, Yang, Li, SIGMOD 2014), but for how cells below 0 are mended:
    there they are set to 0 and the cells about them lowered, in turns; here the result is the nearest such tables to
    least squares, found to 1e-6 (`nearest_nonnegative`). Tables of fewer attributes are sums of those of `way`.

    Shares are biased. Covariances and standard errors stay those of the unbiased estimates beneath.

    Args:
        base: the tables that are replaced.
    """

    post: str = "priview"

    @cached_property
    def largest(self) -> dict[Subset, Floats]:
        """The tables of `way` attributes, all that there are."""
        family = TableFamily(self.domains, self.way)
        raw = dict(zip(family.subsets, self.base.shares(family.subsets), strict=True))
        return family.tables(nearest_nonnegative(family, family.row(raw)))

    def shares(self, subsets: Sequence[Subset]) -> list[Floats]:
        """Return the estimated shares of several tables alone."""
        return [self._share(checked_subset(subset, len(self.domains), self.way)) for subset in subsets]

    def _share(self, subset: Subset) -> Floats:
        others = [i for i in range(len(self.domains)) if i not in subset]
        whole = tuple(sorted((*subset, *others[: self.way - len(subset)])))
        return summed_table(self.largest[whole], self.domains, whole, subset)

"""True counts that are given directly."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mechdesign.documents.csv_rows import require_at_most
from mechdesign_catalog.datasets.counts.grouped import GroupedCounts, require_groups


@dataclass(frozen=True, eq=False)
class CountsTable:
    """A count for each group, shape (groups,), in order; `own_n` where the group size is known from the table."""

    name: str
    counts: NDArray[np.int64]
    own_n: int | None = None

    def grouped(self, n: int) -> GroupedCounts:
        """Return the counts as they are, taken as of groups of n.

        Raises:
            InputError: for another n than the table's own, or naming the row whose count is beyond n.
        """
        require_groups(n, self.own_n, self.name)
        require_at_most(self.counts, np.full(len(self.counts), n), 0, self.name, f"n = {n}")
        return GroupedCounts(self.name, n, self.counts)

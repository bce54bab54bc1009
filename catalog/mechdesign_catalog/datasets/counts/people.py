"""People in order, each with a yes or a no: any group size will do."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mechdesign_catalog.datasets.counts.grouped import GroupedCounts, require_groups


@dataclass(frozen=True, eq=False)
class People:
    """A bit for each person, shape (people,); `own_n` where only one group size was asked for.

    Groups are consecutive: the first n people, the next n, and so on. A last, incomplete group is dropped.

    >>> People("five", np.array([True, True, False, True, True])).grouped(2).counts.tolist()
    [2, 1]
    """

    name: str
    bits: NDArray[np.bool_]
    own_n: int | None = None

    def grouped(self, n: int) -> GroupedCounts:
        """Count the ones in each group of n.

        Raises:
            InputError: for fewer people than one group, or another n than the set's own.
        """
        people = len(self.bits)
        require_groups(n, self.own_n, self.name, people)
        groups, dropped = divmod(people, n)
        counts = self.bits[: groups * n].reshape(groups, n).sum(axis=1, dtype=np.int64)
        return GroupedCounts(self.name, n, counts, dropped)

"""Items merged that a workload cannot tell apart."""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

import numpy as np
from flint import fmpz_mat
from numpy.typing import NDArray

from mechdesign.workloads.workload import Workload

Exacts = NDArray[np.object_]


@dataclass(frozen=True)
class MergedWorkload:
    """A workload on groups of items, those of equal columns of its matrix W, with its exact Gram matrix.

    An answer weighs the items of a group alike, so a local mechanism loses nothing by treating them alike: give each
    the mean of the group's columns. What is left is a workload on K groups, which have the prior `sizes / k`.

    Attributes:
        groups: the items of each group, rising; groups are in the order of their first items.
        integers: `W'W` on the groups times `denominator`, K x K, Python's integers.

    >>> from mechdesign.workloads.fixed_ranges import FixedRanges
    >>> whole = MergedWorkload.of(FixedRanges(5, 4))
    >>> whole.groups, whole.gram.tolist(), whole.rank
    (((0,), (1, 2, 3), (4,)), [[1, 1, 0], [1, 2, 1], [0, 1, 1]], 3)
    """

    k: int
    groups: tuple[tuple[int, ...], ...]
    integers: Exacts = field(repr=False, compare=False)
    denominator: int = field(repr=False, compare=False)

    @classmethod
    def of(cls, workload: Workload) -> "MergedWorkload":
        """Merge the items of a workload; two columns are equal where the square of their distance is 0.

        Raises:
            InputError: as `Workload.gram`, for more items than a Gram matrix is written down for.
        """
        entries = [value for row in workload.gram() for value in row]
        denominator = lcm(*{value.denominator for value in entries})
        gram = np.array([int(value * denominator) for value in entries], dtype=object).reshape(workload.k, workload.k)
        groups = _groups(gram)
        first = [group[0] for group in groups]
        integers = gram[np.ix_(first, first)]
        integers.flags.writeable = False
        return cls(workload.k, groups, integers, denominator)

    @property
    def size(self) -> int:
        """K, the number of groups."""
        return len(self.groups)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of items in each group; divided by k the prior of the groups where items are as likely."""
        return tuple(map(len, self.groups))

    @property
    def gram(self) -> NDArray[Any]:
        """The Gram matrix `W'W` on the groups: integers where the denominator is 1, else fractions; K x K."""
        return self.integers if self.denominator == 1 else self.integers / Fraction(self.denominator)

    @cached_property
    def rank(self) -> int:
        """The rank of W with a row of ones: the fewest outputs of a mechanism that answers the workload unbiased."""
        found: int = fmpz_mat((self.integers + self.denominator).tolist()).rank()
        return found

    @cached_property
    def group_of(self) -> tuple[int, ...]:
        """The number of the group of each item, shape (k,)."""
        found = [0] * self.k
        for number, group in enumerate(self.groups):
            for item in group:
                found[item] = number
        return tuple(found)


def _groups(gram: Exacts) -> tuple[tuple[int, ...], ...]:
    squares = gram.diagonal()
    left = np.ones(len(gram), dtype=bool)
    groups = []
    for item in range(len(gram)):
        if left[item]:
            alike = left & (squares[item] + squares - 2 * gram[item] == 0).astype(bool)
            left &= ~alike
            groups.append(tuple(np.flatnonzero(alike).tolist()))
    return tuple(groups)

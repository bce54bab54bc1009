"""True counts of disjoint groups of n people: the form of every data set of counts."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError

MAX_N = 1_000_000
"""Beyond it a group is no group, and a histogram of its counts would not fit any screen."""


@dataclass(frozen=True, eq=False)
class GroupedCounts:
    """The true counts of disjoint groups of n people each.

    Args:
        source: what was grouped: `adult, income`, `saxony`, `binomial:1/10`, `groups.csv`.
        n: people in each group.
        counts: shape (groups,), each in 0..n, in the order of the source.
        dropped: people of a last, incomplete group, left out.

    Raises:
        InputError: without any group, or for a count that is not in 0..n.

    >>> GroupedCounts("two towns", 3, np.array([0, 2])).histogram
    (1, 0, 1, 0)
    """

    source: str
    n: int
    counts: NDArray[np.int64]
    dropped: int = 0

    def __post_init__(self) -> None:
        if not self.groups:
            raise InputError(f"data must have at least one group, got none in {self.source}")
        outside = (self.counts < 0) | (self.counts > self.n)
        if outside.any():
            k = int(np.argmax(outside))
            raise InputError(f"counts must be in 0..{self.n}, got {self.counts[k]} in group {k + 1} of {self.source}")

    @property
    def histogram(self) -> tuple[int, ...]:
        """Number of groups by true count: entry c is the number of groups with the count c; length n + 1."""
        return tuple(np.bincount(self.counts, minlength=self.n + 1).tolist())

    @property
    def groups(self) -> int:
        """Number of groups."""
        return len(self.counts)

    @property
    def people(self) -> int:
        """Number of people in all groups, without the dropped ones."""
        return self.groups * self.n


@runtime_checkable
class DataSet(Protocol):
    """People or groups that can be brought to true counts of groups of n."""

    @property
    def name(self) -> str:
        """The name as it is asked for."""

    @property
    def own_n(self) -> int | None:
        """The only group size that this set has; None where people can be grouped by any."""

    def grouped(self, n: int) -> GroupedCounts:
        """Return the true counts of its groups of n people.

        Raises:
            InputError: where this set cannot be grouped by n.
        """


def require_group_size(n: int) -> None:
    """Refuse an n that is not a group size at all."""
    if not 1 <= n <= MAX_N:
        raise InputError(f"n must be in 1..{MAX_N}, got n={n}")


def require_groups(n: int, own_n: int | None, name: str, people: int | None = None) -> None:
    """Refuse a group size that a set does not have, or that is more than its people, where these are counted."""
    require_group_size(n)
    if own_n is not None:
        require_own_size(n, own_n, name)
    if people is not None and people < n:
        raise InputError(f"n must be at most {people}, the number of people in {name}, got n={n}")


def require_own_size(n: int, own_n: int, name: str) -> None:
    """Refuse another group size than the only one of a set."""
    if n != own_n:
        raise InputError(f"n must be {own_n} like the groups of {name}, got n={n}")

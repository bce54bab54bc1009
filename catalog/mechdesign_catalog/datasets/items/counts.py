"""Counts of users by item: what every comparison of oracles runs on."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError

Values = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ItemCounts:
    """The number of users of each of k items, numbered 0..k-1 as in their public domain.

    Args:
        name: as it is asked for: `titanic:class`, `zipf`.
        items: the label of each item; None for a huge domain, whose labels `labeller` makes on demand.
        counts: users of each item, shape (k,); set read only.
        labeller: the label of one item, for a huge domain; the item's number where it is None.
        sizes: the number of items of each attribute, where an item is a combination of one of each, the last attribute
            varying fastest.

    Raises:
        InputError: for less than two items, labels that are not one for each or not distinct, a negative count, or no
            user at all.

    >>> coins = ItemCounts("coins", ("head", "tail"), np.array([3, 1]))
    >>> coins.k, coins.users, coins.frequencies.tolist(), coins.values().tolist()
    (2, 4, [0.75, 0.25], [0, 0, 0, 1])
    """

    name: str
    items: tuple[str, ...] | None
    counts: Values
    labeller: Callable[[int], str] | None = None
    sizes: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        counts = np.asarray(self.counts)
        if counts.ndim != 1 or counts.dtype.kind not in "iu":
            raise InputError(f"counts of {self.name} must be a vector of whole numbers, got {counts.dtype}")
        if len(counts) < 2:
            raise InputError(f"k must be at least 2, got {len(counts)} items in {self.name}")
        if self.items is not None and not len(set(self.items)) == len(self.items) == len(counts):
            raise InputError(f"{self.name} must have {len(counts)} distinct labels, got {len(set(self.items))}")
        if counts.min() < 0:
            raise InputError(f"counts must be at least 0, got {counts.min()} in {self.name}")
        if not counts.any():
            raise InputError(f"data must have at least one user, got none in {self.name}")
        counts = counts.astype(np.int64, copy=False).view()
        counts.flags.writeable = False
        object.__setattr__(self, "counts", counts)

    @property
    def k(self) -> int:
        """Number of items."""
        return len(self.counts)

    @cached_property
    def users(self) -> int:
        """Number of users."""
        return int(self.counts.sum())

    @property
    def frequencies(self) -> Floats:
        """Share of the users who have each item, shape (k,)."""
        return self.counts / self.users

    def label(self, item: int) -> str:
        """Return the label of an item in 0..k-1."""
        if not 0 <= item < self.k:
            raise InputError(f"item must be in 0..{self.k - 1}, got {item}")
        if self.items is not None:
            return self.items[item]
        return str(item) if self.labeller is None else self.labeller(item)

    @cached_property
    def _ends(self) -> Values:
        """Number of users up to each item, this one included."""
        return np.cumsum(self.counts)

    def values_between(self, start: int, stop: int) -> Values:
        """Return the items of the users `start .. stop-1`, where users are in the order of their items."""
        first, last = np.searchsorted(self._ends, [start, stop - 1], side="right")
        ends = np.minimum(self._ends[first : last + 1], stop)
        return np.repeat(np.arange(first, last + 1), np.diff(ends, prepend=start))

    def values(self, seed: int | None = None) -> Values:
        """Return the item of every user, shape (users,): by rising item, or in an order shuffled by `seed`."""
        values = np.repeat(np.arange(self.k, dtype=np.int64), self.counts)
        if seed is not None:
            np.random.default_rng(seed).shuffle(values)
        return values

"""Even cuts: a circle cut into runs as long as each other, or one place longer, at all shifts."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd

import numpy as np
from numpy.typing import NDArray

from mechdesign_catalog.decoders.circles.pattern import Pattern, Places


@dataclass(frozen=True)
class EvenCuts:
    """A circle of `size` places cut into n runs, `parts`, as even as can be.

    Run i begins with the place `i size // n`, at the shift 0. After `size / gcd(size, n)` shifts, cuts are where they
    were. Where n divides the size all runs are as long.

    >>> cuts = EvenCuts(7, 4)
    >>> cuts.longest, cuts.shifts, cuts.labels(np.arange(7), 0).tolist()
    (2, 7, [0, 1, 1, 2, 2, 3, 3])
    """

    size: int
    parts: int

    @classmethod
    def of_longest(cls, size: int, most: int) -> "EvenCuts":
        """Make the cuts into the fewest runs of at most so many places."""
        return cls(size, -(-size // most))

    @property
    def longest(self) -> int:
        """Places of the longest run."""
        return -(-self.size // self.parts)

    @property
    def shifts(self) -> int:
        """Number of shifts at which cuts differ."""
        return self.size // gcd(self.size, self.parts)

    @property
    def firsts(self) -> Places:
        """The first place of each run, at the shift 0."""
        return np.arange(self.parts) * self.size // self.parts

    @property
    def lengths(self) -> Places:
        """The places of each run."""
        return np.diff(self.firsts, append=self.size)

    def labels(self, places: NDArray[np.int64], shifts: NDArray[np.int64] | int) -> NDArray[np.int64]:
        """Return the run that holds each place, at its shift."""
        found: NDArray[np.int64] = (((places - shifts) % self.size + 1) * self.parts - 1) // self.size
        return found

    @property
    def kinds(self) -> tuple[tuple[int, Pattern], ...]:
        """The runs of each length, and how often each start has one, over all shifts."""
        long = self.size % self.parts
        counts = ((self.parts - long, self.size // self.parts), (long, self.longest))
        return tuple(
            (count * self.shifts // self.size, Pattern(self.size, ((0, places),))) for count, places in counts if count
        )

    @property
    def starts(self) -> Iterator[tuple[Places, Places]]:
        """Yield of each kind the labels of its runs, and where these start: a row for each, by shift."""
        lengths, firsts = self.lengths, self.firsts
        for _, kind in self.kinds:
            labels = np.flatnonzero(lengths == kind.places)
            yield labels, (firsts[labels][:, None] + np.arange(self.shifts)) % self.size

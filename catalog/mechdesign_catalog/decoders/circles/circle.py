"""Circles of items: a row or a circle on places that divide evenly, cut into cells.

Places after the last item are padding that nobody has. A query may have any weights there: they go in equal steps from
the weight of the last item to that of the first. So a query for everything has the weight 1 everywhere, and an arc over
the end has 1 on the padding, a range that does not touch it 0.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import count, pairwise
from math import isqrt

import numpy as np

from mechdesign_catalog.decoders.circles.pattern import Places, Waves
from mechdesign_catalog.randomizers.reports.probabilities import Floats

CLOSE = 3
"""Divisors are close where one is at most this many times the one before."""

MOST_CELLS = 32
"""Cells that rows consist of, at most."""

VERY_CLOSE, MANY_CELLS, ROOM = 2.1, (30, 31, 32), 1 << 8
"""What is sought first: divisors as close as the first, one of so many cells, and padding of at most this part."""


@dataclass(frozen=True)
class Circle:
    """A circle of `size` places, of which the first k are items.

    >>> Circle(43793).size, Circle(43793).padding, Circle(43793).cells
    (43800, 7, 30)
    """

    k: int

    @cached_property
    def size(self) -> int:
        """The least number of places from k on with divisors close to each other, up to the length of a cell.

        Of few more places those are taken that have many cells and divisors very close to each other.
        """
        few = (size for size in range(self.k, self.k + self.k // ROOM + 1) if any(size % n == 0 for n in MANY_CELLS))
        found = next((size for size in few if _are_close(size, VERY_CLOSE)), None)
        return found or next(size for size in count(self.k) if _are_close(size, CLOSE))

    @property
    def padding(self) -> int:
        """Places that are no items."""
        return self.size - self.k

    @cached_property
    def cells(self) -> int:
        """The largest number of equal cells, at most `MOST_CELLS`, that the circle is cut into; 1 at the least."""
        return max(cells for cells in range(1, MOST_CELLS + 1) if self.size % cells == 0)

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """Lengths of blocks that divide the circle, from 1 on, each nearly twice the one before or more."""
        found = [1]
        for length, _ in _pairs_of_divisors(self.size):
            if 4 * length >= 7 * found[-1]:
                found.append(length)
        return tuple(found)

    @cached_property
    def slope(self) -> Floats:
        """The part of the first item's weight that each place of the padding has; the rest is the last item's."""
        steps: Floats = np.arange(1, self.padding + 1) / (self.padding + 1)
        return steps

    @property
    def frequencies(self) -> Places:
        """The frequencies above 0, each once of two that mirror each other."""
        return np.arange(1, self.size // 2 + 1)

    def waves(self, vectors: Floats) -> Waves:
        """Return the transform of vectors of all places, along the last axis: at 0 and at these frequencies."""
        return np.fft.rfft(vectors)

    def of_waves(self, waves: Waves) -> Floats:
        """Return the vectors with this transform."""
        return np.fft.irfft(waves, self.size)

    def extended(self, weights: Floats) -> Floats:
        """Write weights of the items, shape (q, k), as weights of all places."""
        ends = weights[:, -1:] * (1 - self.slope) + weights[:, :1] * self.slope
        return np.concatenate([weights, ends], axis=1)

    def folded(self, places: Floats) -> Floats:
        """Turn estimates of all places into those of the items: `extended`, transposed, so that the sum stays."""
        found: Floats = places[: self.k].copy()
        found[-1] += (1 - self.slope) @ places[self.k :]
        found[0] += self.slope @ places[self.k :]
        return found

    def padded(self, shares: Floats) -> Floats:
        """Return shares of the items as shares of all places: padding has none."""
        return np.pad(shares, (0, self.padding))


def _are_close(size: int, most: float) -> bool:
    """Tell whether each divisor is at most so many times the one before, up to the length of a cell."""
    return all(second <= most * first for first, second in _pairs_of_divisors(size) if first * MOST_CELLS < size)


def _pairs_of_divisors(size: int) -> "pairwise[tuple[int, int]]":
    """Return each divisor of a number with the next larger one, rising."""
    parts = np.arange(1, isqrt(size) + 1)
    small = parts[size % parts == 0].tolist()
    return pairwise(sorted({*small, *(size // part for part in small)}))

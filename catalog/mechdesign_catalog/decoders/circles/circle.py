"""Circles of items: a row or a circle on places that are halved a few times, and cut into runs and cells.

Places after the last item are padding that nobody has. A query may have any weights there: they go in equal steps from
the weight of the last item to that of the first. So a query for everything has the weight 1 everywhere, and an arc over
the end has 1 on the padding, a range that does not touch it 0.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mechdesign_catalog.decoders.circles.pattern import Places, Waves
from mechdesign_catalog.randomizers.reports.probabilities import Floats

MOST_CELLS = 32
"""Cells that rows consist of, at most."""

MOST_PADDING = 1 << 9
"""Padding is at most one place for so many items. A circle that can be halved more often has fewer shifts.

A server keeps a sum for each block at each shift: 263,000 at 1,001 items, where without padding it would be a million.
Where all of it is used, it takes some .04 % more variance.
"""

LARGE_PRIME = 1 << 8
"""A transform takes three times as long or more if the number of places has a prime factor above this."""

FULL = 6 / 5
"""What the blocks of a level are over those of the next one, at least, where these are a power of two."""


@dataclass(frozen=True)
class Circle:
    """A circle of `size` places, of which the first k are items.

    >>> Circle(43793).size, Circle(43793).padding, Circle(1001).padding
    (43840, 47, 1)
    """

    k: int

    @cached_property
    def halvings(self) -> int:
        """How often the circle can be halved, whatever k is, with so little padding."""
        return (self.k // MOST_PADDING + 1).bit_length() - 1

    @cached_property
    def size(self) -> int:
        """The least number of places from k on that can be halved so often, and has no large prime factor if it can.

        >>> Circle(1_000_000).size // 1024, Circle(6007).size // 8, Circle(5003).size // 8
        (978, 752, 626)
        """
        least, most = -(-self.k >> self.halvings), self.k + self.k // MOST_PADDING >> self.halvings
        return min(range(least, most + 1), key=lambda left: (_has_large_prime(left), left)) << self.halvings

    @property
    def padding(self) -> int:
        """Places that are no items."""
        return self.size - self.k

    @property
    def cells(self) -> int:
        """Number of cells that rows consist of."""
        return min(self.size, MOST_CELLS)

    @cached_property
    def parts(self) -> tuple[int, ...]:
        """Numbers of blocks that the circle is cut into: its places, halves of these, then powers of two.

        Up to `MOST_CELLS` places they are all that divide it: rows of cells say as much as other blocks there.

        >>> Circle(5000).parts
        (5000, 2500, 1250, 625, 512, 256, 128, 64, 32, 16, 8, 4, 2)
        """
        if self.size <= MOST_CELLS:
            return tuple(parts for parts in range(self.size, 1, -1) if self.size % parts == 0)
        halves = [self.size >> times for times in range(self.halvings + 1)]
        powers = [1 << bits for bits in range(self.size.bit_length(), 0, -1)]
        return (*halves, *(power for power in powers if FULL * power <= halves[-1]))

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


def _has_large_prime(number: int) -> bool:
    """Tell whether a number has a prime factor above `LARGE_PRIME`."""
    for factor in range(2, LARGE_PRIME + 1):
        while number % factor == 0:
            number //= factor
    return number > 1

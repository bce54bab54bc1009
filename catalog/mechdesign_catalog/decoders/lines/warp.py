"""Warped blocks of items in a row: longer in the middle or towards the ends.

The rule is in whole numbers.
"""

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from flint import arb, ctx

from mechdesign.workloads.queries import Integers

LARGEST_DENSITY = 1 << 15
"""Densities are rounded to whole numbers, this one in the middle."""

GROWTH = 5
"""A stretch is as long as this part of its distance to the nearer end, and one item more."""

WORKING_BITS = 128


@dataclass(frozen=True)
class Warp:
    """A density of cuts over k items, constant on stretches `[x_i, x_(i+1))`: whole numbers d_i above 0.

    With `R_i = sum_(h < i) 2 d_h (x_(h+1) - x_h)` the item u of stretch i is at the place `R_i + d_i (2 (u - x_i) + 1)`
    of the T = R at the end. All items at one place between two successive cuts make a block (`edges`).

    >>> Warp((0, 1, 3, 4), (1, 2, 1)).places(np.arange(4)).tolist()
    [1, 4, 8, 11]
    """

    starts: tuple[int, ...]
    densities: tuple[int, ...]

    @classmethod
    def tied(cls, k: int, blocks: int) -> "Warp":
        """Make the warp for about so many blocks: densities in proportion to `sin(pi x)^t`, `t = 1 - ln blocks / ln k`.

        For prefixes the best length of a block is about `(k^2 / x)^t` at the distance x from an end, where it is `k^t`
        in the middle. Densities are those in the middles of the stretches, rounded; no machine rounds them otherwise.
        """
        starts = stretches(k)
        middles = [left + right for left, right in itertools.pairwise(starts)]
        before, ctx.prec = ctx.prec, WORKING_BITS
        try:
            power = 1 - arb(blocks).log() / arb(k).log()
            sines = ((arb(middle) / (2 * k)).sin_pi() for middle in middles)
            rounded = [(LARGEST_DENSITY * sine**power + arb(0.5)).floor().fmpz() for sine in sines]
        finally:
            ctx.prec = before
        return cls(starts, tuple(max(1, int(density)) for density in rounded))

    @property
    def k(self) -> int:
        """Number of items."""
        return self.starts[-1]

    @cached_property
    def _starts(self) -> Integers:
        return np.array(self.starts, dtype=np.int64)

    @cached_property
    def _densities(self) -> Integers:
        return np.array(self.densities, dtype=np.int64)

    @cached_property
    def _running(self) -> Integers:
        """R_i for all stretches, and the total T."""
        return np.concatenate([[0], np.cumsum(2 * self._densities * np.diff(self._starts))])

    def places(self, items: Integers) -> Integers:
        """Return the places of items."""
        stretch = np.searchsorted(self._starts, items, side="right") - 1
        found: Integers = self._running[stretch] + self._densities[stretch] * (2 * (items - self._starts[stretch]) + 1)
        return found

    def labels(self, items: Integers, blocks: int, shift: Integers | int, shifts: int) -> Integers:
        """Return the blocks of items: `floor(blocks r / T + (2 shift + 1) / (2 shifts))` at the place r.

        There are `blocks + 1` labels, and some may have no item.
        """
        total = int(self._running[-1])
        found: Integers = (2 * shifts * blocks * self.places(items) + (2 * shift + 1) * total) // (2 * shifts * total)
        return found

    def edges(self, blocks: int, shifts: int) -> Integers:
        """Return where the blocks of all shifts begin, and where the last ends; shape (shifts, blocks + 2).

        Label j of a shift has the items `edges[shift, j] .. edges[shift, j + 1] - 1`.
        """
        total = int(self._running[-1])
        label = 2 * shifts * np.arange(blocks + 2) - (2 * np.arange(shifts)[:, None] + 1)
        least = -(-label * total // (2 * shifts * blocks))  # the place from which on an item has this label or a later
        stretch = np.clip(np.searchsorted(self._running, least, side="left") - 1, 0, len(self.densities) - 1)
        steps = -((self._running[stretch] - least) // self._densities[stretch])
        found = self._starts[stretch] + np.maximum(steps // 2, 0)
        found[:, 0], found[:, -1] = 0, self.k
        return np.minimum(found, self.k)


def stretches(k: int) -> tuple[int, ...]:
    """Return where stretches of constant density begin, and k: they grow with the distance to the nearer end.

    >>> stretches(20)
    (0, 1, 2, 3, 4, 5, 7, 9, 11, 13, 15, 16, 17, 18, 19, 20)
    """
    half, start = [], 0
    while 2 * start < k:
        half.append(start)
        start += 1 + start // GROWTH
    return tuple(half) + tuple(k - start for start in reversed(half) if k - start > half[-1])

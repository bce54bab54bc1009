"""Patterns of a circle's row: the places that it holds relative to its start, in runs.

A row that starts at s holds u where u - s, modulo the size of the circle, is in one of the runs. Sums over all rows
take a few passes over the circle each, and transforms have a closed form.
"""

from dataclasses import dataclass
from math import gcd
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mechdesign_catalog.randomizers.reports.probabilities import Floats

Places = NDArray[np.int64]
Waves = NDArray[np.complex128]
Vectors = TypeVar("Vectors", Floats, Places)
"""Numbers of all places along the last axis, whole ones or floats."""

PRIVATE_BITS = 12
"""Bits of a report of a coarse row that say something of the item, at most; others could be public."""


@dataclass(frozen=True)
class Pattern:
    """Runs of places on a circle of `size`: the first place and the number of places of each."""

    size: int
    runs: tuple[tuple[int, int], ...]

    @classmethod
    def of_cells(cls, size: int, cells: int, row: int) -> "Pattern":
        """Make the pattern of the cells that are bits of a number: cell i begins at `i (size/d) // cells` times d.

        Here d is `cell_unit`.

        >>> Pattern.of_cells(16, 8, 0b1011)
        Pattern(size=16, runs=((0, 4), (6, 2)))
        """
        runs, cell, unit = [], 0, cell_unit(size, cells)
        while cell < cells:
            run = 0
            while cell + run < cells and row >> cell + run & 1:
                run += 1
            if run:
                first, end = (at * (size // unit) // cells * unit for at in (cell, cell + run))
                runs.append((first, end - first))
            cell += run + 1
        return cls(size, tuple(runs))

    @property
    def places(self) -> int:
        """How many places a row holds."""
        return sum(width for _, width in self.runs)

    def gathered(self, values: Vectors) -> Vectors:
        """Return for each start the sum of what the row there holds, along the last axis."""
        return _added([_windows(values, first, width) for first, width in self.runs])

    def scattered(self, values: Vectors) -> Vectors:
        """Return for each place the sum over the starts of the rows that hold it: `gathered`, transposed."""
        return _added([_windows(values, 1 - first - width, width) for first, width in self.runs])

    def squares(self, frequencies: Places) -> Floats:
        """Return the squared absolute value of the transform of a row's places, at frequencies above 0."""
        half = np.pi / self.size
        if len(self.runs) == 1:
            ((_, width),) = self.runs
            single: Floats = (np.sin(half * (frequencies * width % self.size)) / np.sin(half * frequencies)) ** 2
            return single
        total = np.zeros(len(frequencies), dtype=np.complex128)
        for first, width in self.runs:
            ends = (np.exp(-2j * half * (frequencies * at % self.size)) for at in (first, first + width))
            total += next(ends) - next(ends)
        found: Floats = np.abs(total) ** 2 / (4 * np.sin(half * frequencies) ** 2)
        return found


def cell_unit(size: int, cells: int) -> int:
    """Return d: where cells cannot be alike they have whole multiples of d places, so that `start mod d` is public.

    It is a power of two that leaves at most `2^PRIVATE_BITS` starts apart, if it divides the circle.

    >>> cell_unit(5008, 32), cell_unit(8192, 32), cell_unit(5003, 32)
    (2, 1, 1)
    """
    return 1 if size % cells == 0 else gcd(size, 1 << max(0, (size - 1).bit_length() - PRIVATE_BITS))


def _windows(values: Vectors, first: int, width: int) -> Vectors:
    """Return for each place p the sum of so many values from `p + first` on, round the circle."""
    size = values.shape[-1]
    sums = np.zeros((*values.shape[:-1], size + 1), dtype=values.dtype)
    np.cumsum(values, axis=-1, out=sums[..., 1:])
    found, last = np.empty_like(values), size - width + 1
    np.subtract(sums[..., width:], sums[..., :last], out=found[..., :last])
    np.subtract(sums[..., 1:width], sums[..., last:size], out=found[..., last:])
    found[..., last:] += sums[..., -1:]
    return found if first % size == 0 else np.roll(found, -first, axis=-1)


def _added(windows: list[Vectors]) -> Vectors:
    found = windows[0]
    for other in windows[1:]:
        found += other
    return found

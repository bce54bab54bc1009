"""Rectangles of a torus: a pattern of its rows times a pattern of its columns."""

from dataclasses import dataclass

import numpy as np

from mechdesign_catalog.decoders.circles.pattern import Pattern, Places, Vectors
from mechdesign_catalog.randomizers.reports.probabilities import Floats


@dataclass(frozen=True)
class Rectangle:
    """The places of a torus of R x C whose row and whose column are in a pattern: row a, column b is place `a C + b`.

    Frequencies are numbered as `Torus.waves` gives them: the pair (i, j) is `i (C // 2 + 1) + j`, i below R.
    """

    rows: Pattern
    columns: Pattern

    @property
    def sides(self) -> tuple[Pattern, Pattern]:
        """Both patterns."""
        return self.rows, self.columns

    @property
    def size(self) -> int:
        """Places of the torus."""
        return self.rows.size * self.columns.size

    @property
    def places(self) -> int:
        """How many places a rectangle holds."""
        return self.rows.places * self.columns.places

    def gathered(self, values: Vectors) -> Vectors:
        """Return for each start the sum of what the rectangle there holds, along the last axis."""
        along = self.columns.gathered(self._table(values)).swapaxes(-1, -2)
        return self.rows.gathered(along).swapaxes(-1, -2).reshape(values.shape)

    def scattered(self, values: Vectors) -> Vectors:
        """Return for each place the sum over the starts of the rectangles that hold it: `gathered`, transposed."""
        along = self.columns.scattered(self._table(values)).swapaxes(-1, -2)
        return self.rows.scattered(along).swapaxes(-1, -2).reshape(values.shape)

    def squares(self, frequencies: Places) -> Floats:
        """Return the squared absolute value of the transform of a rectangle's places."""
        row, column = np.divmod(frequencies, self.columns.size // 2 + 1)
        found: Floats = squares_of_side(self.rows)[row] * squares_of_side(self.columns)[column]
        return found

    def _table(self, values: Vectors) -> Vectors:
        return values.reshape(*values.shape[:-1], self.rows.size, self.columns.size)


def squares_of_side(side: Pattern) -> Floats:
    """Return the squared absolute value of the transform of a side's places, at all its frequencies from 0 on."""
    above = side.squares(np.arange(1, side.size))
    return np.concatenate([[float(side.places) ** 2], above])

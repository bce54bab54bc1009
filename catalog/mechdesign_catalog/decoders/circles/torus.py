"""The torus: a circle of rows times a circle of columns, and the facts of its rectangles."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mechdesign_catalog.decoders.circles.pattern import Places, Waves
from mechdesign_catalog.randomizers.reports.probabilities import Floats


@dataclass(frozen=True)
class Torus:
    """A table of R x C items, row by row; its last row lies beside the first one, and so do its columns.

    So a rectangle of a table is one of the torus. There is no padding.
    """

    shape: tuple[int, int]

    @property
    def size(self) -> int:
        """Number of places, which are the items."""
        return self.shape[0] * self.shape[1]

    @property
    def padding(self) -> int:
        """Places that are no items: none."""
        return 0

    @property
    def frequencies(self) -> Places:
        """The numbers of the frequencies but that of the constant, as `Rectangle` has them."""
        return np.arange(1, self.shape[0] * (self.shape[1] // 2 + 1))

    def waves(self, vectors: Floats) -> Waves:
        """Return the transform of vectors of all places, along the last axis, in one row."""
        waves = np.fft.rfft2(vectors.reshape(*vectors.shape[:-1], *self.shape))
        return waves.reshape(*vectors.shape[:-1], -1)

    def of_waves(self, waves: Waves) -> Floats:
        """Return the vectors with this transform."""
        before, (rows, columns) = waves.shape[:-1], self.shape
        table = waves.reshape(*before, rows, columns // 2 + 1)
        return np.fft.irfft2(table, self.shape).reshape(*before, self.size)

    def extended(self, weights: Floats) -> Floats:
        """Write weights of the items as weights of all places."""
        return weights

    def folded(self, places: Floats) -> Floats:
        """Turn estimates of all places into those of the items."""
        return places

    def padded(self, shares: Floats) -> Floats:
        """Return shares of the items as shares of all places."""
        return shares

    @cached_property
    def sides(self) -> tuple["TorusSide", "TorusSide"]:
        """Both circles."""
        return TorusSide(self.shape[0]), TorusSide(self.shape[1])


@dataclass(frozen=True)
class TorusSide:
    """The circle of one side, with the frequencies 0 .. size//2, of which most stand for their mirrors too."""

    size: int

    @cached_property
    def times(self) -> Floats:
        """How many frequencies each stands for."""
        each = np.full(self.size // 2 + 1, 2.0)
        each[0] = 1.0
        if self.size % 2 == 0:
            each[-1] = 1.0
        return each

    @cached_property
    def by_length(self) -> Floats:
        """The squared transform of an arc, a row for each length 1 .. size and a column for each frequency."""
        angles = np.pi * np.arange(1, self.size // 2 + 1) / self.size
        lengths = np.arange(1, self.size + 1)[:, None]
        found: Floats = np.empty((self.size, self.size // 2 + 1))
        found[:, 0] = lengths[:, 0] ** 2
        turned = lengths * np.arange(1, self.size // 2 + 1) % self.size * (np.pi / self.size)
        found[:, 1:] = (np.sin(turned) / np.sin(angles)) ** 2
        return found

"""Masked rectangles: the masked labels of rectangular blocks of a torus."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.errors import InputError
from mechdesign_catalog.decoders.circles.pattern import Pattern, Vectors
from mechdesign_catalog.decoders.circles.rectangle import Rectangle
from mechdesign_catalog.randomizers.oracle import Values
from mechdesign_catalog.randomizers.reports.reports import Constants
from mechdesign_catalog.systems.levels.shifted_masks import ShiftedMasks


@dataclass(frozen=True)
class MaskedRectangles(ShiftedMasks):
    """Masked labels of the blocks of `height` rows and `width` columns of a torus of k places.

    The shift `s width + t` moves blocks by s rows and t columns. The block of the place in row a and column b, of R
    and `columns`, then has the label `((a - s) mod R // height) (columns / width) + (b - t) mod columns // width`.

    Raises:
        InputError: for columns that do not divide k, or a height and a width that do not divide the torus into two
            blocks at least.

    >>> from mechdesign.problem.privacy import Privacy
    >>> oracle = MaskedRectangles(1024, Privacy(epsilon=2), columns=32, height=2, width=4)
    >>> oracle.blocks, oracle.label_bits, oracle.bucket_bits
    (128, 7, 3)
    """

    columns: int
    height: int
    width: int
    name: ClassVar[str] = "masked-rectangles"
    decoder: ClassVar[str] = "inverse on the torus"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.columns < 1 or self.k % self.columns:
            raise InputError(f"columns must divide k={self.k}, got columns={self.columns}")
        sides = ((self.height, self.rows), (self.width, self.columns))
        if any(part < 1 or side % part for part, side in sides) or self.shifts == self.k:
            raise InputError(
                f"blocks must divide the {self.rows} x {self.columns} places into two at least, "
                f"got {self.height} x {self.width}"
            )

    @property
    def word(self) -> str:
        """Height and width."""
        return f"{self.height}x{self.width}"

    @property
    def rows(self) -> int:
        """Number R of rows of the torus."""
        return self.k // self.columns

    @property
    def shifts(self) -> int:
        """Number of shifts, and of the places of a block."""
        return self.height * self.width

    @cached_property
    def shape(self) -> Rectangle:
        """A run of rows times a run of columns."""
        return Rectangle(
            Pattern(self.rows, ((0, self.height),)),
            Pattern(self.columns, ((0, self.width),)),
        )

    def labels(self, values: Values, shift: Values | int) -> Values:
        """Return the label of the block that holds each place, at its shift."""
        row, column = np.divmod(values, self.columns)
        down, right = np.divmod(shift, self.width)
        block: Values = (row - down) % self.rows // self.height * (self.columns // self.width)
        labels: Values = block + (column - right) % self.columns // self.width
        return labels

    def by_block(self, starts: Vectors) -> Vectors:
        """Turn values by starts into a row for each label, of all shifts."""
        before = starts.shape[:-1]
        table = starts.reshape(*before, *self._sides).swapaxes(-3, -2)
        return table.reshape(*before, self.blocks, self.shifts)

    def by_start(self, blocks: Values) -> Values:
        """Turn values by label and shift into those by starts."""
        down, height, right, width = self._sides
        return blocks.reshape(down, right, height, width).swapaxes(1, 2).reshape(-1)

    @property
    def _sides(self) -> tuple[int, int, int, int]:
        return self.rows // self.height, self.height, self.columns // self.width, self.width

    def form(self) -> Constants:
        """State the columns of the torus, and height and width."""
        return {"columns": self.columns, "height": self.height, "width": self.width}

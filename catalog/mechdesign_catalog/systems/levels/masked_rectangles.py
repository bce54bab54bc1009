"""Masked rectangles: the masked labels of rectangular blocks of a torus."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import ClassVar

import numpy as np

from mechdesign.errors import InputError
from mechdesign_catalog.decoders.circles.even_cuts import EvenCuts
from mechdesign_catalog.decoders.circles.rectangle import Rectangle
from mechdesign_catalog.randomizers.oracle import Values
from mechdesign_catalog.randomizers.reports.reports import Constants
from mechdesign_catalog.systems.levels.shifted_masks import ShiftedMasks


@dataclass(frozen=True)
class MaskedRectangles(ShiftedMasks):
    """Masked labels of the blocks of at most `height` rows and `width` columns of a torus of k places.

    Rows are cut as evenly as can be into n runs, and columns into m (`EvenCuts`). With t the shifts of columns, the
    shift `s t + u` moves blocks by s rows and u columns. The block in run i of rows and run j of columns has the label
    `i m + j`.

    Raises:
        InputError: for columns that do not divide k, a height or a width that no block has, or one block alone.

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
        asked = ((self.height, self.rows), (self.width, self.columns))
        are_cuts = (0 < most <= side and EvenCuts.of_longest(side, most).longest == most for most, side in asked)
        if not all(are_cuts) or self.blocks < 2:
            raise InputError(
                f"height and width must be those of the largest block of an even cut of {self.rows} x {self.columns} "
                f"places into two at least, got {self.height} x {self.width}"
            )

    @property
    def word(self) -> str:
        """Height and width."""
        return f"{self.height}x{self.width}"

    @property
    def rows(self) -> int:
        """Number R of rows of the torus."""
        return self.k // self.columns

    @cached_property
    def cuts(self) -> tuple[EvenCuts, EvenCuts]:
        """The cuts of the rows and of the columns."""
        return EvenCuts.of_longest(self.rows, self.height), EvenCuts.of_longest(self.columns, self.width)

    @property
    def blocks(self) -> int:
        """Number of blocks."""
        return self.cuts[0].parts * self.cuts[1].parts

    @property
    def shifts(self) -> int:
        """Number of shifts."""
        return self.cuts[0].shifts * self.cuts[1].shifts

    @cached_property
    def kinds(self) -> tuple[tuple[int, Rectangle], ...]:
        """A run of rows times a run of columns, of each height and width."""
        pairs = product(*(cuts.kinds for cuts in self.cuts))
        return tuple((often * times, Rectangle(rows, columns)) for (often, rows), (times, columns) in pairs)

    def labels(self, values: Values, shift: Values | int) -> Values:
        """Return the label of the block that holds each place, at its shift."""
        rows, columns = self.cuts
        places, shifts = np.divmod(values, self.columns), np.divmod(shift, columns.shifts)
        labels: Values = rows.labels(places[0], shifts[0]) * columns.parts + columns.labels(places[1], shifts[1])
        return labels

    @property
    def starts(self) -> Iterator[tuple[Values, Values]]:
        """Yield of each kind the labels of its blocks, and where these start: a row for each, by shift."""
        for (high, down), (wide, right) in product(*(cuts.starts for cuts in self.cuts)):
            labels = (high[:, None] * self.cuts[1].parts + wide).reshape(-1)
            starts = down[:, None, :, None] * self.columns + right[None, :, None, :]
            yield labels, starts.reshape(len(labels), -1)

    def form(self) -> Constants:
        """State the columns, and the sides of a block."""
        return {"columns": self.columns, "height": self.height, "width": self.width}

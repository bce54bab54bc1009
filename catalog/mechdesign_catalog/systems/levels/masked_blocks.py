"""Masked blocks: the masked labels of blocks of a circle."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from mechdesign.errors import InputError
from mechdesign.verify.level_design import BlockEntry
from mechdesign_catalog.decoders.circles.even_cuts import EvenCuts
from mechdesign_catalog.decoders.circles.pattern import Pattern
from mechdesign_catalog.randomizers.oracle import Values
from mechdesign_catalog.randomizers.reports.reports import Constants
from mechdesign_catalog.systems.levels.shifted_masks import ShiftedMasks
from mechdesign_catalog.systems.levels.shifted_rows import CircleRows


@dataclass(frozen=True)
class MaskedBlocks(ShiftedMasks, CircleRows):
    """Masked labels of the blocks of a circle of k places, cut into so many `pieces` as evenly as can be (`EvenCuts`).

    Raises:
        InputError: for fewer pieces than two, or more than k.

    >>> from mechdesign.problem.privacy import Privacy
    >>> oracle = MaskedBlocks(1024, Privacy(epsilon=2), pieces=256)
    >>> oracle.bucket_bits, oracle.below, oracle.shifts
    (3, 1, 4)
    """

    pieces: int
    name: ClassVar[str] = "masked-blocks"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 2 <= self.pieces <= self.k:
            raise InputError(f"pieces must be from 2 to k={self.k}, got pieces={self.pieces}")

    @property
    def blocks(self) -> int:
        """Number m of blocks."""
        return self.pieces

    @property
    def word(self) -> str:
        """The number of blocks."""
        return str(self.blocks)

    def entry(self, weight: int) -> BlockEntry:
        """State blocks, bits and buckets."""
        return BlockEntry(weight, self.blocks, self.bucket_bits, self.below)

    @cached_property
    def cuts(self) -> EvenCuts:
        """The cuts."""
        return EvenCuts(self.k, self.pieces)

    @property
    def shifts(self) -> int:
        """Number of shifts."""
        return self.cuts.shifts

    @cached_property
    def kinds(self) -> tuple[tuple[int, Pattern], ...]:
        """Runs of one length or of two."""
        return self.cuts.kinds

    def labels(self, values: Values, shift: Values | int) -> Values:
        """Return the label of the block that holds each place, at its shift."""
        return self.cuts.labels(values, shift)

    @property
    def starts(self) -> Iterator[tuple[Values, Values]]:
        """Yield of each kind the labels of its blocks, and where these start: a row for each, by shift."""
        return self.cuts.starts

    def form(self) -> Constants:
        """State the number of blocks."""
        return {"pieces": self.pieces}

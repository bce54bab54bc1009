"""Masked blocks: the masked labels of blocks of a circle."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from mechdesign.errors import InputError
from mechdesign.verify.level_design import BlockEntry
from mechdesign_catalog.decoders.circles.pattern import Pattern
from mechdesign_catalog.randomizers.oracle import Values
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import Constants
from mechdesign_catalog.systems.levels.shifted_masks import ShiftedMasks
from mechdesign_catalog.systems.levels.shifted_rows import CircleRows


@dataclass(frozen=True)
class MaskedBlocks(ShiftedMasks, CircleRows):
    """Masked labels of the blocks of `length` places, `b = (v - shift mod k) // length` for the place v of k.

    Raises:
        InputError: for a length that does not divide k into two blocks at least.

    >>> from mechdesign.problem.privacy import Privacy
    >>> oracle = MaskedBlocks(1024, Privacy(epsilon=2), length=4)
    >>> oracle.bucket_bits, oracle.below
    (3, 1)
    """

    length: int
    name: ClassVar[str] = "masked-blocks"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.length < 1 or self.k % self.length or self.k == self.length:
            raise InputError(f"length must divide k={self.k} into two blocks at least, got length={self.length}")

    @property
    def word(self) -> str:
        """The length."""
        return str(self.length)

    def entry(self, weight: int) -> BlockEntry:
        """State length, bits and buckets."""
        return BlockEntry(weight, self.length, self.bucket_bits, self.below)

    @property
    def shifts(self) -> int:
        """Number of shifts, and of the places of a block: the length."""
        return self.length

    @property
    def blocks(self) -> int:
        """Number m of blocks."""
        return self.k // self.length

    @cached_property
    def kinds(self) -> tuple[tuple[int, Pattern], ...]:
        """One run of places, once at each start."""
        return ((1, Pattern(self.k, ((0, self.length),))),)

    def labels(self, values: Values, shift: Values | int) -> Values:
        """Return the label of the block that holds each place, at its shift."""
        return (values - shift) % self.k // self.length

    def by_block(self, kinds: Sequence[Floats]) -> Floats:
        """Turn values by starts into a row for each label, of all shifts."""
        (starts,) = kinds
        return starts.reshape(*starts.shape[:-1], self.blocks, self.length)

    def by_start(self, blocks: Values) -> Sequence[Values]:
        """Turn values by label and shift into those by starts: block b at the shift s starts at `b length + s`."""
        return (blocks.reshape(-1),)

    def form(self) -> Constants:
        """State the length."""
        return {"length": self.length}

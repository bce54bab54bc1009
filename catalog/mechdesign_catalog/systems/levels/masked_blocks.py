"""Masked blocks: the own block's bucket by public masks, the oracle of a fine level.

The blocks are those of a circle at a public shift.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.errors import InputError
from mechdesign.mechanism.sampling import WordSource
from mechdesign.rational import fraction_text
from mechdesign.verify.level_design import BlockEntry
from mechdesign_catalog.decoders.circles.levels import LevelFacts
from mechdesign_catalog.decoders.circles.pattern import Pattern
from mechdesign_catalog.randomizers.kernels.draws import uniform_below
from mechdesign_catalog.randomizers.oracle import Values, require_few
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.report_schema import Numbers, ReportSchema
from mechdesign_catalog.randomizers.reports.reports import Column, Constants, ReportLaw, State
from mechdesign_catalog.systems.levels.masked_labels import MaskedLabels, bucket_of
from mechdesign_catalog.systems.levels.shifted_rows import ShiftedRows


@dataclass(frozen=True)
class MaskedBlocks(MaskedLabels, ShiftedRows):
    """A bucket, at a shift of blocks of `length` places, by masks of their labels (`MaskedLabels`).

    The m = k / length blocks of a circle of k places have the labels `b = (v - shift mod k) // length`.

    Raises:
        InputError: for a length that does not divide k into two blocks at least.

    >>> from mechdesign.problem.privacy import Privacy
    >>> oracle = MaskedBlocks(1024, Privacy(epsilon=2), length=4)
    >>> oracle.bucket_bits, oracle.below
    (3, 1)
    """

    length: int
    name: ClassVar[str] = "masked-blocks"
    decoder: ClassVar[str] = "inverse on the circle"
    score_is_reached: ClassVar[bool] = False
    sharing: ClassVar[int] = 1

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
    def blocks(self) -> int:
        """Number m of blocks."""
        return self.k // self.length

    @property
    def groups(self) -> int:
        """Number of shifts."""
        return self.length

    @cached_property
    def label_bits(self) -> int:
        """Number t of bits of a label."""
        return (self.blocks - 1).bit_length()

    @cached_property
    def facts(self) -> LevelFacts:
        """The pattern of a block, and the moments of subset selection of `2^t` labels over the length.

        Let the report hold the own block with p, another one with q, two others with r and the own and another with s.
        Then h of sum 0 has the mean square `(q - r) sum h^2 + (p - q + 2 r - 2 s) h_own^2`.
        """
        p, q, (both, with_own) = self.own_chance, self.other_chance, self.pair_chances
        own = p - q + 2 * both - 2 * with_own
        plain, own, pull = (part / self.length for part in (q - both, own, p - q))
        return LevelFacts(Pattern(self.k, ((0, self.length),)), plain, own, pull)

    @property
    def together(self) -> tuple[Fraction, Fraction]:
        """The share of labels; and what two places of a block have more than others, for each shift."""
        return self.share, (self.share - self.apart) / self.length

    @property
    def information_is_exact(self) -> bool:
        """Whether all reports are as likely where all places have equal shares: where each label has a block."""
        return self.blocks == 1 << self.label_bits

    @property
    def held(self) -> tuple[Fraction, Fraction]:
        """Chances to hold another block and the own one."""
        return self.other_chance, self.own_chance

    @cached_property
    def report_schema(self) -> ReportSchema:
        """The columns of its reports: the shift, the masks, and the bucket."""
        masks = Numbers("masks", 1 << self.label_bits, count=self.bucket_bits, first=1, independent=True)
        return ReportSchema((Numbers("shift", self.length), masks, Numbers("bucket", self.buckets)))

    @property
    def server_bytes(self) -> int:
        """Bytes of the server: the sums, their transform, and what is told of each place."""
        return 16 * self.contribution.length + 24 * self.k

    def own_constants(self) -> Constants:
        """State blocks, labels, masks, the buckets that a report holds, p, and what a server needs."""
        return {
            "length": self.length,
            "label_bits": self.label_bits,
            "masks": self.bucket_bits,
            "below": self.below,
            "held": fraction_text(self.own_chance),
            **self.decoding,
        }

    def draw_columns(self, values: Values, words: WordSource) -> Sequence[Column]:
        """Draw a shift and masks, whether the report holds the own block, and the bucket that follows."""
        shift = uniform_below(self.length, len(values), words)
        masks = self.draw_masks(len(values), words)
        return shift, masks, self.draw_buckets((values - shift) % self.k // self.length, masks, words)

    def supports(self, state: State) -> Values:
        """Count the reports that hold each place, over all shifts: block b at the shift s starts at `b length + s`."""
        starts = self.held_labels(state)[: self.blocks].reshape(-1)
        running = np.cumsum(np.concatenate([starts[self.k - self.length + 1 :], starts]))
        found = running[self.length - 1 :].copy()
        found[1:] -= running[: self.k - 1]
        return found

    def report_law(self) -> ReportLaw:
        """List every report's exact probability for every place; for few labels."""
        masks = list(self.every_mask())
        require_few(self.length * len(masks) * self.buckets * self.k, self.name)
        inside = self.own_chance / self.below / len(masks) / self.length
        chances, law = (inside, inside * self.alpha), {}
        for shift, chosen, bucket in itertools.product(range(self.length), masks, range(self.buckets)):
            own = (bucket_of(chosen, (v - shift) % self.k // self.length) for v in range(self.k))
            law[shift, *chosen, bucket] = tuple(chances[one ^ bucket >= self.below] for one in own)
        return law

    def highest_scores(self, weights: Floats) -> Floats:
        """Compute the largest sum of weights of a set of so many blocks at one shift; not each set is a report."""
        most = min(self.chosen, self.blocks)
        sums = self.pattern.gathered(weights).reshape(len(weights), self.blocks, self.length)
        ordered = -np.sort(-sums, axis=1)[:, :most]
        least = 0.0 if (1 << self.label_bits) > self.blocks else -np.inf
        found: Floats = np.maximum(ordered, least).sum(axis=1)
        return np.asarray(found.max(axis=1), dtype=np.float64)

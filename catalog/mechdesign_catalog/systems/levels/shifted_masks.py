"""Shifted masks: masked labels of equal blocks of a circle or of a torus at a public shift; subclasses say which."""

import itertools
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.mechanism.sampling import WordSource
from mechdesign.rational import fraction_text
from mechdesign_catalog.decoders.circles.levels import LevelFacts
from mechdesign_catalog.decoders.circles.pattern import Pattern
from mechdesign_catalog.decoders.circles.rectangle import Rectangle
from mechdesign_catalog.randomizers.kernels.draws import uniform_below
from mechdesign_catalog.randomizers.oracle import Values, require_few
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.report_schema import Numbers, ReportSchema
from mechdesign_catalog.randomizers.reports.reports import Column, Constants, ReportLaw, State
from mechdesign_catalog.systems.levels.masked_labels import MaskedLabels, bucket_of
from mechdesign_catalog.systems.levels.shifted_rows import ShiftedRows

SUMS_AT_ONCE = 1 << 22


class ShiftedMasks(MaskedLabels, ShiftedRows):
    """A bucket, at a shift of equal blocks of the places, by masks of the blocks' labels (`MaskedLabels`)."""

    decoder: ClassVar[str] = "inverse on the circle"
    score_is_reached: ClassVar[bool] = False
    sharing: ClassVar[int] = 1

    @property
    @abstractmethod
    def shifts(self) -> int:
        """Number of shifts."""

    @property
    @abstractmethod
    def blocks(self) -> int:
        """Number m of blocks."""

    @property
    @abstractmethod
    def kinds(self) -> tuple[tuple[int, Pattern | Rectangle], ...]:
        """The patterns of blocks, and how often each start has one, over all shifts."""

    @abstractmethod
    def labels(self, values: Values, shift: Values | int) -> Values:
        """Return the label of the block that holds each place, at its shift."""

    @property
    @abstractmethod
    def starts(self) -> Iterator[tuple[Values, Values]]:
        """Yield of each kind the labels of its blocks, and where these start: a row for each, by shift."""

    @abstractmethod
    def form(self) -> Constants:
        """State what blocks there are."""

    @property
    def groups(self) -> int:
        """Number of shifts."""
        return self.shifts

    @cached_property
    def label_bits(self) -> int:
        """Number t of bits of a label."""
        return (self.blocks - 1).bit_length()

    @cached_property
    def facts(self) -> LevelFacts:
        """The patterns of blocks, and the moments of subset selection of `2^t` labels over the number of shifts.

        Let the report hold the own block with p, another one with q, two others with r and the own and another with s.
        Then h of sum 0 has the mean square `(q - r) sum h^2 + (p - q + 2 r - 2 s) h_own^2`.
        """
        p, q, (both, with_own) = self.own_chance, self.other_chance, self.pair_chances
        own = p - q + 2 * both - 2 * with_own
        plain, own, pull = (part / self.shifts for part in (q - both, own, p - q))
        return LevelFacts(self.kinds, plain, own, pull)

    @property
    def together(self) -> tuple[Fraction, Fraction]:
        """The share of labels; and what two places of a block have more than others, for each shift."""
        return self.share, (self.share - self.apart) / self.shifts

    @property
    def information_is_exact(self) -> bool:
        """Whether all reports are as likely at equal shares: where each label has a block, and all are as large."""
        return self.blocks == 1 << self.label_bits and len(self.kinds) == 1

    @property
    def held(self) -> tuple[Fraction, Fraction]:
        """Chances to hold another block and the own one."""
        return self.other_chance, self.own_chance

    @cached_property
    def report_schema(self) -> ReportSchema:
        """The columns of its reports: the shift, the masks, and the bucket."""
        masks = Numbers("masks", 1 << self.label_bits, count=self.bucket_bits, first=1, independent=True)
        return ReportSchema((Numbers("shift", self.shifts), masks, Numbers("bucket", self.buckets)))

    def own_constants(self) -> Constants:
        """State blocks, labels, masks, the buckets that a report holds, p, and what a server needs."""
        return {
            **self.form(),
            "label_bits": self.label_bits,
            "masks": self.bucket_bits,
            "below": self.below,
            "held": fraction_text(self.own_chance),
            **self.decoding,
        }

    def draw_columns(self, values: Values, words: WordSource) -> Sequence[Column]:
        """Draw a shift and masks, whether the report holds the own block, and the bucket that follows."""
        shift = uniform_below(self.shifts, len(values), words)
        masks = self.draw_masks(len(values), words)
        return shift, masks, self.draw_buckets(self.labels(values, shift), masks, words)

    def supports(self, state: State) -> Values:
        """Count the reports that hold each place, over all shifts: those whose block starts there, and their sums."""
        held, found = self.held_labels(state), np.zeros(self.k, dtype=np.int64)
        for (_, pattern), (labels, starts) in zip(self.kinds, self.starts, strict=True):
            sums = np.zeros(self.k, dtype=np.int64)
            np.add.at(sums, starts, held[labels])
            found += pattern.scattered(sums)
        return found

    def report_law(self) -> ReportLaw:
        """List every report's exact probability for every place; for few labels."""
        masks = list(self.every_mask())
        require_few(self.shifts * len(masks) * self.buckets * self.k, self.name)
        inside = self.own_chance / self.below / len(masks) / self.shifts
        chances, law = (inside, inside * self.alpha), {}
        for shift, chosen, bucket in itertools.product(range(self.shifts), masks, range(self.buckets)):
            own = (bucket_of(chosen, label) for label in self.labels(np.arange(self.k), shift).tolist())
            law[shift, *chosen, bucket] = tuple(chances[one ^ bucket >= self.below] for one in own)
        return law

    def highest_scores(self, weights: Floats) -> Floats:
        """Compute the largest sum of weights of a set of so many blocks at one shift; not each set is a report."""
        least = 0.0 if (1 << self.label_bits) > self.blocks else -np.inf
        rest, found = self.blocks - min(self.chosen, self.blocks), np.empty(len(weights))
        step = max(1, SUMS_AT_ONCE // (self.blocks * self.shifts))
        for start in range(0, len(weights), step):
            part = slice(start, start + step)
            sums = np.empty((len(weights[part]), self.blocks, self.shifts))
            for (_, pattern), (labels, starts) in zip(self.kinds, self.starts, strict=True):
                sums[:, labels] = pattern.gathered(weights[part])[:, starts]
            highest = np.partition(sums, rest, axis=1)[:, rest:] if rest else sums
            found[part] = np.maximum(highest, least).sum(axis=1).max(axis=1)
        return found

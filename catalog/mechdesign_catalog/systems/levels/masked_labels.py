"""Masked labels: the own block's bucket by public masks, the oracle of a fine level.

The blocks are those of a circle or of a torus at a public shift; subclasses say which.
"""

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
from mechdesign_catalog.decoders.circles.pattern import Pattern, Vectors
from mechdesign_catalog.decoders.circles.rectangle import Rectangle
from mechdesign_catalog.randomizers.facts.costs import cell_seconds
from mechdesign_catalog.randomizers.facts.moments import Moments
from mechdesign_catalog.randomizers.kernels.draws import bernoulli, uniform_below
from mechdesign_catalog.randomizers.kernels.masks import independent_masks, spans
from mechdesign_catalog.randomizers.kernels.walsh import parity, walsh_hadamard_of_columns
from mechdesign_catalog.randomizers.oracle import Values, require_few
from mechdesign_catalog.randomizers.reports.contributions import BlockSpectra, Contribution
from mechdesign_catalog.randomizers.reports.probabilities import Floats, Support
from mechdesign_catalog.randomizers.reports.report_schema import Numbers, ReportSchema
from mechdesign_catalog.randomizers.reports.reports import Column, Constants, ReportLaw, State
from mechdesign_catalog.systems.levels.shifted_rows import ShiftedRows

NEAR_BEST = Fraction(999, 1000)
"""The part of the most power that a share of labels has at least, where so few buckets reach it."""

MOST_BITS = 6
"""Bits of a bucket, at most."""

USERS_AT_ONCE = 1 << 16


class MaskedLabels(ShiftedRows):
    """A bucket, at a shift of equal blocks of the places, by masks of the blocks' labels.

    The m blocks have labels b, numbers of t bits. With a masks, drawn linearly independent, block b is in the bucket
    whose bit i is `<mask_i, b> mod 2`. A report z holds the blocks whose bucket XOR z is below n. So it holds a share
    `n / 2^a` of all `2^t` labels, and the chances that it holds two labels, or three, are those of a random set of so
    many: linear maps of full rank and shifts by z carry any three labels to any three. A report that holds the own
    block is 1/alpha times as likely.
    """

    decoder: ClassVar[str] = "inverse on the circle"
    score_is_reached: ClassVar[bool] = False

    @property
    @abstractmethod
    def shifts(self) -> int:
        """Number of shifts, and of the places of a block."""

    @property
    @abstractmethod
    def shape(self) -> Pattern | Rectangle:
        """The places of the block that starts at place 0."""

    @abstractmethod
    def labels(self, values: Values, shift: Values | int) -> Values:
        """Return the label of the block that holds each place, at its shift."""

    @abstractmethod
    def by_block(self, starts: Vectors) -> Vectors:
        """Turn values by the starts of blocks, along the last axis, into a row for each label, of all shifts."""

    @abstractmethod
    def by_start(self, blocks: Values) -> Values:
        """Turn values by label and shift into those by the starts of blocks: `by_block`, undone."""

    @abstractmethod
    def form(self) -> Constants:
        """State the sides of a block."""

    @property
    def blocks(self) -> int:
        """Number m of blocks."""
        return self.k // self.shifts

    @cached_property
    def label_bits(self) -> int:
        """Number t of bits of a label."""
        return (self.blocks - 1).bit_length()

    @cached_property
    def _share(self) -> tuple[int, int]:
        """The bits a and the number n of the share with at least `NEAR_BEST` of the most power, in as few bits."""
        odds, best = 1 / self.alpha - 1, (Fraction(0), 1, 1)
        for bits in range(1, min(self.label_bits, MOST_BITS) + 1):
            for below in range(1, 1 << bits):
                share = Fraction(below, 1 << bits)
                best = max(best, (share * (1 - share) / (1 + odds * share) ** 2, bits, below), key=lambda one: one[0])
            if best[0] * 4 / self.alpha >= NEAR_BEST:  # the most is 1/(4 E), at the share 1/(E + 1)
                break
        return best[1:]

    @property
    def bucket_bits(self) -> int:
        """Number a of masks, and of the bits of a bucket."""
        return self._share[0]

    @property
    def below(self) -> int:
        """How many of the `2^a` buckets a report holds."""
        return self._share[1]

    @property
    def buckets(self) -> int:
        """Number of buckets."""
        return 1 << self.bucket_bits

    @cached_property
    def own_chance(self) -> Fraction:
        """Chance that the report holds the own block."""
        return 1 / (1 + (Fraction(self.buckets, self.below) - 1) * self.alpha)

    @cached_property
    def other_chance(self) -> Fraction:
        """Chance that the report holds another block: of the other labels of a set, if it holds the own one or not."""
        labels = 1 << self.label_bits
        chosen = labels * self.below // self.buckets
        return Fraction(chosen - self.own_chance, labels - 1)

    @cached_property
    def _pair_chances(self) -> tuple[Fraction, Fraction]:
        """Chances r and s that the report holds two given other blocks, and the own one and another."""
        labels = 1 << self.label_bits
        chosen = labels * self.below // self.buckets
        p = self.own_chance
        pairs = p * (chosen - 1) * (chosen - 2) + (1 - p) * chosen * (chosen - 1)
        both = pairs / ((labels - 1) * (labels - 2)) if labels > 2 else Fraction(0)
        return both, p * Fraction(chosen - 1, labels - 1)

    @cached_property
    def support(self) -> Support:
        """Chances to hold the own block and another one."""
        return Support(self.own_chance, self.other_chance)

    @cached_property
    def moments(self) -> Moments:
        """Second moments of the scores `(held - q)/(p - q)` of the labels, whose sum is 1."""
        both, with_own = self._pair_chances
        return Moments.of(self.support, both=both, with_own=with_own)

    @cached_property
    def facts(self) -> LevelFacts:
        """The pattern of a block, and the moments of subset selection of `2^t` labels over the number of shifts.

        Let the report hold the own block with p, another one with q, two others with r and the own and another with s.
        Then h of sum 0 has the mean square `(q - r) sum h^2 + (p - q + 2 r - 2 s) h_own^2`.
        """
        p, q, (both, with_own) = self.own_chance, self.other_chance, self._pair_chances
        own = p - q + 2 * both - 2 * with_own
        plain, own, pull = (part / self.shifts for part in (q - both, own, p - q))
        return LevelFacts(self.shape, plain, own, pull)

    @property
    def together(self) -> tuple[Fraction, Fraction]:
        """The share of labels; and what two places of a block have more than others, for each shift."""
        share = Fraction(self.below, self.buckets)
        return share, (share - self.apart) / self.shifts

    @property
    def apart(self) -> Fraction:
        """The part of the reports that hold two blocks."""
        labels = 1 << self.label_bits
        chosen = labels * self.below // self.buckets
        return Fraction(chosen * (chosen - 1), labels * (labels - 1))

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
        return ReportSchema((Numbers("shift", self.shifts), masks, Numbers("bucket", self.buckets)))

    @cached_property
    def contribution(self) -> Contribution:
        """What each user adds to the sums: at the own shift, the transform of the labels that the report holds."""
        return BlockSpectra(self.shifts, 1 << self.label_bits, self.bucket_bits, self.below)

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

    @property
    def row_bytes(self) -> int:
        """Bytes that one report takes while it is made or read."""
        return 24 + 16 * self.bucket_bits

    @property
    def time_class(self) -> str:
        """How time grows, client and server."""
        return f"N {self.buckets} + k log k"

    @property
    def adding_seconds(self) -> float:
        """Seconds of one core to add one report to the sums, on paper."""
        return self.buckets * cell_seconds(self.contribution.length)

    def draw_columns(self, values: Values, words: WordSource) -> Sequence[Column]:
        """Draw a shift and masks, whether the report holds the own block, and the bucket that follows."""
        shift = uniform_below(self.shifts, len(values), words)
        masks = independent_masks(self.label_bits, self.bucket_bits, len(values), words)
        held = bernoulli(self.own_chance, len(values), words)
        chosen = np.where(
            held,
            uniform_below(self.below, len(values), words),
            self.below + uniform_below(self.buckets - self.below, len(values), words),
        )
        labels = self.labels(values, shift)
        for bit, mask in enumerate(masks.T):
            chosen ^= parity(mask & labels).astype(np.int64) << bit
        return shift, masks, chosen

    def sums_of(self, columns: Sequence[Column]) -> Values:
        """Add the transforms of what reports hold, shift by shift."""
        shift, masks, bucket = columns
        size, sums = 1 << self.label_bits, np.zeros(self.shifts << self.label_bits, dtype=np.int64)
        for start in range(0, len(shift), USERS_AT_ONCE):
            part = slice(start, start + USERS_AT_ONCE)
            places = spans(masks[part].astype(np.int64)) + shift[part].astype(np.int64) * size
            np.add.at(sums, places.ravel(), self._signed[:, bucket[part]].ravel())
        return sums

    @cached_property
    def _signed(self) -> Values:
        """The transform of the buckets that each report holds: a row for each word, a column for each report."""
        every = np.arange(self.buckets)
        signs = 1 - 2 * parity(every[:, None] & every).astype(np.int64)
        found: Values = signs[:, : self.below].sum(axis=1)[:, None] * signs
        return found

    def supports(self, state: State) -> Values:
        """Count the reports that hold each place, over all shifts: those whose block starts there, and their sums."""
        held = walsh_hadamard_of_columns(self.sums_in(state).reshape(self.shifts, -1).T)
        starts = self.by_start(np.asarray(held[: self.blocks], dtype=np.int64)) >> self.bucket_bits
        return self.shape.scattered(starts)

    def report_law(self) -> ReportLaw:
        """List every report's exact probability for every place; for few labels."""
        masks = list(_independent(self.label_bits, self.bucket_bits))
        require_few(self.shifts * len(masks) * self.buckets * self.k, self.name)
        inside = self.own_chance / self.below / len(masks) / self.shifts
        chances, law = (inside, inside * self.alpha), {}
        for shift, chosen, bucket in itertools.product(range(self.shifts), masks, range(self.buckets)):
            labels = self.labels(np.arange(self.k), shift).tolist()
            buckets = [sum(((mask & b).bit_count() & 1) << i for i, mask in enumerate(chosen)) for b in labels]
            law[shift, *chosen, bucket] = tuple(chances[own ^ bucket >= self.below] for own in buckets)
        return law

    def highest_scores(self, weights: Floats) -> Floats:
        """Compute the largest sum of weights of a set of so many blocks at one shift; not each set is a report."""
        most = min((self.below << self.label_bits) // self.buckets, self.blocks)
        sums = self.by_block(self.shape.gathered(weights))
        ordered = -np.sort(-sums, axis=1)[:, :most]
        least = 0.0 if (1 << self.label_bits) > self.blocks else -np.inf
        found: Floats = np.maximum(ordered, least).sum(axis=1)
        return np.asarray(found.max(axis=1), dtype=np.float64)


def _independent(bits: int, count: int) -> Iterator[tuple[int, ...]]:
    """Yield all rows of independent words."""
    for words in itertools.product(range(1, 1 << bits), repeat=count):
        spans = {0}
        for word in words:
            spans |= {word ^ other for other in spans}
        if len(spans) == 1 << count:
            yield words

"""Masked labels: buckets of labels by public masks, of one of several groups of labels that a report is about."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product

import numpy as np

from mechdesign.mechanism.sampling import WordSource
from mechdesign_catalog.randomizers.facts.costs import cell_seconds
from mechdesign_catalog.randomizers.facts.moments import Moments
from mechdesign_catalog.randomizers.kernels.draws import bernoulli, uniform_below
from mechdesign_catalog.randomizers.kernels.masks import independent_masks, spans
from mechdesign_catalog.randomizers.kernels.walsh import parity, walsh_hadamard_of_columns
from mechdesign_catalog.randomizers.oracle import Leaf, OracleBase, SpendsClaim, Values
from mechdesign_catalog.randomizers.reports.contributions import BlockSpectra, Contribution
from mechdesign_catalog.randomizers.reports.probabilities import Support
from mechdesign_catalog.randomizers.reports.reports import Column, State

NEAR_BEST = Fraction(999, 1000)
"""The part of the most power that a share of labels has at least, where so few buckets reach it."""

MOST_BITS = 6
"""Bits of a bucket, at most."""

USERS_AT_ONCE = 1 << 16


class MaskedLabels(SpendsClaim, Leaf, OracleBase):
    """The oracle whose reports each hold some labels of one group, which the report names; subclasses say how.

    Labels are numbers of t bits. With a masks, drawn linearly independent, label b is in the bucket whose bit i is
    `<mask_i, b> mod 2`. A report z holds the labels whose bucket XOR z is below n. So it holds a share `n / 2^a` of all
    `2^t` labels, and the chances that it holds two labels, or three, are those of a random set of so many: linear maps
    of full rank and shifts by z carry any three labels to any three. A report that holds the own label is 1/alpha times
    as likely.
    """

    @property
    @abstractmethod
    def groups(self) -> int:
        """Number of groups of labels."""

    @property
    @abstractmethod
    def label_bits(self) -> int:
        """Number t of bits of a label."""

    @property
    @abstractmethod
    def sharing(self) -> int:
        """Number of groups that are told apart by a report, of which it holds labels of one."""

    @property
    def _share(self) -> tuple[int, int]:
        """The bits a and the number n of the share of labels that a report holds."""
        return _best_share(self.alpha, self.sharing, min(self.label_bits, MOST_BITS))

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

    @property
    def share(self) -> Fraction:
        """The part of the labels of a group that a report about it holds."""
        return Fraction(self.below, self.buckets)

    @cached_property
    def own_chance(self) -> Fraction:
        """Chance that a report about the own group holds the own label."""
        return 1 / (1 + (Fraction(self.buckets, self.below) - 1) * self.alpha)

    @property
    def chosen(self) -> int:
        """Number of labels that a report holds."""
        return (self.below << self.label_bits) // self.buckets

    @cached_property
    def other_chance(self) -> Fraction:
        """Chance that it holds another label of the group: of the others of a set, if it holds the own one or not."""
        return Fraction(self.chosen - self.own_chance, (1 << self.label_bits) - 1)

    @cached_property
    def pair_chances(self) -> tuple[Fraction, Fraction]:
        """Chances r and s that it holds two given other labels of the group, and the own one and another."""
        labels, chosen, p = 1 << self.label_bits, self.chosen, self.own_chance
        pairs = p * (chosen - 1) * (chosen - 2) + (1 - p) * chosen * (chosen - 1)
        both = pairs / ((labels - 1) * (labels - 2)) if labels > 2 else Fraction(0)
        return both, p * Fraction(chosen - 1, labels - 1)

    @cached_property
    def support(self) -> Support:
        """Chances that a report about the own group holds the own label and another one."""
        return Support(self.own_chance, self.other_chance)

    @cached_property
    def moments(self) -> Moments:
        """Second moments of the scores `(held - q)/(p - q)` of the labels of the own group, whose sum is 1."""
        both, with_own = self.pair_chances
        return Moments.of(self.support, both=both, with_own=with_own)

    @property
    def apart(self) -> Fraction:
        """The part of the sets of a group that hold two labels."""
        labels = 1 << self.label_bits
        return Fraction(self.chosen * (self.chosen - 1), labels * (labels - 1))

    @cached_property
    def contribution(self) -> Contribution:
        """What each user adds to the sums: at the group, the transform of the labels that the report holds."""
        return BlockSpectra(self.groups, 1 << self.label_bits, self.bucket_bits, self.below)

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

    def draw_masks(self, users: int, words: WordSource) -> Values:
        """Draw the masks of so many reports, shape (users, a)."""
        return independent_masks(self.label_bits, self.bucket_bits, users, words)

    def draw_buckets(self, labels: Values, masks: Values, words: WordSource) -> Values:
        """Draw whether reports about the own group hold the own labels, and the buckets that follow."""
        chosen = np.where(
            bernoulli(self.own_chance, len(labels), words),
            uniform_below(self.below, len(labels), words),
            self.below + uniform_below(self.buckets - self.below, len(labels), words),
        )
        for bit, mask in enumerate(masks.T):
            chosen ^= parity(mask & labels).astype(np.int64) << bit
        return chosen

    def sums_of(self, columns: Sequence[Column]) -> Values:
        """Add the transforms of what reports hold, group by group."""
        group, masks, bucket = columns
        size, sums = 1 << self.label_bits, np.zeros(self.groups << self.label_bits, dtype=np.int64)
        for start in range(0, len(group), USERS_AT_ONCE):
            part = slice(start, start + USERS_AT_ONCE)
            places = spans(masks[part].astype(np.int64)) + group[part].astype(np.int64) * size
            np.add.at(sums, places.ravel(), np.take(self._signed, bucket[part], axis=1).ravel())
        return sums

    @cached_property
    def _signed(self) -> Values:
        """The transform of the buckets that each report holds: a row for each word, a column for each report."""
        every = np.arange(self.buckets)
        signs = 1 - 2 * parity(every[:, None] & every).astype(np.int64)
        found: Values = signs[:, : self.below].sum(axis=1)[:, None] * signs
        return found

    def held_labels(self, state: State) -> Values:
        """Count the reports that hold each label of each group, shape (2^t, groups)."""
        held = walsh_hadamard_of_columns(self.sums_in(state).reshape(self.groups, -1).T)
        return np.asarray(held, dtype=np.int64) >> self.bucket_bits

    def every_mask(self) -> Iterator[tuple[int, ...]]:
        """Yield all rows of independent masks."""
        for words in product(range(1, 1 << self.label_bits), repeat=self.bucket_bits):
            reached = {0}
            for word in words:
                reached |= {word ^ other for other in reached}
            if len(reached) == self.buckets:
                yield words


@lru_cache(maxsize=256)
def _best_share(alpha: Fraction, sharing: int, most_bits: int) -> tuple[int, int]:
    """Return bits and number of the share with at least `NEAR_BEST` of the most power, in as few bits."""
    odds, best = 1 / alpha - 1, (Fraction(0), 1, 1)
    for bits in range(1, most_bits + 1):
        for below in range(1, 1 << bits):
            share = Fraction(below, sharing << bits)
            best = max(best, (share * (1 - share) / (1 + odds * share) ** 2, bits, below), key=lambda one: one[0])
        if best[0] * 4 / alpha >= NEAR_BEST:  # the most is 1/(4 E), at the share 1/(E + 1)
            break
    return best[1:]


def bucket_of(masks: Sequence[int], label: int) -> int:
    """Return the bucket of a label by a row of masks."""
    return sum(((mask & label).bit_count() & 1) << bit for bit, mask in enumerate(masks))

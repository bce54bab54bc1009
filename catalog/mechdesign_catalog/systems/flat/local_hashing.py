"""BLH and OLH: the item hashed to few buckets, by a hash of the user's own, and reported."""

import itertools
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.errors import InputError
from mechdesign.mechanism.sampling import WordSource
from mechdesign.rational import fraction_text, natural_log
from mechdesign_catalog.randomizers.exchangeable import PureOracle
from mechdesign_catalog.randomizers.facts.costs import LOOK_UP, cell_seconds
from mechdesign_catalog.randomizers.facts.information import can_be_listed, of_hashes, set_information, sets_of_buckets
from mechdesign_catalog.randomizers.facts.liars import heaviest_parity
from mechdesign_catalog.randomizers.facts.moments import Moments
from mechdesign_catalog.randomizers.facts.sources import BASSILY, WANG, Source
from mechdesign_catalog.randomizers.kernels.draws import randomised_response
from mechdesign_catalog.randomizers.kernels.hashing import LinearHashes, parities_for
from mechdesign_catalog.randomizers.oracle import MAX_LAW, SpendsClaim, Values
from mechdesign_catalog.randomizers.reports.probabilities import Floats, Support, direct, hashed
from mechdesign_catalog.randomizers.reports.report_schema import Numbers, ReportSchema, smallest_type
from mechdesign_catalog.randomizers.reports.reports import Column, Constants, ReportLaw, State

USERS_AT_ONCE = 1 << 16
MAX_BUCKETS = 1 << 16
MAX_PARITIES = 20

MANY = 1 << 40
"""Reports for which it is told which way hashing takes."""


class HashingOracle(SpendsClaim, PureOracle):
    """A hash, and the own item's bucket through randomised response."""

    @property
    @abstractmethod
    def hashes(self) -> LinearHashes:
        """Family that each user draws a hash from."""

    @cached_property
    def support(self) -> Support:
        """Probabilities p and q: a report supports the items that its hash puts into the reported bucket."""
        return hashed(direct(self.hashes.buckets, self.alpha), self.hashes.collision)

    @cached_property
    def moments(self) -> Moments:
        """Second moments of one user's scores, over the hashes, which three items at a time see as fully random.

        With c2, c3 the chances that two, or three, items share a bucket, the own bucket is reported with p' and each
        other one with q'. So two others are supported with `p' c3 + q' (c2 - c3)`, another one beside the own one with
        `p' c2`. Where all buckets are equally likely, these are `q^2` and `p q`: no covariances.
        """
        bucket = direct(self.hashes.buckets, self.alpha)
        two, three = self.hashes.collision, self.hashes.triple_collision
        return Moments.of(self.support, both=bucket.p * three + bucket.q * (two - three), with_own=bucket.p * two)

    @property
    def row_bytes(self) -> int:
        """Bytes that one report takes while it is made or read."""
        return self.hashes.rows * self.hashes.kind.itemsize + 8

    @property
    def server_bytes(self) -> int:
        """Bytes of the server: the spectrum, its copy that is transformed, and the supports."""
        return 16 * (1 << self.hashes.item_bits) + 8 * self.k

    @property
    def adding_seconds(self) -> float:
        """Seconds of one core to add one report to the sums, on paper.

        One adds at each of its parities, or hashes all items where that is shorter.
        """
        hashes = self.hashes
        if not hashes.by_transform(MANY):
            return LOOK_UP * self.k
        return ((1 << hashes.rows) - 1) * cell_seconds(1 << hashes.item_bits)

    @cached_property
    def report_schema(self) -> ReportSchema:
        """The columns of its reports: the words of the hash, and the bucket."""
        words = Numbers("coefficients", 1 << self.hashes.word_bits, count=self.hashes.rows)
        return ReportSchema((words, Numbers("bucket", self.hashes.buckets)))

    def own_constants(self) -> Constants:
        """State the family of the hashes, the chance of the own bucket, p and q."""
        family = self.hashes
        return {
            "item_bits": family.item_bits,
            "words": family.rows,
            "word_bits": family.word_bits,
            "buckets": family.buckets,
            "kept": fraction_text(direct(family.buckets, self.alpha).p),
            **super().own_constants(),
        }

    def draw_columns(self, values: Values, words: WordSource) -> Sequence[Column]:
        """Draw one report for each value."""
        family = self.hashes
        kept = direct(family.buckets, self.alpha).p
        coefficients = np.empty((len(values), family.rows), dtype=family.kind)
        buckets = np.empty(len(values), dtype=smallest_type(family.buckets))
        for start in range(0, len(values), USERS_AT_ONCE):
            block = slice(start, start + USERS_AT_ONCE)
            coefficients[block] = drawn = family.draw(len(values[block]), words)
            own = family.bucket(drawn, values[block])
            buckets[block] = randomised_response(own, family.buckets, kept, words)
        return coefficients, buckets

    def report_law(self) -> ReportLaw:
        """List the probabilities of all reports; every hash is drawn as often.

        Raises:
            InputError: where there are more than 2^16 reports.
        """
        family = self.hashes
        count = 1 << family.rows * family.word_bits
        if count * family.buckets > MAX_LAW:
            raise InputError(f"k must be small enough to enumerate reports, got k={self.k} for {self.name}")
        bucket = direct(family.buckets, self.alpha)
        own, other = bucket.p / count, bucket.q / count
        items = np.arange(self.k, dtype=np.int64)
        law: ReportLaw = {}
        for words in itertools.product(range(1 << family.word_bits), repeat=family.rows):
            row = np.array([words], dtype=family.kind)
            found = family.bucket(np.repeat(row, self.k, axis=0), items).tolist()
            for reported in range(family.buckets):
                law[(*words, reported)] = tuple(own if seen == reported else other for seen in found)
        return law

    def information_at(self, counts: Values) -> Floats:
        """Compute the information of a report, hash by hash where they are few."""
        if self.information_is_exact:
            return of_hashes(self.k, self.hashes, direct(self.hashes.buckets, self.alpha), counts)
        return super().information_at(counts)

    @property
    def information_is_exact(self) -> bool:
        """Whether hashes are few enough to be gone through."""
        return can_be_listed(self.k, self.hashes)

    def heaviest_sets(self, weights: Floats) -> Floats:
        """Return the largest sum of weights of a bucket: of two, by its parity; of more, of any set of items."""
        return heaviest_parity(weights) if self.hashes.buckets == 2 else super().heaviest_sets(weights)

    @property
    def score_is_reached(self) -> bool:
        """Whether a report has the highest score: with two buckets; else it is an upper bound."""
        return self.hashes.buckets == 2 and self.hashes.rows == 1


class LocalHashing(HashingOracle):
    """The base of BLH and OLH: the state holds the supports."""

    transforms_each_group: ClassVar[bool] = True
    """The state holds the supports."""

    can_simulate_sums: ClassVar[bool] = True

    @property
    def time_class(self) -> str:
        """How time grows, client and server."""
        return f"N {1 << self.hashes.rows} + k log k" if self.hashes.by_transform(MANY) else "N k"

    def sums_of(self, columns: Sequence[Column]) -> Values:
        """Count the reports that support each item."""
        coefficients, buckets = columns
        return self.hashes.supports(coefficients, buckets.astype(np.int64))

    def simulate_sums(self, counts: Values, generator: np.random.Generator) -> State:
        """Draw the law of the supports under fully random hashing to buckets as likely as these.

        Buckets have one size, or two (`2^s/g` rounded down or up). Given which size of bucket a user reports, every
        other item is in it by itself with the bucket's share w, and the own one with p' where it is the own bucket. So
        users of each item are dealt to sizes and to own or other buckets, and the rest of each support is binomial.

        Reports have exactly this mean and variance of each item and this covariance of two, since three items at a time
        are hashed as under fully random hashing. How four and more vary together differs.
        """
        users = int(counts.sum())
        bucket = direct(self.hashes.buckets, self.alpha)
        sizes, many = np.unique(np.diff(self.hashes.edges), return_counts=True)
        shares = sizes / (1 << self.hashes.rows)
        own, other = float(bucket.p) * many * shares, float(bucket.q) * many * (1 - shares)
        chances = np.concatenate([own, other])
        dealt = generator.multinomial(counts, chances / chances.sum()).reshape(len(counts), 2, len(sizes))
        elsewhere = dealt.sum(axis=(0, 1)) - dealt.sum(axis=1)
        sums = dealt[:, 0].sum(axis=1) + generator.binomial(elsewhere, shares).sum(axis=1)
        return State(self.parameters, users, sums.astype(np.int64))


@dataclass(frozen=True)
class Blh(LocalHashing):
    """Binary local hashing: two buckets.

    `Var = (e^eps + 1)^2 / (n (e^eps - 1)^2)` for rare items. With linear hashes it is Hadamard response with one bit.

    >>> from mechdesign.problem.privacy import Privacy
    >>> oracle = Blh(1000, Privacy(epsilon=1))
    >>> oracle.support.q, oracle.bits, oracle.time_class
    (Fraction(1, 2), 11, 'N 2 + k log k')
    """

    name: ClassVar[str] = "blh"
    sources: ClassVar[tuple[Source, ...]] = (BASSILY, WANG)

    @cached_property
    def hashes(self) -> LinearHashes:
        """Family that each user draws a hash from."""
        return LinearHashes(self.k, 1, 2)


@dataclass(frozen=True)
class Olh(LocalHashing):
    """Optimal local hashing: g buckets, where g is e^eps rounded to a whole number, plus 1.

    `Var` of rare items is least at `g = e^eps + 1`, where it is `4 e^eps / (n (e^eps - 1)^2)`. `hash_bits` is how many
    parities the hash has; 0 stands for the fewest that fill the buckets nearly evenly.

    Where g is no power of two, buckets differ in size, and the scores of two items in one report have a correlation,
    below 0.005 by default. To items that is nothing; a sum of r items varies up to `1 + 0.005 r` times as much as with
    even buckets (which `moments` has), and each further parity makes it four times less.

    Raises:
        InputError: for an epsilon with more than 2^16 buckets, or `hash_bits` that are fewer than the buckets need.

    >>> from mechdesign.problem.privacy import Privacy
    >>> oracle = Olh(1000, Privacy(epsilon=1))
    >>> oracle.hashes.buckets, oracle.hash_bits, oracle.support.q, oracle.bits
    (4, 2, Fraction(1, 4), 22)
    """

    hash_bits: int = 0
    name: ClassVar[str] = "olh"
    sources: ClassVar[tuple[Source, ...]] = (WANG,)

    def __post_init__(self) -> None:
        super().__post_init__()
        buckets = self.buckets
        if self.hash_bits == 0:
            object.__setattr__(self, "hash_bits", parities_for(buckets))
        fewest = (buckets - 1).bit_length()
        if isinstance(self.hash_bits, bool) or not isinstance(self.hash_bits, int):
            raise InputError(f"hash_bits must be a whole number, got hash_bits={self.hash_bits}")
        if not fewest <= self.hash_bits <= MAX_PARITIES:
            allowed = f"in {fewest}..{MAX_PARITIES} for {buckets} buckets"
            raise InputError(f"hash_bits must be {allowed}, got hash_bits={self.hash_bits}")

    @cached_property
    def buckets(self) -> int:
        """Number g of buckets."""
        buckets = round(1 / self.alpha) + 1
        if buckets > MAX_BUCKETS:
            most = natural_log(Fraction(MAX_BUCKETS))
            raise InputError(
                f"epsilon must be at most {most:.2f} for olh, got epsilon={self.privacy.epsilon_text()}; "
                "ss or oue serve there"
            )
        return buckets

    @cached_property
    def hashes(self) -> LinearHashes:
        """Family that each user draws a hash from."""
        return LinearHashes(self.k, self.hash_bits, self.buckets)

    def information_at(self, counts: Values) -> Floats:
        """Compute the information of a report, hash by hash where they are few; else as if hashes were fully random.

        Then each item is in a bucket by itself, with the bucket's share as chance.
        """
        if self.information_is_exact:
            return super().information_at(counts)
        bucket = direct(self.hashes.buckets, self.alpha)
        widths, many = np.unique(np.diff(self.hashes.edges), return_counts=True)
        shares = [Fraction(width, 1 << self.hashes.rows) for width in widths.tolist()]
        laws = (sets_of_buckets(self.k, *pair, bucket) for pair in zip(shares, many.tolist(), strict=True))
        return np.asarray(sum(set_information(law, counts) for law in laws))

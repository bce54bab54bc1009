"""DBitFlip, Microsoft's histogram oracle: a few buckets, one randomised bit for each."""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError
from mechdesign.mechanism.sampling import WordSource
from mechdesign_catalog.randomizers.exchangeable import ExchangeableOracle
from mechdesign_catalog.randomizers.facts.costs import BITS, cell_seconds
from mechdesign_catalog.randomizers.facts.information import set_information, sets_of_bits
from mechdesign_catalog.randomizers.facts.liars import WorstBias
from mechdesign_catalog.randomizers.facts.moments import Moments
from mechdesign_catalog.randomizers.facts.rates import AnyRates, Rates, support_rates
from mechdesign_catalog.randomizers.facts.sources import DING, Source
from mechdesign_catalog.randomizers.kernels.bits import column_sums, packed_bits, row_width
from mechdesign_catalog.randomizers.kernels.draws import BLOCK, Bits, bernoulli
from mechdesign_catalog.randomizers.kernels.subsets import Subsets, uniform_subsets
from mechdesign_catalog.randomizers.oracle import MAX_LAW, Values, refused_simulation
from mechdesign_catalog.randomizers.reports.contributions import BitVector, Contribution, SampledBits
from mechdesign_catalog.randomizers.reports.probabilities import Floats, Support, symmetric_unary
from mechdesign_catalog.randomizers.reports.report_schema import Numbers, PackedBits, ReportSchema
from mechdesign_catalog.randomizers.reports.reports import (
    Column,
    Constants,
    ReportLaw,
    Reports,
    State,
    require_counts,
)

Packed = NDArray[np.uint8]


@dataclass(frozen=True)
class DBitFlip(ExchangeableOracle):
    """Bits of d of the k buckets, drawn at random: whether each is the own one, randomised.

    The d buckets are a uniform set, drawn independently of the value. A bit says 1 with
    `p = e^(eps/2) / (1 + e^(eps/2))` for the own bucket and with `q = 1 - p` for another. With b_v
    the bit of a user who has the bucket v,

        estimate_v = k/(n d) sum over those users of (b_v - q)/(p - q),
        variance_v = (k/d) q (1-q)/(n (p-q)^2) + f_v (k/d - 1)/n.

    Two items that are both among the d buckets differ in two bits, so the loss is eps. **With d = 1 they differ in one
    bit and the loss is eps/2 only**: half of the claim is not spent. The published probabilities are kept all the same
    (published figures need them); an epsilon of twice the size spends it all. d = k, the default, is symmetric unary
    encoding.

    >>> from mechdesign.problem.privacy import Privacy
    >>> from mechdesign_catalog.systems import actual_epsilon
    >>> [round(actual_epsilon(DBitFlip(4, Privacy(epsilon=1), d)), 6) for d in (2, 1)]
    [1.0, 0.5]
    """

    d: int | None = None
    name: ClassVar[str] = "dbitflip"
    sources: ClassVar[tuple[Source, ...]] = (DING,)
    time_class: ClassVar[str] = "N d + k"
    score_is_reached: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.d is None:
            object.__setattr__(self, "d", self.k)
        if isinstance(self.d, bool) or not isinstance(self.d, int) or not 1 <= self.d <= self.k:
            raise InputError(f"d must be in 1..k, got d={self.d} for k={self.k}")

    @property
    def drawn(self) -> int:
        """Number d of buckets of a user."""
        return self.k if self.d is None else self.d

    @property
    def draws_all(self) -> bool:
        """Whether every user answers for all buckets."""
        return self.drawn == self.k

    @cached_property
    def root(self) -> Fraction:
        """Rational of at least `exp(-eps/2)`: what one bit costs."""
        return self.privacy.root(2)

    @cached_property
    def alpha(self) -> Fraction:
        """Exact alpha of the probabilities really used."""
        return self.root if self.drawn == 1 else self.root**2

    @property
    def spends_whole_epsilon(self) -> bool:
        """Whether all of the claim is spent: not with one bucket, which spends half."""
        return self.drawn > 1

    @cached_property
    def support(self) -> Support:
        """Probabilities p and q of one bit."""
        return symmetric_unary(self.root)

    @cached_property
    def moments(self) -> Moments:
        """Second moments of one user's scores, k/d times those of the bit where the bucket was drawn, and 0 elsewhere.

        Bits are independent, and an undrawn bucket's has the mean of the others, so there are no covariances.
        """
        bit, draws = Moments.of(self.support), Fraction(self.k, self.drawn)
        return Moments(bit.other * draws, (bit.own + 1) * draws - 1, Fraction(0), Fraction(0))

    @cached_property
    def report_schema(self) -> ReportSchema:
        """The columns of its reports: the buckets, where they are drawn, and a bit for each."""
        return ReportSchema((self._bits,) if self.draws_all else (self._buckets, self._bits))

    @cached_property
    def contribution(self) -> Contribution:
        """What each user adds to the sums: the bits, and for d < k where the buckets are."""
        return BitVector(self.k) if self.draws_all else SampledBits(self.k, self.drawn)

    def own_constants(self) -> Constants:
        """State the number of buckets of a user, p and q."""
        return {"d": self.drawn, **self.support.texts}

    def honest_rates(self, state: State) -> Iterator[AnyRates]:
        """Yield how often each bucket was drawn, and given that, how often its bit was 1."""
        bits, owners = np.split(state.sums, [self.k])
        if self.draws_all:
            yield support_rates("buckets", bits, state.users, self.support)
            return
        drawn = self.drawn / self.k
        yield Rates.of("draws of buckets", owners, state.users, drawn, drawn)
        yield Rates.of("buckets", bits, owners, float(self.support.q), float(self.support.p))

    @cached_property
    def _bits(self) -> PackedBits:
        return PackedBits("bits", self.drawn)

    @cached_property
    def _buckets(self) -> Numbers:
        return Numbers("buckets", self.k, count=self.drawn, ascending=True)

    @property
    def row_bytes(self) -> int:
        """Bytes that one report takes while it is made or read."""
        return 3 * self.drawn if self.draws_all else 20 * self.drawn

    @property
    def adding_seconds(self) -> float:
        """Seconds of one core to add one report to the sums, on paper: its bytes, or two sums for each drawn bucket."""
        if self.draws_all:
            return BITS * self.report_schema.width
        return 2 * cell_seconds(2 * self.k) * self.drawn

    def draw_columns(self, values: Values, words: WordSource) -> Sequence[Column]:
        """Draw one report for each value."""
        buckets = self._draw_buckets(len(values), words)
        packed = np.empty((len(values), self._width), dtype=np.uint8)
        for rows in _blocks(len(values), self.drawn):
            drawn = np.arange(self.k) if buckets is None else buckets[rows]
            is_own = drawn == values[rows, None]
            packed[rows] = packed_bits(is_own ^ self._flips(is_own.shape, words))
        return (packed,) if buckets is None else (buckets, packed)

    def sums_of(self, columns: Sequence[Column]) -> Values:
        """Count how many users say 1 for each bucket, then (for d < k) how many have it at all."""
        if self.draws_all:
            return column_sums(columns[0], self.k)
        buckets, packed = columns
        ones, owners = np.zeros((2, self.k), dtype=np.int64)
        for rows in _blocks(len(buckets), self.drawn):
            ones += np.bincount(buckets[rows][self._unpacked(packed[rows])], minlength=self.k)
            owners += np.bincount(buckets[rows].ravel(), minlength=self.k)
        return np.concatenate([ones, owners])

    def estimate(self, state: State) -> Floats:
        """Estimate the share of the users for each item, unbiased."""
        if self.draws_all:
            return self.support.estimate(self.counts_in(state), state.users)
        ones, owners = self.checked_state(state).sums.reshape(2, self.k)
        require_counts(ones, require_counts(owners, state.users))
        gap = float(self.support.p - self.support.q)
        scale = self.k / (self.drawn * state.users)
        return np.asarray((ones - float(self.support.q) * owners) / gap * scale, dtype=np.float64)

    @property
    def can_simulate_sums(self) -> bool:
        """Whether the sums have a simple law: binomials for d = k; for d = 1 every user has one bucket."""
        return self.drawn in (1, self.k)

    def simulate_sums(self, counts: Values, generator: np.random.Generator) -> State:
        """Draw the server's state for d = k or d = 1.

        For d = k every bucket's ones are two binomials. For d = 1 users are dealt out to buckets first.

        Raises:
            InputError: for any other d, whose buckets depend on each other.
        """
        if not self.can_simulate_sums:
            raise refused_simulation(self.name)
        counts = np.asarray(counts, dtype=np.int64)
        users = int(counts.sum())
        own, others = (counts, users - counts) if self.draws_all else _dealt(counts, generator)
        p, q = float(self.support.p), float(self.support.q)
        ones = generator.binomial(own, p) + generator.binomial(others, q)
        sums = ones if self.draws_all else np.concatenate([ones, own + others])
        return State(self.parameters, users, sums.astype(np.int64))

    def report_law(self) -> ReportLaw:
        """List every report's exact probability for every value; for small k."""
        sets = math.comb(self.k, self.drawn)
        if sets << self.drawn > MAX_LAW:
            raise InputError(f"k must be small where every report is listed, got k={self.k}, d={self.drawn}")
        p, q = self.support.p, self.support.q
        law: ReportLaw = {}
        for buckets in itertools.combinations(range(self.k), self.drawn):
            for bits in itertools.product((0, 1), repeat=self.drawn):
                ones = sum(bits)
                plain = q**ones * p ** (self.drawn - ones) / sets  # none of the buckets is the own one
                own = {bucket: plain * (p / q if bit else q / p) for bucket, bit in zip(buckets, bits, strict=True)}
                sent = tuple(int(byte) for byte in packed_bits(np.array(bits, dtype=np.bool_)))
                law[sent if self.draws_all else buckets + sent] = tuple(own.get(v, plain) for v in range(self.k))
        return law

    def information_at(self, counts: Values) -> Floats:
        """Compute the information of a report: in closed form where users answer for all buckets."""
        if self.draws_all:
            return set_information(sets_of_bits(self.k, self.support), counts)
        return super().information_at(counts)

    def highest_scores(self, weights: Floats) -> Floats:
        """Add up the d bits with the largest scores; each is as large as its better value."""
        p, q = float(self.support.p), float(self.support.q)
        best = np.sort(np.maximum(weights * (1 - q), -weights * q), axis=1)[:, self.k - self.drawn :]
        found: Floats = self.k / self.drawn * best.sum(axis=1) / (p - q)
        return found

    def worst_bias(self, liars: Fraction) -> WorstBias:
        """Compute that of a bit that is asked of d/k of the users, and by liars of the item that they choose."""
        draws, bit = Fraction(self.k, self.drawn), self.support
        pull = max(draws * (1 - bit.q), bit.p - bit.q + draws * bit.q) / (bit.p - bit.q)
        return WorstBias(liars * pull, is_exact=True)

    def remember(self, count: int, words: WordSource) -> dict[str, Column]:
        """Draw buckets, and an answer for every state that the user can be in: own bucket the j-th of the d, or none.

        `answers[user, state]` are d packed bits, each state's drawn by itself; for d = k there is no state "none".
        """
        states = self.permanent_answers
        answers = np.empty((count, states, self._width), dtype=np.uint8)
        truth = np.eye(states, self.drawn, dtype=np.bool_)
        for rows in _blocks(count, states * self.drawn):
            shape = (len(answers[rows]), states, self.drawn)
            answers[rows] = packed_bits(truth ^ self._flips(shape, words))
        return self._with_buckets(self._draw_buckets(count, words), {"answers": answers})

    def recall(self, memory: Mapping[str, Column], values: Values) -> Reports:
        """Look up each user's report for the own value, as it was remembered."""
        values = self.checked(values)
        if self.draws_all:
            return self.reports_of(memory["answers"][np.arange(len(values)), values])
        is_own = memory["buckets"] == values[:, None]
        states = np.where(is_own.any(axis=1), is_own.argmax(axis=1), self.drawn)
        return self.reports_of(memory["buckets"], memory["answers"][np.arange(len(values)), states])

    def require_memory(self, memory: Mapping[str, Column], users: int) -> None:
        """Refuse what `remember` cannot have made."""
        wanted = {"answers"} if self.draws_all else {"answers", "buckets"}
        if set(memory) != wanted:
            raise InputError(f"a memory of {self.name} must have {', '.join(sorted(wanted))}, got others")
        answers = memory["answers"]
        if answers.shape[:2] != (users, self.permanent_answers):
            found = f"got shape {answers.shape} for {users} users"
            raise InputError(f"a memory of {self.name} must have {self.permanent_answers} answers each, {found}")
        self._bits.checked(answers.reshape(users * self.permanent_answers, *answers.shape[2:]))
        if not self.draws_all:
            buckets = self._buckets.checked(memory["buckets"])
            if len(buckets) != users:
                raise InputError(f"a memory must have buckets for each of {users} users, got {len(buckets)}")

    @property
    def remembered_bytes(self) -> int:
        """Bytes of one user's answers: quadratic in d."""
        return self.permanent_answers * self._width + (0 if self.draws_all else 8 * self.drawn)

    def remembering_less(self, most: int) -> str:
        """Name the oracle with the largest d, so the smallest error, whose answers take `most` bytes a user."""
        fits, large = 0, self.drawn
        while large - fits > 1:
            d = (fits + large) // 2
            fits, large = (d, large) if replace(self, d=d).remembered_bytes <= most else (fits, d)
        return f"{self.name}:d={fits}" if fits else ""

    @property
    def permanent_answers(self) -> int:
        """Number of states that are told apart, with an answer each: each of the d buckets, and none of them."""
        return self.drawn + (not self.draws_all)

    @property
    def _width(self) -> int:
        return row_width(self.drawn)

    def _draw_buckets(self, count: int, words: WordSource) -> Subsets | None:
        return None if self.draws_all else uniform_subsets(self.k, self.drawn, count, words)

    def _flips(self, shape: tuple[int, ...], words: WordSource) -> Bits:
        return bernoulli(self.support.q, math.prod(shape), words).reshape(shape)

    @staticmethod
    def _with_buckets(buckets: Column | None, columns: dict[str, Column]) -> dict[str, Column]:
        return columns if buckets is None else {"buckets": buckets, **columns}

    def _unpacked(self, packed: Column) -> Bits:
        return np.unpackbits(packed, axis=-1, count=self.drawn, bitorder="little").view(np.bool_)


def _blocks(count: int, width: int) -> list[slice]:
    """Cut rows into blocks that are worked on together, so that their cells fit the processor's cache."""
    rows = max(1, BLOCK // width)
    return [slice(start, min(start + rows, count)) for start in range(0, count, rows)]


def _dealt(counts: Values, generator: np.random.Generator) -> tuple[Values, Values]:
    """Deal each user one of k buckets, each as likely; count who gets the own one, and who gets each of the others.

    Those who do not get the own one spread over the other k - 1. Halving does it for all items at once: a user of item
    v goes to the half without v with the chance (its size)/(k - 1), and is then spread evenly there, whatever v was;
    who stays is dealt out in the same way between the quarters of the half with v, and so on. O(k log k) binomials.
    """
    k = len(counts)
    own = generator.binomial(counts, 1 / k)
    items = np.flatnonzero(counts > own)
    staying = (counts - own)[items]
    spread = np.zeros(1, dtype=np.int64)
    for level in reversed(range((k - 1).bit_length())):
        nodes = np.arange(((k - 1) >> level) + 1)
        sizes = np.minimum(1 << level, k - (nodes << level))
        parents = np.minimum(2 << level, k - (nodes >> 1 << (level + 1)))
        left = generator.binomial(spread, (sizes / parents)[::2])
        spread = np.stack([left, spread - left], axis=1).ravel()[: len(nodes)]
        others = np.maximum(parents - 1, 1)  # nobody stays in a half of one item
        home = items >> level
        kept = generator.binomial(staying, ((sizes - 1) / others)[home])
        sibling = np.minimum(home ^ 1, len(nodes) - 1)  # the last may have none, and then nobody leaves it
        np.add.at(spread, sibling, staying - kept)
        items, staying = items[kept > 0], kept[kept > 0]
    return own, spread

"""Unary encodings: one bit for each item, and every bit randomised by itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.mechanism.sampling import WordSource, system_words
from mechdesign_catalog.randomizers.facts.costs import BITS
from mechdesign_catalog.randomizers.facts.information import set_information, sets_of_bits
from mechdesign_catalog.randomizers.facts.moments import Moments
from mechdesign_catalog.randomizers.facts.sources import ERLINGSSON, WANG, Source
from mechdesign_catalog.randomizers.kernels.bits import (
    Rows,
    bernoulli_rows,
    key_of,
    put_bits,
)
from mechdesign_catalog.randomizers.kernels.draws import bernoulli
from mechdesign_catalog.randomizers.oracle import Values, require_few
from mechdesign_catalog.randomizers.reports.probabilities import (
    Floats,
    Support,
    instantaneous_step,
    one_after_other,
    optimised_unary,
    symmetric_unary,
    unary_alpha,
)
from mechdesign_catalog.randomizers.reports.report_schema import PackedBits
from mechdesign_catalog.randomizers.reports.reports import Column, ReportLaw, Reports, State
from mechdesign_catalog.systems.flat.bit_oracle import BitOracle


class UnaryEncoding(BitOracle):
    """Independent bits: the own item's is 1 with p, every other one with q.

    The shape is (users, ceil(k/8)).
    """

    can_simulate_sums: ClassVar[bool] = True
    score_is_reached: ClassVar[bool] = True

    @cached_property
    def alpha(self) -> Fraction:
        """Exact alpha of the probabilities really used."""
        return unary_alpha(self.support)

    @cached_property
    def moments(self) -> Moments:
        """Second moments of one user's scores: bits are independent."""
        return Moments.of(self.support)

    @property
    def adding_seconds(self) -> float:
        """Seconds of one core to add one report to the sums, on paper: its bytes."""
        return BITS * self.report_schema.width

    def draw_columns(self, values: Values, words: WordSource) -> Sequence[Column]:
        """Draw one report for each value."""
        return (self.encode(values, self.support, words),)

    def encode(self, values: Values, support: Support, words: WordSource) -> Rows:
        """Draw every bit by q, and then the own one anew by p."""
        rows = bernoulli_rows(support.q, len(values), self.k, words)
        put_bits(rows, values, bernoulli(support.p, len(values), words))
        return rows

    def simulate_sums(self, counts: Values, generator: np.random.Generator) -> State:
        """Draw the items' sums, independent, each of two binomials: `Bin(counts[v], p) + Bin(n - counts[v], q)`."""
        users = int(counts.sum())
        own = generator.binomial(counts, float(self.support.p))
        return State(self.parameters, users, own + generator.binomial(users - counts, float(self.support.q)))

    def report_law(self) -> ReportLaw:
        """List every report's exact probability for every value; for small k."""
        require_few(1 << min(self.k, 64), self.name)
        p, q = self.support.p, self.support.q
        law: ReportLaw = {}
        for report in range(1 << self.k):
            ones = report.bit_count()
            present = p * q ** (ones - 1) * (1 - q) ** (self.k - ones) if ones else Fraction(0)
            absent = (1 - p) * q**ones * (1 - q) ** (self.k - 1 - ones) if ones < self.k else Fraction(0)
            law[key_of(report, self.k)] = tuple(present if report >> v & 1 else absent for v in range(self.k))
        return law

    def information_at(self, counts: Values) -> Floats:
        """Compute the information of a report in closed form: sets of items that are alike."""
        return set_information(sets_of_bits(self.k, self.support), counts)


@dataclass(frozen=True)
class Sue(UnaryEncoding):
    """Symmetric unary encoding: every bit is turned over with the same chance, `1/(1 + e^(eps/2))`.

    `Var = e^(eps/2) / (n (e^(eps/2) - 1)^2)` for rare items.

    >>> from mechdesign.problem.privacy import Privacy
    >>> oracle = Sue(1000, Privacy(epsilon=1))
    >>> float(round(oracle.support.p, 6)), oracle.bits
    (0.622459, 1000)
    """

    name: ClassVar[str] = "sue"
    sources: ClassVar[tuple[Source, ...]] = (WANG,)

    @cached_property
    def support(self) -> Support:
        """Probabilities p and q."""
        return symmetric_unary(self.privacy.root(2))


@dataclass(frozen=True)
class Oue(UnaryEncoding):
    """Optimised unary encoding: the own bit is 1 with 1/2, every other one with `1/(1 + e^eps)`.

    Of all p and q for this claim the least variance for rare items, `4 e^eps / (n (e^eps - 1)^2)`.

    >>> from mechdesign.problem.privacy import Privacy
    >>> oracle = Oue(1000, Privacy(epsilon=1))
    >>> float(round(oracle.support.q, 6)), oracle.bits
    (0.268941, 1000)
    """

    name: ClassVar[str] = "oue"
    sources: ClassVar[tuple[Source, ...]] = (WANG,)

    @cached_property
    def support(self) -> Support:
        """Probabilities p and q."""
        return optimised_unary(self.privacy.alpha)


@dataclass(frozen=True)
class Rappor(UnaryEncoding):
    """RAPPOR without Bloom filters: bits are made noisy once and kept, and made noisy again for each report.

    The *permanent* step replaces each bit with chance `f = 2/(1 + e^(eps/2))` by a fair coin, which is SUE. The
    *instantaneous* step reports a bit as 1 with q where the permanent bit is 1 and with p where it is 0; without p and
    q the permanent bits are the report (p = 0, q = 1).

    `privacy` claims the loss of the permanent bits, and so of any number of reports made of them (`permanent_alpha` is
    the exact truth); one report by itself loses less, and `alpha` is the exact truth for that. `privatize` gives one
    report of fresh permanent bits. Who reports again must keep the `permanent` bits and send `instantaneous` ones.

    >>> from mechdesign.problem.privacy import Privacy
    >>> oracle = Rappor(1000, Privacy(epsilon=2), "1/4", "3/4")
    >>> float(round(oracle.support.p, 6)), float(round(oracle.support.q, 6))
    (0.615529, 0.384471)

    Raises:
        InputError: for only one of p and q, or unless 0 <= p < q <= 1.
    """

    name: ClassVar[str] = "rappor"
    sources: ClassVar[tuple[Source, ...]] = (ERLINGSSON,)
    p: Fraction | None = None
    q: Fraction | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        step = instantaneous_step(self.p, self.q)
        object.__setattr__(self, "p", step.q)
        object.__setattr__(self, "q", step.p)

    @cached_property
    def step(self) -> Support:
        """Instantaneous step: a permanent 1 is reported as 1 with `step.p`, a permanent 0 with `step.q`."""
        return instantaneous_step(self.p, self.q)

    @cached_property
    def permanent_support(self) -> Support:
        """Probabilities p and q of the permanent step."""
        return symmetric_unary(self.privacy.root(2))

    @property
    def spends_whole_epsilon(self) -> bool:
        """Whether one report spends all of the claim: not with two steps, which spend less than the permanent bits."""
        return self.step == Support(Fraction(1), Fraction(0))

    @cached_property
    def permanent_alpha(self) -> Fraction:
        """Smallest ratio of chances of permanent bits: no number of reports goes below it."""
        return unary_alpha(self.permanent_support)

    @cached_property
    def support(self) -> Support:
        """Probabilities p and q."""
        return one_after_other(self.permanent_support, self.step)

    def permanent(self, values: Values, words: WordSource | None = None) -> Rows:
        """Draw what each client keeps, in secret: permanent bits, shape (users, ceil(k/8))."""
        return self.encode(self.checked(values), self.permanent_support, words or system_words)

    def instantaneous(self, permanent: Rows, words: WordSource | None = None) -> Reports:
        """Draw one report of each client's permanent bits.

        Raises:
            InputError: for bits of another shape.
        """
        source = words or system_words
        ones = PackedBits("permanent", self.k).checked(permanent)
        reported = ones & bernoulli_rows(self.step.p, len(ones), self.k, source)
        reported |= ~ones & bernoulli_rows(self.step.q, len(ones), self.k, source)
        return self.reports_of(reported)

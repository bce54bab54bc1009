"""Signed Hadamard response: a sign at one of K places, the oracle of a Haar level."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.errors import InputError
from mechdesign.mechanism.sampling import WordSource
from mechdesign.rational import fraction_text
from mechdesign_catalog.randomizers.facts.costs import cell_seconds
from mechdesign_catalog.randomizers.facts.information import of_coefficients
from mechdesign_catalog.randomizers.facts.liars import WorstBias, transformed
from mechdesign_catalog.randomizers.facts.moments import Moments
from mechdesign_catalog.randomizers.facts.rates import AnyRates, sign_rates
from mechdesign_catalog.randomizers.facts.sources import RANGES, THESIS, Source
from mechdesign_catalog.randomizers.kernels.draws import bernoulli, uniform_below
from mechdesign_catalog.randomizers.kernels.walsh import parity, walsh_hadamard
from mechdesign_catalog.randomizers.oracle import Leaf, OracleBase, SpendsClaim, Values, require_few
from mechdesign_catalog.randomizers.reports.contributions import Contribution, Sign
from mechdesign_catalog.randomizers.reports.probabilities import Floats, flip
from mechdesign_catalog.randomizers.reports.report_schema import Numbers, ReportSchema
from mechdesign_catalog.randomizers.reports.reports import (
    Column,
    Constants,
    ReportLaw,
    State,
    counted,
)

USERS_AT_ONCE = 1 << 18


@dataclass(frozen=True)
class SignedHrr(SpendsClaim, Leaf, OracleBase):
    """The bit `<c, v> + b mod 2` of a word c uniform on 0..K-1, by randomised response.

    A user has the place v and the sign `(-1)^b`, as the item `2 v + b` of k = 2 K; K is a power of two. A report is the
    number `2 c +` the bit. So it is Hadamard response with the odd words alone, whose scores tell signs and no more.

    Raises:
        InputError: for a k that is no power of two.

    >>> from mechdesign.problem.privacy import Privacy
    >>> oracle = SignedHrr(8, Privacy(epsilon=1))
    >>> oracle.bits, oracle.row_bytes
    (3, 8)
    """

    name: ClassVar[str] = "signed-hrr"
    decoder: ClassVar[str] = "inverse of p and q"
    sources: ClassVar[tuple[Source, ...]] = (THESIS.at("section 5.4.3"), RANGES)
    can_simulate_sums: ClassVar[bool] = True
    row_bytes: ClassVar[int] = 8
    time_class: ClassVar[str] = "N 2 + k log k"
    score_is_reached: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.k & (self.k - 1):
            raise InputError(f"k must be a power of two for {self.name}, got k={self.k}")

    @property
    def places(self) -> int:
        """Number K of places."""
        return self.k // 2

    @cached_property
    def scale(self) -> Fraction:
        """What a reported sign counts, `(e^eps + 1)/(e^eps - 1)`."""
        return (1 + self.alpha) / (1 - self.alpha)

    @cached_property
    def moments(self) -> Moments:
        """Second moments of one user's scores, K of them: unbiased for the sign at the own place, 0 elsewhere.

        Scores of two places are not correlated, and each has the mean square `A = ((e^eps + 1)/(e^eps - 1))^2`.
        """
        square = self.scale**2
        return Moments(square, square - 1, Fraction(0), Fraction(0))

    @cached_property
    def report_schema(self) -> ReportSchema:
        """The columns of its reports: twice the word, and the bit of the item there."""
        return ReportSchema((Numbers("report", self.k),))

    @cached_property
    def contribution(self) -> Contribution:
        """What each user adds to the sums: a sign at the word."""
        return Sign(self.places, "words")

    def own_constants(self) -> Constants:
        """State the chance of a turned sign."""
        return {"turned": fraction_text(flip(self.alpha))}

    def honest_rates(self, state: State) -> Iterator[AnyRates]:
        """Yield the rates of the signs at each word."""
        yield sign_rates("words", state.sums, state.users, 1 / self.places, self.alpha)

    @property
    def server_bytes(self) -> int:
        """Bytes of the server: one sum for each word, its transform, and the differences."""
        return 24 * self.places

    @property
    def adding_seconds(self) -> float:
        """Seconds of one core to add one report to the sums, on paper."""
        return cell_seconds(self.k)

    def draw_columns(self, values: Values, words: WordSource) -> Sequence[Column]:
        """Draw one report for each value."""
        report = np.empty(len(values), dtype=np.int64)
        for start in range(0, len(values), USERS_AT_ONCE):
            block = values[start : start + USERS_AT_ONCE]
            chosen = uniform_below(self.places, len(block), words)
            kept = bernoulli(1 / (1 + self.alpha), len(block), words)
            report[start : start + len(block)] = _encoded(chosen, block, ~kept)
        return (report,)

    def sums_of(self, columns: Sequence[Column]) -> Values:
        """Add up the signs of reports, word by word."""
        counts = counted(columns[0], self.k).reshape(-1, 2)
        sums: Values = counts[:, 0] - counts[:, 1]
        return sums

    def estimate(self, state: State) -> Floats:
        """Estimate for each place the share of users with + there less that of users with -, unbiased, shape (K,)."""
        sums = self.checked_state(state).sums.copy()
        if np.abs(sums.astype(np.float64)).sum() > state.users:
            raise InputError(f"a state must have sums of the signs of its {state.users} users, got more")
        walsh_hadamard(sums)
        return np.asarray(float(self.scale) / state.users * sums, dtype=np.float64)

    def simulate_sums(self, counts: Values, generator: np.random.Generator) -> State:
        """Draw the server's state where `counts[v]` users have the item v; for simulation only.

        Words and signs are drawn for every user, so the law is that of reports.
        """
        users, ends = int(counts.sum()), np.cumsum(counts)
        sums = np.zeros(self.places, dtype=np.int64)
        flip = float(self.alpha / (1 + self.alpha))
        for start in range(0, users, USERS_AT_ONCE):
            people = np.arange(start, min(start + USERS_AT_ONCE, users))
            values = np.searchsorted(ends, people, side="right")
            chosen = generator.integers(0, self.places, len(people))
            sums += self.sums_of([_encoded(chosen, values, generator.random(len(people)) < flip)])
        return State(self.parameters, users, sums)

    def report_law(self) -> ReportLaw:
        """List the probabilities of all reports.

        Raises:
            InputError: where there are more than 2^16 reports.
        """
        require_few(self.k, self.name)
        kept, turned = 1 / (1 + self.alpha) / self.places, self.alpha / (1 + self.alpha) / self.places
        items = np.arange(self.k)
        law: ReportLaw = {}
        for chosen in range(self.places):
            own = _encoded(np.full(self.k, chosen), items, np.zeros(self.k, dtype=np.bool_)).tolist()
            for report in (2 * chosen, 2 * chosen + 1):
                law[(report,)] = tuple(kept if seen == report else turned for seen in own)
        return law

    def information_at(self, counts: Values) -> Floats:
        """Compute the information of a report: each word is a coefficient with values 1 and -1."""
        items, words = np.arange(self.k), np.arange(self.places)[:, None]
        negative = parity(words & items >> 1) ^ (items & 1).astype(np.uint8)
        chances = np.full(self.places, 1 / self.places)
        return of_coefficients(1.0 - 2.0 * negative.astype(np.float64), chances, self.alpha, counts)

    def highest_scores(self, weights: Floats) -> Floats:
        """Compute the largest score of a sign at one word."""
        found: Floats = float(self.scale) * np.abs(transformed(weights)).max(axis=1)
        return found

    def worst_bias(self, liars: Fraction) -> WorstBias:
        """Compute the largest bias of the difference at a place, exactly."""
        return WorstBias(liars * (self.scale + 1), is_exact=True)

    @property
    def n_estimates(self) -> int:
        """How many numbers `estimate` has: one for each place."""
        return self.places

    def mean_scores(self, weights: Floats) -> Floats:
        """Return the mean of `sum_v u_v y_v` for a user of each item: the own place's weight, by the own sign."""
        items = np.arange(self.k)
        found: Floats = weights[:, items >> 1] * (1 - 2 * (items & 1))
        return found


def _encoded(chosen: Values, values: Values, flipped: np.typing.NDArray[np.bool_]) -> Values:
    """The report of each user: the word, and the bit of the own item, turned over where `flipped`."""
    bit = parity(chosen & values >> 1) ^ (values & 1).astype(np.uint8) ^ flipped
    encoded: Values = 2 * chosen + bit
    return encoded

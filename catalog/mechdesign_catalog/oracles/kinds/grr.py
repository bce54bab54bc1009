"""Implement GRR: generalised randomised response, also called direct encoding or k-ary randomised response."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.mechanism.sampling import WordSource, system_words
from mechdesign_catalog.oracles.contributions import Contribution, Multihot
from mechdesign_catalog.oracles.costs import cell_seconds
from mechdesign_catalog.oracles.exchangeable import PureOracle
from mechdesign_catalog.oracles.information import set_information, sets_of_one_size
from mechdesign_catalog.oracles.kernels.draws import bits_for, randomised_response
from mechdesign_catalog.oracles.moments import Moments
from mechdesign_catalog.oracles.oracle import Values
from mechdesign_catalog.oracles.probabilities import Floats, Support, direct
from mechdesign_catalog.oracles.reports import ReportLaw, Reports, State, counted
from mechdesign_catalog.oracles.sources import KAIROUZ, Source
from mechdesign_catalog.oracles.wire import Numbers, Wire


@dataclass(frozen=True)
class Grr(PureOracle):
    """Report an item: the own one with p, each other one with `alpha p`.

    The optimum of the local LP under L0; `Var = (k - 2 + e^eps) / (n (e^eps - 1)^2)` for rare
    items.

    >>> from mechdesign.problem.privacy import Privacy
    >>> oracle = Grr(4, Privacy(epsilon=1))
    >>> float(round(oracle.support.p, 6)), oracle.bits
    (0.475367, 2)
    """

    name: ClassVar[str] = "grr"
    sources: ClassVar[tuple[Source, ...]] = (KAIROUZ,)
    row_bytes: ClassVar[int] = 24
    time_class: ClassVar[str] = "N + k"
    sums_have_law: ClassVar[bool] = True
    score_is_reached: ClassVar[bool] = True

    @property
    def alpha(self) -> Fraction:
        """Exact alpha of the probabilities really used."""
        return self.privacy.alpha

    @cached_property
    def support(self) -> Support:
        """Probabilities p and q."""
        return direct(self.k, self.alpha)

    @cached_property
    def moments(self) -> Moments:
        """Second moments of one user's scores: a report supports one item, so never two."""
        return Moments.of(self.support, both=Fraction(0), with_own=Fraction(0))

    @property
    def bits(self) -> float:
        """Bits that one report costs to send."""
        return bits_for(self.k)

    @property
    def server_bytes(self) -> int:
        """Bytes that the server takes, however many users there are."""
        return 8 * self.k

    @property
    def adding_seconds(self) -> float:
        """Seconds of one core to add one report to the sums, on paper."""
        return cell_seconds(self.k)

    @cached_property
    def wire(self) -> Wire:
        """The columns of its reports: the item."""
        return Wire((Numbers("item", self.k),))

    @cached_property
    def contribution(self) -> Contribution:
        """What each user adds to the sums: a 1 at the reported item."""
        return Multihot(self.k)

    def privatize(self, values: Values, words: WordSource | None = None) -> Reports:
        """Make one report for each value, shape (users,)."""
        items = randomised_response(self.checked(values), self.k, self.support.p, words or system_words)
        return self.reports_of(items)

    def aggregate(self, reports: Reports) -> State:
        """Add up these reports."""
        (items,) = self.columns_of(reports)
        return State(self.parameters, len(reports), counted(items, self.k))

    def draw_state(self, counts: Values, generator: np.random.Generator) -> State:
        """Draw a multinomial: with `p - q` a user keeps the item, else reports one of all k items, each as likely."""
        kept = generator.binomial(counts, float(self.support.p - self.support.q))
        users = int(counts.sum())
        spread = generator.multinomial(users - int(kept.sum()), np.full(self.k, 1 / self.k))
        return State(self.parameters, users, (kept + spread).astype(np.int64))

    def report_law(self) -> ReportLaw:
        """List every report's exact probability for every value; for small k."""
        p, q = self.support.p, self.support.q
        return {(item,): tuple(p if v == item else q for v in range(self.k)) for item in range(self.k)}

    def information_at(self, counts: Values) -> Floats:
        """Compute the information of a report in closed form: sets of items that are alike."""
        return set_information(sets_of_one_size(self.k, 1, self.support.p), counts)

    def heaviest_sets(self, weights: Floats) -> Floats:
        """Return the largest weight: a report supports one item."""
        found: Floats = weights.max(axis=1)
        return found

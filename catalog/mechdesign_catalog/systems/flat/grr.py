"""GRR: generalised randomised response, direct encoding or k-ary randomised response."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.mechanism.sampling import WordSource
from mechdesign_catalog.randomizers.choice import Choice
from mechdesign_catalog.randomizers.exchangeable import PureOracle
from mechdesign_catalog.randomizers.facts.information import set_information, sets_of_one_size
from mechdesign_catalog.randomizers.facts.moments import Moments
from mechdesign_catalog.randomizers.facts.sources import KAIROUZ, Source
from mechdesign_catalog.randomizers.kernels.draws import randomised_response
from mechdesign_catalog.randomizers.oracle import SpendsClaim, Values
from mechdesign_catalog.randomizers.reports.probabilities import Floats, Support, direct
from mechdesign_catalog.randomizers.reports.reports import Column, ReportLaw, State


@dataclass(frozen=True)
class Grr(SpendsClaim, Choice, PureOracle):
    """An item: the own one with p, each other one with `alpha p`.

    The optimum of the local LP under L0; `Var = (k - 2 + e^eps) / (n (e^eps - 1)^2)` for rare
    items.

    >>> from mechdesign.problem.privacy import Privacy
    >>> oracle = Grr(4, Privacy(epsilon=1))
    >>> float(round(oracle.support.p, 6)), oracle.bits
    (0.475367, 2)
    """

    name: ClassVar[str] = "grr"
    sources: ClassVar[tuple[Source, ...]] = (KAIROUZ,)
    time_class: ClassVar[str] = "N + k"

    @cached_property
    def support(self) -> Support:
        """Probabilities p and q."""
        return direct(self.k, self.alpha)

    @cached_property
    def moments(self) -> Moments:
        """Second moments of one user's scores: a report supports one item, so never two."""
        return Moments.of(self.support, both=Fraction(0), with_own=Fraction(0))

    def draw_columns(self, values: Values, words: WordSource) -> Sequence[Column]:
        """Draw one report for each value."""
        return (randomised_response(values, self.k, self.support.p, words),)

    def simulate_sums(self, counts: Values, generator: np.random.Generator) -> State:
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

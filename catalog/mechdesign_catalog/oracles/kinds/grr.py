"""GRR: generalised randomised response, also called direct encoding or k-ary randomised response."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.mechanism.sampling import WordSource, system_words
from mechdesign_catalog.oracles.kernels.draws import bits_for, randomised_response
from mechdesign_catalog.oracles.oracle import PureOracle, ReportLaw, Values
from mechdesign_catalog.oracles.probabilities import Support, direct
from mechdesign_catalog.oracles.reports import Reports, State, require_range


@dataclass(frozen=True)
class Grr(PureOracle):
    """The report is an item: the own one with p, each other one with `alpha p`.

    Kairouz, Bonawitz, Ramage, *Discrete distribution estimation under local privacy*, ICML 2016. The optimum of the
    local LP under L0; `Var = (k - 2 + e^eps) / (n (e^eps - 1)^2)` for rare items.

    >>> from mechdesign.problem.privacy import Privacy
    >>> oracle = Grr(4, Privacy(epsilon=1))
    >>> float(round(oracle.support.p, 6)), oracle.bits
    (0.475367, 2)
    """

    name: ClassVar[str] = "grr"

    @property
    def alpha(self) -> Fraction:
        return self.privacy.alpha

    @cached_property
    def support(self) -> Support:
        return direct(self.k, self.alpha)

    @property
    def bits(self) -> float:
        return bits_for(self.k)

    @property
    def row_bytes(self) -> int:
        return 24

    @property
    def server_bytes(self) -> int:
        return 8 * self.k

    @property
    def time_class(self) -> str:
        return "N + k"

    def privatize(self, values: Values, words: WordSource | None = None) -> Reports:
        items = randomised_response(self.checked(values), self.k, self.support.p, words or system_words)
        return Reports(self.parameters, {"item": items})

    def aggregate(self, reports: Reports) -> State:
        (items,) = self.columns_of(reports, "item")
        sums = np.bincount(require_range(items, self.k, "item"), minlength=self.k)
        return State(self.parameters, len(reports), sums.astype(np.int64))

    @property
    def sums_have_law(self) -> bool:
        return True

    def draw_state(self, counts: Values, generator: np.random.Generator) -> State:
        """Multinomial: with `p - q` a user keeps the item, else reports one of all k items, each as likely."""
        kept = generator.binomial(counts, float(self.support.p - self.support.q))
        users = int(counts.sum())
        spread = generator.multinomial(users - int(kept.sum()), np.full(self.k, 1 / self.k))
        return State(self.parameters, users, (kept + spread).astype(np.int64))

    def report_law(self) -> ReportLaw:
        p, q = self.support.p, self.support.q
        return {(item,): tuple(p if v == item else q for v in range(self.k)) for item in range(self.k)}

"""Report one attribute under RS+FD: real with chance 1/d, through the amplified oracle, and fake otherwise.

A server sees one mixture of both, so each is pure again, with the chances of support `mixed`.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from mechdesign.mechanism.sampling import WordSource
from mechdesign_catalog.multidimensional.one_way_base import AttributeOracle
from mechdesign_catalog.oracles.kernels.bits import bernoulli_rows, put_bits
from mechdesign_catalog.oracles.kernels.draws import bernoulli, uniform_below
from mechdesign_catalog.oracles.kinds.grr import Grr
from mechdesign_catalog.oracles.kinds.unary import Oue
from mechdesign_catalog.oracles.moments import Moments
from mechdesign_catalog.oracles.oracle import Values
from mechdesign_catalog.oracles.probabilities import Support, amplified, mixed, optimised_unary
from mechdesign_catalog.oracles.reports import ReportLaw, Reports, State


class Faked(AttributeOracle, Protocol):
    """An oracle that also makes fake reports: `FakedGrr` or `FakedOue`; `privacy` is the claim before amplification."""

    @property
    def label(self) -> str:
        """The name that people call it by."""

    @property
    def k(self) -> int:
        """Number of items."""

    @property
    def support(self) -> Support:
        """Probabilities p and q of a real report."""

    @property
    def mixed(self) -> Support:
        """Probabilities p and q of a report that is real with chance 1/d."""

    @property
    def mixed_moments(self) -> Moments:
        """Second moments of the scores of a report that is real with chance 1/d."""

    @property
    def least(self) -> Fraction:
        """Smallest ratio, over reports and items, of the chance of a real report to that of the same one as a fake."""

    @property
    def most(self) -> Fraction:
        """Largest ratio of the same two chances: `least / alpha`."""

    def mix(self, values: Values, real: NDArray[np.bool_], words: WordSource) -> Reports:
        """Make a real report of their item for the users where `real`, a fake one for the others."""

    def draw_state(self, counts: Values, generator: np.random.Generator) -> State:
        """Draw the sums of real reports where `counts[v]` users have the item v; for simulation only."""

    def draw_fakes(self, users: int, generator: np.random.Generator) -> Values:
        """Draw the sums of so many fake reports, shape (k,); for simulation only."""

    def report_law(self) -> ReportLaw:
        """List the probabilities of a real report."""

    def fake_law(self) -> ReportLaw:
        """List the probabilities of a fake report: the same for every item."""


@dataclass(frozen=True)
class FakedGrr(Grr):
    """GRR with the amplified budget; a fake is a uniform item."""

    attributes: int = 1
    label: ClassVar[str] = "grr"

    @cached_property
    def alpha(self) -> Fraction:
        """Exact alpha of a real report: that of the amplified budget."""
        return amplified(self.privacy.alpha, self.attributes)

    @cached_property
    def mixed(self) -> Support:
        """Probabilities p and q of a report that is real with chance 1/d."""
        return mixed(self.support, Fraction(1, self.k), self.attributes)

    @property
    def mixed_moments(self) -> Moments:
        """Second moments of the scores of a report that is real with chance 1/d: it supports one item, never two."""
        return Moments.of(self.mixed, both=Fraction(0), with_own=Fraction(0))

    @property
    def least(self) -> Fraction:
        """Smallest ratio of the chances of a report as a real one and as a fake."""
        return self.k * self.support.q

    @property
    def most(self) -> Fraction:
        """Largest ratio of the chances of a report as a real one and as a fake."""
        return self.k * self.support.p

    def mix(self, values: Values, real: NDArray[np.bool_], words: WordSource) -> Reports:
        """Make a real report of their item for the users where `real`, a fake one for the others."""
        items = uniform_below(self.k, len(values), words)
        items[real] = self.privatize(values[real], words).arrays()["item"]
        return self.reports_of(items)

    def draw_fakes(self, users: int, generator: np.random.Generator) -> Values:
        """Draw a multinomial of equal chances."""
        return generator.multinomial(users, np.full(self.k, 1 / self.k))

    def fake_law(self) -> ReportLaw:
        """List the probabilities of a fake report."""
        return {report: (Fraction(1, self.k),) * self.k for report in self.report_law()}


@dataclass(frozen=True)
class FakedOue(Oue):
    """OUE with the amplified budget; a fake is OUE of a vector of zeros: every bit is set with q."""

    attributes: int = 1
    label: ClassVar[str] = "oue-z"

    @cached_property
    def support(self) -> Support:
        """Probabilities p and q of a real report."""
        return optimised_unary(amplified(self.privacy.alpha, self.attributes))

    @cached_property
    def mixed(self) -> Support:
        """Probabilities p and q of a report that is real with chance 1/d."""
        return mixed(self.support, self.support.q, self.attributes)

    @property
    def mixed_moments(self) -> Moments:
        """Second moments of the scores of a report that is real with chance 1/d.

        Bits are independent: only the own one's chance depends on whether the report is real.
        """
        return Moments.of(self.mixed)

    @property
    def least(self) -> Fraction:
        """Smallest ratio of the chances of a report as a real one and as a fake."""
        return (1 - self.support.p) / (1 - self.support.q)

    @property
    def most(self) -> Fraction:
        """Largest ratio of the chances of a report as a real one and as a fake."""
        return self.support.p / self.support.q

    def mix(self, values: Values, real: NDArray[np.bool_], words: WordSource) -> Reports:
        """Make a real report of their item for the users where `real`, a fake one for the others."""
        rows = bernoulli_rows(self.support.q, len(values), self.k, words)
        told = rows[real]
        put_bits(told, values[real], bernoulli(self.support.p, len(told), words))
        rows[real] = told
        return self.reports_of(rows)

    def draw_fakes(self, users: int, generator: np.random.Generator) -> Values:
        """Draw a binomial for each bit."""
        return generator.binomial(users, float(self.support.q), size=self.k)

    def fake_law(self) -> ReportLaw:
        """List the probabilities of a fake report."""
        q = self.support.q
        law: ReportLaw = {}
        for report in self.report_law():
            ones = sum(byte.bit_count() for byte in report)
            law[report] = (q**ones * (1 - q) ** (self.k - ones),) * self.k
        return law

"""RS+FD: one attribute sampled, the others faked; all are reported, one of them truly."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError, shorten
from mechdesign.mechanism.sampling import WordSource
from mechdesign.problem.privacy import Privacy, loss_above
from mechdesign_catalog.randomizers.facts.sources import ARCOLEZI, Source
from mechdesign_catalog.randomizers.kernels.bits import bernoulli_rows, put_bits
from mechdesign_catalog.randomizers.kernels.draws import bernoulli, uniform_below
from mechdesign_catalog.randomizers.oracle import Values
from mechdesign_catalog.randomizers.product import Faked, Hidden
from mechdesign_catalog.randomizers.reports.probabilities import Support, amplified, mixed
from mechdesign_catalog.randomizers.reports.reports import ReportLaw, Reports
from mechdesign_catalog.systems.attributes.one_way import TupleOracle
from mechdesign_catalog.systems.flat.grr import Grr
from mechdesign_catalog.systems.flat.unary import Oue

ENCODINGS = ("grr", "oue-z", "adp")


@dataclass(frozen=True)
class FakedGrr(Faked, Grr):
    """GRR with the amplified budget; a fake is a uniform item."""

    attributes: int = 1

    @cached_property
    def real(self) -> Grr:
        """The oracle of a real report."""
        return Grr(self.k, Privacy(alpha=amplified(self.privacy.alpha, self.attributes)))

    @cached_property
    def support(self) -> Support:
        """Probabilities p and q over both."""
        return mixed(self.real.support, Fraction(1, self.k), self.attributes)

    @property
    def alpha(self) -> Fraction:
        """Exact alpha over both."""
        return self.support.q / self.support.p

    @property
    def least(self) -> Fraction:
        """Smallest ratio of the chances of a report as a real one and as a fake."""
        return self.k * self.real.support.q

    def mix(self, values: Values, real: NDArray[np.bool_], words: WordSource) -> Reports:
        """Make a real report of their item for the users where `real`, a fake one for the others."""
        items = uniform_below(self.k, len(values), words)
        items[real] = self.real.privatize(values[real], words).arrays()["item"]
        return self.reports_of(items)

    def draw_fakes(self, users: int, generator: np.random.Generator) -> Values:
        """Draw a multinomial of equal chances."""
        return generator.multinomial(users, np.full(self.k, 1 / self.k))

    def fake_law(self) -> ReportLaw:
        """List the probabilities of a fake report."""
        return {report: (Fraction(1, self.k),) * self.k for report in self.report_law()}


@dataclass(frozen=True)
class FakedOue(Faked, Oue):
    """OUE with the amplified budget; a fake is OUE of a vector of zeros: every bit is set with q."""

    attributes: int = 1
    name: ClassVar[str] = "oue-z"

    @cached_property
    def real(self) -> Oue:
        """The oracle of a real report."""
        return Oue(self.k, Privacy(alpha=amplified(self.privacy.alpha, self.attributes)))

    @cached_property
    def support(self) -> Support:
        """Probabilities p and q over both: only the own bit's chance depends on whether the report is real."""
        return mixed(self.real.support, self.real.support.q, self.attributes)

    @property
    def least(self) -> Fraction:
        """Smallest ratio of the chances of a report as a real one and as a fake."""
        return (1 - self.real.support.p) / (1 - self.real.support.q)

    def mix(self, values: Values, real: NDArray[np.bool_], words: WordSource) -> Reports:
        """Make a real report of their item for the users where `real`, a fake one for the others."""
        rows = bernoulli_rows(self.support.q, len(values), self.k, words)
        told = rows[real]
        put_bits(told, values[real], bernoulli(self.real.support.p, len(told), words))
        rows[real] = told
        return self.reports_of(rows)

    def draw_fakes(self, users: int, generator: np.random.Generator) -> Values:
        """Draw a binomial for each bit."""
        return generator.binomial(users, float(self.support.q), size=self.k)

    def fake_law(self) -> ReportLaw:
        """List the probabilities of a fake report."""
        q, law = self.support.q, {}
        for report in self.report_law():
            ones = sum(byte.bit_count() for byte in report)
            law[report] = (q**ones * (1 - q) ** (self.k - ones),) * self.k
        return law


@dataclass(frozen=True)
class RsFd(Hidden, TupleOracle):
    """Random sampling plus fake data: one attribute is real, drawn in secret, and all others are fakes.

    The sampled attribute goes through GRR or OUE with the amplified `eps' = ln(d (e^eps - 1) + 1)`; nobody is told
    which one it was. `encoding` is grr (fakes are uniform items), oue-z (fakes are OUE of a vector of zeros), or adp:
    for each attribute the one with the smaller exact variance for rare items.

    It is **not** eps-LDP. By `Hidden`, with `H_j = e^eps' L_j`, the loss over tuples that differ in the attributes J is
    exactly

        ln(1 + d (e^eps - 1) sum_(j in J) L_j / sum_j L_j),

    which is eps' for J everything, and for one attribute eps where all L_j are equal (OUE-z; GRR with domains of one
    size), else more for the attribute of the largest domain.

    With C reports that support an item its share is `(C/n - q*) / (p* - q*)`, p* and q* the chances over the draw of
    the attribute as well. These are the published estimates: `(C d k - n (d-1 + q k)) / (n k (p-q))` for GRR and
    `d (C - n q) / (n (p-q))` for OUE-z. Their variance is for fixed items of the users; the published
    `d^2 gamma (1-gamma) / (n (p-q)^2)`, gamma the chance of support, is for users drawn at random from a population
    with shares f: larger by exactly `f (1-f) / n`, their own draw.

    >>> from mechdesign.problem.privacy import Privacy
    >>> RsFd((3, 90), Privacy(epsilon=1), "adp").encodings
    ('grr', 'oue-z')
    """

    encoding: str = "adp"
    name: ClassVar[str] = "rs+fd"
    summary: ClassVar[str] = (
        "random sampling plus fake data, with GRR, OUE-z or the better of both for each attribute (ADP)"
    )
    properties: ClassVar[str] = (
        "NOT epsilon-LDP: ln(d (e^epsilon - 1) + 1) for whole tuples; for one attribute epsilon with OUE-z, and with "
        "GRR where all domains are equal, else more"
    )
    sources: ClassVar[tuple[Source, ...]] = (ARCOLEZI,)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.encoding not in ENCODINGS:
            raise InputError(f"encoding must be one of {', '.join(ENCODINGS)}, got {shorten(self.encoding)}")

    @cached_property
    def parts(self) -> tuple[FakedGrr | FakedOue, ...]:
        """The oracle, with fakes, that each attribute is reported through."""
        return tuple(self._faked(k) for k in self.domains)

    def _faked(self, k: int) -> FakedGrr | FakedOue:
        grr = FakedGrr(k, self.privacy, len(self.domains))
        oue = FakedOue(k, self.privacy, len(self.domains))
        if self.encoding == "adp":
            return grr if grr.support.rare_variance <= oue.support.rare_variance else oue
        return grr if self.encoding == "grr" else oue

    @property
    def title(self) -> str:
        """The name with its encoding."""
        return f"{self.name}:encoding={self.encoding}"

    @cached_property
    def amplified_alpha(self) -> Fraction:
        """Amplified `e^-eps'`, exactly from the rational `alpha >= e^-eps`."""
        return amplified(self.privacy.alpha, len(self.domains))

    @property
    def amplified_epsilon(self) -> float:
        """Amplified budget `eps' = ln(d (e^eps - 1) + 1)` of the alpha that is used, never below it."""
        return loss_above(self.amplified_alpha)

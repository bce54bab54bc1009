"""Sample one attribute and fake the others (RS+FD): all are reported, but only one, drawn at random, is true."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.errors import InputError, shorten
from mechdesign.mechanism.sampling import WordSource, system_words
from mechdesign.problem.privacy import loss_above
from mechdesign.rational import total
from mechdesign_catalog.multidimensional.fakes import Faked, FakedGrr, FakedOue
from mechdesign_catalog.multidimensional.one_way_base import OneWayBase
from mechdesign_catalog.multidimensional.tuples import product_law
from mechdesign_catalog.oracles.kernels.draws import uniform_below
from mechdesign_catalog.oracles.liars import WorstBias, pull_of_bit
from mechdesign_catalog.oracles.moments import Moments
from mechdesign_catalog.oracles.oracle import Values
from mechdesign_catalog.oracles.probabilities import Floats, amplified
from mechdesign_catalog.oracles.rates import AnyRates, support_rates
from mechdesign_catalog.oracles.reports import Constants, ReportLaw, Reports, State

ENCODINGS = ("grr", "oue-z", "adp")


@dataclass(frozen=True)
class RsFd(OneWayBase):
    """Random sampling plus fake data (Arcolezi, Couchot, Al Bouna, Xiao, CIKM 2021).

    The sampled attribute goes through GRR or OUE with the amplified `eps' = ln(d (e^eps - 1) + 1)`; nobody is told
    which one it was. `encoding` is grr (fakes are uniform items), oue-z (fakes are OUE of a vector of zeros), or adp:
    for each attribute the one with the smaller exact variance for rare items.

    It is **not** eps-LDP. With `H_j` and `L_j` the most and the least that a real report can be likelier than a fake
    one, a report y has `Pr[y|x] / Pr[y|z] = sum_j h_j(x) / sum_j h_j(z)` with each h_j one of the two, and
    `H_j = e^eps' L_j`. So the loss over tuples that differ in the attributes J is exactly

        ln(1 + d (e^eps - 1) sum_(j in J) L_j / sum_j L_j),

    which is eps' for J everything, and for one attribute eps where all L_j are equal (OUE-z; GRR with domains of one
    size), else more for the attribute of the largest domain.

    >>> from mechdesign.problem.privacy import Privacy
    >>> RsFd((3, 90), Privacy(epsilon=1), "adp").encodings
    ('grr', 'oue-z')
    """

    encoding: str = "adp"
    name: ClassVar[str] = "rs+fd"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.encoding not in ENCODINGS:
            raise InputError(f"encoding must be one of {', '.join(ENCODINGS)}, got {shorten(self.encoding)}")

    @cached_property
    def amplified_alpha(self) -> Fraction:
        """Amplified `e^-eps'`, exactly from the rational `alpha >= e^-eps`."""
        return amplified(self.privacy.alpha, len(self.domains))

    @cached_property
    def parts(self) -> tuple[Faked, ...]:
        """The oracle, with fakes, that each attribute is reported through."""
        return tuple(self._faked(k) for k in self.domains)

    def _faked(self, k: int) -> Faked:
        grr = FakedGrr(k, self.privacy, len(self.domains))
        oue = FakedOue(k, self.privacy, len(self.domains))
        if self.encoding == "adp":
            return grr if grr.mixed.rare_variance <= oue.mixed.rare_variance else oue
        return grr if self.encoding == "grr" else oue

    @property
    def encodings(self) -> tuple[str, ...]:
        """Name of the oracle that each attribute is reported through."""
        return tuple(kind.label for kind in self.parts)

    def own_constants(self) -> Constants:
        """State each attribute's oracle with the amplified budget, and p and q over the draw of the real one too."""
        kinds = ({**kind.constants_as_part, "oracle": kind.label, "mixed": kind.mixed.texts} for kind in self.parts)
        return {"attributes": list(kinds)}

    def honest_rates(self, state: State) -> Iterator[AnyRates]:
        """Yield the rates of the items of each attribute, over the draw of the real one."""
        for number, (kind, sums) in enumerate(zip(self.parts, self.by_attribute(state), strict=True), start=1):
            yield support_rates(f"items of attribute {number}", sums, state.users, kind.mixed)

    @property
    def moments(self) -> tuple[Moments, ...]:
        """Second moments of the scores of one report, for each attribute, over the draw of what is real as well."""
        return tuple(kind.mixed_moments for kind in self.parts)

    @property
    def title(self) -> str:
        """The name with its encoding."""
        return f"{self.name}:encoding={self.encoding}"

    def privatize(self, values: Values, words: WordSource | None = None) -> Reports:
        """Make one report for each row of `values`: one attribute real, the others fake."""
        source = words or system_words
        values = self.checked(values)
        sampled = uniform_below(len(self.domains), len(values), source)
        parts = (kind.mix(values[:, j], sampled == j, source) for j, kind in enumerate(self.parts))
        return self.of_all(list(parts))

    def aggregate(self, reports: Reports) -> State:
        """Add up these reports, attribute by attribute."""
        return self.add_up(reports)

    def estimate(self, state: State, attributes: Sequence[int] | None = None) -> list[Floats]:
        """Estimate the shares as `(C/n - q*) / (p* - q*)`, for C reports that support an item.

        Here p*, q* are the chances of support over the draw of the attribute as well.

        With C supports these are the published ones: `(C d k - n (d-1 + q k)) / (n k (p-q))` for GRR and
        `d (C - n q) / (n (p-q))` for OUE-z.
        """
        sums = self.by_attribute(state)
        return [self.parts[j].mixed.estimate(sums[j], state.users) for j in self.chosen(attributes)]

    def variance(self, attribute: int, frequencies: Floats, users: int) -> Floats:
        """Compute the variance of one attribute's estimates for fixed items of the users.

        A sum of independent bits has the variance `(f p*(1-p*) + (1-f) q*(1-q*)) / (n (p*-q*)^2)`.

        The published `d^2 gamma (1-gamma) / (n (p-q)^2)`, gamma the chance of support, is for users drawn at random
        from a population with shares f: it is larger by exactly `f (1-f) / n`, their own draw.
        """
        return self.moments[attribute].items(np.asarray(frequencies, dtype=np.float64)) / users

    def sampled_variance(self, attribute: int, frequencies: Floats, users: int) -> Floats:
        """Compute the published variance, for users drawn at random; `variance` says how it differs."""
        support = self.parts[attribute].mixed
        gap = float(support.p - support.q)
        gamma = float(support.q) + np.asarray(frequencies, dtype=np.float64) * gap
        return gamma * (1 - gamma) / (users * gap**2)

    def approximate_variance(self, attribute: int, users: int) -> float:
        """Return the variance of a rare item of one attribute."""
        return self.parts[attribute].mixed.approximate_variance(users)

    def changed_alpha(self, attributes: Collection[int]) -> Fraction:
        """Compute the formula of the class in rationals."""
        least = sum((kind.least for kind in self.parts), Fraction(0))
        gain = sum((self.parts[j].most - self.parts[j].least for j in set(attributes)), Fraction(0))
        return least / (least + gain)

    def draw_state(self, values: Values, generator: np.random.Generator) -> State:
        """Draw the server's state for these users at once; for simulation only.

        Once it is drawn whose report of an attribute is real, attributes are independent.
        """
        values = self.checked(values)
        sampled = generator.integers(len(self.domains), size=len(values))
        sums = []
        for j, kind in enumerate(self.parts):
            own = np.bincount(values[sampled == j, j], minlength=kind.k)
            sums.append(kind.draw_state(own, generator).sums + kind.draw_fakes(len(values) - int(own.sum()), generator))
        return State(self.parameters, len(values), np.concatenate(sums))

    def report_law(self) -> ReportLaw:
        """List `Pr[y|x] = (1/d) sum_j real_j(y_j|x_j) prod_(i != j) fake_i(y_i)`, the sum written out."""
        real = [kind.report_law() for kind in self.parts]
        fake = [kind.fake_law() for kind in self.parts]
        choices = range(len(self.domains))
        laws = [product_law([*fake[:j], real[j], *fake[j + 1 :]], self.domains) for j in choices]
        return {
            report: tuple(total(chances) / len(laws) for chances in zip(*(law[report] for law in laws), strict=True))
            for report in laws[0]
        }

    def worst_bias(self, liars: Fraction) -> WorstBias:
        """Return the largest of the attributes', by the chances over what is real and what is fake."""
        return WorstBias(liars * max(pull_of_bit(kind.mixed) for kind in self.parts), is_exact=True)

    @property
    def amplified_epsilon(self) -> float:
        """Amplified budget `eps' = ln(d (e^eps - 1) + 1)` of the alpha that is used, never below it."""
        return loss_above(self.amplified_alpha)

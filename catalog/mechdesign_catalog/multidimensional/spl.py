"""Split the budget (SPL): every attribute is reported, each with its part of the budget."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.mechanism.sampling import WordSource
from mechdesign_catalog.multidimensional.choice import TableOracle, better_oracle
from mechdesign_catalog.multidimensional.one_way_base import OneWayBase
from mechdesign_catalog.multidimensional.tuples import product_law
from mechdesign_catalog.oracles.information import kronecker
from mechdesign_catalog.oracles.liars import WorstBias
from mechdesign_catalog.oracles.oracle import Values
from mechdesign_catalog.oracles.probabilities import Floats
from mechdesign_catalog.oracles.rates import AnyRates, part_rates
from mechdesign_catalog.oracles.reports import ReportLaw, Reports, State


@dataclass(frozen=True)
class Spl(OneWayBase):
    """Splitting: attribute j goes through GRR or OUE with `eps/d`; sequential composition makes that eps for the tuple.

    >>> from mechdesign.problem.privacy import Privacy
    >>> Spl((3, 90), Privacy(epsilon=1)).encodings
    ('grr', 'oue')
    """

    name: ClassVar[str] = "spl"

    @cached_property
    def parts(self) -> tuple[TableOracle, ...]:
        """The oracle of each attribute, with its part of the budget."""
        share = self.privacy.split(len(self.domains))
        return tuple(better_oracle(k, share) for k in self.domains)

    def honest_rates(self, state: State) -> Iterator[AnyRates]:
        """Yield the rates of the items of each attribute."""
        for number, (kind, sums) in enumerate(zip(self.parts, self.by_attribute(state), strict=True), start=1):
            yield from part_rates(f"attribute {number}", kind, State(kind.parameters, state.users, sums))

    def privatize(self, values: Values, words: WordSource | None = None) -> Reports:
        """Make one report for each row of `values`, of every attribute."""
        values = self.checked(values)
        parts = (oracle.privatize(values[:, j], words) for j, oracle in enumerate(self.parts))
        return self.of_all(list(parts))

    def aggregate(self, reports: Reports) -> State:
        """Add up these reports, attribute by attribute."""
        return self.add_up(reports)

    def estimate(self, state: State, attributes: Sequence[int] | None = None) -> list[Floats]:
        """Estimate the shares of each attribute by its own oracle."""
        sums = self.by_attribute(state)
        pairs = ((self.parts[j], sums[j]) for j in self.chosen(attributes))
        return [oracle.estimate(State(oracle.parameters, state.users, part)) for oracle, part in pairs]

    def variance(self, attribute: int, frequencies: Floats, users: int) -> Floats:
        """Return the variance of one attribute's estimates by its own oracle."""
        return self.parts[attribute].variance(frequencies, users)

    def approximate_variance(self, attribute: int, users: int) -> float:
        """Return the variance of a rare item of one attribute by its own oracle."""
        return self.parts[attribute].approximate_variance(users)

    def changed_alpha(self, attributes: Collection[int]) -> Fraction:
        """Return the product of the attributes' own: they are reported independently."""
        product = Fraction(1)
        for j in set(attributes):
            product *= self.parts[j].alpha
        return product

    def draw_state(self, values: Values, generator: np.random.Generator) -> State:
        """Draw the server's state for these users at once, attribute by attribute; for simulation only."""
        counts = (
            np.bincount(column, minlength=k) for column, k in zip(self.checked(values).T, self.domains, strict=True)
        )
        pairs = zip(self.parts, counts, strict=True)
        sums = [oracle.draw_state(own, generator).sums for oracle, own in pairs]
        return State(self.parameters, len(values), np.concatenate(sums))

    def report_law(self) -> ReportLaw:
        """List the probabilities of all reports for each tuple: those of the attributes multiply."""
        return product_law([oracle.report_law() for oracle in self.parts], self.domains)

    def information_at_equal_shares(self) -> Floats:
        """Multiply the information of the attributes: they are reported independently (Kronecker)."""
        return kronecker([oracle.information().matrix for oracle in self.parts])

    def worst_bias(self, liars: Fraction) -> WorstBias:
        """Return the largest bias of the attributes', each with its part of the budget."""
        return max((oracle.worst_bias(liars) for oracle in self.parts), key=lambda bias: bias.value)

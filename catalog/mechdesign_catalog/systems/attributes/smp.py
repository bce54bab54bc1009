"""SMP: one attribute, drawn at random, reported with the whole budget."""

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign_catalog.decoders.tables.subsets import Subset
from mechdesign_catalog.randomizers.facts.liars import AnswerPart
from mechdesign_catalog.randomizers.facts.sources import ARCOLEZI, Source
from mechdesign_catalog.randomizers.oracle import Values
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.systems.attributes.choice import TableOracle, better_oracle
from mechdesign_catalog.systems.attributes.one_of_tables import OneOfTables
from mechdesign_catalog.systems.attributes.one_way import TupleOracle


@dataclass(frozen=True)
class Smp(OneOfTables, TupleOracle):
    """Sampling: the report is `(j, y)`, j uniform and y attribute j's item through GRR or OUE with eps.

    Each attribute is estimated from the m users who reported it. The sums of a state are the d numbers m, then those of
    all attributes in a row.

    >>> from mechdesign.problem.privacy import Privacy
    >>> Smp((3, 90), Privacy(epsilon=1)).encodings
    ('grr', 'oue')
    """

    name: ClassVar[str] = "smp"
    summary: ClassVar[str] = "sampling: one attribute with the whole budget"
    properties: ClassVar[str] = (
        "epsilon-LDP for whole tuples and for one attribute; GRR if k < 3 e^epsilon + 2, else OUE"
    )
    sources: ClassVar[tuple[Source, ...]] = (ARCOLEZI,)
    branch_column: ClassVar[str] = "attribute"
    shared_out: ClassVar[str] = "each of {} users in one attribute"

    @cached_property
    def parts(self) -> tuple[TableOracle, ...]:
        """The oracle of each attribute, with the whole budget."""
        return tuple(better_oracle(k, self.privacy) for k in self.domains)

    @cached_property
    def sets(self) -> tuple[Subset, ...]:
        """Each attribute by itself."""
        return tuple((j,) for j in range(len(self.domains)))

    def simulated_branches(self, count: int, generator: np.random.Generator) -> Values:
        """Draw attributes for simulation."""
        return generator.integers(len(self.domains), size=count)

    def planned_users(self, users: int) -> Floats:
        """Return how many users report each attribute on average."""
        return np.full(len(self.domains), users / len(self.domains))

    def variance(self, attribute: int, frequencies: Floats, users: int) -> Floats:
        """Compute the variance of one attribute's estimates, given that somebody reports it (else there are none).

        With V the oracle's variance for one user, it is

            V(f) E[1/m] + f (1-f) n/(n-1) (E[1/m] - 1/n).

        Given m, they are a random subset of the users: its share of the item is itself a draw without replacement,
        with variance `f (1-f) / m * (n-m)/(n-1)`, and V is affine in that share.
        """
        frequencies = np.asarray(frequencies, dtype=np.float64)
        reciprocal = mean_reciprocal(users, len(self.domains))
        noise = self.parts[attribute].variance(frequencies, 1) * reciprocal
        subset = (reciprocal - 1 / users) * users / max(1, users - 1)
        return noise + frequencies * (1 - frequencies) * subset

    def approximate_variance(self, attribute: int, users: int) -> float:
        """Compute `d q (1-q) / (n (p-q)^2)`: m is taken to be n/d."""
        return super().approximate_variance(attribute, users) * len(self.domains)

    def changed_alpha(self, attributes: Collection[int]) -> Fraction:
        """Return the smallest of the attributes' own: a report is about one attribute, whose number tells nothing."""
        return min((self.parts[j].alpha for j in attributes), default=Fraction(1))

    def attribute_part(self, attribute: int, weights: Floats) -> AnswerPart:
        """Return what the reports of one attribute add: liars who all choose it are more of its users."""
        return AnswerPart(self.branch_chances[attribute], self.parts[attribute], weights, weights)


def mean_reciprocal(users: int, d: int) -> float:
    """Compute `E[1/m | m >= 1]` for m binomial with n trials and chance 1/d.

    With `r = 1 - 1/d`: `E[1/m; m >= 1] = sum_(i=1..n) (r^(n-i) - r^n) / i`, which follows by integrating
    `((1+t)^n - 1)/t`. Terms with `r^(n-i)` below the smallest float are left out.
    """
    if d == 1:
        return 1 / users
    r = 1 - 1 / d
    i = np.arange(max(1, users - 800 * d), users + 1, dtype=np.float64)
    none = r**users
    return float(((r ** (users - i) - none) / i).sum()) / (1 - none)

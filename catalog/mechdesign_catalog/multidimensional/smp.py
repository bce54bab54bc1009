"""Sample one attribute (SMP): every user reports one attribute, drawn at random, with the whole budget."""

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.errors import InputError
from mechdesign.mechanism.sampling import WordSource, system_words
from mechdesign_catalog.multidimensional.choice import better_oracle
from mechdesign_catalog.multidimensional.tuples import TupleBase, TupleReports
from mechdesign_catalog.oracles import FrequencyOracle, State
from mechdesign_catalog.oracles.kernels.draws import bits_for, uniform_below
from mechdesign_catalog.oracles.oracle import ReportLaw, Values
from mechdesign_catalog.oracles.probabilities import Floats
from mechdesign_catalog.oracles.reports import require_range


@dataclass(frozen=True)
class Smp(TupleBase):
    """Sampling: the report is `(j, y)`, j uniform and y attribute j's item through GRR or OUE with eps.

    Each attribute is estimated from the m users who reported it. The sums of a state are those of all attributes in a
    row, then the d numbers m.

    >>> from mechdesign.problem.privacy import Privacy
    >>> Smp((3, 90), Privacy(epsilon=1)).encodings
    ('grr', 'oue')
    """

    name: ClassVar[str] = "smp"

    @cached_property
    def oracles(self) -> tuple[FrequencyOracle, ...]:
        """The oracle of each attribute, with the whole budget."""
        return tuple(better_oracle(k, self.privacy) for k in self.domains)

    @property
    def encodings(self) -> tuple[str, ...]:
        """Name of the oracle that each attribute is reported through."""
        return tuple(oracle.name for oracle in self.oracles)

    @property
    def state_length(self) -> int:
        """Number of sums in a state: one for each item of each attribute, and the d numbers of users."""
        return sum(self.domains) + len(self.domains)

    @property
    def bits(self) -> float:
        """Bits that a report costs to send: the attribute's number, and the mean over the attributes."""
        return bits_for(len(self.domains)) + sum(oracle.bits for oracle in self.oracles) / len(self.domains)

    def privatize(self, values: Values, words: WordSource | None = None) -> TupleReports:
        """Make one report for each row of `values`, about one attribute drawn at random."""
        values = self.checked(values)
        sampled = uniform_below(len(self.domains), len(values), words or system_words)
        parts = (oracle.privatize(values[sampled == j, j], words) for j, oracle in enumerate(self.oracles))
        return TupleReports(self.parameters, tuple(parts), sampled)

    def aggregate(self, reports: TupleReports) -> State:
        """Add up these reports, attribute by attribute, and count the users who reported each."""
        parts = self.own(reports).parts
        if reports.sampled is None:
            raise InputError(f"reports of {self.name} must say which attribute each is about, got none")
        groups = np.bincount(require_range(reports.sampled, len(self.domains), "attribute"), minlength=len(parts))
        if groups.tolist() != [len(part) for part in parts]:
            raise InputError(f"reports of {self.name} must be as many as say their attribute, got another number")
        states = [oracle.aggregate(part) for oracle, part in zip(self.oracles, parts, strict=True)]
        sums = np.concatenate([*(state.sums for state in states), groups.astype(np.int64)])
        return State(self.parameters, len(reports), sums)

    def estimate(self, state: State) -> list[Floats]:
        """Estimate the shares of each attribute from the users who reported it; InputError where nobody did."""
        sums = self.by_attribute(state)
        groups = state.sums[sum(self.domains) :].tolist()
        if sum(groups) != state.users:
            raise InputError(f"a state must have each of {state.users} users in one attribute, got {sum(groups)}")
        if 0 in groups:
            raise InputError(f"each attribute must be reported by a user, got none for attribute {groups.index(0) + 1}")
        triples = zip(self.oracles, groups, sums, strict=True)
        return [oracle.estimate(State(oracle.parameters, m, part)) for oracle, m, part in triples]

    def variance(self, attribute: int, frequencies: Floats, users: int) -> Floats:
        """Compute the variance of one attribute's estimates, given that somebody reports it (else there are none).

        With V the oracle's variance for one user, it is

            V(f) E[1/m] + f (1-f) n/(n-1) (E[1/m] - 1/n).

        Given m, they are a random subset of the users: its share of the item is itself a draw without replacement,
        with variance `f (1-f) / m * (n-m)/(n-1)`, and V is affine in that share.
        """
        frequencies = np.asarray(frequencies, dtype=np.float64)
        reciprocal = mean_reciprocal(users, len(self.domains))
        noise = self.oracles[attribute].variance(frequencies, 1) * reciprocal
        subset = (reciprocal - 1 / users) * users / max(1, users - 1)
        return noise + frequencies * (1 - frequencies) * subset

    def approximate_variance(self, attribute: int, users: int) -> float:
        """Compute `d q (1-q) / (n (p-q)^2)`: m is taken to be n/d."""
        return self.oracles[attribute].approximate_variance(users) * len(self.domains)

    def changed_alpha(self, attributes: Collection[int]) -> Fraction:
        """Return the smallest of the attributes' own: a report is about one attribute, whose number tells nothing."""
        return min((self.oracles[j].alpha for j in attributes), default=Fraction(1))

    def report_law(self) -> ReportLaw:
        """List the probabilities of all reports for each tuple."""
        d, tuples = len(self.domains), self.tuples()
        law: ReportLaw = {}
        for j, oracle in enumerate(self.oracles):
            for report, row in oracle.report_law().items():
                law[(j, *report)] = tuple(row[x[j]] / d for x in tuples)
        return law


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

"""Sample one attribute (SMP): every user reports one attribute, drawn at random, with the whole budget."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.errors import InputError
from mechdesign.mechanism.sampling import WordSource, system_words
from mechdesign_catalog.multidimensional.choice import TableOracle, better_oracle
from mechdesign_catalog.multidimensional.one_of_tables import OneOfTables
from mechdesign_catalog.multidimensional.one_way import require_reported
from mechdesign_catalog.multidimensional.one_way_base import OneWayBase
from mechdesign_catalog.oracles.contributions import Contribution, OneOf
from mechdesign_catalog.oracles.costs import shared_out_seconds
from mechdesign_catalog.oracles.kernels.draws import uniform_below
from mechdesign_catalog.oracles.liars import WorstBias
from mechdesign_catalog.oracles.moments import Moments
from mechdesign_catalog.oracles.oracle import Values
from mechdesign_catalog.oracles.probabilities import Floats
from mechdesign_catalog.oracles.rates import AnyRates, branch_rates
from mechdesign_catalog.oracles.reports import Column, ReportLaw, Reports, State, counted
from mechdesign_catalog.oracles.wire import Wire


@dataclass(frozen=True)
class Smp(OneWayBase):
    """Sampling: the report is `(j, y)`, j uniform and y attribute j's item through GRR or OUE with eps.

    Each attribute is estimated from the m users who reported it. The sums of a state are the d numbers m, then those of
    all attributes in a row.

    >>> from mechdesign.problem.privacy import Privacy
    >>> Smp((3, 90), Privacy(epsilon=1)).encodings
    ('grr', 'oue')
    """

    name: ClassVar[str] = "smp"

    @cached_property
    def oracles(self) -> tuple[TableOracle, ...]:
        """The oracle of each attribute, with the whole budget."""
        return tuple(better_oracle(k, self.privacy) for k in self.domains)

    @property
    def encodings(self) -> tuple[str, ...]:
        """Name of the oracle that each attribute is reported through."""
        return tuple(oracle.name for oracle in self.oracles)

    @property
    def kinds(self) -> tuple[TableOracle, ...]:
        """The oracle of each attribute."""
        return self.oracles

    @property
    def moments(self) -> tuple[Moments, ...]:
        """Second moments of the scores of one report, for each attribute."""
        return tuple(oracle.moments for oracle in self.oracles)

    @property
    def chances(self) -> tuple[Fraction, ...]:
        """Chance of each attribute: all are as likely."""
        return (Fraction(1, len(self.domains)),) * len(self.domains)

    @property
    def state_length(self) -> int:
        """Number of sums in a state: the d numbers of users, and one for each item of each attribute."""
        return sum(self.domains) + len(self.domains)

    @cached_property
    def collection(self) -> OneOfTables:
        """How reports on one of the attributes are made and added up."""
        return OneOfTables(self.domains, tuple((j,) for j in range(len(self.domains))), self.oracles)

    @cached_property
    def wire(self) -> Wire:
        """The columns of its reports: the attribute, from 0, and the message of its oracle."""
        return self.collection.wire("attribute")

    @cached_property
    def contribution(self) -> Contribution:
        """What each user adds to the sums: a 1 for the attribute, and what its oracle adds."""
        return OneOf(tuple(kind.contribution for kind in self.kinds), "attribute")

    def honest_rates(self, state: State) -> Iterator[AnyRates]:
        """Yield the rates of the users of each attribute, and of the items of each."""
        yield from branch_rates(state, "attribute", 1, self.oracles, self.chances, self.domains)

    @property
    def adding_seconds(self) -> float:
        """Seconds of one core to add one report to the sums, on paper: the own attribute's, on average."""
        return shared_out_seconds(self.chances, self.oracles)

    @property
    def message_bytes(self) -> float:
        """Bytes of one message, on average over the attributes."""
        return self.wire.mean_width(self.chances)

    @property
    def bits(self) -> float:
        """Bits that one report costs to send at most: the attribute's number, and the largest report."""
        return self.collection.bits

    @property
    def mean_bits(self) -> float:
        """Bits that one report costs to send, on average over the attributes."""
        return self.collection.mean_bits

    @property
    def row_bytes(self) -> int:
        """Bytes that one report takes while it is made or read."""
        return self.collection.row_bytes

    def privatize(self, values: Values, words: WordSource | None = None) -> Reports:
        """Make one report for each row of `values`, about one attribute drawn at random: its number, and bytes."""
        values, source = self.checked(values), words or system_words
        sampled = uniform_below(len(self.domains), len(values), source)
        packed = self.collection.privatize(values, sampled, source)
        return self.wire.reports(self.parameters, sampled, packed)

    def aggregate(self, reports: Reports) -> State:
        """Add up these reports, attribute by attribute, and count the users who reported each."""
        sampled, packed = self.wire.numbers_and_strings(reports, self.parameters)
        return self._state(sampled, self.collection.aggregate(sampled, packed, lambda j: f"attribute {j + 1}"))

    def _state(self, sampled: Column, sums: Values) -> State:
        groups = counted(sampled, len(self.domains))
        return State(self.parameters, len(sampled), np.concatenate([groups, sums]).astype(np.int64))

    def users_of(self, state: State) -> Floats:
        """Return how many users reported each attribute, shape (d,).

        Raises:
            InputError: for a state that is not this oracle's.
        """
        self.by_attribute(state)
        groups = state.sums[: len(self.domains)]
        if int(groups.sum()) != state.users:
            raise InputError(f"a state must have each of {state.users} users in one attribute, got {groups.sum()}")
        return groups.astype(np.float64)

    def planned_users(self, users: int) -> Floats:
        """Return how many users report each attribute on average."""
        return np.full(len(self.domains), users / len(self.domains))

    def estimate(self, state: State, attributes: Sequence[int] | None = None) -> list[Floats]:
        """Estimate the shares of each attribute from the users who reported it.

        Raises:
            NoAnswerError: for an attribute that nobody reported.
        """
        users, sums, asked = self.users_of(state), self.by_attribute(state), self.chosen(attributes)
        require_reported(users, asked)
        return [self.oracles[j].estimate(State(self.oracles[j].parameters, int(users[j]), sums[j])) for j in asked]

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

    def draw_state(self, values: Values, generator: np.random.Generator) -> State:
        """Draw the server's state for these users at once, for simulation only: attributes, then each one's sums."""
        values = self.checked(values)
        sampled = generator.integers(len(self.domains), size=len(values))
        return self._state(sampled, self.collection.draw_sums(values, sampled, generator))

    def report_law(self) -> ReportLaw:
        """List the probabilities of all reports for each tuple."""
        return self.collection.report_law(self.name)

    def information_at_equal_shares(self) -> Floats:
        """Add up the information of the attributes, each as likely."""
        return self.information_of_tables(self.chances, [(j,) for j in range(len(self.domains))], self.oracles)

    def worst_bias(self, liars: Fraction) -> WorstBias:
        """Compute that of liars who all choose the attribute that they attack: they are more of its users."""
        chance = self.chances[0]
        return max(
            (oracle.worst_bias(liars / (liars + (1 - liars) * chance)) for oracle in self.oracles),
            key=lambda bias: bias.value,
        )


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

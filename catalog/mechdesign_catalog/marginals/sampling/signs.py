"""Collect signs: each user tells the sign of one coefficient at the own tuple, through randomised response."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from mechdesign.errors import InputError
from mechdesign.mechanism.sampling import WordSource, system_words
from mechdesign_catalog.marginals.marginal_base import MarginalBase
from mechdesign_catalog.oracles.branches import Branched
from mechdesign_catalog.oracles.contributions import Contribution, OneSign
from mechdesign_catalog.oracles.costs import cell_seconds
from mechdesign_catalog.oracles.information import of_coefficients
from mechdesign_catalog.oracles.kernels.draws import Bits, bernoulli, bits_for
from mechdesign_catalog.oracles.oracle import Values, require_few
from mechdesign_catalog.oracles.probabilities import Floats, flip
from mechdesign_catalog.oracles.rates import AnyRates, Rates, draw_rates
from mechdesign_catalog.oracles.reports import Column, ReportLaw, Reports, State, counted
from mechdesign_catalog.oracles.wire import Numbers, Wire


@dataclass(frozen=True)
class SignOracle(Branched, MarginalBase):
    """Draw a coefficient, and report whether its sign at the user's tuple is -, turned over with `1/(e^eps + 1)`.

    A report has the columns `coefficient`, its number in the public list, and `bit`, 1 for -. A state has for each
    coefficient the number of its users, and then the number of + less that of -.
    """

    @abstractmethod
    def negative(self, branches: Values, values: Values) -> Bits:
        """Tell for each user, row of `values`, whether the coefficient of this number is - at the tuple."""

    @property
    def alpha(self) -> Fraction:
        """Exact alpha of the probabilities really used: that of the sign, as the coefficient is no secret."""
        return self.privacy.alpha

    @cached_property
    def scale(self) -> Fraction:
        """What a reported sign counts, `(e^eps + 1)/(e^eps - 1)`."""
        return (1 + self.alpha) / (1 - self.alpha)

    @cached_property
    def sign_noise(self) -> float:
        """Variance of what one reported sign counts, `4 e^eps/(e^eps - 1)^2`."""
        return float(self.scale**2 - 1)

    @property
    def sums_length(self) -> int:
        """Number of sums of signs: one for each coefficient."""
        return self.branches

    @cached_property
    def wire(self) -> Wire:
        """The columns of its reports: the coefficient's number, and the bit of its sign."""
        return Wire((Numbers("coefficient", self.branches), Numbers("bit", 2)))

    @cached_property
    def contribution(self) -> Contribution:
        """What each user adds to the sums: a 1 for the coefficient, and its sign."""
        return OneSign((1,) * self.branches)

    def honest_rates(self, state: State) -> Iterator[AnyRates]:
        """Yield how often each coefficient was drawn, and given that, how often its sign was minus."""
        counts, sums = self.split_state(state)
        yield draw_rates("draws of coefficients", counts, state.users, self.branch_chances)
        turned = float(flip(self.alpha))
        yield Rates.of("minus signs of coefficients", (counts - sums) // 2, counts, turned, 1 - turned)

    @property
    def bits(self) -> float:
        """Bits that one report costs to send: the number of the coefficient, and the sign."""
        return bits_for(self.branches) + 1

    @property
    def row_bytes(self) -> int:
        """Bytes that one report takes while it is made or read."""
        return 8 * len(self.domains) + 40

    @property
    def server_bytes(self) -> int:
        """Bytes that the server takes, however many users there are."""
        return 64 * self.branches

    @property
    def adding_seconds(self) -> float:
        """Seconds of one core to add one report to the sums, on paper: a count and a sign."""
        return 2 * cell_seconds(2 * self.branches)

    def privatize(self, values: Values, words: WordSource | None = None) -> Reports:
        """Make one report for each row of `values`, shape (users, d)."""
        source = words or system_words
        values = self.checked(values)
        branches = self.draw_branches(len(values), source)
        turned = bernoulli(flip(self.alpha), len(values), source)
        return self.reports_of(branches, self.negative(branches, values) ^ turned)

    def aggregate(self, reports: Reports) -> State:
        """Count the users of each coefficient, and add up their signs."""
        branches, bits = self.columns_of(reports)
        return self._state(branches, bits == 1)

    def _state(self, branches: Column, negative: Bits) -> State:
        counts = counted(branches, self.branches)
        return self.branch_state(branches, counts - 2 * counted(branches[negative], self.branches))

    def draw_state(self, values: Values, generator: np.random.Generator) -> State:
        """Draw the server's state for these users; for simulation only."""
        values = self.checked(values)
        branches = self.simulated_branches(len(values), generator)
        turned = generator.random(len(values)) < float(flip(self.alpha))
        return self._state(branches, self.negative(branches, values) ^ turned)

    def report_law(self) -> ReportLaw:
        """List the probabilities of all reports for each tuple.

        Raises:
            InputError: where there are more than 2^16 reports.
        """
        require_few(2 * self.branches, self.name)
        tuples = np.array(self.tuples(), dtype=np.int64)
        law: ReportLaw = {}
        for branch, chance in enumerate(self.branch_chances):
            negative = self.negative(np.full(len(tuples), branch), tuples).tolist()
            for bit in (0, 1):
                turned = (flip(self.alpha) if own != bit else 1 - flip(self.alpha) for own in negative)
                law[(branch, bit)] = tuple(chance * part for part in turned)
        return law

    def information_at_equal_shares(self) -> Floats:
        """Add up the information of the coefficients."""
        tuples = np.array(self.tuples(), dtype=np.int64)
        negative = [self.negative(np.full(len(tuples), branch), tuples) for branch in range(self.branches)]
        chances = np.array([float(chance) for chance in self.branch_chances])
        values = 1.0 - 2.0 * np.array(negative, dtype=np.float64)
        return of_coefficients(values, chances, self.alpha, np.ones(len(tuples), dtype=np.int64))

    def signs(self, state: State) -> tuple[Values, Values]:
        """Return for each coefficient the number of users and the sum of signs.

        Raises:
            InputError: for a state that is not this oracle's, or whose sums no reports add up to.
        """
        counts, sums = self.split_state(state)
        wrong = (np.abs(sums) > counts) | ((counts - sums) % 2 == 1)
        if wrong.any():
            place = int(np.argmax(wrong))
            raise InputError(
                f"a state must have sums of the signs of its users, got {sums[place]} from {counts[place]} for "
                f"{self.branch_name(place)}"
            )
        return counts, sums

"""Shifted rows: a circle's rows of blocks, more often one with the own item.

They are the oracle of a level, at a public shift.
"""

from abc import abstractmethod
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from mechdesign.rational import fraction_text
from mechdesign.verify.level_design import LevelEntry
from mechdesign_catalog.decoders.circles.levels import LevelFacts
from mechdesign_catalog.randomizers.facts.information import of_law
from mechdesign_catalog.randomizers.facts.liars import WorstBias
from mechdesign_catalog.randomizers.facts.rates import AnyRates, Rates
from mechdesign_catalog.randomizers.oracle import Leaf, OracleBase, SpendsClaim, Values
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import Constants, State


class ShiftedRows(SpendsClaim, Leaf, OracleBase):
    """The oracle whose reports each hold some places of a circle of k; subclasses say which.

    A report that holds the own place is 1/alpha times as likely as another one. It scores 1 at the places that it
    holds, and 0 at the others; all shifts of a row round the circle are as likely.
    """

    @property
    @abstractmethod
    def word(self) -> str:
        """What names it among the levels of a system."""

    @property
    @abstractmethod
    def score_is_reached(self) -> bool:
        """Whether a report has the score of `highest_scores`."""

    @abstractmethod
    def highest_scores(self, weights: Floats) -> Floats:
        """Compute the largest sum of the weights, shape (q, k), that a report holds, or an upper bound; shape (q,)."""

    @property
    @abstractmethod
    def facts(self) -> LevelFacts:
        """What a level of such reports tells."""

    @property
    @abstractmethod
    def held(self) -> tuple[Fraction, Fraction]:
        """The least and the largest chance that a report holds a place, over the own places of users."""

    @abstractmethod
    def supports(self, state: State) -> Values:
        """Count the reports that hold each place, shape (k,).

        Raises:
            InputError: for a state with another number of sums.
        """

    def honest_rates(self, state: State) -> Iterator[AnyRates]:
        """Yield the rates of the places that reports hold."""
        low, high = self.held
        yield Rates.of("items", self.supports(state), state.users, float(low), float(high))

    def estimate(self, state: State) -> Floats:
        """Return the share of the reports that hold each place, shape (k,).

        Raises:
            InputError: for a state that is not this oracle's.
        """
        found: Floats = self.supports(self.checked_state(state)) / state.users
        return found

    @property
    def n_estimates(self) -> int:
        """How many numbers `estimate` has: one for each place."""
        return self.k

    def mean_scores(self, weights: Floats) -> Floats:
        """Return the mean of `sum_v u_v y_v` for a user of each place, less what it has for all alike.

        Weights add up to 0.
        """
        return self.facts.means(self.facts.gathered(weights))

    @property
    @abstractmethod
    def together(self) -> tuple[Fraction, Fraction]:
        """The part of the reports that hold a place; and of those two in one run, less that of two in none, by start.

        The first is of all reports; the second is multiplied by the number of starts of rows that hold both places.
        """

    @property
    @abstractmethod
    def apart(self) -> Fraction:
        """The part of the reports that hold two places of no common row."""

    def information_at(self, counts: Values) -> Floats:
        """Compute the information of a report where the places with users have equal shares.

        All reports are then taken to be as likely; where they are not (`information_is_exact`), it is nearly so.
        """
        if len({*counts[counts > 0].tolist()}) > 1:
            return of_law(self.report_law(), counts)
        share, pull = map(float, self.together)
        odds = float(1 / self.alpha - 1)
        both = float(self.apart) + pull / float(self.facts.pull) * self.mean_scores(np.eye(self.k))
        found: Floats = (1 + 2 * odds * share + odds**2 * both) / (1 + odds * share) ** 2
        return found

    @property
    def decoding(self) -> Constants:
        """The two numbers of the level that a server divides by on the circle."""
        return {"scale": fraction_text(self.facts.scale), "pull": fraction_text(self.facts.pull)}

    def worst_bias(self, liars: Fraction) -> WorstBias:
        """Compute the largest bias of the share of reports that hold a place."""
        return WorstBias(liars * (1 - self.held[0]), is_exact=True)

    @property
    def server_bytes(self) -> int:
        """Bytes of the server: the sums, their transform, and what is told of each place."""
        return 16 * self.contribution.length + 24 * self.k


class CircleRows(ShiftedRows):
    """The shifted rows of a circle, which a document of a design can state."""

    @abstractmethod
    def entry(self, weight: int) -> LevelEntry:
        """State it as a level of a design, drawn so often in proportion to the others."""

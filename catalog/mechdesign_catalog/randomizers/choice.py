"""Reports of one of m numbers: the simplest leaf, whose chances are a written matrix.

With P the matrix, column-stochastic, m x k, a user of item v reports r with `P[r,v]`. An answer of a query with the
weights w is the mean of the *scores* z of all reports, where `sum_r P[r,v] z(r) = w_v`. So it is unbiased, and

    variance = sum_v f_v V[v] / n,   V[v] = sum_r P[r,v] z(r)^2 - w_v^2   for fixed items.

Which of all scores are taken, where there are more reports than items, a system says.
"""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.errors import InputError
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.problem.privacy import Privacy, loss_text
from mechdesign.rational import natural_log
from mechdesign.workloads.queries import PART_WEIGHTS, Queries
from mechdesign_catalog.randomizers.facts.rates import AnyRates, Rates
from mechdesign_catalog.randomizers.oracle import FrequencyOracle, Leaf, Users, Values, all_users, require_few
from mechdesign_catalog.randomizers.reports.contributions import Contribution, Multihot
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.report_schema import Numbers, ReportSchema
from mechdesign_catalog.randomizers.reports.reports import (
    Column,
    ReportLaw,
    State,
    counted,
)

TIGHT = 1e-6

CANCELLED = 1e-3
"""Part of its second moment below which a variance is not taken as a difference."""


class Choice(Leaf, FrequencyOracle):
    """One of m numbers, each with a chance that hangs on the own item; the server counts each."""

    number: ClassVar[str] = "item"
    """What a report is the number of."""

    row_bytes: ClassVar[int] = 24
    can_simulate_sums: ClassVar[bool] = True
    score_is_reached: ClassVar[bool] = True

    @property
    def outputs(self) -> int:
        """m, the number of different reports: one for each item, unless the system says otherwise."""
        return self.k

    @cached_property
    def report_schema(self) -> ReportSchema:
        """The column of its reports: the number."""
        return ReportSchema((Numbers(self.number, self.outputs),))

    @cached_property
    def contribution(self) -> Contribution:
        """What each user adds to the sums: a 1 at the reported number."""
        return Multihot(self.outputs, name=f"{self.number}s")

    def sums_of(self, columns: Sequence[Column]) -> Values:
        """Count each number."""
        return counted(columns[0], self.outputs)


class MatrixChoice(Choice):
    """One of m numbers by a written matrix P; a subclass says the scores of reports."""

    rated: ClassVar[str]
    """What messages call the numbers whose rates are out of range."""

    @property
    @abstractmethod
    def mechanism(self) -> Mechanism | RowMechanism:
        """The mechanism P."""

    @abstractmethod
    def scores_of(self, weights: Floats) -> Floats:
        """Return the score of each report for queries with these weights, shape (q, k); shape (q, m)."""

    @property
    @abstractmethod
    def items_spread(self) -> Floats:
        """The variance V of one report's score for each item's share (rows) and each item of a user, shape (k, k)."""

    def spread(self, weights: Floats) -> Floats:
        """Compute the variance of one report's scores for each query, weights of shape (q, k), and each item.

        It is the second moment less the squared weight, both about the query's mean weight. Where these nearly cancel,
        as for large epsilon, the mean square of what a score is off is summed up by itself.
        """
        means = weights.mean(axis=1, keepdims=True)
        scores = self.scores_of(weights)
        seconds = (scores - means) ** 2 @ self.chances
        found: Floats = seconds - (weights - means) ** 2
        queries, items = np.nonzero(found <= CANCELLED * seconds)
        step = max(1, PART_WEIGHTS // self.outputs)
        for start in range(0, len(queries), step):
            at = queries[start : start + step], items[start : start + step]
            found[at] = ((scores[at[0]] - weights[at][:, None]) ** 2 * self.chances[:, at[1]].T).sum(axis=1)
        return found

    @cached_property
    def chances(self) -> Floats:
        """`P[r,v]` in the nearest floats, shape (m, k)."""
        return self.mechanism.matrix()

    @property
    def spends_whole_epsilon(self) -> bool:
        """Whether all of the claim is spent: not where more is claimed than the matrix loses."""
        return self.privacy.epsilon + natural_log(self.alpha) <= TIGHT

    def honest_rates(self, state: State) -> Iterator[AnyRates]:
        """Yield the rates of the numbers: the least and the largest entry of each row."""
        yield Rates.of(self.rated, state.sums, state.users, self.chances.min(axis=1), self.chances.max(axis=1))

    def require_estimable(self, queries: Queries) -> None:
        """Refuse queries that no report tells the answer of: on another number of items, or as the system says.

        Raises:
            InputError: saying which.
        """
        self.require_own(queries)

    def query_parts(self, queries: Queries) -> Iterator[Floats]:
        """Yield the weights of queries, so many at once that neither they nor the scores of reports take much room."""
        step = max(1, PART_WEIGHTS // max(self.k, self.outputs))
        for start in range(0, len(queries), step):
            yield queries[start : start + step].weights()

    def variance(self, frequencies: Floats, users: Users) -> Floats:
        """Compute the exact variance of each item's estimate."""
        return self.items_spread @ np.asarray(frequencies, dtype=np.float64) / all_users(users)

    def estimated_variance(self, estimates: Floats, users: Users) -> Floats:
        """Estimate the variance from unclipped estimates, and bring it between that of the best and the worst item.

        The variance is linear in all shares, so at unclipped estimates it is unbiased; clipped ones would add up to far
        more than 1. It is between those bounds whatever the shares are: above 0, and for GRR's matrix what `Grr` has.
        """
        return between(self.items_spread, estimates) / all_users(users)

    def answer_variance(self, queries: Queries, frequencies: Floats, users: Users) -> Floats:
        """Compute the exact variance of each answer, but for rounding; errors as `require_estimable`."""
        shares = np.asarray(frequencies, dtype=np.float64)
        self.require_estimable(queries)
        found = [between(self.spread(weights), shares) for weights in self.query_parts(queries)]
        return np.concatenate([np.zeros(0), *found]) / all_users(users)

    def estimated_answer_variance(self, queries: Queries, estimates: Floats, users: Users) -> Floats:
        """Estimate the variance of each answer from unclipped estimates of the shares, as `estimated_variance` does."""
        return self.answer_variance(queries, estimates, users)

    def unbounded_variance(self, queries: Queries, estimates: Floats, users: Users) -> Floats:
        """Average the variances of the items at estimates of the shares; errors as `require_estimable`."""
        self.require_estimable(queries)
        found = [self.spread(weights) @ estimates for weights in self.query_parts(queries)]
        return np.concatenate([np.zeros(0), *found]) / all_users(users)

    def approximate_variance(self, users: int) -> float:
        """Return the mean variance over all pairs of an item and another one that a user has."""
        spread = self.items_spread
        return float(spread.sum() - np.trace(spread)) / (self.k * (self.k - 1) * users)

    def simulate_sums(self, counts: Values, generator: np.random.Generator) -> State:
        """Draw the server's state: one multinomial for each item."""
        chances = (self.chances / self.chances.sum(axis=0)).T
        sums = generator.multinomial(np.asarray(counts, dtype=np.int64), chances).sum(axis=0)
        return State(self.parameters, int(counts.sum()), sums.astype(np.int64))

    def report_law(self) -> ReportLaw:
        """List every report's exact probability for every value; for few reports of few items."""
        require_few(self.outputs * self.k, self.name)
        return {(r,): tuple(self.mechanism.fraction(r, v) for v in range(self.k)) for r in range(self.outputs)}

    def highest_scores(self, weights: Floats) -> Floats:
        """Compute the largest score of a report."""
        found: Floats = self.scores_of(weights).max(axis=1)
        return found


def between(spread: Floats, shares: Floats) -> Floats:
    """Average the variances over the items by their shares, and bring them between the least and the largest.

    True shares do that by themselves.
    """
    return np.clip(spread @ shares, spread.min(axis=1), spread.max(axis=1))


def require_claim(privacy: Privacy, alpha: Fraction, what: str) -> None:
    """Refuse what loses more than is claimed of it.

    Raises:
        InputError: with both losses.
    """
    if not privacy.allows(alpha):
        raise InputError(f"{what} must have a loss of at most {privacy.epsilon_text(9)}, got {loss_text(alpha, 9)}")

"""Exchangeable oracles, which treat all items the same: consequences of moments, p and q."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mechdesign.workloads.queries import Queries
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.randomizers.facts.flat_variances import largest_at_uniform_shares, mean_at_uniform_shares
from mechdesign_catalog.randomizers.facts.liars import WorstBias, pull_of_bit
from mechdesign_catalog.randomizers.facts.moments import Moments
from mechdesign_catalog.randomizers.facts.rates import AnyRates, support_rates
from mechdesign_catalog.randomizers.oracle import FrequencyOracle, Leaf, Users, all_users
from mechdesign_catalog.randomizers.reports.contributions import BitVector, Contribution
from mechdesign_catalog.randomizers.reports.probabilities import Floats, Support
from mechdesign_catalog.randomizers.reports.reports import Constants, State, require_counts


class ExchangeableOracle(Leaf, FrequencyOracle, ABC):
    """The oracle that is the same under renamed items; variances follow from one user's scores.

    Users are independent, so the variance of an answer is that of one user's part, averaged over the users, over n.
    """

    @property
    @abstractmethod
    def moments(self) -> Moments:
        """Second moments of one user's scores."""

    @property
    def title(self) -> str:
        """The name with every option that is not the usual one for this k and privacy, as a command line has it."""
        usual = type(self)(self.k, self.privacy).parameters
        told = (f"{option}={value}" for option, value in self.parameters.items() if value != usual[option])
        return ":".join((self.name, *told))

    @property
    def decoder(self) -> str:
        """The inverse of p and q, and in answers to queries the known total, where scores leave it out (`Decoder`)."""
        return "inverse of p and q" + (", known total" if self.ignores_total else "")

    @property
    def ignores_total(self) -> bool:
        """Whether the scores of a report need not add up to one."""
        return self.moments.of_total(self.k) != 0

    def variance(self, frequencies: Floats, users: Users) -> Floats:
        """Compute the exact variance of each item's estimate; it depends on the item's own share alone."""
        return self.moments.items(np.asarray(frequencies, dtype=np.float64)) / all_users(users)

    def estimated_variance(self, estimates: Floats, users: Users) -> Floats:
        """Estimate the variance at the item's own estimate, taken as 0 below 0 and as 1 above 1."""
        return self.moments.items(np.clip(estimates, 0.0, 1.0)) / all_users(users)

    def answer_variance(self, queries: Queries, frequencies: Floats, users: Users) -> Floats:
        """Compute the exact variance of each answer, as `Moments.noise` says, over n."""
        return self._noise(queries, np.asarray(frequencies, dtype=np.float64)) / all_users(users)

    def estimated_answer_variance(self, queries: Queries, estimates: Floats, users: Users) -> Floats:
        """Estimate the variance of each answer: it is linear in the shares, so unclipped estimates leave it unbiased.

        It is brought between the least and the largest value that shares can give it.
        """
        return self._noise(queries, estimates) / all_users(users)

    def unbounded_variance(self, queries: Queries, estimates: Floats, users: Users) -> Floats:
        """Compute `Moments.noise` over n at estimates of the shares."""
        return self._unbounded_noise(queries, estimates) / all_users(users)

    def _noise(self, queries: Queries, shares: Floats) -> Floats:
        """Return the noise of each answer, at most one of rounding outside its bounds at true shares."""
        return np.clip(self._unbounded_noise(queries, shares), *self.moments.least_and_largest(queries))

    def _unbounded_noise(self, queries: Queries, shares: Floats) -> Floats:
        self.require_own(queries)
        return self.moments.noise(queries.sums, queries.squares, queries.apply(shares), queries.apply_squares(shares))

    def average_variance(self, workload: Workload, users: int, *, centred: bool = False) -> float:
        """Compute the mean of the variances of a workload's answers, where each item has the share 1/k.

        `centred` is for answers that use that the shares add up to one (`Decoder`).
        """
        return float(mean_at_uniform_shares(self.moments, workload, users, centred=centred))

    def largest_variance(self, workload: Workload, users: int, *, centred: bool = False) -> tuple[float, float | None]:
        """Return a value that the largest variance has at least, and a bound of it: equal where it is exact."""
        largest = largest_at_uniform_shares(self.moments, workload, users, centred=centred)
        return largest, largest

    def approximate_variance(self, users: int) -> float:
        """Compute the variance of a rare item."""
        return float(self.moments.other / users)


class PureOracle(ExchangeableOracle, ABC):
    """The oracle whose estimates follow from p and q alone."""

    @property
    @abstractmethod
    def support(self) -> Support:
        """Probabilities p and q."""

    @cached_property
    def contribution(self) -> Contribution:
        """What each user adds to the sums: a 1 at each supported item, if the system says no other."""
        return BitVector(self.k)

    def own_constants(self) -> Constants:
        """State p and q."""
        return {**self.support.texts}

    def honest_rates(self, state: State) -> Iterator[AnyRates]:
        """Yield the rates of the supports: p at the own item, q at any other."""
        yield support_rates("items", self.supports(state), state.users, self.support)

    def supports(self, state: State) -> NDArray[np.int64]:
        """Count the reports that support each item, shape (k,).

        Raises:
            InputError: for a state with another number of sums.
        """
        return self.sums_in(state)

    def estimate(self, state: State) -> Floats:
        """Estimate each item's share as `(S/n - q)/(p - q)`.

        Raises:
            InputError: for a state that is not this oracle's, or whose sums no reports add up to.
        """
        self.checked_state(state)
        return self.support.estimate(require_counts(self.supports(state), state.users), state.users)

    def highest_scores(self, weights: Floats) -> Floats:
        """Compute the largest score of a report: `1 - q` at what it supports and `-q` elsewhere, over `p - q`."""
        p, q = float(self.support.p), float(self.support.q)
        found: Floats = (self.heaviest_sets(weights) - q * weights.sum(axis=1)) / (p - q)
        return found

    def heaviest_sets(self, weights: Floats) -> Floats:
        """Compute the largest sum of weights of the items that one report supports: any set of items."""
        found: Floats = np.maximum(weights, 0.0).sum(axis=1)
        return found

    def worst_bias(self, liars: Fraction) -> WorstBias:
        """Compute the largest bias of an item's share, exactly: a report supports the item, or it does not."""
        return WorstBias(liars * pull_of_bit(self.support), is_exact=True)

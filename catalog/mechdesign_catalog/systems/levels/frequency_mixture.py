"""Frequency mixtures: shares of items from branches with oracles of their own."""

from fractions import Fraction
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np

from mechdesign.errors import InputError
from mechdesign.workloads.ordered import Histogram
from mechdesign.workloads.queries import Intervals
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.closed_forms.largest import Variance
from mechdesign_catalog.randomizers.facts.liars import WorstBias, worst_answer_bias
from mechdesign_catalog.randomizers.kernels.draws import words_of
from mechdesign_catalog.randomizers.mixture import Mixture
from mechdesign_catalog.randomizers.oracle import FrequencyOracle, Users, Values
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import State

USERS_AT_ONCE = 1 << 20


@runtime_checkable
class DrawsSums(Protocol):
    """An oracle that may draw a server's sums from their law, without a report of each user."""

    @property
    def can_simulate_sums(self) -> bool:
        """Whether it can, with these parameters."""

    def simulate_sums(self, counts: Values, generator: np.random.Generator) -> State:
        """Draw the server's state where `counts[v]` users have the item v."""


class FrequencyMixture(Mixture, FrequencyOracle):
    """A mixture of oracles of items, or of what each makes of them, that estimates shares."""

    can_simulate_sums: ClassVar[bool] = True
    equal_branches_by_remainder: ClassVar[bool] = False

    @property
    def inputs(self) -> Values:
        """All items."""
        return np.arange(self.k, dtype=np.int64)

    def simulate_sums(self, counts: Values, generator: np.random.Generator) -> State:
        """Draw the server's state where `counts[v]` users have the item v: the branches, then each one's sums.

        Sums are drawn from their law where they have one; else every user's report is, some at a time.
        """
        left, chance_left = np.asarray(counts, dtype=np.int64), Fraction(1)
        users, sums = [], []
        for branch, chance in enumerate(self.branch_chances):
            drawn = left if chance == chance_left else generator.binomial(left, float(chance / chance_left))
            left, chance_left = left - drawn, chance_left - chance
            users.append(int(drawn.sum()))
            sums.append(self._part_state(branch, drawn, generator).sums)
        return State(self.parameters, sum(users), np.concatenate([users, *sums]).astype(np.int64))

    def _part_state(self, branch: int, counts: Values, generator: np.random.Generator) -> State:
        """Draw the state of a branch where so many of its users have each item."""
        oracle = self.parts[branch]
        heard = self.encode(branch, self.inputs)
        of_heard = np.bincount(heard, weights=counts, minlength=oracle.k).astype(np.int64)
        if isinstance(oracle, DrawsSums) and oracle.can_simulate_sums:
            return oracle.simulate_sums(of_heard, generator)
        state = State(oracle.parameters, 0, np.zeros(oracle.contribution.length, dtype=np.int64))
        words, ends = words_of(generator), np.cumsum(of_heard)
        for start in range(0, int(ends[-1]), USERS_AT_ONCE):
            users = np.arange(start, min(start + USERS_AT_ONCE, int(ends[-1])))
            own = np.searchsorted(ends, users, side="right")
            state = state.merge(oracle.aggregate(oracle.privatize(own, words)))
        return state

    def worst_bias(self, liars: Fraction) -> WorstBias | None:
        """Compute the largest bias of an item's share, all levels together; None for very many items."""
        return worst_answer_bias(self, Histogram(self.k), liars)

    def at_equal_shares(self, users: int) -> Variance:
        """Return what computes the variance of answers where all items have the share 1/k."""
        shares = np.full(self.k, 1 / self.k)
        return lambda queries: self.answer_variance(queries, shares, users)

    def require_workload(self, workload: Workload) -> None:
        """Refuse a workload on another number of items.

        Raises:
            InputError: with both numbers.
        """
        if workload.k != self.k:
            raise InputError(f"workload must be on the {self.k} items of the oracle, got {workload.k}")

    def variance(self, frequencies: Floats, users: Users) -> Floats:
        """Compute the exact variance of each item's estimate."""
        return self.answer_variance(self._items, frequencies, users)

    def estimated_variance(self, estimates: Floats, users: Users) -> Floats:
        """Estimate the variance of each item's estimate."""
        return self.estimated_answer_variance(self._items, estimates, users)

    @property
    def _items(self) -> Intervals:
        items = np.arange(self.k, dtype=np.int64)
        return Intervals(self.k, items, items)

"""Hold what reports of a design for a workload tell: the answers to its queries, and to all that the rows tell."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mechdesign.documents.tabular import Table
from mechdesign.errors import InputError
from mechdesign.workloads.queries import LinearQueries, Queries
from mechdesign_catalog.collection.estimates.answering import AnswerEstimate
from mechdesign_catalog.collection.estimates.frequency_estimate import FrequencyEstimate
from mechdesign_catalog.collection.estimates.named_queries import NamedQueries
from mechdesign_catalog.collection.estimates.workload_queries import name_queries
from mechdesign_catalog.datasets.items.bins import ItemDomain
from mechdesign_catalog.oracles.kinds.workload_design import WorkloadOracle
from mechdesign_catalog.oracles.reports import State

MOST_QUERIES = 1 << 18
"""Queries of the workload that are answered at once."""


@dataclass(frozen=True, eq=False)
class WorkloadEstimate:
    """Hold the sums of reports of a design for a workload, and estimate answers from them, unbiased.

    Shares of items are among the answers only where the design tells them: `frequencies` has them then.
    """

    oracle: WorkloadOracle
    domain: ItemDomain
    state: State
    ordered: bool = False

    @classmethod
    def of(
        cls, oracle: WorkloadOracle, domain: ItemDomain, state: State, *, ordered: bool = False
    ) -> "WorkloadEstimate":
        """Take the server's sums; errors as `WorkloadOracle.answers` for no users or other sums."""
        oracle.answers(state, LinearQueries(np.ones((1, oracle.k))))
        return cls(oracle, domain, state, ordered)

    @property
    def users(self) -> int:
        """Number of users."""
        return self.state.users

    @property
    def queries(self) -> Queries:
        """The queries that the reports are designed for.

        Raises:
            InputError: for more than `MOST_QUERIES`; those that are wanted are answered by themselves.
        """
        workload = self.oracle.workload
        if workload.count > MOST_QUERIES:
            raise InputError(
                f"queries must be at most {MOST_QUERIES:,} to be answered together, got {workload.count:,} of "
                f"{workload.name}; ask for some of them"
            )
        return workload.queries()

    def answers(self, queries: Queries | None = None, level: float = 0.95) -> AnswerEstimate:
        """Answer linear queries, those of the workload if none are given, with standard errors at the estimated shares.

        A standard error that the reports leave open between two is the larger one; `least_errors` has the smaller.

        Raises:
            InputError: for queries that no reports tell, a level that is not in (0, 1), and as `queries`.
        """
        asked = self.queries if queries is None else queries
        shares = self.oracle.answers(self.state, asked)
        low, high = (np.sqrt(variance) for variance in self.oracle.told_variance(self.state, asked))
        return AnswerEstimate.of(shares, high, level, least=low)

    def named(self) -> NamedQueries:
        """Name the queries of the workload by the items that they ask for; errors as `queries`."""
        return name_queries(self.queries, self.domain)

    def tabulate(self, level: float = 0.95) -> Table:
        """Make a table of the queries of the workload with their answers."""
        named = self.named()
        return named.tabulate(self.answers(named.queries, level))

    @cached_property
    def told_items(self) -> Sequence[int]:
        """The items whose share the reports tell."""
        if self.oracle.tells_items:
            return range(self.oracle.k)
        found: list[int] = np.flatnonzero(~self.oracle.scores.missing(np.eye(self.oracle.k))).tolist()
        return found

    def item_answers(self, level: float = 0.95) -> AnswerEstimate:
        """Estimate the share of each of `told_items`."""
        return self.answers(LinearQueries(np.eye(self.oracle.k)[list(self.told_items)]), level)

    @cached_property
    def frequencies(self) -> FrequencyEstimate:
        """The shares of all items.

        Raises:
            InputError: where the reports do not tell some of them.
        """
        return FrequencyEstimate.of(self.oracle, self.domain, self.state, ordered=self.ordered)


def shares_of(found: FrequencyEstimate | WorkloadEstimate) -> FrequencyEstimate:
    """Return the shares of all items; errors as `WorkloadEstimate.frequencies`."""
    return found.frequencies if isinstance(found, WorkloadEstimate) else found

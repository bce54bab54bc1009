"""Reports of a design for a workload: the answers to its queries, and to all that the rows tell."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from mechdesign.documents.tabular import Table
from mechdesign.errors import InputError
from mechdesign.mechanism.notebook import one_line, page
from mechdesign.workloads.queries import LinearQueries, Queries, chosen_queries
from mechdesign_catalog.collection.estimates.frequency_estimate import FrequencyEstimate
from mechdesign_catalog.collection.estimates.named_queries import NamedQueries
from mechdesign_catalog.collection.estimates.workload_queries import name_queries
from mechdesign_catalog.datasets.items.bins import ItemDomain
from mechdesign_catalog.decoders.decoder import NORM
from mechdesign_catalog.decoders.estimate import INTERVALS, Estimate
from mechdesign_catalog.randomizers.reports.reports import State
from mechdesign_catalog.systems.designs.workload_design import WorkloadOracle

TOLD_ITEM_COLUMNS = ("estimate", "standard_error", *INTERVALS)

MOST_QUERIES = 1 << 18
"""Queries of the workload that are answered at once."""


@dataclass(frozen=True, eq=False, repr=False)
class WorkloadEstimate:
    """The sums of reports of a design for a workload, from which answers are estimated, unbiased.

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

    def __repr__(self) -> str:
        return one_line("WorkloadEstimate", f"{self.users} users", self.oracle.workload.name)

    def _repr_html_(self) -> str:
        return page("WorkloadEstimate", self.tabulate()._repr_html_())

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

    def answers(self, queries: Queries | None = None) -> Estimate:
        """Answer linear queries, those of the workload if none are given, with standard errors at the estimated shares.

        A standard error that the reports leave open between two is the larger one; `least_errors` has the smaller.

        Raises:
            InputError: for queries that no reports tell, and as `queries`.
        """
        asked = self.queries if queries is None else queries
        shares = self.oracle.answers(self.state, asked)
        low, high = (np.sqrt(variance) for variance in self.oracle.variance_bounds(self.state, asked))
        return Estimate(
            shares,
            shares,
            high,
            lambda rows: self.oracle.covariance_from_reports(self.state, chosen_queries(asked, rows)),
            NORM,
            least_errors=None if (low == high).all() else low,
        )

    def named(self) -> NamedQueries:
        """Name the queries of the workload by the items that they ask for; errors as `queries`."""
        return name_queries(self.queries, self.domain)

    def tabulate(self, level: float = 0.95) -> Table:
        """Make a table of the queries of the workload with their answers."""
        named = self.named()
        return self.answers(named.queries).named(named.names).tabulate(level)

    @cached_property
    def identified_items(self) -> Sequence[int]:
        """The items whose share the reports tell."""
        if self.oracle.identifies_items:
            return range(self.oracle.k)
        found: list[int] = np.flatnonzero(~self.oracle.scores.missing(np.eye(self.oracle.k))).tolist()
        return found

    def item_answers(self) -> Estimate:
        """Estimate the share of each of `identified_items`."""
        told = list(self.identified_items)
        found = self.answers(LinearQueries(np.eye(self.oracle.k)[told]))
        return replace(found, names={"item": [self.domain.items[item] for item in told]}, columns=TOLD_ITEM_COLUMNS)

    @cached_property
    def frequencies(self) -> FrequencyEstimate:
        """The shares of all items.

        Raises:
            InputError: where the reports do not tell some of them.
        """
        return FrequencyEstimate.of(self.oracle, self.domain, self.state, ordered=self.ordered)


def shares_of(estimate: FrequencyEstimate | WorkloadEstimate) -> FrequencyEstimate:
    """Return the shares of all items; errors as `WorkloadEstimate.frequencies`."""
    return estimate.frequencies if isinstance(estimate, WorkloadEstimate) else estimate

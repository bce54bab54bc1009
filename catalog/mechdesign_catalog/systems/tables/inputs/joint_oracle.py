"""Marginal tables from a frequency oracle on the joint domain.

The joint domain has all combinations of the attributes' items.

Every cell of a table is a group of `m` joint cells, one for each combination of the other attributes' items. Its score
is the sum of theirs, so a table of K cells is estimated as by an oracle on K items that has the moments of groups
(`Moments.of_groups`), and the estimated cells have the covariance `Moments.covariance(F) / n` at the true shares F.
"""

import math
from abc import ABC
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError
from mechdesign.machine import memory_limit, readable_bytes
from mechdesign.mechanism.sampling import WordSource
from mechdesign_catalog.decoders.tables.subsets import Shares, Subset, cell_numbers
from mechdesign_catalog.randomizers.exchangeable import PureOracle
from mechdesign_catalog.randomizers.facts.information import Information
from mechdesign_catalog.randomizers.facts.liars import MOST_PAIRS, AnswerPart, WorstBias, worst_bias_of_parts
from mechdesign_catalog.randomizers.facts.moments import Moments
from mechdesign_catalog.randomizers.facts.rates import AnyRates
from mechdesign_catalog.randomizers.oracle import MAX_ITEMS, MAX_LAW, Users, Values, all_users
from mechdesign_catalog.randomizers.reports.contributions import Contribution
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.report_schema import ReportSchema
from mechdesign_catalog.randomizers.reports.reports import (
    Constants,
    ReportLaw,
    Reports,
    State,
    require_counts,
    require_same,
)
from mechdesign_catalog.systems.attributes.marginal_oracle import LinearEstimator
from mechdesign_catalog.systems.attributes.sum_to_one import SumToOneTables
from mechdesign_catalog.systems.tables.marginal_base import MarginalBase

CELL_BYTES = 24
"""What a joint cell takes where tables are added up, beside the sums of the oracle."""


@dataclass(frozen=True)
class JointOracle(MarginalBase, ABC):
    """The system of a frequency oracle on the joint domain; a subclass says which.

    Raises:
        InputError: for a joint domain of more than 2^40 cells, and as `MarginalBase`.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.joint_cells > MAX_ITEMS:
            raise InputError(
                f"{self.name} must have at most 2^40 combinations of all attributes' items, got 2^"
                f"{math.log2(self.joint_cells):.1f} of {len(self.domains)} attributes; {OTHERS}"
            )

    combinator: ClassVar[str] = "joint domain"
    kind: ClassVar[type[PureOracle]]
    """What kind of oracle is on the joint domain."""

    @cached_property
    def flat(self) -> PureOracle:
        """The oracle on the joint domain, the last attribute changing fastest."""
        return self.kind(self.joint_cells, self.privacy)

    @property
    def parts(self) -> Sequence[PureOracle]:
        """The oracle on the joint domain alone."""
        return (self.flat,)

    @property
    def joint_cells(self) -> int:
        """Number of combinations of all attributes' items."""
        return math.prod(self.domains)

    @property
    def alpha(self) -> Fraction:
        """Exact alpha of the probabilities really used."""
        return self.flat.alpha

    @property
    def report_schema(self) -> ReportSchema:
        """The columns of its reports: those of the oracle on the joint domain."""
        return self.flat.report_schema

    @property
    def contribution(self) -> Contribution:
        """What each user adds to the sums: what the oracle on the joint domain adds."""
        return self.flat.contribution

    def own_constants(self) -> Constants:
        """State the oracle of all combinations of items."""
        return {"combinations": self.flat.constants_as_part}

    def honest_rates(self, state: State) -> Iterator[AnyRates]:
        """Yield the rates of the oracle on the joint domain."""
        yield from self.flat.honest_rates(State(self.flat.parameters, state.users, state.sums))

    @property
    def row_bytes(self) -> int:
        """Bytes that one report takes while it is made or read."""
        return self.flat.row_bytes + 8 * len(self.domains)

    @property
    def server_bytes(self) -> int:
        """Bytes that the server takes, however many users there are."""
        return self.flat.server_bytes + CELL_BYTES * self.joint_cells

    @property
    def adding_seconds(self) -> float:
        """Seconds of one core to add one report to the sums, on paper."""
        return self.flat.adding_seconds

    @property
    def time_class(self) -> str:
        """How time grows, client and server, where each of d attributes has r items."""
        return self.flat.time_class.replace("log k", "d").replace("k", "r^d")

    def privatize(self, values: Values, words: WordSource | None = None) -> Reports:
        """Make one report for each row of `values`, shape (users, d), of the combination of its items."""
        self.require_fit()
        joint = self._joint_values(self.checked(values))
        return Reports(self.parameters, self.flat.privatize(joint, words).columns)

    def aggregate(self, reports: Reports) -> State:
        """Add up these reports."""
        self.require_fit()
        require_same(self.parameters, reports.parameters, "reports")
        state = self.flat.aggregate(Reports(self.flat.parameters, reports.columns))
        return State(self.parameters, state.users, state.sums)

    def simulate_sums(self, values: Values, generator: np.random.Generator) -> State:
        """Draw the server's state for these users at once, by the law of the oracle's sums; for simulation only."""
        self.require_fit()
        counts = np.bincount(self._joint_values(self.checked(values)), minlength=self.joint_cells)
        return State(self.parameters, len(values), self.flat.simulate_sums(counts, generator).sums)

    def report_law(self) -> ReportLaw:
        """List every report's exact probability for every tuple, the last attribute changing fastest; if few."""
        try:
            return self.flat.report_law()
        except InputError:
            raise InputError(
                f"the law of {self.name} must have at most {MAX_LAW} reports to be listed, got more; "
                "take fewer attributes"
            ) from None

    def information(self) -> Information:
        """Compute the information of a report of the oracle on the joint domain."""
        return self.flat.information()

    @cached_property
    def raw(self) -> "JointTables":
        """The sums of the estimated joint cells, as published; their total need not be 1."""
        return JointTables(self)

    @cached_property
    def least_squares(self) -> LinearEstimator:
        """The same with the total set to 1: all joint cells vary alike."""
        return SumToOneTables(self.domains, self.raw)

    def supports(self, state: State) -> NDArray[np.int64]:
        """Count the reports that support each combination of items, shape (r_1 .. r_d)."""
        self.require_fit()
        own = State(self.flat.parameters, self.checked_state(state).users, state.sums)
        return require_counts(self.flat.supports(own), own.users).reshape(self.domains)

    def _joint_values(self, values: Values) -> Values:
        return cell_numbers(self.domains, tuple(range(len(self.domains))), values)

    def require_fit(self) -> None:
        """Refuse, before any work, a joint domain that is too large for this machine.

        Raises:
            InputError: with what it would take, and what serves.
        """
        needed, limit = self.row_bytes + self.server_bytes, memory_limit()
        if needed > limit:
            raise InputError(
                f"all combinations of the attributes' items must fit the memory ({readable_bytes(limit)} of it may be "
                f"used) for {self.name}, got {self.joint_cells} of {len(self.domains)} attributes, about "
                f"{readable_bytes(needed)}; {OTHERS}"
            )


OTHERS = "inpht, margps and calm need no table of all of them"


@dataclass(frozen=True, eq=False)
class JointTables(LinearEstimator):
    """Tables from supports of joint cells, added up to those of the tables' cells.

    With n users, m joint cells a cell, and S supports of a cell its share is estimated as `(S/n - m q) / (p - q)`.
    """

    title: ClassVar[str] = "inverse of p and q"

    oracle: JointOracle

    def estimate(self, state: State, subsets: Sequence[Subset]) -> list[Floats]:
        """Estimate the shares of each table's cells, shape (cells,) each."""
        supports = self.oracle.supports(state)
        return [self._shares(supports, subset, state.users) for subset in subsets]

    def covariance(self, subset: Subset, shares: Shares, users: Users) -> Floats:
        """Compute the exact covariance of a table's cells, shape (cells, cells), at these true shares."""
        return self._moments(subset).covariance(shares.table(subset)) / all_users(users)

    def least_variances(self, subset: Subset, users: Users) -> Floats:
        """Compute values above 0 that the variances do not go below: a cell is either a user's own or not."""
        moments = self._moments(subset)
        return np.full(self.oracle.cells(subset), float(min(moments.own, moments.other)) / all_users(users))

    def worst_bias(self, subset: Subset, liars: Fraction) -> WorstBias | None:
        """Compute the largest bias of a cell; None for very many cells and combinations of items."""
        return self.bias_of_sums(subset, np.eye(self.oracle.cells(subset)), liars)

    def cells_to_ask(self, subset: Subset) -> int:
        """Return the number of cells: hashes do not put all combinations of items into buckets alike."""
        return self.oracle.cells(subset)

    def bias_of_sums(self, subset: Subset, weights: Floats, liars: Fraction) -> WorstBias | None:
        """Compute the largest bias of some weighted sum of cells, each of which sums combinations of items."""
        if len(weights) * self.oracle.joint_cells > MOST_PAIRS:
            return None
        own = weights[:, self.oracle.cells_of_tuples(subset)]
        return worst_bias_of_parts([AnswerPart(Fraction(1), self.oracle.flat, own, own)], liars)

    def _moments(self, subset: Subset) -> Moments:
        return self.oracle.flat.moments.of_groups(self.oracle.joint_cells // self.oracle.cells(subset))

    def _shares(self, supports: NDArray[np.int64], subset: Subset, users: int) -> Floats:
        """Estimate from whole numbers until the last step: what all cells have in common is large, and cancels."""
        others = tuple(sorted(set(range(supports.ndim)) - set(subset)))
        counts = supports.sum(axis=others).reshape(-1)
        support = self.oracle.flat.support
        expected = users * (supports.size // len(counts)) * support.q
        whole = round(expected)
        found: Floats = ((counts - whole) - float(expected - whole)) / (users * float(support.p - support.q))
        return found

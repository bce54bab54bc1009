"""One-way tables, each from reports about it alone: the base of SPL, SMP and RS+FD.

Let `n_j` of the n users report attribute j. For users whose items are fixed, and f the attribute's true shares,

    Cov = N / n_j + n/(n-1) (1/n_j - 1/n) (diag(f) - f f^T),

N the covariance of the scores of one report, in the mean over all users. The second part is that of drawing `n_j` of n
users; it is 0 where everybody reports the attribute.
"""

from abc import abstractmethod
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from mechdesign.errors import NoAnswerError
from mechdesign_catalog.decoders.tables.subsets import Shares, Subset, checked_subset
from mechdesign_catalog.randomizers.exchangeable import PureOracle
from mechdesign_catalog.randomizers.facts.liars import AnswerPart, WorstBias, worst_bias_of_parts
from mechdesign_catalog.randomizers.facts.moments import Moments
from mechdesign_catalog.randomizers.oracle import Users
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import Constants, State, require_counts
from mechdesign_catalog.systems.attributes.marginal_oracle import MarginalOracle
from mechdesign_catalog.systems.attributes.sum_to_one import SumToOneTables


@dataclass(frozen=True)
class TupleOracle(MarginalOracle):
    """An oracle that reports attributes one by one: SPL, SMP, RS+FD. Its tables are those of single attributes."""

    summary: ClassVar[str]
    """What users report, in one line."""

    properties: ClassVar[str]
    """What is private, and through which oracles attributes go, in one line."""

    way: ClassVar[int] = 1
    time_class: ClassVar[str] = "N K"
    """K is the number of items of all attributes together."""

    @property
    @abstractmethod
    def parts(self) -> Sequence[PureOracle]:
        """The oracle that each attribute is reported through."""

    @abstractmethod
    def part_states(self, state: State) -> list[State]:
        """Return the state of each attribute's oracle, of a state of this one."""

    @abstractmethod
    def changed_alpha(self, attributes: Collection[int]) -> Fraction:
        """Compute the smallest `Pr[y|x] / Pr[y|z]` over reports y, tuples x, z that differ in these attributes only."""

    def checked_state(self, state: State) -> State:
        """Check that a state is of this oracle, and that its sums, which are all counts, are of its users."""
        state = super().checked_state(state)
        require_counts(state.sums, state.users)
        return state

    @property
    def encodings(self) -> tuple[str, ...]:
        """Name of the oracle that each attribute is reported through."""
        return tuple(part.name for part in self.parts)

    @property
    def moments(self) -> tuple[Moments, ...]:
        """Second moments of the scores of one report, for each attribute."""
        return tuple(part.moments for part in self.parts)

    def own_constants(self) -> Constants:
        """State the oracle of each attribute."""
        return {"attributes": [part.constants_as_part for part in self.parts]}

    def estimate(self, state: State, attributes: Sequence[int] | None = None) -> list[Floats]:
        """Estimate the shares of these attributes' items (of all if not given), each from the reports about it.

        Estimates are unbiased, not clipped and not rescaled.

        Raises:
            NoAnswerError: for an attribute that nobody reported.
        """
        states = self.part_states(state)
        asked = range(len(states)) if attributes is None else attributes
        require_reported(np.array([own.users for own in states]), asked)
        return [self.parts[j].estimate(states[j]) for j in asked]

    def variance(self, attribute: int, frequencies: Floats, users: int) -> Floats:
        """Compute the exact variance of one attribute's estimates; `frequencies` are its true shares.

        Users' items are fixed; which of them report the attribute, where not all do, is drawn.
        """
        return self.parts[attribute].variance(frequencies, users)

    def approximate_variance(self, attribute: int, users: int) -> float:
        """Compute the variance of a rare item of one attribute."""
        return self.parts[attribute].approximate_variance(users)

    def attribute_part(self, attribute: int, weights: Floats) -> AnswerPart:
        """Return what the reports of one attribute add to weighted sums of its items, shape (sums, items)."""
        return AnswerPart(Fraction(1), self.parts[attribute], weights, weights)

    @property
    def raw(self) -> "OneWayTables":
        """The estimates as published."""
        return OneWayTables(self)

    @property
    def least_squares(self) -> SumToOneTables:
        """The estimates with a total of 1: attributes are told apart from each other, so nothing else can disagree."""
        return SumToOneTables(self.domains, self.raw)


@dataclass(frozen=True)
class OneWayTables:
    """Tables of one attribute, estimated from the reports about it."""

    title: ClassVar[str] = "inverse of p and q"

    oracle: TupleOracle

    def estimate(self, state: State, subsets: Sequence[Subset]) -> list[Floats]:
        """Estimate the shares of each table's cells."""
        return self.oracle.estimate(state, [self._attribute(subset) for subset in subsets])

    def covariance(self, subset: Subset, shares: Shares, users: Users) -> Floats:
        """Compute the exact covariance of a table's cells, shape (cells, cells)."""
        j, table = self._attribute(subset), shares.table(subset)
        own, drawn = _reporters(users, j)
        found: Floats = self.oracle.moments[j].covariance(table) / own
        return found + drawn * (np.diag(table) - np.outer(table, table))

    def variances(self, subset: Subset, shares: Shares, users: Users) -> Floats:
        """Compute the diagonal of the covariance."""
        j, table = self._attribute(subset), shares.table(subset)
        own, drawn = _reporters(users, j)
        return self.oracle.moments[j].items(table) / own + drawn * table * (1 - table)

    def least_variances(self, subset: Subset, users: Users) -> Floats:
        """Compute the variance of the noise where it is least: every user has the item, or nobody."""
        j = self._attribute(subset)
        moments, (own, _) = self.oracle.moments[j], _reporters(users, j)
        return np.full(self.oracle.domains[j], float(min(moments.own, moments.other)) / own)

    def worst_bias(self, subset: Subset, liars: Fraction) -> WorstBias:
        """Compute the largest bias of a cell; all are alike."""
        cells = self.oracle.domains[self._attribute(subset)]
        return self.bias_of_sums(subset, np.eye(self.cells_to_ask(subset), cells), liars)

    def cells_to_ask(self, subset: Subset) -> int:
        """Return 1: all items of an attribute are alike."""
        return 1

    def bias_of_sums(self, subset: Subset, weights: Floats, liars: Fraction) -> WorstBias:
        """Compute the largest bias of some weighted sum of cells, for weights of the shape (sums, cells)."""
        return worst_bias_of_parts([self.oracle.attribute_part(self._attribute(subset), weights)], liars)

    def _attribute(self, subset: Subset) -> int:
        return checked_subset(subset, len(self.oracle.domains), 1)[0]


def _reporters(users: Users, attribute: int) -> tuple[float, float]:
    """Return how many report the attribute, and the factor of the part for drawing them of all users."""
    if not isinstance(users, np.ndarray):
        return float(users), 0.0
    require_reported(users, [attribute])
    own, everybody = float(users[attribute]), float(users.sum())
    return own, (everybody / own - 1) / max(1.0, everybody - 1)


def require_reported(users: Floats, attributes: Iterable[int]) -> None:
    """Refuse attributes that no user reported; `users` has the numbers of those who did, shape (d,).

    Raises:
        NoAnswerError: with the first of them.
    """
    for j in attributes:
        if not users[j]:
            raise NoAnswerError(
                f"each attribute must be reported by a user, got none for attribute {j + 1} of {len(users)} from "
                f"{users.sum():.0f}; collect more reports"
            )

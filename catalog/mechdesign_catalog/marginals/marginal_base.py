"""Hold what all oracles for marginal tables have: attributes, privacy, and the way of the tables, checked."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

from mechdesign.errors import InputError
from mechdesign_catalog.multidimensional.tables import Subset, cells_of, subsets_of
from mechdesign_catalog.multidimensional.tuples import TupleBase
from mechdesign_catalog.oracles.contributions import Contribution
from mechdesign_catalog.oracles.ragged import Ragged
from mechdesign_catalog.oracles.reports import AnyColumn, Column, Reports, State, require_same
from mechdesign_catalog.oracles.wire import Wire

MOST_SUBSETS = 1 << 20


@dataclass(frozen=True)
class MarginalBase(TupleBase, ABC):
    """Hold the attributes, the privacy, and the most attributes of a table; a subclass adds its further options.

    Raises:
        InputError: for a way that is not in 1..d, and as `TupleBase`.
    """

    way: int = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        d = len(self.domains)
        if isinstance(self.way, bool) or not isinstance(self.way, int) or not 1 <= self.way <= d:
            count, advice = (f"are {d} attributes", "") if d > 1 else ("is 1 attribute", f"; write {self.name}:k=1")
            raise InputError(f"k must be in 1..{d}, as there {count}, got k={self.way}{advice}")

    @property
    def title(self) -> str:
        """The name with the way of the tables."""
        return f"{self.name}:k={self.way}"

    @property
    def subsets(self) -> list[Subset]:
        """The subsets of `way` attributes, in lexicographic order."""
        return subsets_of(len(self.domains), self.way)

    def cells(self, subset: Subset) -> int:
        """Return the number of cells of a table."""
        return cells_of(self.domains, subset)

    def checked_state(self, state: State) -> State:
        """Check that a state is of this oracle, with at least one user."""
        require_same(self.parameters, state.parameters, "a state")
        if state.users < 1:
            raise InputError("a state must have at least one user, got none")
        return state

    @property
    @abstractmethod
    def wire(self) -> Wire:
        """The columns of its reports, as they travel."""

    @property
    @abstractmethod
    def contribution(self) -> Contribution:
        """What each user adds to the sums of a state."""

    def reports_of(self, *columns: AnyColumn) -> Reports:
        """Make reports of these columns, in the order and the types of the wire."""
        return self.wire.reports(self.parameters, *columns)

    def columns_of(self, reports: Reports) -> list[Column]:
        """Return the columns of reports that this oracle made, where all are arrays, each number in its range.

        Raises:
            InputError: for reports of another oracle, of other parameters or columns, or outside the report space.
        """
        return [column for column in self.wire.checked(reports, self.parameters) if not isinstance(column, Ragged)]

    def require_binary(self) -> None:
        """Refuse attributes that have more than two items.

        Raises:
            InputError: with the first of them.
        """
        for number, items in enumerate(self.domains, start=1):
            if items != 2:
                raise InputError(f"attributes must have 2 items for {self.name}, got {items} in attribute {number}")


def require_few_subsets(d: int, way: int) -> None:
    """Refuse more sets of 1 to `way` of d attributes than sums are kept for.

    Raises:
        InputError: with k and d.
    """
    subsets = 0
    for size in range(1, way + 1):
        subsets += math.comb(d, size)
        if subsets > MOST_SUBSETS:
            raise InputError(
                f"k must leave at most 2^20 sets of up to k attributes, got k={way} of {d} attributes; take a smaller "
                "k or fewer attributes"
            )

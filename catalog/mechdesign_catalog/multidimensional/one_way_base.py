"""Hold what SPL, SMP and RS+FD have in common: tables of single attributes, told by reports about each."""

from abc import abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError
from mechdesign_catalog.multidimensional.known_total import KnownTotal
from mechdesign_catalog.multidimensional.one_way import OneWayTables
from mechdesign_catalog.multidimensional.tuples import TupleBase
from mechdesign_catalog.oracles.contributions import Contribution, Together
from mechdesign_catalog.oracles.moments import Moments
from mechdesign_catalog.oracles.oracle import Users
from mechdesign_catalog.oracles.probabilities import Floats
from mechdesign_catalog.oracles.reports import (
    Constants,
    Parameters,
    Reports,
    State,
    require_counts,
    require_length,
    require_same,
)
from mechdesign_catalog.oracles.wire import ByteStrings, Wire, WireColumn


class AttributeOracle(Protocol):
    """An oracle that one attribute is reported through."""

    @property
    def name(self) -> str:
        """The name on the command line."""

    @property
    def parameters(self) -> Parameters:
        """Parameters that make the same oracle again."""

    @property
    def wire(self) -> Wire:
        """The columns of its reports, as they travel."""

    @property
    def contribution(self) -> Contribution:
        """What each user adds to the sums."""

    @property
    def moments(self) -> Moments:
        """Second moments of one user's scores of the items."""

    @property
    def constants_as_part(self) -> Constants:
        """The name, the number of items and the constants."""

    @property
    def bits(self) -> float:
        """Bits that one report costs to send."""

    @property
    def row_bytes(self) -> int:
        """Bytes that one report takes while it is made or read."""

    @property
    def server_bytes(self) -> int:
        """Bytes that the server takes."""

    @property
    def adding_seconds(self) -> float:
        """Seconds of one core to add one report to the sums, on paper."""

    def aggregate(self, reports: Reports) -> State:
        """Add up these reports."""


@dataclass(frozen=True)
class OneWayBase(TupleBase):
    """Set what follows for tables of single attributes; a subclass says through which oracle each is reported.

    The last sums of a state are those of all attributes in a row.
    """

    way: ClassVar[int] = 1

    @property
    @abstractmethod
    def parts(self) -> Sequence[AttributeOracle]:
        """The oracle that each attribute is reported through."""

    @property
    def encodings(self) -> tuple[str, ...]:
        """Name of the oracle that each attribute is reported through."""
        return tuple(part.name for part in self.parts)

    @property
    def moments(self) -> tuple[Moments, ...]:
        """Second moments of the scores of one report, for each attribute."""
        return tuple(part.moments for part in self.parts)

    @abstractmethod
    def estimate(self, state: State, attributes: Sequence[int] | None = None) -> list[Floats]:
        """Estimate the shares of these attributes' items (of all if not given), unbiased."""

    @abstractmethod
    def changed_alpha(self, attributes: Collection[int]) -> Fraction:
        """Compute the smallest `Pr[y|x] / Pr[y|z]` over tuples that differ in these attributes only."""

    @property
    def title(self) -> str:
        """The name."""
        return self.name

    @property
    def alpha(self) -> Fraction:
        """Exact alpha of the probabilities really used, over any two tuples."""
        return self.changed_alpha(range(len(self.domains)))

    @cached_property
    def wire(self) -> Wire:
        """The columns of its reports: those of all attributes, the column `item` of attribute 2 as `item_2`."""
        return joined_wires([kind.wire for kind in self.parts])

    @cached_property
    def contribution(self) -> Contribution:
        """What each user adds to the sums: what the oracle of each attribute adds."""
        return Together(tuple(kind.contribution for kind in self.parts))

    def own_constants(self) -> Constants:
        """State the oracle of each attribute."""
        return {"attributes": [kind.constants_as_part for kind in self.parts]}

    @property
    def bits(self) -> float:
        """Bits that one report costs to send: those of all attributes."""
        return sum(kind.bits for kind in self.parts)

    @property
    def row_bytes(self) -> int:
        """Bytes that one report takes while it is made or read."""
        return 16 * len(self.domains) + sum(kind.row_bytes for kind in self.parts)

    @property
    def server_bytes(self) -> int:
        """Bytes that the server takes, however many users there are."""
        return sum(kind.server_bytes for kind in self.parts)

    @property
    def adding_seconds(self) -> float:
        """Seconds of one core to add one report to the sums, on paper: every attribute's."""
        return sum(kind.adding_seconds for kind in self.parts)

    @property
    def time_class(self) -> str:
        """How time grows, client and server; K is the number of items of all attributes together."""
        return "N K"

    @property
    def raw(self) -> OneWayTables:
        """The estimates as published."""
        return OneWayTables(self)

    @property
    def least_squares(self) -> KnownTotal:
        """The estimates with a total of 1: attributes are told apart from each other, so nothing else can disagree."""
        return KnownTotal(self.domains, self.raw)

    @property
    def state_length(self) -> int:
        """Number of sums in a state: one for each item of each attribute."""
        return sum(self.domains)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where each attribute's items begin in sums that have all of them in a row."""
        return np.cumsum((0, *self.domains[:-1]), dtype=np.int64)

    def users_of(self, state: State) -> Users:
        """Return the number of users."""
        self.by_attribute(state)
        return state.users

    def planned_users(self, users: int) -> Users:
        """Return the number of users."""
        return users

    def chosen(self, attributes: Sequence[int] | None) -> Sequence[int]:
        """Return the attributes that are asked for: all if none are given."""
        return range(len(self.domains)) if attributes is None else attributes

    def by_attribute(self, state: State) -> list[NDArray[np.int64]]:
        """Return the sums of a state of this mechanism, one vector for each attribute.

        Raises:
            InputError: for a state of another one, of nobody, or with sums that no reports add up to.
        """
        require_same(self.parameters, state.parameters, "a state")
        if state.users < 1:
            raise InputError("a state must have at least one user, got none")
        sums = require_counts(require_length(state.sums, self.state_length), state.users)
        return np.split(sums[-sum(self.domains) :], self.starts[1:])

    def of_all(self, parts: Sequence[Reports]) -> Reports:
        """Put each attribute's reports of all users together."""
        return self.wire.reports(self.parameters, *(column for part in parts for column in part.columns.values()))

    def add_up(self, reports: Reports) -> State:
        """Add up reports of all attributes by each user.

        Raises:
            InputError: for reports of another mechanism, of other parameters, or with other columns.
        """
        require_same(self.parameters, reports.parameters, "reports")
        columns, sums = iter(self.wire.typed(reports).columns.values()), []
        for number, kind in enumerate(self.parts, start=1):
            own = {name: next(columns) for name in kind.wire.names}
            try:
                sums.append(kind.aggregate(Reports(kind.parameters, own)).sums)
            except InputError as error:
                raise InputError(f"{error}, of attribute {number}") from None
        return State(self.parameters, len(reports), np.concatenate(sums))


def joined_wires(wires: Sequence[Wire]) -> Wire:
    """Put the columns of several oracles together: the column `item` of the second becomes `item_2`.

    Raises:
        InputError: where one of them has byte strings.
    """
    found: list[WireColumn] = []
    for number, wire in enumerate(wires, start=1):
        for column in wire.columns:
            if isinstance(column, ByteStrings):
                raise InputError(f"wires must have no byte strings to be joined, got {column.name}")
            found.append(replace(column, name=f"{column.name}_{number}"))
    return Wire(tuple(found))

"""Sampled tables: each user reports the own cell of one table, by an oracle of its cells."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from mechdesign.errors import InputError
from mechdesign.machine import memory_limit, readable_bytes
from mechdesign.mechanism.sampling import WordSource
from mechdesign.rational import fraction_text
from mechdesign_catalog.decoders.tables.decomposition import cell_precision
from mechdesign_catalog.decoders.tables.subsets import Subset
from mechdesign_catalog.randomizers.exchangeable import ExchangeableOracle
from mechdesign_catalog.randomizers.oracle import Values
from mechdesign_catalog.randomizers.reports.reports import Constants, Reports, State
from mechdesign_catalog.systems.attributes.one_of_tables import OneOfTables
from mechdesign_catalog.systems.tables.marginal_base import MarginalBase
from mechdesign_catalog.systems.tables.sampling.pooled_tables import PooledTables

BYTES_OF_CELL = 64
"""What a cell takes where reports are made or added up, and its share estimated."""


@dataclass(frozen=True)
class SampledTables(OneOfTables, MarginalBase):
    """The own cell of the table of a drawn set of attributes, with the whole privacy budget.

    A subclass says which sets there are, and the oracle of so many cells. Every set is as likely. A report has the
    columns `set`, its number in the public list from 0, and `report`, the bytes of the oracle's report. A state has the
    number of users of each set, and then the sums of the oracle of each set.
    """

    branch_column: ClassVar[str] = "set"
    first_named: ClassVar[int] = 0
    time_class: ClassVar[str] = "N k + cells"
    """The tables have `cells` cells in all."""

    @property
    @abstractmethod
    def sets(self) -> Sequence[Subset]:
        """The sets of attributes; each `way` attributes must be together in one of them."""

    @abstractmethod
    def cell_oracle(self, cells: int) -> ExchangeableOracle:
        """Make the oracle for a table of so many cells; its scores must treat all cells alike."""

    @cached_property
    def parts(self) -> tuple[ExchangeableOracle, ...]:
        """The oracle of each set's table."""
        made = {cells: self.cell_oracle(cells) for cells in {self.cells(subset) for subset in self.sets}}
        return tuple(made[self.cells(subset)] for subset in self.sets)

    def branch_name(self, branch: int) -> str:
        """Name the attributes of a set, numbered from 1."""
        return f"the table of attributes {', '.join(str(i + 1) for i in self.sets[branch])}"

    def own_constants(self) -> Constants:
        """State the sets of attributes, each as likely, and the oracle of a table of so many cells.

        The precision is what a report weighs where several sets tell a table.
        """
        by_cells = {kind.k: kind for kind in self.parts}
        tables = [
            {**kind.constants_as_part, "precision": fraction_text(cell_precision(kind.moments, cells))}
            for cells, kind in sorted(by_cells.items())
        ]
        return {"sets": [list(attributes) for attributes in self.sets], "tables": tables}

    @property
    def server_bytes(self) -> int:
        """Bytes that the server takes, however many users there are."""
        return super().server_bytes + 32 * self.sums_length

    def privatize(self, values: Values, words: WordSource | None = None) -> Reports:
        """Make one report for each row of `values`, shape (users, d).

        Raises:
            InputError: for tables that do not fit the memory, and for items outside their domains.
        """
        self._require_memory()
        return super().privatize(values, words)

    def aggregate(self, reports: Reports) -> State:
        """Add up these reports, set by set.

        Raises:
            InputError: for tables that do not fit the memory, and for reports that are not this oracle's.
        """
        self._require_memory()
        return super().aggregate(reports)

    def _require_memory(self) -> None:
        cells, limit = sum(self.cells(subset) for subset in self.sets), memory_limit()
        if BYTES_OF_CELL * cells > limit:
            raise InputError(
                f"all tables must fit the memory ({readable_bytes(limit)} of it may be used) for {self.name}, got "
                f"{cells} cells, about {readable_bytes(BYTES_OF_CELL * cells)}; take fewer attributes or a smaller k"
            )

    @property
    def raw(self) -> PooledTables:
        """Each table by itself, from the sets that contain all of its attributes."""
        return PooledTables(self, agreeing=False)

    @property
    def least_squares(self) -> PooledTables:
        """Tables that agree: each component is averaged over all sets that tell it, and totals are 1."""
        return PooledTables(self, agreeing=True)

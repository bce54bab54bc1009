"""Marginal tables of users with several attributes, by the names of attributes and items."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mechdesign.documents.tabular import Table
from mechdesign.errors import InputError
from mechdesign.machine import memory_limit, readable_bytes
from mechdesign.mechanism.notebook import one_line, page
from mechdesign_catalog.datasets.attributes import Attributes
from mechdesign_catalog.decoders.estimate import Estimate, Rows
from mechdesign_catalog.decoders.tables.subsets import Subset, cells_of, checked_subset, subsets_of
from mechdesign_catalog.randomizers.reports.reports import State
from mechdesign_catalog.systems.attributes.marginal_oracle import MarginalOracle
from mechdesign_catalog.systems.tables.consistency.posts import DEFAULT_POST, find_post, table_source
from mechdesign_catalog.systems.tables.estimates import TableSource

COPIES = 5
"""Matrices as large as a table's covariance that are there while it is computed, at most."""


@dataclass(frozen=True, eq=False, repr=False)
class MarginalsEstimate:
    """The sums of all reports, from which the marginal tables of up to k attributes are estimated.

    k is the `way` of the oracle. Users' items are fixed: standard errors are of the reports' randomness alone.
    """

    oracle: MarginalOracle
    attributes: Attributes
    state: State

    def __repr__(self) -> str:
        return one_line("MarginalsEstimate", f"{self.users} users", ", ".join(self.attributes.names))

    def _repr_html_(self) -> str:
        return page("MarginalsEstimate", self.tabulate()._repr_html_())

    @property
    def users(self) -> int:
        """Number of users."""
        return self.state.users

    @property
    def fewest_users(self) -> int:
        """The least number of users who told the same thing, where users share out over tables or coefficients."""
        return int(np.min(self.oracle.users_of(self.state)))

    def source(self, post: str = DEFAULT_POST) -> TableSource:
        """Return all tables in the way that `post` names; errors as `table_source`."""
        name = find_post(post, self.oracle).name
        if name not in self._sources:
            self._sources[name] = table_source(self.oracle, self.state, name)
        return self._sources[name]

    @cached_property
    def _sources(self) -> dict[str, TableSource]:
        """Sources that were made before, as some take long."""
        return {}

    def subset(self, names: Iterable[str], post: str = DEFAULT_POST) -> Subset:
        """Return the numbers of attributes, rising; errors as `checked_names`."""
        return checked_names(self.oracle, self.attributes, names, post)

    def table(self, names: Iterable[str], post: str = DEFAULT_POST) -> Estimate:
        """Estimate the table of these attributes, in their order.

        Raises:
            InputError: for names of no attributes, an unknown `post`, more attributes than it has tables of (k, or all
                for max-entropy), or a table that does not fit the memory.
        """
        listed = list(names)
        subset = self.subset(listed, post)
        order = tuple(subset.index(self.attributes.place(name)) for name in listed)
        return self._named(self.source(post), [subset], order)[0]

    def tables(self, way: int | None = None, post: str = DEFAULT_POST) -> list[Estimate]:
        """Estimate all tables of so many attributes (k if not given), in lexicographic order.

        Raises:
            InputError: for a way that is not in 1..k, an unknown `post`, or tables that do not fit the memory.
        """
        most = self.oracle.way
        wanted = most if way is None else way
        if not 1 <= wanted <= most:
            raise InputError(f"way must be in 1..{most}, got {wanted}")
        source = self.source(post)
        subsets = subsets_of(len(self.attributes), wanted)
        return self._named(source, subsets, tuple(range(wanted)))

    def tabulate(self, level: float = 0.95, post: str = DEFAULT_POST) -> Table:
        """Make one table of all tables of k attributes: attribute_1, item_1, .., then what a single table has."""
        return tabulate(self.tables(post=post), level)

    def _named(self, source: TableSource, subsets: Sequence[Subset], order: tuple[int, ...]) -> list[Estimate]:
        """Name the tables of these subsets, whose attributes are put in this order."""
        require_tables_fit(self.attributes, subsets)
        named = []
        for subset, found in zip(subsets, source.tables(subsets), strict=True):
            attributes = self.attributes.taken([self.attributes.names[subset[i]] for i in order])
            names = dict(zip(attributes.names, zip(*attributes.cells(), strict=True), strict=True))
            named.append(found.taken(_places(self.attributes.sizes, subset, order)).named(names))
        return named


def require_tables_fit(attributes: Attributes, subsets: Sequence[Subset]) -> None:
    """Refuse to hold the covariances of so many tables, and some copies of the largest.

    Raises:
        InputError: with what they would take.
    """
    cells = [cells_of(attributes.sizes, subset) for subset in subsets]
    needed = 8 * (sum(count**2 for count in cells) + COPIES * max(cells) ** 2)
    if needed > memory_limit():
        limit = readable_bytes(memory_limit())
        raise InputError(
            f"tables with their covariances must fit the memory ({limit} of it may be used), got {len(cells)} of "
            f"up to {max(cells):,} cells, about {readable_bytes(needed)}; ask for smaller ones, or one by one"
        )


def tabulate(tables: Sequence[Estimate], level: float = 0.95) -> Table:
    """Make one table of tables of equally many attributes: attribute_1, item_1, .., then what a single table has."""
    columns: dict[str, list[object]] = {}
    for table in tables:
        names: dict[str, Sequence[str]] = {}
        for number, (name, items) in enumerate(table.names.items(), start=1):
            names |= {f"attribute_{number}": [name] * len(table), f"item_{number}": items}
        found = table.named(names).tabulate(level)
        for name, column in found.columns.items():
            columns.setdefault(name, []).extend(column)
    return Table(columns, found.common)


def checked_names(oracle: MarginalOracle, attributes: Attributes, names: Iterable[str], post: str) -> Subset:
    """Return the numbers of attributes of a table, rising.

    Raises:
        InputError: for an unknown attribute, one that stands twice, or more of them than `post` has tables of.
    """
    places = [attributes.place(name) for name in names]
    for place in places:
        if places.count(place) > 1:
            raise InputError(f"a marginal must be of different attributes, got {attributes.names[place]} twice")
    most = find_post(post, oracle).most_attributes(oracle)
    return checked_subset(tuple(sorted(places)), len(attributes), most)


def _places(sizes: Sequence[int], subset: Subset, order: tuple[int, ...]) -> Rows:
    """Return where the cells of a table stand when its attributes are in this order."""
    shape = [sizes[i] for i in subset]
    return np.arange(int(np.prod(shape)), dtype=np.int64).reshape(shape).transpose(order).reshape(-1)

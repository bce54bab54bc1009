"""Hold the estimated marginal tables of users with several attributes, by the names of attributes and items."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mechdesign.documents.tabular import Table
from mechdesign.errors import InputError
from mechdesign.machine import memory_limit, readable_bytes
from mechdesign_catalog.datasets.attributes import Attributes
from mechdesign_catalog.marginals.consistency.posts import DEFAULT_POST, find_post, table_source
from mechdesign_catalog.marginals.estimates import LinearTables, TableSource
from mechdesign_catalog.multidimensional.marginal_oracle import MarginalOracle
from mechdesign_catalog.multidimensional.tables import Subset, cells_of, checked_subset, subsets_of
from mechdesign_catalog.oracles.intervals import normal_intervals
from mechdesign_catalog.oracles.probabilities import Floats
from mechdesign_catalog.oracles.reports import State

NUMBERS = ("share", "standard_error", "low", "high", "estimate")
COPIES = 5
"""Matrices as large as a table's covariance that are there while it is computed, at most."""

TOLD = (*NUMBERS, "confidence", "post")


@dataclass(frozen=True, eq=False)
class NamedTable:
    """Hold one marginal table, its attributes in the order in which they were asked for; shape (cells,) each.

    `estimates` are unbiased, and standard errors and intervals are theirs; `shares` are what is told: the same, unless
    `post` made others of them. Of more than k attributes there are shares alone, the rest is NaN. The last attribute
    changes fastest.
    """

    attributes: Attributes
    shares: Floats
    estimates: Floats
    standard_errors: Floats
    covariance: Floats
    post: str
    unbiased: bool

    def cells(self) -> list[tuple[str, ...]]:
        """List the items of each cell."""
        return self.attributes.cells()

    @property
    def has_errors(self) -> bool:
        """Whether standard errors are known."""
        return not np.isnan(self.standard_errors).any()

    def intervals(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return confidence intervals for each cell by itself, around the unbiased estimates."""
        return normal_intervals(self.estimates, self.standard_errors, level)

    def numbers(self, level: float = 0.95) -> dict[str, list[float | None]]:
        """Return share, standard_error, low, high and estimate of each cell; None for what is not known."""
        low, high = self.intervals(level)
        columns = (self.shares, self.standard_errors, low, high, self.estimates)
        return {
            name: [None if np.isnan(number) else number for number in column.tolist()]
            for name, column in zip(NUMBERS, columns, strict=True)
        }

    def tabulate(self, level: float = 0.95) -> Table:
        """Make a table of it: a column for each attribute, then the numbers; a row for each cell.

        Raises:
            InputError: as `require_free_names`.
        """
        require_free_names(self.attributes.names)
        items = dict(zip(self.attributes.names, zip(*self.cells(), strict=True), strict=True))
        return Table({**items, **self.numbers(level)}, {"confidence": level, "post": self.post})


@dataclass(frozen=True, eq=False)
class MarginalsEstimate:
    """Hold the sums of all reports, from which the marginal tables of up to k attributes are estimated.

    k is the `way` of the oracle. Users' items are fixed: standard errors are of the reports' randomness alone.
    """

    oracle: MarginalOracle
    attributes: Attributes
    state: State

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

    def table(self, names: Iterable[str], post: str = DEFAULT_POST) -> NamedTable:
        """Estimate the table of these attributes, in their order.

        Raises:
            InputError: for names of no attributes, an unknown `post`, more attributes than it has tables of (k, or all
                for max-entropy), or a table that does not fit the memory.
        """
        listed = list(names)
        subset = self.subset(listed, post)
        order = tuple(subset.index(self.attributes.place(name)) for name in listed)
        return self._named(self.source(post), [subset], order)[0]

    def tables(self, way: int | None = None, post: str = DEFAULT_POST) -> list[NamedTable]:
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

    @cached_property
    def _unbiased(self) -> LinearTables:
        return LinearTables(self.oracle, self.state)

    def _named(self, source: TableSource, subsets: Sequence[Subset], order: tuple[int, ...]) -> list[NamedTable]:
        """Name the tables of these subsets, whose attributes are put in this order."""
        require_tables_fit(self.attributes, subsets)
        told = source.tables(subsets)
        named = []
        for found in told:
            estimates = found.shares if source.unbiased else self._beneath(found.subset)
            places = _places(self.attributes.sizes, found.subset, order)
            attributes = self.attributes.taken([self.attributes.names[found.subset[i]] for i in order])
            shares, unbiased, errors = (part[places] for part in (found.shares, estimates, found.standard_errors))
            covariance = found.covariance[np.ix_(places, places)]
            named.append(NamedTable(attributes, shares, unbiased, errors, covariance, source.post, source.unbiased))
        return named

    def _beneath(self, subset: Subset) -> Floats:
        """Unbiased estimates, which a table of more than k attributes has not: NaN."""
        if len(subset) > self.oracle.way:
            return np.full(cells_of(self.attributes.sizes, subset), np.nan)
        return self._unbiased.shares([subset])[0]


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


def tabulate(tables: Sequence[NamedTable], level: float = 0.95) -> Table:
    """Make one table of tables of equally many attributes: attribute_1, item_1, .., then what a single table has."""
    columns: dict[str, list[object]] = {}
    for table in tables:
        for number, (name, items) in enumerate(
            zip(table.attributes.names, zip(*table.cells(), strict=True), strict=True), start=1
        ):
            columns.setdefault(f"attribute_{number}", []).extend([name] * len(items))
            columns.setdefault(f"item_{number}", []).extend(items)
        for name, column in table.numbers(level).items():
            columns.setdefault(name, []).extend(column)
    return Table(columns, {"confidence": level, "post": tables[0].post})


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


def require_free_names(names: Iterable[str]) -> None:
    """Refuse attributes that would have the name of another column of their table in a file.

    Raises:
        InputError: with the first of them.
    """
    for name in names:
        if name in TOLD:
            raise InputError(
                f"an attribute of a table in a file must not be called {', '.join(TOLD)}, got {name}; a file of all "
                "tables has names in cells"
            )


def _places(
    sizes: Sequence[int], subset: Subset, order: tuple[int, ...]
) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """Return where the cells of a table stand when its attributes are in this order."""
    shape = [sizes[i] for i in subset]
    return np.arange(int(np.prod(shape)), dtype=np.int64).reshape(shape).transpose(order).reshape(-1)

"""Queries of a workload by the items of a domain, for tables of their answers."""

from collections.abc import Sequence

import numpy as np

from mechdesign.errors import InputError
from mechdesign.workloads.cells import Cells
from mechdesign.workloads.queries import Integers, Intervals, Queries, Rectangles
from mechdesign_catalog.collection.estimates.named_queries import BOTH_ENDS, ENDS, NamedQueries
from mechdesign_catalog.datasets.attributes import TUPLE
from mechdesign_catalog.datasets.items.bins import Grid, ItemDomain

TABLE_ENDS = ("first_row", "last_row", "first_column", "last_column")


def name_queries(queries: Queries, domain: ItemDomain) -> NamedQueries:
    """Name queries: ranges by their first and last items, single items by themselves, others by numbers.

    Rows and columns of a table, attributes and cells are numbered from 0 as in the workload, other queries from 1.
    Cells are named by items of attributes where the items of the domain are named as tuples of these.

    Raises:
        InputError: for queries on another number of items than the domain has.

    >>> from mechdesign.workloads.ordered import Prefixes
    >>> from mechdesign_catalog.datasets.items.domain import Domain
    >>> name_queries(Prefixes(2).queries(), Domain(("no", "yes"))).names
    {'first': ['no', 'no'], 'last': ['no', 'yes']}
    """
    if queries.k != domain.k:
        raise InputError(f"queries must be on the {domain.k} items of the domain, got queries on {queries.k}")
    return NamedQueries(_names(queries, domain), queries)


def _names(queries: Queries, domain: ItemDomain) -> dict[str, list[str]]:
    if isinstance(queries, Intervals):
        first, last = ([domain.items[item] for item in ends.tolist()] for ends in (queries.first, queries.last))
        return {"item": first} if (queries.first == queries.last).all() else dict(zip(ENDS, (first, last), strict=True))
    if isinstance(queries, Rectangles):
        ends = (queries.first_rows, queries.last_rows, queries.first_columns, queries.last_columns)
        if isinstance(domain, Grid) and domain.shape == queries.sides:
            sides = [domain.sides[0].items] * 2 + [domain.sides[1].items] * 2
            return {name: _labels(side, end) for name, side, end in zip(BOTH_ENDS, sides, ends, strict=True)}
        return {name: list(map(str, end.tolist())) for name, end in zip(TABLE_ENDS, ends, strict=True)}
    if isinstance(queries, Cells):
        cells = _items_of_cells(queries).tolist()
        if (items := _items_of_attributes(domain, queries.domains)) is not None:
            pairs = zip(queries.attributes.tolist(), cells, strict=True)
            named = [[items[i][item] for i, item in zip(attributes, cell, strict=True)] for attributes, cell in pairs]
        else:
            named = [list(map(str, cell)) for cell in cells]
        attributes = [TUPLE.join(map(str, row)) for row in queries.attributes.tolist()]
        return {"attributes": attributes, "cell": [TUPLE.join(cell) for cell in named]}
    return {"query": [str(number) for number in range(1, len(queries) + 1)]}


def _items_of_cells(queries: Cells) -> Integers:
    """Return the items of the table's attributes in each cell, the last attribute changing fastest."""
    found, rest = np.empty_like(queries.attributes), queries.numbers
    sizes = np.array(queries.domains, dtype=np.int64)[queries.attributes]
    for place in reversed(range(found.shape[1])):
        rest, found[:, place] = np.divmod(rest, sizes[:, place])
    return found


def _items_of_attributes(domain: ItemDomain, sizes: Sequence[int]) -> list[list[str]] | None:
    """Return the items of each attribute, where those of the domain are named as tuples of them; else None."""
    tuples = [item.split(TUPLE) for item in domain.items]
    places = np.indices(sizes).reshape(len(sizes), -1)
    if any(len(parts) != len(sizes) for parts in tuples):
        return None
    found = [[tuples[int(np.argmax(own == item))][i] for item in range(sizes[i])] for i, own in enumerate(places)]
    named = [[items[item] for items, item in zip(found, at, strict=True)] for at in places.T.tolist()]
    return found if named == tuples else None


def _labels(items: Sequence[str], places: Integers) -> list[str]:
    return [items[place] for place in places.tolist()]

"""Batches of cells of marginal tables, with answers from the shares of all tuples."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from mechdesign.arguments import parse_fields
from mechdesign.errors import InputError
from mechdesign.workloads.queries import (
    Floats,
    Indicators,
    Integers,
    fitting,
    frozen,
    integers_in_a_row,
    require_writable_matrix,
)

Domains = tuple[int, ...]
Subset = tuple[int, ...]

LONGEST_K = 1000
"""Bits of k up to which sizes of cells are floats."""


@dataclass(frozen=True, eq=False)
class Cells(Indicators):
    """Queries that sum all tuples of d attributes in a cell of a marginal table.

    Query i is the cell `numbers[i]` of the table of the attributes `attributes[i]`, which rise; all queries are of
    equally many attributes, shape (q, way). Tuples and cells are numbered with the last attribute changing fastest;
    k, the number of tuples, is the product of the domains.

    Raises:
        InputError: for attributes or cells that there are not; the query is named.
    """

    domains: Domains
    attributes: Integers
    numbers: Integers

    def __post_init__(self) -> None:
        """Check attributes and cells."""
        parse_fields(self)
        numbers = integers_in_a_row(self.numbers, "cells")
        attributes = np.asarray(self.attributes)
        if attributes.ndim != 2 or attributes.shape[0] != len(numbers) or attributes.dtype.kind not in "iu":
            raise InputError(f"attributes must be integers, q x way, got {attributes.dtype} of {attributes.shape}")
        object.__setattr__(self, "attributes", frozen(attributes.astype(np.int64, copy=False)))
        object.__setattr__(self, "numbers", numbers)
        d = len(self.domains)
        unknown = (self.attributes < 0).any(axis=1) | (self.attributes >= d).any(axis=1)
        unknown |= (np.diff(self.attributes, axis=1) <= 0).any(axis=1)
        if unknown.any():
            query = int(np.argmax(unknown))
            got = f"{self.attributes[query].tolist()} in query {query}"
            raise InputError(f"attributes of a table must be of 0..{d - 1}, rising, got {got}")
        outside = (numbers < 0) | (numbers >= self.table_cells)
        if outside.any():
            query = int(np.argmax(outside))
            got = f"{numbers[query]} in query {query}"
            raise InputError(f"a cell must be one of the table's {self.table_cells[query]}, counted from 0, got {got}")

    @property
    def k(self) -> int:
        """The number of tuples."""
        return prod(self.domains)

    @property
    def table_cells(self) -> Integers:
        """The number of cells of each query's table."""
        sizes: Integers = np.array(self.domains, dtype=np.int64)[self.attributes].prod(axis=1)
        return sizes

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self.numbers)

    def __getitem__(self, part: slice) -> "Cells":
        """Return some of the queries, in their order."""
        return Cells(self.domains, self.attributes[part], self.numbers[part])

    def apply(self, vector: Floats) -> Floats:
        """Return the sum over each cell, from the tables that are asked for."""
        values = fitting(vector, self.k)
        answers = np.empty(len(self))
        if not len(self):
            return answers
        subsets, table = np.unique(self.attributes, axis=0, return_inverse=True)
        tables = dict(table_sums(values, self.domains, list(map(tuple, subsets.tolist()))))
        sums = [tables[tuple(subset)] for subset in subsets.tolist()]
        starts = np.cumsum([0, *map(len, sums[:-1])])
        answers[:] = np.concatenate(sums)[starts[table.reshape(-1)] + self.numbers]
        return answers

    @property
    def sums(self) -> Floats:
        """The number of tuples in each cell.

        Raises:
            InputError: where the numbers of tuples are too large for floats.
        """
        k = self.k
        if k.bit_length() > LONGEST_K:
            raise InputError(
                f"tuples must be fewer than 2^{LONGEST_K} for sums of weights, got {len(self.domains)} attributes"
            )
        sizes: Floats = float(k) / self.table_cells
        return sizes

    def weights(self) -> Floats:
        """Return the zeros and ones, q x k."""
        require_writable_matrix(len(self), self.k)
        inside = np.ones((len(self), self.k), dtype=bool)
        rest, tuples, sizes = self.numbers, np.arange(self.k), np.array(self.domains)
        strides = np.array([prod(self.domains[i + 1 :]) for i in range(len(self.domains))])
        for attribute in self.attributes.T[::-1]:
            rest, item = np.divmod(rest, sizes[attribute])
            inside &= tuples // strides[attribute][:, None] % sizes[attribute][:, None] == item[:, None]
        return inside.astype(np.float64)


def table_sums(values: Floats, domains: Domains, subsets: Sequence[Subset]) -> Iterator[tuple[Subset, Floats]]:
    """Yield the marginal tables of different subsets of one size, with sums of the k values of all tuples.

    Attributes are kept or added up from the first to the last, and tables that begin alike share the sums, so that all
    tables of w of d binary attributes take about `2^(w+1) k` additions.
    """
    yield from _tables(values.reshape(1, -1), domains, 0, 0, list(subsets))


def _tables(
    sums: Floats, domains: Domains, attribute: int, chosen: int, subsets: list[Subset]
) -> Iterator[tuple[Subset, Floats]]:
    """Go on from sums of shape (cells of the `chosen` attributes so far, tuples of those from `attribute` on)."""
    if chosen == len(subsets[0]):
        yield subsets[0], sums.sum(axis=1)
        return
    split = sums.reshape(len(sums), domains[attribute], -1)
    kept = [subset for subset in subsets if subset[chosen] == attribute]
    others = [subset for subset in subsets if subset[chosen] != attribute]
    if kept:
        cells = split.reshape(-1, split.shape[2])
        yield from _tables(cells, domains, attribute + 1, chosen + 1, kept)
    if others:
        yield from _tables(split.sum(axis=1), domains, attribute + 1, chosen, others)

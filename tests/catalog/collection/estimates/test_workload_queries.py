"""Queries of every kind of workload are named by what they ask for."""

import numpy as np
import pytest

from mechdesign import InputError
from mechdesign.documents.workloads import parse_workload
from mechdesign.workloads.queries import LinearQueries
from mechdesign_catalog.collection.estimates.workload_queries import name_queries
from mechdesign_catalog.datasets.items.bins import parse_grid
from mechdesign_catalog.datasets.items.domain import Domain

ITEMS = Domain(tuple("abcdefgh"))


def named(text):
    return name_queries(parse_workload(text, 8).queries(), ITEMS).names


def test_ranges_are_named_by_their_ends_and_items_by_themselves():
    assert named("histogram") == {"item": list("abcdefgh")}
    assert named("ranges:7") == {"first": ["a", "b"], "last": ["g", "h"]}


def test_cells_have_the_items_of_their_attributes():
    """Held against the weights: an item is in the cell where its digits are those that are named."""
    queries = parse_workload("marginals:2", 8).queries()
    names = name_queries(queries, ITEMS).names
    for attributes, cell, weights in zip(names["attributes"], names["cell"], queries.weights(), strict=True):
        pairs = list(zip(map(int, attributes.split(" x ")), map(int, cell.split(" x ")), strict=True))
        inside = [all((item >> 2 - attribute) & 1 == bit for attribute, bit in pairs) for item in range(8)]
        assert weights.tolist() == inside


def test_cells_have_the_names_of_items_where_the_domain_has_tuples():
    tuples = Domain(("a x no", "a x yes", "b x no", "b x yes"))
    queries = parse_workload("marginals:1", 4).queries()
    assert name_queries(queries, tuples).names["cell"] == ["a", "b", "no", "yes"]
    turned = Domain(("a x no", "a x yes", "b x yes", "b x no"))
    assert name_queries(queries, turned).names["cell"] == ["0", "1", "0", "1"]


def test_rectangles_have_rows_and_columns_or_the_bins_of_both():
    queries = parse_workload("grid:2,4", 8).queries()
    wanted = [0, 0, 0, 0, 0, 1, 1, 0]
    (number,) = np.flatnonzero((queries.weights() == wanted).all(axis=1))
    plain = name_queries(queries, ITEMS).names
    assert {name: texts[number] for name, texts in plain.items()} == {
        "first_row": "1",
        "last_row": "1",
        "first_column": "1",
        "last_column": "2",
    }
    domain = parse_grid(["0:4:2", "0:8:2"])
    bins = name_queries(queries, domain).names
    ends = {"first_1": 1, "last_1": 1, "first_2": 1, "last_2": 2}
    sides = {name: domain.sides[int(name[-1]) - 1] for name in ends}
    assert {name: texts[number] for name, texts in bins.items()} == {
        name: sides[name].items[place] for name, place in ends.items()
    }


def test_other_queries_are_numbered():
    assert name_queries(LinearQueries(np.ones((2, 8))), ITEMS).names == {"query": ["1", "2"]}
    with pytest.raises(InputError, match="queries must be on the 8 items of the domain, got queries on 3"):
        name_queries(LinearQueries(np.ones((2, 3))), ITEMS)

"""Answers of reports of a design, errors at the estimated shares, and queries named by what they ask for."""

from fractions import Fraction

import numpy as np
import pytest
from row_designs import cyclic_oracle
from wording import refused

from mechdesign import InputError
from mechdesign.documents.workloads import parse_workload
from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.fixed_ranges import FixedRanges
from mechdesign.workloads.ordered import Histogram, Prefixes
from mechdesign.workloads.queries import LinearQueries
from mechdesign_catalog.collection.estimates.workload_estimate import WorkloadEstimate
from mechdesign_catalog.collection.estimates.workload_queries import name_queries
from mechdesign_catalog.datasets.items.bins import parse_grid
from mechdesign_catalog.datasets.items.domain import Domain
from mechdesign_catalog.systems import State
from mechdesign_catalog.systems.designs.workload_design import WorkloadOracle

CITIES = Domain(("Cork", "Galway", "Derry", "Sligo"))
PREFIXES = cyclic_oracle(4, Privacy(alpha="1/3"), (3, 1), (3, 1, 1, 2))
PAIRS = WorkloadOracle.of(
    RowMechanism(Fraction(1, 2), ("1100", "0110", "0011", "1001"), (1,) * 4, 6), FixedRanges(4, 2)
)
"""Rows of rank 3: every pair in a ring is told, no single item."""

FIRST = WorkloadOracle.of(RowMechanism(Fraction(1, 2), ("1000", "0111"), (1, 1), 3), Histogram(4))
"""Rows that tell the first item from the others, and these not apart."""


def estimate(oracle, sums):
    return WorkloadEstimate.of(oracle, CITIES, State(oracle.parameters, sum(sums), np.array(sums)))


def test_errors_are_those_at_the_estimated_shares_and_not_at_equal_ones():
    found = estimate(PREFIXES, (20, 3, 2, 7, 5, 1, 0, 4))
    answers = found.answers()
    shares = found.frequencies.estimates
    expected = PREFIXES.estimated_answer_variance(Prefixes(4).queries(), shares, 42)
    assert answers.standard_errors[:3] == pytest.approx(np.sqrt(expected[:3]), rel=1e-9)
    equal = np.sqrt(PREFIXES.answer_variance(Prefixes(4).queries(), np.full(4, 0.25), 42))
    assert (np.abs(answers.standard_errors[:3] / equal[:3] - 1) > 0.005).all()
    assert answers.shares == pytest.approx(np.cumsum(shares), abs=1e-12)
    assert answers.standard_errors[3] == pytest.approx(0, abs=1e-9)
    assert answers.least_errors is None


def test_items_are_told_where_they_can_be():
    assert list(estimate(PREFIXES, (1,) * 8).identified_items) == [0, 1, 2, 3]
    assert estimate(PAIRS, (5, 4, 3, 2)).identified_items == []
    assert len(estimate(PAIRS, (5, 4, 3, 2)).item_answers().shares) == 0
    found = estimate(FIRST, (50, 40))
    assert found.identified_items == [0]
    told = found.item_answers()
    assert told.shares.tolist() == pytest.approx([2 / 3])
    assert told.standard_errors[0] ** 2 == pytest.approx(2 / 90)
    with refused(InputError):
        _ = found.frequencies


def test_an_error_that_is_left_open_is_the_larger_one():
    found = estimate(PAIRS, (2, 2, 2, 2))
    answers = found.answers(LinearQueries(np.array([[3.0, 2.0, 1.0, 2.0], [1.0, 1.0, 0.0, 0.0]])))
    assert answers.least_errors[0] < answers.standard_errors[0]
    assert answers.least_errors[1] == answers.standard_errors[1]
    assert answers.intervals()[1][0] - answers.shares[0] == pytest.approx(
        1.959964 * answers.standard_errors[0], rel=1e-6
    )


def test_more_queries_than_are_answered_together_are_refused(monkeypatch):
    monkeypatch.setattr("mechdesign_catalog.collection.estimates.workload_estimate.MOST_QUERIES", 3)
    with refused(InputError, about="queries"):
        estimate(PREFIXES, (1,) * 8).answers()


def test_sums_of_nobody_are_refused():
    with refused(InputError):
        estimate(PREFIXES, (0,) * 8)


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
    with refused(InputError, about="queries"):
        name_queries(LinearQueries(np.ones((2, 3))), ITEMS)

"""Answers of reports of a design: standard errors at the estimated shares, and items only where they are told."""

from fractions import Fraction

import numpy as np
import pytest
from row_designs import cyclic_oracle

from mechdesign import InputError
from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.fixed_ranges import FixedRanges
from mechdesign.workloads.ordered import Histogram, Prefixes
from mechdesign.workloads.queries import LinearQueries
from mechdesign_catalog.collection.estimates.workload_estimate import WorkloadEstimate
from mechdesign_catalog.datasets.items.domain import Domain
from mechdesign_catalog.oracles import State
from mechdesign_catalog.oracles.kinds.workload_design import WorkloadOracle

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
    assert list(estimate(PREFIXES, (1,) * 8).told_items) == [0, 1, 2, 3]
    assert estimate(PAIRS, (5, 4, 3, 2)).told_items == []
    assert len(estimate(PAIRS, (5, 4, 3, 2)).item_answers().shares) == 0
    found = estimate(FIRST, (50, 40))
    assert found.told_items == [0]
    told = found.item_answers()
    assert told.shares.tolist() == pytest.approx([2 / 3])
    assert told.standard_errors[0] ** 2 == pytest.approx(2 / 90)
    with pytest.raises(InputError, match="got 3 of 4 items whose share no reports of a design for histogram tell"):
        _ = found.frequencies


def test_an_error_that_is_left_open_is_the_larger_one():
    found = estimate(PAIRS, (2, 2, 2, 2))
    answers = found.answers(LinearQueries(np.array([[3.0, 2.0, 1.0, 2.0], [1.0, 1.0, 0.0, 0.0]])))
    assert answers.least_errors[0] < answers.standard_errors[0]
    assert answers.least_errors[1] == answers.standard_errors[1]
    assert answers.high[0] - answers.shares[0] == pytest.approx(1.959964 * answers.standard_errors[0], rel=1e-6)


def test_more_queries_than_are_answered_together_are_refused(monkeypatch):
    monkeypatch.setattr("mechdesign_catalog.collection.estimates.workload_estimate.MOST_QUERIES", 3)
    with pytest.raises(InputError, match="queries must be at most 3 to be answered together, got 4 of prefixes"):
        estimate(PREFIXES, (1,) * 8).answers()


def test_sums_of_nobody_are_refused():
    with pytest.raises(InputError, match="at least one user"):
        estimate(PREFIXES, (0,) * 8)

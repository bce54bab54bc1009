"""Weights of rows, made whole: every item's probabilities sum to 1, and no row comes in."""

from fractions import Fraction

import numpy as np
import pytest

from mechdesign.certificate.row_designs.weights import exact_mechanism, pivots
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.workload_designs import design_workload
from mechdesign.workloads.fixed_ranges import FixedRanges
from mechdesign.workloads.ordered import Prefixes

ENTRY = 3.0


def shifts(k, *sizes):
    """The cyclic shifts of the first items, so many at a time."""
    return np.array([np.roll(np.arange(k) < size, shift) for size in sizes for shift in range(k)], dtype=np.uint8)


def even_weights(rows):
    return np.full(len(rows), 1 / (1 + (ENTRY - 1) * rows[:, 0].mean()) / len(rows))


@pytest.mark.parametrize("noise", [0.0, 1e-12, 1e-4], ids=["float", "rounded", "coarse"])
def test_weights_stay_near_and_sums_are_exact(noise):
    rows = shifts(6, 2, 3)
    weights = even_weights(rows) * (1 + noise * np.random.default_rng(5).standard_normal(len(rows)))
    problem = WorkloadProblem(Prefixes(6), alpha="1/3")
    made = exact_mechanism(problem, rows, weights)  # a mechanism refuses sums that are not 1
    assert sorted(made.rows) == sorted("".join(map(str, row)) for row in rows.tolist())
    found = {row: Fraction(weight, made.denominator) for row, weight in zip(made.rows, made.weights, strict=True)}
    for row, weight in zip(rows.tolist(), weights, strict=True):
        assert float(found["".join(map(str, row))]) == pytest.approx(weight, rel=40 * noise + 1e-12)


def test_a_singular_support_stays_one():
    """Few rows that do not span all groups: none is filled in."""
    rows = np.array([[1, 1, 0, 0], [0, 0, 1, 1]], dtype=np.uint8)
    made = exact_mechanism(WorkloadProblem(Prefixes(4), alpha="1/3"), rows, np.array([0.25 + 1e-13, 0.25]))
    assert set(made.rows) == {"1100", "0011"}
    assert made.weights == (1, 1)


def test_rows_that_stand_twice_are_joined_and_tiny_ones_left_out():
    rows = np.array([[1, 0], [1, 0], [0, 1], [1, 1]], dtype=np.uint8)
    made = exact_mechanism(WorkloadProblem(Prefixes(2), alpha="1/3"), rows, np.array([0.125, 0.125, 0.25, 1e-20]))
    assert (made.rows, made.weights, made.denominator) == (("01", "10"), (1, 1), 4)


def test_what_the_support_cannot_mend_is_filled_by_single_groups():
    """One row alone tells a group from the others: its weight has to be met by theirs."""
    rows = np.array([[1, 0, 0], [0, 1, 0]], dtype=np.uint8)
    made = exact_mechanism(WorkloadProblem(Prefixes(3), alpha="1/3"), rows, np.array([0.2, 0.2]))
    assert set(made.rows) == {"100", "010", "001"}
    assert len(set(made.weights)) == 1


def test_items_of_a_group_have_equal_letters():
    problem = WorkloadProblem(FixedRanges(5, 4), alpha="1/3")
    assert problem.merged.groups == ((0,), (1, 2, 3), (4,))
    made = exact_mechanism(problem, np.eye(3, dtype=np.uint8), np.full(3, 0.2))
    assert set(made.rows) == {"10000", "01110", "00001"}


def test_pivots_are_the_first_independent_columns():
    assert pivots(np.array([[1, 1, 0, 1], [0, 0, 0, 1], [1, 1, 0, 0]], dtype=np.uint8)) == [0, 3]


def test_tiny_weights_tell_nothing_that_no_query_asks():
    """Rows of 1e-9 told the share of one item with a standard error of 190 in reports for ranges of 3 of 8 items."""
    problem = WorkloadProblem(FixedRanges(8, 3), alpha="1/3")
    found = design_workload(problem)
    rows = np.vstack([np.ones((1, 8), dtype=np.uint8), found.mechanism.ones])
    assert len(pivots(rows)) == problem.merged.rank == 7
    assert min(found.mechanism.weights) > 1e-6 * max(found.mechanism.weights)


def test_tiny_weights_stay_where_queries_need_them():
    problem = WorkloadProblem(FixedRanges(4, 2), alpha="1/2")
    rows = np.array([[1, 1, 0, 0], [0, 0, 1, 1], [0, 1, 1, 0], [1, 0, 0, 1]], dtype=np.uint8)
    kept = exact_mechanism(problem, rows, np.array([1, 1, 1e-9, 1e-9]) / 3)
    assert kept.n_outputs == 4

"""Designs for workloads: their known values, what is refused, and what a search hands out that did not end."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from wording import refused

from mechdesign import (
    DesignProblem,
    InputError,
    NotCertifiedError,
    Privacy,
    WideGapError,
    WorkloadProblem,
    design,
    design_workload,
    parse_workload,
)
from mechdesign.methods.row_designs.programme import RowDual, RowProgramme, RowSolution
from mechdesign.workload_designs import certified_design
from mechdesign.workloads.matrix import MatrixWorkload
from mechdesign.workloads.ordered import Histogram, Prefixes

SCARCELY = Fraction(1, 10**8)

GOLDEN = [
    ("prefixes", 8, 1, "expected", 23.031368, 1e-6),
    ("prefixes", 8, 2, "expected", 4.3320, 1e-4),
    ("ranges", 8, 0.5, "expected", 605.08751, 1e-5),
    ("ranges:3", 8, 1, "expected", 23.24464, 1e-5),
    ("prefixes", 8, 1, "worst", 23.0523, 1e-4),
    ("marginals:2", 8, 2, "expected", 9.0349, 1e-4),
]


@pytest.mark.parametrize(("name", "k", "epsilon", "aggregate", "value", "near"), GOLDEN)
def test_the_optimum_has_its_known_value(name, k, epsilon, aggregate, value, near):
    found = design(WorkloadProblem(parse_workload(name, k), epsilon=epsilon, aggregate=aggregate))
    assert float(found.score) == pytest.approx(value, abs=near)
    assert 0 <= found.gap <= SCARCELY
    assert found.lower_bound <= found.score
    assert found.by_input.least <= found.by_input.mean <= found.by_input.largest
    assert found.floor <= found.lower_bound
    aimed = found.by_input.largest if aggregate == "worst" else found.by_input.mean
    assert found.score == pytest.approx(aimed, rel=1e-12)


def test_one_query_is_answered_by_randomised_response():
    """Four items, of which two are asked for together: two groups, and the variance of a coin."""
    asked = MatrixWorkload.of([[0, 1, 1, 0]])
    found = design(WorkloadProblem(asked, epsilon=1))
    assert float(found.score) == pytest.approx(0.92067, abs=1e-5)
    assert set(found.mechanism.rows) == {"0110", "1001"}


def test_a_histogram_is_subset_selection_with_no_gap():
    found = design(WorkloadProblem(Histogram(8), Privacy(epsilon=1).alpha))
    assert found.score == found.lower_bound
    assert 0 < design(WorkloadProblem(Histogram(8), epsilon=1)).gap < 1e-14
    assert {row.count("1") for row in found.mechanism.rows} == {2}
    assert found.by_input.least == found.by_input.largest


def test_the_worst_case_is_the_fixed_prior_optimum_at_its_own_prior():
    """The bound is that of a prior, and the mechanism's mean under that prior is the largest of its variances."""
    worst = design(WorkloadProblem(Prefixes(5), epsilon=1, aggregate="worst"))
    mean = design(WorkloadProblem(Prefixes(5), epsilon=1))
    assert mean.score < worst.lower_bound < worst.score <= mean.by_input.largest
    share = np.array(worst.certificate["prior"]) / sum(worst.certificate["prior"])
    assert share == pytest.approx(share[::-1], abs=1e-6)
    assert share[0] > 1.05 / 5
    assert worst.by_input.largest - worst.by_input.least < 1e-6


def test_a_design_is_the_same_each_time():
    first, second = (design(WorkloadProblem(Prefixes(6), epsilon=1)) for _ in range(2))
    assert (first.mechanism, first.certificate, first.score) == (second.mechanism, second.certificate, second.score)


PROBLEM = WorkloadProblem(Prefixes(6), epsilon=1)


@pytest.fixture(scope="module")
def narrow():
    return design(PROBLEM)


def test_a_gap_that_stays_wide_is_refused_with_both_numbers_and_the_design():
    with refused(WideGapError) as caught:
        design(PROBLEM, gap="1e-15", time_limit=1e-9)
    found = caught.value.design
    assert isinstance(caught.value, NotCertifiedError)
    assert "the time limit was reached" in str(caught.value)
    assert found.gap < 0.2
    assert found.floor > 0.999 * found.lower_bound or found.gap < 0.01  # never less than in closed form
    assert found.score >= found.lower_bound


def test_a_search_goes_on_from_a_design(narrow):
    """What was reached is not lost, even where the search that follows finds less."""
    again = design_workload(PROBLEM, start=narrow, gap="1e-7")
    assert again.score <= narrow.score
    assert again.lower_bound >= narrow.lower_bound


def test_the_optimum_is_not_far_above_its_bound_in_closed_form(narrow):
    assert 0.9 < narrow.floor / narrow.score < 1


REFUSED = {
    "gap-0": {"gap": 0},
    "gap-2": {"gap": 2},
    "outputs": {"outputs": 5},
    "outputs-bool": {"outputs": True},
    "method": {"method": "lp"},
    "exact": {"exact": True},
    "solver": {"solver": "cvxpy:SCS"},
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_go_with_a_workload_is_refused(case):
    arguments = REFUSED[case]
    with refused(InputError):
        design(PROBLEM, **arguments)


def test_what_is_a_workloads_does_not_go_with_a_square_design():
    with refused(InputError):
        design(DesignProblem(3, "1/2"), gap="1e-3")


@pytest.mark.parametrize("epsilon", ["13", "1e-5", "200"])
def test_an_epsilon_that_floats_do_not_carry_is_refused(epsilon):
    with refused(InputError, about="epsilon"):
        design(WorkloadProblem(Prefixes(4), epsilon=epsilon))


@pytest.mark.parametrize("weight", ["1e-99", "1e-6", "1e30"])
def test_weights_of_any_size_are_bounded_as_narrowly(weight):
    query = MatrixWorkload.of([[Fraction(weight), 0, Fraction(weight) / 2]], "one.csv")
    found = design(WorkloadProblem(query, alpha="1/3"))
    assert found.gap < SCARCELY
    assert found.score / Fraction(weight) ** 2 == pytest.approx(29 / 36, abs=1e-6)


@pytest.mark.parametrize("weight", ["1e-101", "1e61", "1e100"])
def test_weights_that_floats_do_not_carry_are_refused(weight):
    with refused(InputError):
        design(WorkloadProblem(MatrixWorkload.of([[Fraction(weight), 0]], "one.csv"), alpha="1/3"))


def test_more_groups_than_are_searched_are_refused():
    with refused(InputError):
        design(WorkloadProblem(Prefixes(257), epsilon=1))


def test_a_start_must_be_for_the_same_workload(narrow):
    with refused(InputError, about="start"):
        design(WorkloadProblem(Prefixes(6), epsilon=2), start=narrow)


def test_nothing_that_a_search_says_is_believed(narrow):
    """A dual that is none gives a poor bound, and rows that are few give an error; never a false design."""
    size = 6
    rows = np.array([[row[u] == "1" for u in range(size)] for row in narrow.mechanism.rows], dtype=np.uint8)
    weights = np.array([float(Fraction(w, narrow.mechanism.denominator)) for w in narrow.mechanism.weights])
    dual = RowDual(RowProgramme.of(PROBLEM), np.eye(size), np.zeros(size))
    lying = RowSolution(rows, 3 * weights, 0.1, dual, "a lie")
    found = certified_design(PROBLEM, lying, "lies")
    assert found.score == pytest.approx(narrow.score, rel=1e-9)
    assert found.lower_bound < narrow.lower_bound
    halves = np.array([[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]], dtype=np.uint8)
    with refused(NotCertifiedError):
        certified_design(PROBLEM, replace(lying, rows=halves, weights=np.full(2, 0.3)), "lies")


@pytest.mark.slow
def test_more_than_32_groups_are_bounded_by_the_relaxation():
    found = design(WorkloadProblem(Prefixes(34), epsilon=1), gap="0.02")
    assert found.certificate.kind == "relaxation"
    assert found.gap <= Fraction(2, 100)
    assert not found.has_exact_score


def test_a_search_begins_with_a_design_and_not_with_its_file():
    with refused(InputError, about="start"):
        design_workload(WorkloadProblem(Prefixes(3), alpha="1/3"), start="prefix3.json")

"""Designs for workloads: their known values, what is refused, and what a search hands out that did not end."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

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
from mechdesign.methods.row_designs.programme import FoundRows
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
    assert float(found.upper) == pytest.approx(value, abs=near)
    assert 0 <= found.gap <= SCARCELY
    assert found.lower <= found.upper
    assert found.by_input.least <= found.by_input.mean <= found.by_input.largest
    assert found.floor <= found.lower
    aimed = found.by_input.largest if aggregate == "worst" else found.by_input.mean
    assert found.upper == pytest.approx(aimed, rel=1e-12)


def test_one_query_is_answered_by_randomised_response():
    """Four items, of which two are asked for together: two groups, and the variance of a coin."""
    asked = MatrixWorkload.of([[0, 1, 1, 0]])
    found = design(WorkloadProblem(asked, epsilon=1))
    assert float(found.upper) == pytest.approx(0.92067, abs=1e-5)
    assert set(found.mechanism.rows) == {"0110", "1001"}


def test_a_histogram_is_subset_selection_with_no_gap():
    found = design(WorkloadProblem(Histogram(8), Privacy(epsilon=1).alpha))
    assert found.upper == found.lower
    assert 0 < design(WorkloadProblem(Histogram(8), epsilon=1)).gap < 1e-14
    assert {row.count("1") for row in found.mechanism.rows} == {2}
    assert found.by_input.least == found.by_input.largest


def test_the_worst_case_is_the_fixed_prior_optimum_at_its_own_prior():
    """The bound is that of a prior, and the mechanism's mean under that prior is the largest of its variances."""
    worst = design(WorkloadProblem(Prefixes(5), epsilon=1, aggregate="worst"))
    mean = design(WorkloadProblem(Prefixes(5), epsilon=1))
    assert mean.upper < worst.lower < worst.upper <= mean.by_input.largest
    share = np.array(worst.proof.prior) / sum(worst.proof.prior)
    assert share == pytest.approx(share[::-1], abs=1e-6)
    assert share[0] > 1.05 / 5
    assert worst.by_input.largest - worst.by_input.least < 1e-6


def test_a_design_is_the_same_each_time():
    first, second = (design(WorkloadProblem(Prefixes(6), epsilon=1)) for _ in range(2))
    assert (first.mechanism, first.proof, first.upper) == (second.mechanism, second.proof, second.upper)


PROBLEM = WorkloadProblem(Prefixes(6), epsilon=1)


@pytest.fixture(scope="module")
def narrow():
    return design(PROBLEM)


def test_a_gap_that_stays_wide_is_refused_with_both_numbers_and_the_design():
    with pytest.raises(
        WideGapError, match=r"gap 0\.\d+, asked 1e-15; the variance is 1\d\.\d+, no mechanism has less than 1\d\."
    ) as caught:
        design(PROBLEM, gap="1e-15", time_limit=0.01)
    found = caught.value.design
    assert isinstance(caught.value, NotCertifiedError)
    assert "the time limit was reached" in str(caught.value)
    assert found.gap < 0.2
    assert found.floor > 0.999 * found.lower or found.gap < 0.01  # never less than in closed form
    assert found.upper >= found.lower


def test_a_search_goes_on_from_a_design(narrow):
    """What was reached is not lost, even where the search that follows finds less."""
    again = design_workload(PROBLEM, start=narrow, gap="1e-7")
    assert again.upper <= narrow.upper
    assert again.lower >= narrow.lower


def test_the_optimum_is_not_far_above_its_bound_in_closed_form(narrow):
    assert 0.9 < narrow.floor / narrow.upper < 1


REFUSED = {
    "gap-0": ({"gap": 0}, r"gap must be in \(0, 1\), got gap=0"),
    "gap-2": ({"gap": 2}, r"gap must be in \(0, 1\), got gap=2"),
    "outputs": ({"outputs": 5}, r"outputs must be at least 6, the rank of the queries .* got outputs=5"),
    "outputs-bool": ({"outputs": True}, "outputs must be a whole number or None, got True"),
    "method": ({"method": "lp"}, "method does not go with the design of a workload"),
    "exact": ({"exact": True}, "exact does not go with the design of a workload"),
    "solver": ({"solver": "cvxpy:SCS"}, "solver does not go with the design of a workload"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_go_with_a_workload_is_refused(case):
    arguments, words = REFUSED[case]
    with pytest.raises(InputError, match=words):
        design(PROBLEM, **arguments)


def test_what_is_a_workloads_does_not_go_with_a_square_design():
    with pytest.raises(InputError, match="gap does not go with the design of a square mechanism"):
        design(DesignProblem(3, "1/2"), gap="1e-3")


@pytest.mark.parametrize("epsilon", ["13", "1e-5", "200"])
def test_an_epsilon_that_floats_do_not_carry_is_refused(epsilon):
    with pytest.raises(InputError, match=r"epsilon must be from 0\.0001 to 12 for a search in floats, got epsilon="):
        design(WorkloadProblem(Prefixes(4), epsilon=epsilon))


@pytest.mark.parametrize("weight", ["1e-99", "1e-6", "1e30"])
def test_weights_of_any_size_are_bounded_as_narrowly(weight):
    query = MatrixWorkload.of([[Fraction(weight), 0, Fraction(weight) / 2]], "one.csv")
    found = design(WorkloadProblem(query, alpha="1/3"))
    assert found.gap < SCARCELY
    assert found.upper / Fraction(weight) ** 2 == pytest.approx(29 / 36, abs=1e-6)


@pytest.mark.parametrize("weight", ["1e-101", "1e61", "1e100"])
def test_weights_that_floats_do_not_carry_are_refused(weight):
    with pytest.raises(InputError, match="weights of queries must have squares between 1e-200 and 1e120"):
        design(WorkloadProblem(MatrixWorkload.of([[Fraction(weight), 0]], "one.csv"), alpha="1/3"))


def test_more_groups_than_are_searched_are_refused():
    with pytest.raises(InputError, match="at most 256 groups of items apart for a search, got 257 of prefixes"):
        design(WorkloadProblem(Prefixes(257), epsilon=1))


def test_a_start_must_be_for_the_same_workload(narrow):
    with pytest.raises(InputError, match=r"start must be a design for LDP, k = 6.*got one for LDP, k = 6"):
        design(WorkloadProblem(Prefixes(6), epsilon=2), start=narrow)


def test_nothing_that_a_search_says_is_believed(narrow):
    """A dual that is none gives a poor bound, and rows that are few give an error; never a false design."""
    size = 6
    rows = np.array([[row[u] == "1" for u in range(size)] for row in narrow.mechanism.rows], dtype=np.uint8)
    weights = np.array([float(Fraction(w, narrow.mechanism.denominator)) for w in narrow.mechanism.weights])
    prior = np.full(size, 1 / size)
    lying = FoundRows(rows, 3 * weights, prior, np.eye(size), np.zeros(size), 0.1, "a lie")
    found = certified_design(PROBLEM, lying, "lies")
    assert found.upper == pytest.approx(narrow.upper, rel=1e-9)
    assert found.lower < narrow.lower
    halves = np.array([[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]], dtype=np.uint8)
    with pytest.raises(NotCertifiedError, match="tell enough"):
        certified_design(PROBLEM, replace(lying, rows=halves, weights=np.full(2, 0.3)), "lies")


@pytest.mark.slow
def test_more_than_32_groups_are_bounded_by_the_relaxation():
    found = design(WorkloadProblem(Prefixes(34), epsilon=1), gap="0.02")
    assert found.proof.kind == "relaxation"
    assert found.gap <= Fraction(2, 100)
    assert not found.is_exact


def test_a_search_begins_with_a_design_and_not_with_its_file():
    with pytest.raises(InputError, match=r"start must be a WorkloadDesign or None, got 'prefix3\.json'"):
        design_workload(WorkloadProblem(Prefixes(3), alpha="1/3"), start="prefix3.json")

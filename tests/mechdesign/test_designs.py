"""The heart: designs against golden values, closed forms, another solver, and every property subset."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from cases import GOLDEN, HARD, INFINITE_EPSILON, SKEWED, WM, require_certified
from hypothesis import given, settings
from hypothesis import strategies as st
from peer_lp import by_cvxpy
from wording import refused

from mechdesign import DesignProblem, InputError, LimitReachedError, Loss, NotCertifiedError, Prior, design
from mechdesign import designs as designing
from mechdesign.methods.plan import make_plan
from mechdesign.problem.properties import LATTICE, closure, ordered
from mechdesign.program.linear_program import build

CVXPY_AGREEMENT = 1e-6
SUBSETS = [frozenset(s) for k in range(8) for s in itertools.combinations(LATTICE, k)]


@pytest.mark.parametrize(("n", "alpha", "properties", "loss", "score"), GOLDEN)
def test_golden_scores(n, alpha, properties, loss, score):
    result = design(DesignProblem(n, alpha, properties=properties, loss=loss))
    require_certified(result)
    assert (result.score, result.lower_bound, result.status) == (score, score, "exact")


@pytest.mark.slow
@pytest.mark.parametrize(("n", "alpha", "loss"), [(4, "9/10", "L0"), (5, "1/10", "L1"), (4, "9/10", "L2")])
def test_all_128_subsets(n, alpha, loss):
    scores, peers = {}, {}
    for subset in SUBSETS:
        problem = DesignProblem(n, alpha, properties=subset, loss=loss)
        result = design(problem)
        require_certified(result)
        assert result.status == "exact"
        scores[subset] = result.score
        asked = closure(subset)
        if asked not in peers:
            peers[asked] = by_cvxpy(DesignProblem(n, alpha, properties=asked, loss=loss))
        assert float(result.score) == pytest.approx(peers[asked], abs=CVXPY_AGREEMENT)
    for subset in SUBSETS:
        assert all(scores[subset] <= scores[subset | {name}] for name in LATTICE)
        assert scores[subset] == scores[subset | {"S"}]


@pytest.mark.parametrize(
    ("loss", "free", "symmetric"),
    [("L0", "0.735", "0.798"), ("L1", "0.859", "1.074")],
)
def test_symmetry_costs_something_under_a_skewed_prior(loss, free, symmetric):
    def problem(properties):
        return DesignProblem(4, "7/10", properties=properties, loss=loss, prior=SKEWED)

    assert round(float(design(problem("none")).score), 3) == float(free)
    assert round(float(design(problem("S")).score), 3) == float(symmetric)


@pytest.mark.parametrize(("n", "alpha", "properties", "loss"), INFINITE_EPSILON)
def test_where_a_plain_solver_gives_infinite_epsilon(n, alpha, properties, loss):
    result = design(DesignProblem(n, alpha, properties=properties, loss=loss))
    require_certified(result)
    assert result.status == "exact"


@pytest.mark.slow
@pytest.mark.parametrize(("n", "alpha", "properties", "loss", "prior"), HARD)
def test_beyond_floating_point(n, alpha, properties, loss, prior):
    result = design(DesignProblem(n, alpha, properties=properties, loss=loss, prior=prior))
    require_certified(result)
    assert result.status == "exact"


@pytest.mark.parametrize("solver", ["cvxpy:CLARABEL", "cvxpy:SCS"])
@pytest.mark.parametrize(
    ("n", "alpha", "properties", "loss"), [(8, "9/10", WM, "L0"), (8, "9/10", "F", "L2"), (5, "1/10", "none", "L1")]
)
def test_another_solver_goes_through_the_same_certificate(solver, n, alpha, properties, loss):
    problem = DesignProblem(n, alpha, properties=properties, loss=loss)
    best, other = design(problem), design(problem, solver=solver)
    require_certified(other)
    assert other.lower_bound <= best.score <= other.score
    assert other.gap < Fraction(1, 10**10)


priors = st.one_of(
    st.just("uniform"),
    st.sampled_from(["binomial:1/3", "binomial:1/2", "binomial:1/100"]),
    st.lists(st.integers(0, 9), min_size=7, max_size=7),
)


@pytest.mark.slow
@settings(max_examples=30)
@given(
    st.integers(1, 6),
    st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50),
    st.sets(st.sampled_from(sorted(LATTICE))),
    st.sampled_from(["L0", "L1", "L2", "L3", "L0:1", "L1:2", "L0:9"]),
    priors,
)
def test_any_problem_is_solved_exactly(n, alpha, properties, loss, prior):
    if isinstance(prior, list):
        total = sum(prior[: n + 1]) + 1
        prior = Prior.from_weights([Fraction(w + (j == 0), total) for j, w in enumerate(prior[: n + 1])])
    problem = DesignProblem(n, alpha, properties=properties, loss=loss, prior=prior)
    result = design(problem)
    require_certified(result)
    assert result.status == "exact"
    largest = max(value for row in problem.loss.matrix(problem.size) for value in row)
    assert float(result.score) == pytest.approx(by_cvxpy(problem), abs=CVXPY_AGREEMENT * max(1, float(largest)))


@settings(max_examples=25)
@given(
    st.integers(1, 7),
    st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20),
    st.sets(st.sampled_from(sorted(LATTICE))),
    st.sampled_from(["L0", "L1", "L2", "L0:1"]),
)
def test_merging_rotations_changes_no_score(n, alpha, properties, loss):
    problem = DesignProblem(n, alpha, properties=properties, loss=loss)
    merged, plain = design(problem, method="symmetric"), design(problem, method="full")
    require_certified(merged)
    require_certified(plain)
    assert merged.score == plain.score
    if not properties & {"F", "S"}:
        assert build(problem).n_variables == (problem.size**2 + 1) // 2 < build(problem, symmetric=False).n_variables


def test_a_loss_matrix_may_be_anything_finite():
    loss = Loss.from_matrix(tuple(tuple(Fraction((3 * i - 2 * j) % 5 - 1, 3) for j in range(5)) for i in range(5)))
    problem = DesignProblem(4, "2/3", properties="CH", loss=loss, prior="binomial:1/3")
    result = design(problem)
    require_certified(result)
    assert float(result.score) == pytest.approx(by_cvxpy(problem), abs=CVXPY_AGREEMENT)


@pytest.mark.slow
def test_long_vertices_are_rounded_unless_asked_exactly():
    problem = DesignProblem(30, "373433/500000", properties=WM, loss="L7", prior="binomial:1/3")
    rounded, exact = design(problem), design(problem, exact=True)
    require_certified(rounded)
    require_certified(exact)
    assert (rounded.status, exact.status) == ("certified", "exact")
    assert exact.mechanism.denominator.bit_length() > 2048 > 300 > rounded.mechanism.denominator.bit_length()
    assert rounded.lower_bound <= exact.score < rounded.score
    assert rounded.gap < exact.score / 10**50


@pytest.mark.slow
def test_a_time_limit_is_kept():
    with refused(LimitReachedError):
        design(DesignProblem(96, "9/10", properties=WM), time_limit=1e-6)


def test_unknown_solvers():
    with refused(InputError, about="solver"):
        design(DesignProblem(2, "1/2"), solver="simplex")
    with refused(InputError):
        design(DesignProblem(2, "1/2"), solver="cvxpy:NOSUCH")
    with refused(InputError, about="solver"):  # before a word of a plan
        make_plan(DesignProblem(2, "1/2"), solver="simplex")


def test_a_useless_solver_gives_no_design(monkeypatch):
    from mechdesign.program.solvers import highs_
    from mechdesign.program.solvers.numeric import SolverResult, Status

    def useless(program, time_limit, presolve):
        return SolverResult(Status.OTHER, "gave up", np.empty(0), np.empty(0), None)

    monkeypatch.setattr(highs_, "solve", useless)
    with refused(NotCertifiedError):
        design(DesignProblem(4, "9/10", properties="F"), method="full")


def test_the_order_of_names():
    assert ordered({"S", "CM", "WH"}) == ("WH", "CM", "S")


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [("1/3", "1/2", "0.333334"), ("1/4", "1/2", "0.250000"), ("1/3", "3333334/10000000", "0.333333334")],
)
def test_a_number_below_another_is_rounded_up_and_stays_below(low, high, said):
    assert designing._between(Fraction(low), Fraction(high)) == said

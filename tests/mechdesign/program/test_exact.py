"""Vertex, refinement, pivots, repair and bound, each against something that knows nothing of them."""

import itertools
import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from cases import SKEWED, WM
from hypothesis import given, settings
from hypothesis import strategies as st
from wording import refused

from mechdesign import DesignProblem, Model, NotCertifiedError, design
from mechdesign.certificate.proof import dual_certificate, proved_loss
from mechdesign.designs import require_sound
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.methods.answer import GAP_LIMIT, is_wide_gap
from mechdesign.methods.lp.proof_of import prove
from mechdesign.problem.properties import LATTICE
from mechdesign.program.clock import Clock
from mechdesign.program.exact import pivots
from mechdesign.program.exact.exact_lp import ExactProgram, Residuals
from mechdesign.program.exact.forest import ForestBasis, SingularBasisError
from mechdesign.program.exact.numbers import exact_float, to_float, to_fraction
from mechdesign.program.exact.optimum import _from_basis, find_optimum
from mechdesign.program.exact.pivots import PivotLimitError, optimal_point
from mechdesign.program.exact.refinement import refined_program
from mechdesign.program.exact.repair import interior_matrix, repair
from mechdesign.program.exact.scaling import Scaling, numeric_program
from mechdesign.program.linear_program import build, geometric_basis
from mechdesign.program.solvers import highs_
from mechdesign.program.solvers.numeric import Basis, Status

PROBLEMS = [
    DesignProblem(6, "9/10", properties=WM),
    DesignProblem(5, "3/4", properties="F,RM", loss="L1"),
    DesignProblem(4, "7/10", properties="S,WH", loss="L2", prior=SKEWED),
    DesignProblem(7, "62/100", loss="L2"),
    DesignProblem(5, "3/4", loss="L1", aggregate="worst", properties="CM"),
    DesignProblem(6, "3/4", loss="L1", properties="OS:4/5"),
    DesignProblem(model=Model.ldp(6), alpha="2/3", loss="L1", properties="CH"),
    DesignProblem(model=Model.ldp(5), alpha="2/3", loss="L1", aggregate="worst", prior="uniform"),
    DesignProblem(model=Model.lldp(13, 5), alpha="2/3", loss="L2"),
    DesignProblem(model=Model.metric([[0, 2, 2], [2, 0, 3], [2, 3, 0]]), alpha="2/3", loss="L1"),
]


def dense_rows(exact, basis):
    """The tight rows, bounds and sums of a basis as a dense float system A x = b."""
    n, m = len(exact.cost), len(exact.upper)
    rows, rhs = [], []
    for v in range(n):
        if not basis.columns[v]:
            rows.append(np.eye(n)[v])
            rhs.append(to_float(exact.floor[v]))
    for e in range(m):
        if not basis.rows[e]:
            row = np.zeros(n)
            row[exact.upper[e]] += 1
            row[exact.lower[e]] -= to_float(exact.ratio[e])
            rows.append(row)
            rhs.append(0.0)
    for k, members in enumerate(exact.equations):
        if not basis.rows[m + k]:
            row = np.zeros(n)
            for v, coefficient in members:
                row[v] += to_float(coefficient)
            rows.append(row)
            rhs.append(to_float(exact.rhs[k]))
    return np.array(rows), np.array(rhs)


@pytest.mark.slow
@pytest.mark.parametrize("problem", PROBLEMS, ids=DesignProblem.describe)
def test_the_forest_solves_what_dense_linear_algebra_solves(problem):
    program = build(problem)
    exact = ExactProgram.of(program)
    basis = highs_.solve(numeric_program(program, Scaling(program))).basis
    point = ForestBasis(exact, basis).point()
    a, b = dense_rows(exact, basis)
    assert np.allclose(np.linalg.solve(a, b), [to_float(x) for x in point.x], atol=1e-9)
    reduced = exact.reduced_costs(point.row_dual, point.equation_dual)
    assert all(reduced[v] == 0 for v in range(len(reduced)) if basis.columns[v])
    assert all(dual == 0 for dual, basic in zip(point.row_dual, basis.rows, strict=False) if basic)
    primal = sum(c * x for c, x in zip(exact.cost, point.x, strict=True))
    floors = sum(r * f for r, f in zip(reduced, exact.floor, strict=True))
    assert primal == sum(r * y for r, y in zip(exact.rhs, point.equation_dual, strict=True)) + floors


def test_a_basis_with_an_unbalanced_cycle_is_zero_there():
    program = build(DesignProblem(1, "1/2"), symmetric=False)
    exact = ExactProgram.of(program)
    # P[0,0] = 1/2 P[0,1] and P[0,1] = 1/2 P[0,0] leave only zeros in row 0; row 1 is then free at both entries
    rows = list(zip(exact.upper, exact.lower, strict=True))
    basic = np.array([(u, v) not in {(0, 1), (1, 0)} for u, v in rows] + [False, False])
    point = ForestBasis(exact, Basis(np.ones(4, dtype=bool), basic)).point()
    assert [to_fraction(x) for x in point.x] == [0, 0, 1, 1]
    reduced = exact.reduced_costs(point.row_dual, point.equation_dual)
    assert not any(reduced)


def test_a_singular_basis_is_recognised():
    program = build(DesignProblem(2, "1/2"), symmetric=False)
    exact = ExactProgram.of(program)
    nothing_tight = Basis(np.ones(9, dtype=bool), np.array([True] * 12 + [False] * 3))
    with refused(SingularBasisError):
        ForestBasis(exact, nothing_tight)
    everything_tight = Basis(np.ones(9, dtype=bool), np.zeros(15, dtype=bool))
    with pytest.raises(SingularBasisError):
        ForestBasis(exact, everything_tight)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "alpha", "properties", "loss"),
    [(64, "1/2", WM, "L1"), (6, "0.999999999999", "none", "L2")],
)
def test_refinement_mends_a_basis_that_is_not_optimal(n, alpha, properties, loss):
    program = build(DesignProblem(n, alpha, properties=properties, loss=loss))
    exact, scaling = ExactProgram.of(program), Scaling(program)
    basis = highs_.solve(numeric_program(program, scaling)).basis
    assert Residuals.of(exact, ForestBasis(exact, basis).point()).errors > 0
    attempt = _from_basis(program, exact, scaling, highs_.solve, Clock(None), basis)
    assert (attempt.errors, "refinement rounds" in attempt.how) == (0, True)


def test_the_refined_program_of_an_optimal_vertex_has_nothing_to_do():
    program = build(PROBLEMS[0])
    exact, scaling = ExactProgram.of(program), Scaling(program)
    basis = highs_.solve(numeric_program(program, scaling)).basis
    point = ForestBasis(exact, basis).point()
    refined, primal, dual = refined_program(program, scaling, Residuals.of(exact, point), basis, 1)
    assert primal == dual == 1
    assert np.abs(highs_.solve(refined).solution[: program.n_variables]).max() < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("problem", PROBLEMS, ids=DesignProblem.describe)
def test_pivots_reach_the_optimum_from_a_distorted_basis(problem):
    program = build(problem)
    exact, scaling = ExactProgram.of(program), Scaling(program)
    scale = [exact_float(value) for value in scaling.scale.tolist()]
    best = highs_.solve(numeric_program(program, scaling)).basis
    truth = ForestBasis(exact, best).point()
    optimum = sum(c * x for c, x in zip(exact.cost, truth.x, strict=True))
    chance = random.Random(1)
    started = 0
    while started < 3:
        rows = best.rows.copy()
        tight = np.flatnonzero(~rows[: program.n_rows])
        loose = np.flatnonzero(rows[: program.n_rows])
        for row in chance.sample(tight.tolist(), 3):
            rows[row] = True
        for row in chance.sample(loose.tolist(), 3):
            rows[row] = False
        try:
            start = Basis(best.columns, rows)
            assert Residuals.of(exact, ForestBasis(exact, start).point()).errors > 0
        except SingularBasisError:
            continue
        started += 1
        point = optimal_point(exact, start, scale, pivots=500)
        assert Residuals.of(exact, point).errors == 0
        assert sum(c * x for c, x in zip(exact.cost, point.x, strict=True)) == optimum


def test_shifted_costs_and_bounds_make_the_start_feasible():
    program = build(DesignProblem(5, "3/4", loss="L2"))
    exact = ExactProgram.of(program)
    scale = [exact_float(value) for value in Scaling(program).scale.tolist()]
    start = geometric_basis(program)
    walker = pivots._Pivoting(exact, start, [*(scale[u] for u in exact.upper), *scale], 10, None)
    forest = ForestBasis(exact, start)
    assert min(pivots._prices(exact, forest, exact.cost)) < 0
    shifted = pivots._prices(exact, forest, pivots._shifted_cost(walker, forest))
    is_basic = walker.is_basic()
    assert all(price > 0 for price, basic in zip(shifted, is_basic, strict=True) if not basic)
    relaxed = pivots._relaxed_bounds(walker, forest, is_basic)
    values = pivots._values(exact, pivots._shifted_point(forest, relaxed))
    assert all(value + room >= 0 for value, room in zip(values, relaxed, strict=True))


def test_pivots_stop_at_their_cap():
    program = build(DesignProblem(8, "9/10", loss="L2"))
    exact = ExactProgram.of(program)
    scale = [exact_float(value) for value in Scaling(program).scale.tolist()]
    with pytest.raises(PivotLimitError):
        optimal_point(exact, geometric_basis(program), scale, pivots=1)


@pytest.fixture
def only_the_first_basis(monkeypatch):
    """No refinement, no pivots: what is left is repair and the safe bound."""
    from mechdesign.program.exact import optimum

    monkeypatch.setattr(optimum, "PIVOTS", ())
    monkeypatch.setattr(optimum, "REFINEMENT_ROUNDS", 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "alpha", "properties"), [(48, "1/10", "F,RM,CM"), (6, "0.999999999999", "F"), (6, "0.999999999999", "CM")]
)
@pytest.mark.usefixtures("only_the_first_basis")
def test_a_basis_that_is_not_optimal_is_repaired_and_bounded(n, alpha, properties):
    problem = DesignProblem(n, alpha, properties=properties, loss="L2")
    result = design(problem, method="full")
    require_sound(problem, result.mechanism)
    assert (result.status, result.how) == ("certified", "last basis")
    assert 0 < result.gap < result.score / 10**6


@pytest.mark.usefixtures("only_the_first_basis")
def test_a_gap_that_is_too_wide_is_no_certificate():
    with refused(NotCertifiedError):
        design(DesignProblem(6, "0.999999999999", loss="L2"), method="full")


@pytest.mark.slow
def test_a_gap_is_measured_against_the_score_however_small_the_score_is():
    """At alpha = 1e-30 the score is 2e-30: a gap of half of that is wide, though it is nothing beside 1."""
    result = design(DesignProblem(10, "1e-30", properties="F", loss="L2"))
    assert result.score < Fraction(1, 10**29)
    assert not is_wide_gap(result.problem, result.gap, result.score)
    assert is_wide_gap(result.problem, result.score / 2, result.score)
    assert not is_wide_gap(result.problem, result.score * GAP_LIMIT, result.score)


def test_the_geometric_basis_is_the_geometric_mechanism():
    program = build(DesignProblem(6, "2/3"))
    point = ForestBasis(ExactProgram.of(program), geometric_basis(program)).point()
    diagonal = [to_fraction(point.x[program.variable_of[i * 8]]) for i in range(7)]
    assert diagonal == [Fraction(3, 5), *[Fraction(1, 5)] * 5, Fraction(3, 5)]
    assert geometric_basis(build(DesignProblem(6, "2/3", properties="F"))) is None


def starting_bases(problem):
    """Whether each LP that the solver is given brings a basis, up to the first that it answers."""
    seen = []

    def solver(numeric, seconds):
        seen.append(numeric)
        return highs_.solve(numeric, seconds)

    program = build(problem)
    found = find_optimum(program, ExactProgram.of(program), solver, Clock(None), geometric_basis(program))
    assert found.is_exact
    return program, seen


@pytest.mark.parametrize("properties", [WM, "CH,S", "OS:1/2"])
def test_the_solver_starts_from_the_geometric_mechanism(properties):
    program, seen = starting_bases(DesignProblem(6, "9/10", properties=properties))
    start = geometric_basis(program)
    assert (seen[0].basis.columns == start.columns).all()
    assert (seen[0].basis.rows == start.rows).all()


@pytest.mark.parametrize(
    "problem",
    [
        DesignProblem(6, "9/10", properties="F", loss="L1"),
        DesignProblem(6, "9/10", properties="CM", aggregate="worst", loss="L1"),
        DesignProblem(model=Model.lldp(6, 2), alpha="9/10", loss="L1"),
    ],
)
def test_without_its_basis_the_solver_starts_from_nothing(problem):
    _, seen = starting_bases(problem)
    assert seen[0].basis is None


models = st.one_of(
    st.integers(1, 5).map(Model.count),
    st.integers(2, 6).map(Model.ldp),
    st.tuples(st.integers(4, 6), st.integers(1, 3)).map(lambda shape: Model.lldp(*shape)),
    st.just(Model.metric([[0, 2, 2], [2, 0, 3], [2, 3, 0]])),
    st.just(Model.metric([["0", "0.5", "1.25"], ["0.5", "0", "0.75"], ["1.25", "0.75", "0"]])),
)
problems = st.builds(
    lambda model, alpha, properties, aggregate: DesignProblem(
        model=model, alpha=alpha, properties=properties, aggregate=aggregate
    ),
    models,
    st.fractions(Fraction(1, 50), Fraction(999, 1000), max_denominator=1000),
    st.sets(st.sampled_from([*sorted(LATTICE), "OS:1/2", "OS:99/100"])),
    st.sampled_from(["expected", "worst"]),
)


@pytest.mark.slow
@settings(max_examples=40)
@given(problems, st.data())
def test_any_matrix_can_be_repaired(problem, data):
    entry = st.one_of(st.just(Fraction(0)), st.fractions(-1, 2, max_denominator=9))
    matrix = [[data.draw(entry) for _ in range(problem.size)] for _ in range(problem.size)]
    mechanism = Mechanism.from_weights(*repair(build(problem, symmetric=False), matrix, 64))
    require_sound(problem, mechanism)


def test_full_smoothness_is_repaired_to_the_uniform_matrix():
    problem = DesignProblem(3, "1/2", properties="OS:1")
    matrix = [[Fraction(int(i == j)) for j in range(4)] for i in range(4)]
    assert Mechanism.from_weights(*repair(build(problem), matrix, 64)) == Mechanism(((1,) * 4,) * 4, 4)
    assert design(problem, solver="cvxpy:CLARABEL").score == 1


def test_repairing_a_sound_matrix_changes_next_to_nothing():
    for problem in PROBLEMS:
        vertex = design(problem, method="full").mechanism
        rows = [[vertex.fraction(i, j) for j in range(problem.size)] for i in range(problem.size)]
        mended = Mechanism.from_weights(*repair(build(problem, symmetric=False), rows, 256))
        assert np.abs(mended.matrix() - vertex.matrix()).max() < 1e-15


@pytest.mark.parametrize("n", [1, 2, 3, 8, 15])
@pytest.mark.parametrize("alpha", ["1/100", "1/2", "999/1000"])
def test_the_interior_matrix_satisfies_every_row_strictly(n, alpha):
    program = build(DesignProblem(n, alpha, properties="RH,RM,CH,CM"), symmetric=False)
    matrix = interior_matrix(program)
    flat = [value for row in matrix for value in row]
    upper, lower = (nodes.tolist() for nodes in program.row_nodes)
    ratios = [program.ratios[k] for k in program.ratio_of.tolist()]
    assert all(flat[a] - ratio * flat[b] >= 1 for a, b, ratio in zip(upper, lower, ratios, strict=True))
    assert min(flat) > program.problem.alpha * max(flat)
    assert len({sum(column) for column in zip(*matrix, strict=True)}) == 1
    assert (n + 1) * matrix[0][0] > sum(row[0] for row in matrix)
    assert all(matrix[i][j] == matrix[n - i][n - j] for i in range(n + 1) for j in range(n + 1))


@pytest.mark.slow
@settings(max_examples=30)
@given(problems, st.sampled_from(["L0", "L1", "L2"]), st.integers(0, 10**6))
def test_any_multipliers_give_a_true_bound(shape, loss, seed):
    """The bound from noisy duals never exceeds the optimum, whatever the noise; from exact duals it is the optimum."""
    problem = DesignProblem(
        model=shape.model,
        alpha=shape.alpha,
        properties=shape.properties,
        loss=loss,
        aggregate=shape.aggregate,
        prior="uniform" if shape.is_worst_case else "binomial:1/3",
    )
    best = design(problem)
    problem = best.problem  # with alpha^unit of a metric enclosed as tightly as the bound needs it
    may_be_priced = (True, False) if problem.step.is_exact else (False,)
    program = build(problem)
    exact = ExactProgram.of(program)
    chance = random.Random(seed)
    point = ForestBasis(exact, highs_.solve(numeric_program(program, Scaling(program))).basis).point()

    def shaken(values):
        return [v + exact_float(chance.gauss(0, 0.01)) for v in values]

    noisy = type(point)(point.x, shaken(point.row_dual), shaken(point.equation_dual))
    for rounded, priced in itertools.product((True, False), may_be_priced):
        bound = proved_loss(problem, prove(program, exact, noisy, rounded=rounded, priced=priced))
        assert problem.rescaling * bound <= best.score
    if Residuals.of(exact, point).errors == 0:
        for priced in may_be_priced:
            bound = problem.rescaling * proved_loss(problem, prove(program, exact, point, rounded=False, priced=priced))
            gap = best.score - bound  # alpha^unit is enclosed until it is at most 1e-9 of the score
            assert bound == best.lower_bound or (best.gap and 0 <= gap <= Fraction(1, 10**9) * max(1, best.score))


def test_no_multipliers_prove_the_trivial_bound():
    assert proved_loss(DesignProblem(3, "1/2"), dual_certificate((), 1)) == 0


@pytest.mark.parametrize("properties", ["WH,CM", "F,CM"])
def test_a_program_that_takes_longer_than_a_moment_begins_again_and_ends_alike(monkeypatch, properties):
    program = build(DesignProblem(7, "9/10", properties=properties, loss="L1"))
    numeric = replace(numeric_program(program, Scaling(program)), basis=geometric_basis(program))
    here = highs_.solve(numeric)
    limits = []
    real = highs_._solved
    monkeypatch.setattr(
        highs_, "_solved", lambda p, limit, *how, **more: limits.append(limit) or real(p, limit, *how, **more)
    )
    monkeypatch.setattr(highs_, "MOMENT_SECONDS", 0.0)
    again = highs_.solve(numeric)
    assert limits == [0.0, np.inf]
    assert here.status is again.status is Status.OPTIMAL
    assert here.basis is not None
    assert again.basis is not None
    assert np.array_equal(here.basis.columns, again.basis.columns)
    assert np.array_equal(here.basis.rows, again.basis.rows)
    monkeypatch.undo()
    assert highs_.solve(numeric, time_limit=0.0).status is Status.TIME_LIMIT

"""Split-and-cut: against the linear program, in rationals, stopped anywhere, and broken on purpose."""

from dataclasses import replace
from fractions import Fraction
from itertools import chain

import numpy as np
import pytest
from cases import require_certified
from flint import fmpq_mat
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from wording import refused

from mechdesign import DesignProblem, InputError, LimitReachedError, Loss, Model, NotCertifiedError, Prior, design
from mechdesign.certificate.proof import proved_loss
from mechdesign.certificate.score import problem_loss
from mechdesign.designs import require_sound
from mechdesign.methods.plan import make_plan
from mechdesign.methods.split_and_cut import proof, small_program, solve, vertex
from mechdesign.methods.split_and_cut.generate import (
    TOLERANCE,
    Generated,
    Seen,
    _converge,
    _focus,
    _sharp,
    _worst,
    generate,
)
from mechdesign.methods.split_and_cut.runs import forest
from mechdesign.methods.split_and_cut.sharp import sharpened
from mechdesign.methods.split_and_cut.small_program import SmallProgram
from mechdesign.methods.split_and_cut.splits import Splits
from mechdesign.methods.split_and_cut.vertex import Duals, exact_vertex
from mechdesign.program.clock import Clock
from mechdesign.program.exact.exact_lp import ExactProgram, Residuals
from mechdesign.program.exact.forest import ForestBasis
from mechdesign.program.exact.numbers import Exact, to_exact
from mechdesign.program.exact.scaling import Scaling
from mechdesign.program.linear_program import build
from mechdesign.program.solvers.numeric import Basis

NAME = "split-and-cut"
LOPSIDED = Loss.from_matrix([[Fraction(abs(i - j) * (i + 1), 2) - Fraction(i, 3) for j in range(7)] for i in range(7)])
SKEWED = Prior.from_weights([Fraction(w, 20) for w in (0, 8, 5, 0, 4, 2, 1)])

CASES = [
    ("WH,CM", "L1", None),
    ("CH", "L2", None),
    ("RH,CM", "L1", None),
    ("WH,RM,CM", "L0", None),
    ("F,CM", "L1", None),
    ("F", "L0:1", None),
    ("RM,S", "L2", SKEWED),
    ("FE,WH:1/2", "PB:1/3", None),
    ("F,RH", LOPSIDED, SKEWED),
    ("S,CM", LOPSIDED, SKEWED),
    ("none", "L1", SKEWED),
]


def name_of(case):
    """Losses and priors of their own have long texts."""
    if isinstance(case, str | int):
        return str(case)
    return "-".join([case[0], case[1] if isinstance(case[1], str) else "matrix", "skewed" if case[2] else "uniform"])


def problem_of(case, alpha="9/10", n=6):
    properties, loss, prior = case
    return DesignProblem(n, alpha, properties=properties, loss=loss, prior=prior)


def solved(problem):
    """The layout, the last point of the loop, and its trees."""
    splits = Splits(build(problem))
    *_, last = generate(splits, Scaling(splits.program), Clock(None), Seen())
    return splits, last, forest(splits, last.basis)


@pytest.mark.parametrize("alpha", ["1/5", "62/100", "9/10", "99/100"])
@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_it_ends_at_the_optimum_of_the_linear_program(case, alpha):
    problem = problem_of(case, alpha)
    result = design(problem, method=NAME)
    require_certified(result)
    assert result.status == "exact"
    assert result.score == design(problem, method="full").score


@pytest.mark.slow
@settings(max_examples=60)
@given(st.data())
def test_it_agrees_with_the_linear_program(data):
    n = data.draw(st.integers(1, 14))
    entries = st.lists(st.lists(st.integers(-3, 9), min_size=n + 1, max_size=n + 1), min_size=n + 1, max_size=n + 1)
    weights = data.draw(st.lists(st.integers(0, 9), min_size=n + 1, max_size=n + 1).filter(any))
    prior = Prior.from_weights([Fraction(w, sum(weights)) for w in weights])
    problem = DesignProblem(
        n,
        data.draw(st.fractions(Fraction(1, 1000), Fraction(999, 1000), max_denominator=1000)),
        properties=data.draw(st.sets(st.sampled_from(["WH", "WH:1/2", "RH", "RM", "CH", "CM", "F", "FE", "S"]))),
        loss=data.draw(st.one_of(st.sampled_from(["L0", "L1", "L2", "L0:1", "PB:1/3"]), entries.map(Loss.from_matrix))),
        prior=data.draw(st.sampled_from(["uniform", "binomial:1/3", prior])),
    )
    stated = design(problem, method="full")
    try:
        result = design(problem, method=NAME)
    except NotCertifiedError:
        return  # where alpha is so small that floats lose rows, `auto` goes on
    require_certified(result)
    assert result.lower_bound <= stated.score
    assert stated.lower_bound <= result.score
    if result.status == stated.status == "exact":
        assert result.score == stated.score


def test_a_program_that_the_solver_does_not_take_is_left_to_others():
    """At n = 10, alpha = 1/324 cuts have coefficients of 10^21, and HiGHS takes no row with such a number."""
    worse = {
        (0, 2): -1,
        (1, 2): 1,
        (1, 4): 1,
        (2, 2): 1,
        (2, 4): 1,
        (3, 3): 1,
        (3, 4): 1,
        (3, 6): -1,
        (4, 3): 1,
        (4, 5): -1,
    }
    worse |= {(6, 2): 1, (6, 9): 1, (7, 3): 1, (7, 7): 1, (7, 9): 1, (8, 8): 1, (10, 10): 1}
    loss = Loss.from_matrix([[worse.get((i, j), 0) for j in range(11)] for i in range(11)])
    problem = DesignProblem(10, "1/324", loss=loss, prior="binomial:1/3")
    with pytest.raises(NotCertifiedError):
        design(problem, method=NAME)
    assert design(problem).status == "exact"


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_integers_made_by_arrays_are_the_rationals_of_the_basis(case):
    """The vertex and its multipliers, against the walk of one row after another in rationals."""
    splits, last, trees = solved(problem_of(case))
    program = splits.program
    found = exact_vertex(splits, trees)
    assert found is not None
    has_floor = bool(program.problem.floor)
    rows = np.zeros(program.n_rows + len(program.equations), dtype=bool)
    outward = np.setdiff1d(np.arange(program.n_rows), splits.cuts)
    rows[outward] = last.basis.steps[program.upper[outward]]
    rows[splits.cuts] = ~last.basis.tight_cuts
    rows[program.n_rows :] = ~last.basis.tight_equations
    columns = np.ones(program.n_variables, dtype=bool)
    columns[splits.roots] = ~last.basis.at_floor[splits.roots] if has_floor else last.basis.steps[splits.roots]
    exact = ExactProgram.of(program)
    point = ForestBasis(exact, Basis(columns, rows)).point()
    assert Residuals.of(exact, point).errors == 0
    assert [Exact(w, found.denominator) for w in found.weights] == point.x
    assert found.duals.prices == point.equation_dual
    assert {int(splits.cuts[cut]): m for cut, m in found.duals.cuts.items() if m} == {
        row: point.row_dual[row] for row in splits.cuts.tolist() if point.row_dual[row]
    }


@pytest.mark.parametrize("case", [*CASES, ("WH", LOPSIDED, SKEWED)], ids=name_of)
def test_costs_in_integers_are_those_of_the_statement(case):
    problem = problem_of(case)
    rows, denominator = problem.whole_cost
    loss, weights = problem.loss.matrix(7), problem.prior.weights(7)
    stated = [[w * x for w, x in zip(weights, row, strict=True)] for row in loss]
    assert [[Fraction(value, denominator) for value in row] for row in rows] == stated
    program = build(problem)
    entries = list(zip(program.entry_variables, chain.from_iterable(stated), strict=True))
    sums = [sum((cost for v, cost in entries if v == k), Fraction(0)) for k in range(program.n_variables)]
    assert [Fraction(value, program.cost_denominator) for value in program.cost] == sums


@pytest.mark.parametrize("rounds", [1, 2, 3])
@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_stopped_anywhere_it_claims_nothing_false(case, rounds):
    """Steps and cuts are missing, and the uniform mechanism may be in the basis: the kernel's bound is true."""
    problem = problem_of(case)
    best = problem_loss(*_weights(design(problem, method="full")), problem)
    splits = Splits(build(problem))
    scaling = Scaling(splits.program)
    small = SmallProgram(splits, scaling)
    for _ in range(rounds):
        assert small.solve(None) == "Optimal"
        point, basis = small.point(), small.basis()
        broken, cheap = small.broken(point, TOLERANCE), small.cheap(point, TOLERANCE)
        steps = cheap if len(cheap) else small.partners(broken)
        if len(broken):
            small.add_cuts(broken)
        if len(steps):
            small.add_columns(steps)
    trees = forest(splits, basis)
    if trees is None:
        return
    answer = solve._float_answer(splits, trees, scaling, Generated(point, basis, "stopped"))
    if answer is not None:
        assert proved_loss(problem, answer.certificate) <= best <= problem_loss(*_weights(answer), problem)


def _weights(found):
    return found.mechanism.weights, found.mechanism.denominator


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_the_program_holds_steps_and_cuts_as_they_are_stated(case):
    """A step at v lifts z of v and of all beyond it: entry by entry, by `heights`, in equations, floors and cuts."""
    splits = Splits(build(problem_of(case)))
    small = SmallProgram(splits, Scaling(splits.program))
    small.add_cuts(np.arange(0, len(splits.cuts), 2))
    small.add_columns(np.flatnonzero(splits.side)[::2])
    small.add_cuts(np.arange(1, len(splits.cuts), 2))
    small.highs.ensureColwise()
    matrix = small.highs.getLp().a_matrix_
    equation, variable, times = splits.terms
    for place, v in enumerate(small.columns.tolist()):
        lifted = splits.heights((np.arange(len(small.scale)) == v).astype(float))
        sums = np.bincount(equation, times * (lifted * small.scale)[variable], minlength=small.n_equations)
        cuts = lifted[small.upper] - small.rho * lifted[small.lower]
        column, entries = np.zeros(small.n_fixed + len(small.cuts)), slice(*matrix.start_[place + 1 : place + 3])
        column[matrix.index_[entries]] = matrix.value_[entries]
        stated = [*sums, *(small.floored == v).astype(float), *cuts[small.cuts]]
        assert column == pytest.approx(stated, rel=1e-12, abs=1e-15)
        assert small.outer_cost[v] == pytest.approx(float(lifted @ small.cost), rel=1e-12, abs=1e-15)


@settings(max_examples=30)
@given(st.data())
def test_any_prices_and_multipliers_prove_a_bound_that_is_true(data):
    problem = problem_of(data.draw(st.sampled_from(CASES)))
    splits, _, trees = solved(problem)
    anything = st.fractions(-1, 2, max_denominator=50).map(to_exact)
    duals = Duals(
        [data.draw(anything) for _ in splits.program.equations],
        {cut: data.draw(anything) for cut in data.draw(st.sets(st.integers(0, len(splits.cuts) - 1), max_size=5))},
        {root: data.draw(anything) for root in splits.roots.tolist()},
    )
    best = problem_loss(*_weights(design(problem, method="full")), problem)
    for rounded in (False, True):
        assert proved_loss(problem, proof.prove(splits, trees, duals, rounded=rounded)) <= best


def test_a_cut_a_price_or_a_fold_that_is_wrong_is_seen(monkeypatch):
    """Each mutation leaves no exact answer: the kernel refuses the matrix, or proves less of it."""

    def ends(problem):
        try:
            return design(problem, method=NAME).status
        except NotCertifiedError:
            return "not certified"

    problem = problem_of(("RH,CM", "L1", None), n=7)
    assert ends(problem) == "exact"
    with monkeypatch.context() as patch:
        patch.setattr(SmallProgram, "broken", lambda self, point, tolerance, sweeps=1: np.empty(0, dtype=np.int64))
        assert ends(problem) != "exact"
    with monkeypatch.context() as patch:
        patch.setattr(SmallProgram, "cheap", lambda self, point, tolerance: np.empty(0, dtype=np.int64))
        patch.setattr(SmallProgram, "partners", lambda self, cuts: np.empty(0, dtype=np.int64))
        assert ends(problem) != "exact"
    solve_for = vertex.exact_vertex
    with monkeypatch.context() as patch:

        def dearer(splits, trees):
            found = solve_for(splits, trees)
            found.duals.prices[0] += Exact(1, 1000)
            return found

        patch.setattr(solve, "exact_vertex", dearer)
        assert ends(problem) != "exact"
    with monkeypatch.context() as patch:
        patch.setattr("mechdesign.program.linear_program.LinearProgram.turned_kinds", frozenset())
        assert ends(problem) != "exact"


@pytest.mark.parametrize(
    "problem",
    [
        DesignProblem(model=Model.ldp(4), alpha="1/2"),
        DesignProblem(4, "1/2", properties="CM", aggregate="worst"),
        DesignProblem(4, "1/2", properties="OS:1/2,WH"),
        DesignProblem(4, "9/10", properties="WH:3/2"),
        DesignProblem(300, "1/100", properties="WH"),
    ],
    ids=["ldp", "worst", "smooth", "floor", "depth"],
)
def test_what_it_cannot_serve(problem):
    with refused(InputError):
        design(problem, method=NAME)


def test_auto_leaves_it_out_where_floats_do_not_suffice():
    def doubt(*asked, **more):
        plan = make_plan(DesignProblem(*asked, **more))
        return next(option.doubt for option in plan.options if option.method.name == NAME)

    assert doubt(40, "9/10", properties="F,CM", loss="L1") is None
    assert "tied" in doubt(40, "1/5", properties="F,CM", loss="L1")
    assert "lopsided" in doubt(40, "1/2", properties="CM", loss="L1", prior="binomial:1/10")


def test_a_limit_ends_it_between_rounds():
    with refused(LimitReachedError):
        design(DesignProblem(96, "99/100", properties="WH,CM", loss="L1"), method=NAME, time_limit=1e-3)


@pytest.fixture
def stopping(monkeypatch):
    """Let the search end before its r-th call of the solver, as a clock would."""
    real = small_program.SmallProgram.solve

    def stop_before(r):
        calls = iter(range(r))

        def solve_or_stop(self, time_limit):
            if next(calls, None) is None:
                raise LimitReachedError("stopped")
            return real(self, time_limit)

        monkeypatch.setattr(small_program.SmallProgram, "solve", solve_or_stop)

    return stop_before


@pytest.mark.slow
def test_a_search_that_is_stopped_anywhere_says_nothing_false(stopping):
    """What it found is sound and no better than the optimum, what it proved no higher: with steps and cuts missing."""
    for case in [("WH,CM", "L1", None), ("F,CH", "L2", None), ("RM,CM", "L0", None), ("RH,CM", "L1", "binomial:1/3")]:
        problem = problem_of(case, n=13)
        best = design(problem, method="full").score / problem.rescaling
        bounds = set()
        for rounds in range(1, 40):
            stopping(rounds)
            clock = Clock(1e6)
            (*_, answer) = solve.split_and_cut(problem, exact=False, clock=clock)
            require_sound(problem, answer.mechanism)
            bound = proved_loss(problem, answer.certificate)
            assert bound <= best <= problem_loss(answer.mechanism.weights, answer.mechanism.denominator, problem)
            assert clock.reserve == 0
            bounds.add(bound)
            if not answer.is_stopped:
                break
        assert best - max(bounds) < best / 10**6


def test_when_the_time_is_over_score_and_bound_are_said(stopping):
    stopping(1)
    with refused(LimitReachedError):
        design(DesignProblem(24, "9/10", properties="WH,CM", loss="L1"), method=NAME, time_limit=1e6)
    stopping(0)
    with refused(LimitReachedError):
        design(DesignProblem(24, "9/10", properties="WH,CM", loss="L1"), method=NAME, time_limit=1e6)


def test_what_floats_prove_is_certified_where_no_basis_is_exact(monkeypatch):
    problem = problem_of(("F,CM", "L1", None), n=9)
    monkeypatch.setattr(solve, "exact_vertex", lambda splits, trees: None)
    result = design(problem, method=NAME)
    require_certified(result)
    assert result.status == "certified"
    assert 0 < result.gap < Fraction(1, 10**10)
    with refused(NotCertifiedError):
        design(problem, method=NAME, exact=True)


def test_beyond_the_longest_vertex_it_is_rounded(monkeypatch):
    monkeypatch.setattr(solve, "LONGEST_VERTEX_BITS", 64)
    problem = problem_of(("WH,CM", "L1", None), n=12)
    rounded, exact = design(problem, method=NAME), design(problem, method=NAME, exact=True)
    require_certified(rounded)
    assert ("rounded" in rounded.how, rounded.status, exact.status) == (True, "certified", "exact")
    assert 0 <= rounded.score - exact.score < Fraction(1, 10**60)


@settings(max_examples=40)
@given(st.integers(1, 5), st.fractions(Fraction(1, 50), Fraction(49, 50)), st.data())
def test_equations_and_their_transpose_are_solved_as_they_stand(size, alpha, data):
    whole = st.integers(-9, 9)
    rows = data.draw(st.lists(st.lists(whole, min_size=size, max_size=size), min_size=size, max_size=size))
    right = data.draw(st.lists(whole, min_size=size, max_size=size))
    stated = fmpq_mat(rows)
    assume(stated.rank() == size)
    system = vertex._System.of(alpha, rows)
    assert system.solve([Exact(value) for value in right]) == stated.solve(fmpq_mat([[v] for v in right])).entries()
    found = stated.transpose().solve(fmpq_mat([[v] for v in right])).entries()
    assert system.solve_transposed(right) == found


def test_little_more_than_a_diagonal_is_left_of_the_equations_of_a_vertex(monkeypatch):
    made = []
    real = vertex._System.of
    monkeypatch.setattr(vertex._System, "of", lambda *given: made.append(real(*given)) or made[-1])
    design(DesignProblem(40, "9/10", properties="WH,CM", loss="L1"), method="split-and-cut")
    entries = made[-1].matrix.entries()
    assert sum(bool(value) for value in entries) < 4 * made[-1].matrix.nrows() < len(entries) / 4


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_multipliers_in_floats_have_digits_of_their_own(case):
    """Against those of the exact vertex, by the measure of each one's place: alpha^n is 1e-12 here."""
    problem = DesignProblem(12, "1/10", properties=case[0], loss="L1" if isinstance(case[1], Loss) else case[1])
    splits = Splits(build(problem))
    scaling = Scaling(splits.program)
    *_, last = generate(splits, scaling, Clock(None), Seen())
    trees = forest(splits, last.basis)
    sharp = sharpened(SmallProgram(splits, scaling), trees, last.point)
    exact, unit = exact_vertex(splits, trees).duals, float(scaling.cost_unit)
    place = scaling.scale[splits.program.upper[splits.cuts]]
    assert sharp.prices == pytest.approx([float(y) / unit for y in exact.prices], abs=1e-9)
    assert set(np.flatnonzero(sharp.cuts)) <= set(exact.cuts)
    for cut, m in exact.cuts.items():
        assert sharp.cuts[cut] / place[cut] == pytest.approx(float(m) / unit, abs=1e-9, rel=1e-9)


@pytest.mark.parametrize(("properties", "loss"), [("RH,CM", "L1"), ("CH", "L2"), ("WH,CM", "L1")])
def test_errors_below_the_tolerance_are_put_right_in_focus(properties, loss):
    """A loop that ends early leaves steps that pay; they come in, and the costs of the program are its own again."""
    splits = Splits(build(DesignProblem(20, "3/5", properties=properties, loss=loss)))
    small = SmallProgram(splits, Scaling(splits.program))
    _converge(small, 0.3, Clock(None), Seen())
    assert _worst(small, _sharp(small, small.basis()), 1e-6) > 0
    last = _focus(small, 1e-9, Clock(None))
    assert _worst(small, last.point, 1e-6) == 0
    assert not len(small.broken(last.point, 1e-9))
    value = small.own_cost @ (splits.heights(last.point.steps))
    small.release()
    assert small.solve(None) == "Optimal"
    assert small.highs.getInfo().objective_function_value == pytest.approx(value, rel=1e-9)
    assert small.highs.getInfo().simplex_iteration_count <= 0


def test_far_steps_come_when_no_near_one_pays():
    small = SmallProgram(*_splits_and_scaling(DesignProblem(60, "1/2", properties="WH,RM,CM", loss="L0")))
    small.solve(None)
    prices = np.random.default_rng(7).uniform(-20, 20, small.n_equations)
    point, near = replace(small.point(), prices=prices), small.scale >= small_program.NEAR
    found = small.cheap(point, TOLERANCE)
    assert len(found)
    assert near[found].all()
    small.has_column |= near
    found = small.cheap(point, TOLERANCE)
    assert len(found)
    assert not near[found].any()


def test_a_search_among_many_optima_does_not_wander():
    """Without leaner costs it takes more rounds."""
    splits, scaling = _splits_and_scaling(DesignProblem(200, "9/10", properties="WH,RM,CM", loss="L0"))
    found = next(generate(splits, scaling, Clock(None), Seen()))
    assert int(found.how.split()[-2]) < 60


def _splits_and_scaling(problem):
    splits = Splits(build(problem))
    return splits, Scaling(splits.program)

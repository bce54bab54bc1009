"""Active outputs: against the program of all outputs, and by an independent price of each row."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from cases import require_certified
from hypothesis import given, settings
from hypothesis import strategies as st
from wording import refused

from mechdesign import DesignProblem, InputError, LimitReachedError, Loss, Model, Prior, design
from mechdesign.certificate.proof import proved_loss
from mechdesign.certificate.score import problem_loss
from mechdesign.methods.active_outputs import interior_point, patterns, search, solve
from mechdesign.methods.active_outputs.program import active_program, kept_outputs
from mechdesign.methods.active_outputs.table import KeptTable
from mechdesign.program.clock import Clock
from mechdesign.program.exact.numbers import to_exact

NAME = "active-outputs"


@pytest.mark.parametrize("alpha", ["1/100", "1/3", "9/10"])
@pytest.mark.parametrize(("k", "loss", "prior"), [(9, "L1", None), (12, "L2", None), (7, "PB:1/3", "binomial:1/3")])
def test_it_ends_at_the_optimum_of_all_outputs(k, loss, prior, alpha):
    problem = DesignProblem(model=Model.ldp(k), alpha=alpha, loss=loss, prior=prior)
    result = design(problem, method=NAME)
    require_certified(result)
    assert result.status == "exact"
    assert result.score == design(problem, method="full").score
    assert result.certificate["rows"] == ()


@pytest.mark.slow
@settings(max_examples=40)
@given(st.data())
def test_it_agrees_with_the_program_of_all_outputs(data):
    k = data.draw(st.integers(3, 12))
    entries = st.lists(st.lists(st.integers(-3, 9), min_size=k, max_size=k), min_size=k, max_size=k)
    weights = data.draw(st.lists(st.integers(0, 9), min_size=k, max_size=k).filter(any))
    prior = Prior.from_weights([Fraction(w, sum(weights)) for w in weights])
    problem = DesignProblem(
        model=Model.ldp(k),
        alpha=data.draw(st.fractions(Fraction(1, 1000), Fraction(999, 1000), max_denominator=1000)),
        loss=data.draw(st.one_of(st.sampled_from(["L0", "L1", "L2", "L0:1"]), entries.map(Loss.from_matrix))),
        prior=data.draw(st.sampled_from(["uniform", prior])),
    )
    result = design(problem, method=NAME)
    require_certified(result)
    assert result.status == "exact"
    assert result.score == design(problem, method="full").score


@pytest.mark.parametrize("prior", [None, "binomial:1/3"])
def test_an_output_pays_exactly_where_one_of_its_extreme_rows_does(prior):
    """Every private row of largest entry 1 is a mixture of those with entries alpha and 1: all 2^k are tried."""
    problem = DesignProblem(model=Model.ldp(5), alpha="2/3", loss="L1", prior=prior)
    costs = np.array(problem.whole_cost[0], dtype=object)[: len(kept_outputs(problem))]
    for prices in product([Fraction(0), Fraction(1, 7), Fraction(2, 5)], repeat=5):
        cheap = []
        for i in kept_outputs(problem):
            gains = [problem.cost[i][j] - prices[j] for j in range(5)]
            rows = product([problem.alpha, Fraction(1)], repeat=5)
            if min(sum(x * g for x, g in zip(row, gains, strict=True)) for row in rows) < 0:
                cheap.append(i)
        assert search._exactly_cheap(problem, costs, [to_exact(y) for y in prices]) == cheap


@pytest.mark.parametrize("k", [6, 7])
def test_the_program_of_all_outputs_is_the_stated_one(k):
    """A feasible matrix costs in it what it costs by the statement, and its columns sum to 1."""
    problem = DesignProblem(model=Model.ldp(k), alpha="1/2", loss="L2")
    program = active_program(problem, kept_outputs(problem))
    matrix = [[Fraction(2 if i == j else 1, k + 1) for j in range(k)] for i in range(k)]
    x = [Fraction(1, k + 1)] * program.n_variables
    for i, places in zip(program.outputs, program.places, strict=True):
        for j, v in enumerate(places.tolist()):
            x[v] = matrix[i][j]
    stated = sum(
        c * w for costs, row in zip(problem.cost, matrix, strict=True) for c, w in zip(costs, row, strict=True)
    )
    assert sum(c * v for c, v in zip(program.cost, x, strict=True)) == stated * program.cost_denominator
    for equation in program.equations:
        terms = zip(equation.variables.tolist(), equation.coefficients, strict=True)
        assert sum(m * x[v] for v, m in terms) == equation.rhs
    ratios = [program.ratios[r] for r in program.ratio_of.tolist()]
    rows = zip(program.upper.tolist(), program.lower.tolist(), ratios, strict=True)
    assert all(x[u] >= r * x[v] for u, v, r in rows)


@pytest.mark.parametrize("k", [20, 21])
@pytest.mark.parametrize("prior", [None, "weights"])
def test_the_interior_point_is_feasible_on_both_sides_and_leaves_no_gap(k, prior):
    weights = Prior.from_weights([Fraction(1 + j, k * (k + 1) // 2) for j in range(k)])
    problem = DesignProblem(model=Model.ldp(k), alpha="1/7", loss="L2", prior=weights if prior else None)
    table = KeptTable(problem)
    point = interior_point.interior_point(table, Clock(None))
    entries = table.alpha * point.top[:, None] + point.above
    assert point.above.min() > 0
    assert point.below.min() > 0
    assert np.allclose(entries + point.below, point.top[:, None], atol=1e-12)
    whole = np.concatenate([entries, entries[:, ::-1]]) if table.folded else entries
    assert np.allclose(whole.sum(axis=0), 1, atol=1e-12)
    reduced = table.costs - point.prices[table.place]
    worth = np.where(reduced < 0, reduced, table.alpha * reduced).sum(axis=1)
    assert worth.min() > -1e-9
    bound = sum(float(r) * y for r, y in zip(table.right, point.prices, strict=True))
    assert 0 <= (table.costs * entries).sum() - bound < 1e-8


def test_where_it_shows_too_little_the_search_goes_on(monkeypatch):
    problem = DesignProblem(model=Model.ldp(30), alpha="1/20", loss="L1")
    found = design(problem, method=NAME)
    assert found.how.startswith("interior point")
    monkeypatch.setattr(interior_point, "MOST_STEPS", 3)
    searched = design(problem, method=NAME)
    assert searched.how.startswith("exact vertex")
    assert searched.score == found.score


def test_a_lopsided_prior_ends_exactly():
    problem = DesignProblem(model=Model.ldp(24), alpha="1/10", loss="L1", prior="binomial:1/30")
    result = design(problem, method=NAME)
    require_certified(result)
    assert result.score == design(problem, method="full").score


def test_outputs_that_never_join_leave_nothing_proved(monkeypatch):
    """The kernel prices the outputs that are left out, whatever the search says of them."""
    problem = DesignProblem(model=Model.ldp(30), alpha="1/100", loss="L1")
    monkeypatch.setattr(search, "TOLERANCE", 1e9)
    monkeypatch.setattr(search, "_exactly_cheap", lambda problem, costs, prices: [])
    (answer,) = search.search(KeptTable(problem), [], exact=False, clock=Clock(None))
    score = problem_loss(answer.mechanism.weights, answer.mechanism.denominator, problem)
    best = design(problem).score / problem.rescaling
    assert proved_loss(problem, answer.certificate) < best < score


def test_parts_that_do_not_make_a_mechanism_are_not_proposed():
    table = KeptTable(DesignProblem(model=Model.ldp(8), alpha="1/2", loss="L1"))
    point = interior_point.interior_point(table, Clock(None))
    support = patterns.vertex(table, patterns.Patterns.of(table, point), Clock(None))
    assert solve._answer(table, point, support) is not None
    spoilt = patterns.Support(support.outputs, support.shapes + np.eye(1, 8, dtype=int).astype(object))
    assert solve._answer(table, point, spoilt) is None


@pytest.mark.parametrize(
    "problem",
    [
        DesignProblem(4, "1/2"),
        DesignProblem(model=Model.ldp(4), alpha="1/2", properties="WH"),
        DesignProblem(model=Model.ldp(4), alpha="1/2", aggregate="worst"),
    ],
    ids=["count", "property", "worst"],
)
def test_what_it_cannot_serve(problem):
    with refused(InputError):
        design(problem, method=NAME)


def test_a_limit_ends_it():
    with refused(LimitReachedError):
        design(DesignProblem(model=Model.ldp(60), alpha="1/100", loss="L1"), method=NAME, time_limit=1e-3)


def test_auto_takes_it_where_items_are_many():
    assert design(DesignProblem(model=Model.ldp(60), alpha="9/10", loss="L1")).method == NAME
    assert design(DesignProblem(model=Model.ldp(6), alpha="9/10", loss="L1")).method == "symmetric"

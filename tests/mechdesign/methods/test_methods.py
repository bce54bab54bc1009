"""Methods: which serve, that they agree, and what is refused."""

from fractions import Fraction

import pytest
from cases import require_certified
from hypothesis import given, settings
from hypothesis import strategies as st
from wording import refused

from mechdesign import DesignProblem, InputError, Loss, Model, NotCertifiedError, Prior, design
from mechdesign.methods import plan as methods
from mechdesign.methods.lp import method as program_method
from mechdesign.methods.plan import make_plan
from mechdesign.methods.registry import METHODS
from mechdesign.program.solvers import highs_


def serving(problem):
    return [option.method.name for option in make_plan(problem).options if option.serves]


def order(problem, **asked):
    return [method.name for method in make_plan(problem, **asked).order]


def designs_by_every_method(problem):
    """One design for each method that serves; a closed form may still turn out not to hold."""
    results = {}
    for method in serving(problem):
        try:
            results[method] = design(problem, method=method)
        except (InputError, NotCertifiedError):
            assert method in ("closed-form", "column-generation", "split-and-cut", "active-outputs")
    return results


def require_agreement(results):
    for result in results.values():
        require_certified(result)
        for other in results.values():
            assert result.lower_bound <= other.score
            if result.status == other.status == "exact":
                assert result.score == other.score


GRID = [
    (properties, loss, aggregate)
    for properties in ("none", "WH", "RH", "RM", "F", "S", "WH,RH", "WH,RM", "F,RM", "F,WH", "RH,S")
    for loss in ("L0", "L1", "L2", "L0:1")
    for aggregate in ("expected", "worst")
]


@pytest.mark.slow
@pytest.mark.parametrize(("properties", "loss", "aggregate"), GRID)
def test_methods_agree_on_a_grid(properties, loss, aggregate):
    for n, alpha in ((1, "2/3"), (5, "1/3"), (6, "9/10")):
        problem = DesignProblem(n, alpha, properties=properties, loss=loss, aggregate=aggregate)
        results = designs_by_every_method(problem)
        assert {"column-generation", "symmetric", "full"} <= results.keys()
        assert all(result.status == "exact" for result in results.values())
        require_agreement(results)


models = st.one_of(
    st.integers(1, 6).map(Model.count),
    st.integers(2, 6).map(Model.ldp),
    st.just(Model.lldp(6, 2)),
    st.just(Model.metric([[0, 1, 3, 4], [1, 0, 2, 3], [3, 2, 0, 1], [4, 3, 1, 0]])),
    st.just(Model.metric([[0, 1, 3], [1, 0, 2], [3, 2, 0]])),
)


@pytest.mark.slow
@settings(max_examples=50)
@given(models, st.data())
def test_methods_agree(model, data):
    size = model.size
    loss = data.draw(
        st.one_of(
            st.sampled_from(["L0", "L1", "L2", "L1:1", "L3"]),
            st.lists(st.lists(st.integers(-3, 9), min_size=size, max_size=size), min_size=size, max_size=size).map(
                Loss.from_matrix
            ),
        )
    )
    aggregate = data.draw(st.sampled_from(["expected", "worst"]))
    weights = data.draw(st.lists(st.integers(1, 9), min_size=size, max_size=size))
    prior = Prior.from_weights([Fraction(w, sum(weights)) for w in weights])
    problem = DesignProblem(
        model=model,
        alpha=data.draw(st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20)),
        properties=data.draw(st.sets(st.sampled_from(["WH", "RH", "RM", "CM", "F", "S", "OS:2/3"]))),
        loss=loss,
        aggregate=aggregate,
        prior=None if aggregate == "worst" else data.draw(st.sampled_from(["uniform", "binomial:1/3", prior])),
    )
    results = designs_by_every_method(problem)
    assert "full" in results
    require_agreement(results)
    automatic = design(problem)
    assert automatic.score == results["full"].score


def test_what_auto_chooses():
    def chosen(**asked):
        return design(DesignProblem(**asked)).method

    assert chosen(n=9, alpha="9/10", loss="L2") == "closed-form"
    assert chosen(n=9, alpha="9/10", properties="all") == "closed-form"
    assert chosen(n=9, alpha="9/10", aggregate="worst") == "closed-form"
    assert chosen(model=Model.ldp(5), alpha="9/10") == "closed-form"
    assert chosen(n=4, alpha="9/10", properties="OS:1") == "closed-form"
    assert chosen(n=9, alpha="9/10", properties="WH", loss="L2") == "symmetric"
    assert chosen(n=64, alpha="9/10", properties="RM", loss="L2") == "column-generation"
    assert chosen(n=64, alpha="9/10", properties="WH", loss="L2") == "split-and-cut"
    assert chosen(n=40, alpha="9/10", properties="F,CM", loss="L1") == "split-and-cut"
    assert chosen(n=40, alpha="1/5", properties="F,CM", loss="L1") == "symmetric"
    assert chosen(n=64, alpha="9/10", aggregate="worst", loss="L1") == "column-generation"
    assert chosen(n=9, alpha="9/10", properties="CM") == "closed-form"
    assert chosen(n=9, alpha="3/4", properties="CM") == "symmetric"
    assert chosen(n=9, alpha="9/10", properties="CM", prior="binomial:1/3") == "full"
    assert chosen(n=9, alpha="9/10", properties="CM,S", prior="binomial:1/3") == "symmetric"
    assert chosen(model=Model.lldp(9, 3), alpha="9/10") == "symmetric"


def test_a_closed_form_may_be_optimal_by_luck():
    """GM has WH where n is large: then the free optimum is the optimum of WH too."""
    assert design(DesignProblem(18, "9/10", properties="WH,RM"), method="closed-form").score == Fraction(18, 19)
    with refused(InputError):
        design(DesignProblem(17, "9/10", properties="WH,RM"), method="closed-form")


@pytest.mark.parametrize(
    ("problem", "method"),
    [
        (
            DesignProblem(4, "1/2", properties="CM"),
            "column-generation",
        ),
        (DesignProblem(4, "1/2", properties="OS:1/2,WH"), "column-generation"),
        (DesignProblem(model=Model.ldp(4), alpha="1/2"), "column-generation"),
        (DesignProblem(300, "1/100", properties="WH"), "column-generation"),
        (
            DesignProblem(model=Model.metric([[0, 1, 3], [1, 0, 2], [3, 2, 0]]), alpha="1/2", properties="S"),
            "column-generation",
        ),
        (
            DesignProblem(4, "1/2", prior="binomial:1/3"),
            "symmetric",
        ),
        (
            DesignProblem(model=Model.lldp(5, 2), alpha="1/2"),
            "closed-form",
        ),
        (
            DesignProblem(4, "1/2"),
            "simplex",
        ),
    ],
)
def test_methods_that_cannot_serve(problem, method):
    with refused(InputError):
        design(problem, method=method)


def test_another_solver_goes_with_lps():
    with refused(InputError, about="solver"):
        design(DesignProblem(4, "1/2"), method="closed-form", solver="cvxpy:CLARABEL")
    assert order(DesignProblem(4, "1/2"), solver="cvxpy:CLARABEL") == ["symmetric"]


def test_a_problem_too_large_for_the_memory_is_refused(monkeypatch):
    monkeypatch.setattr(methods, "memory_limit", lambda: 10_000_000)
    with refused(InputError) as error:
        design(DesignProblem(200, "9/10", properties="CM"), method="full")
    assert "choose fewer inputs" in str(error.value)
    assert order(DesignProblem(100, "9/10", properties="WH")) == ["closed-form", "split-and-cut", "column-generation"]


@pytest.mark.parametrize(
    "problem", [DesignProblem(12, "1/2", properties="CM,RM"), DesignProblem(model=Model.ldp(20), alpha="1/2")]
)
def test_estimates_are_near_what_is_built(problem):
    from mechdesign.program.linear_program import build

    estimates = {option.method.name: option.estimate for option in make_plan(problem).options}
    for method, symmetric in (("symmetric", True), ("full", False)):
        program = build(problem, symmetric=symmetric)
        assert program.n_variables <= estimates[method].variables <= 1.2 * program.n_variables + 10
        assert program.n_rows <= estimates[method].rows <= 1.6 * program.n_rows + 10
    assert set(estimates) == {method.name for method in METHODS}


@pytest.mark.slow
@pytest.mark.parametrize("asked", [{"epsilon": "1e-20"}, {"alpha": "0.99999999999999999"}, {"alpha": "0.99999"}])
@pytest.mark.parametrize(("properties", "aggregate"), [("WH", "expected"), ("RH", "worst"), ("F", "expected")])
def test_alpha_beside_one(asked, properties, aggregate):
    problem = DesignProblem(6, **asked, properties=properties, loss="L1", aggregate=aggregate)
    result = design(problem)
    require_certified(result)
    assert result.at_alpha.status == "exact"


def test_costs_that_cancel():
    rows = [[8, -3, 2, 6, 6], [9, 7, 7, 3, 5], [-1, 4, -6, 4, -1], [5, 3, 7, 7, 9], [6, 6, 2, -3, 8]]
    problem = DesignProblem(4, "31/50", properties="F,RM", loss=Loss.from_matrix(rows))
    assert design(problem, method="column-generation").score == design(problem, method="full").score


@pytest.mark.slow
def test_where_column_generation_must_round_the_lp_may_have_a_shorter_vertex(monkeypatch):
    """Which of several optimal vertices column generation ends at differs between machines: all are too long here."""
    monkeypatch.setattr("mechdesign.methods.column_generation.solve.is_readable", lambda vertex: False)
    problem = DesignProblem(40, "99/100", properties="WH")
    monkeypatch.setattr("mechdesign.methods.registry.METHODS", tuple(m for m in METHODS if m.name != "split-and-cut"))
    rounded = design(problem, method="column-generation")
    result = design(problem)
    require_certified(result)
    assert (rounded.status, "rounded" in rounded.how) == ("certified", True)
    assert (result.status, result.method) == ("exact", "symmetric")
    assert rounded.lower_bound <= result.score <= rounded.score


@pytest.mark.slow
def test_a_huge_loss_hides_no_gap():
    """Beside a loss of 1e40 a gap of 1 is small, but not beside the score."""
    for rows in ([[0, 1, 1], [10**40, 0, 1], [1, 1, 0]], [[0, 10**40, 1], [1, 0, 1], [1, 1, 0]]):
        problem = DesignProblem(2, "0.9", loss=Loss.from_matrix(rows), aggregate="worst")
        result = design(problem)
        require_certified(result)
        assert result.gap <= result.score / 10**6
        assert 0 < result.score <= 1


def test_tiny_losses_keep_a_proof():
    rows = [[Fraction(abs(i - j), 10**76) for j in range(21)] for i in range(21)]
    problem = DesignProblem(20, "0.98765432198765432109", properties="WH,CM", loss=Loss.from_matrix(rows))
    result = design(problem)
    require_certified(result)
    assert result.gap <= result.score / 10**50


def test_equal_distances_are_the_local_model_at_another_alpha():
    far = Model.metric([[0, 2, 2], [2, 0, 2], [2, 2, 0]])
    result = design(DesignProblem(model=far, alpha="1/2"), method="closed-form")
    assert result.score == design(DesignProblem(model=Model.ldp(3), alpha="1/4")).score


def test_lopsided_priors_are_left_to_the_lp():
    assert "column-generation" not in order(DesignProblem(30, "1/2", properties="WH", prior="binomial:1/20"))
    assert "column-generation" in order(DesignProblem(30, "1/2", properties="WH", prior="binomial:1/2"))


def test_near_alpha_one_an_interior_point_ends_at_the_same_score(monkeypatch):
    monkeypatch.setattr(program_method, "FEWEST_ROWS", 10)
    asked = []
    real = highs_.solve
    monkeypatch.setattr(highs_, "solve", lambda *args, **how: asked.append(how) or real(*args, **how))
    for properties, loss in (("WH,CM", "L1"), ("CH", "L2"), ("F,CM", "L1")):
        problem = DesignProblem(14, "97/100", properties=properties, loss=loss)
        result = design(problem, method="symmetric")
        assert asked.pop() == {"method": "ipm"}
        require_certified(result)
        assert result.score == design(problem, method="split-and-cut").score
        asked.clear()
        design(DesignProblem(14, "1/2", properties=properties, loss=loss), method="symmetric")
        assert {"method": "ipm"} not in asked

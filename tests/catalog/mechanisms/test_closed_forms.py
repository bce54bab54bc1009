from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechdesign import DesignProblem, InputError, design
from mechdesign.audits.audit import audit
from mechdesign.certificate.score import score
from mechdesign.designs import require_sound
from mechdesign.methods.closed_forms.explicit_fair import explicit_fair
from mechdesign.problem.properties import holding
from mechdesign_catalog.mechanisms.closed_forms import CLOSED_FORMS
from mechdesign_catalog.mechanisms.exponential import exponential_beta
from mechdesign_catalog.mechanisms.landmarks import lacking, place_design

ALPHAS = [Fraction(1, 1000), Fraction(1, 10), Fraction(1, 2), Fraction(16, 25), Fraction(2, 3), Fraction(99, 100)]
ALL = ("CH", "CM", "F", "RH", "RM", "S", "WH")


@pytest.mark.parametrize("name", CLOSED_FORMS)
@pytest.mark.parametrize("alpha", ALPHAS)
def test_score_by_formula_is_score_by_matrix(name, alpha):
    form = CLOSED_FORMS[name]
    for size in range(1 if form.size_name == "n" else 2, 2 if form.largest == 1 else 14):
        mechanism = form.build(size, alpha)
        problem = form.problem(size, alpha)
        require_sound(problem, mechanism)
        assert score(mechanism, DesignProblem(model=problem.model, alpha=alpha)) == form.score(size, alpha)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("n", [1, 2, 3, 6, 9])
def test_gm_and_em_are_the_optima_that_the_theory_says(n, alpha):
    for name in ("GM", "EM"):
        form = CLOSED_FORMS[name]
        assert design(form.problem(n, alpha)).score == form.score(n, alpha)
    everything = DesignProblem(n, alpha, properties="all", prior="binomial:1/3")
    assert design(everything).score == CLOSED_FORMS["EM"].score(n, alpha)


@pytest.mark.slow
@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 8, 18, 40])
def test_the_properties_on_the_shelf(n, alpha):
    forms = {name: form for name, form in CLOSED_FORMS.items() if n == 1 or form.largest is None}
    held = {name: audit(form.build(n + (form.size_name == "k"), alpha)).holds for name, form in forms.items()}
    assert held["EM"] == held["UM"] == held["GRR"] == ALL
    if n == 1:
        assert held["GM"] == held["RR"] == held["EXP"] == ALL
        return
    weakly_honest = n >= 2 * alpha / (1 - alpha)
    columns = ("CH", "CM") if alpha <= Fraction(1, 2) else ()
    assert held["GM"] == tuple(sorted(("RH", "RM", "S", *columns, *(("WH",) if weakly_honest else ()))))
    assert held["EXP"] == ("CH", "CM", "RH", "RM", "S", "WH")


def test_em_by_hand():
    mechanism = explicit_fair(4, Fraction(1, 2))
    assert [mechanism.weights[i][0] for i in range(5)] == [4, 2, 2, 1, 1]
    assert [mechanism.weights[i][2] for i in range(5)] == [1, 2, 4, 2, 1]
    assert mechanism.denominator == 10


def test_everything_is_the_same_for_one_person():
    assert CLOSED_FORMS["GM"].build(1, Fraction(1, 3)) == CLOSED_FORMS["EM"].build(1, Fraction(1, 3))
    assert CLOSED_FORMS["RR"].build(1, Fraction(1, 3)) == CLOSED_FORMS["EM"].build(1, Fraction(1, 3))


@pytest.mark.slow
@given(st.fractions(Fraction(1, 10**6), Fraction(10**6 - 1, 10**6), max_denominator=10**6))
def test_beta_is_a_root_of_alpha_from_above(alpha):
    beta = exponential_beta(alpha)
    assert alpha <= beta * beta <= alpha * (1 + Fraction(3, 10**9))
    assert beta < 1
    assert exponential_beta(beta * beta) == beta


def test_a_form_for_one_person_refuses_groups():
    with pytest.raises(InputError, match="n must be 1 for RR, got n=3"):
        CLOSED_FORMS["RR"].problem(3, Fraction(1, 2))


def test_standing():
    places = {place.name: place for place in place_design(design(DesignProblem(8, "9/10", properties="WH,CM")))}
    assert places["GM"].score == Fraction(18, 19)
    assert places["EM"].score == Fraction(278559, 287608)
    assert places["UM"].score == 1
    assert {name: place.lacks for name, place in places.items()} == {"GM": ("WH", "CM"), "EM": (), "UM": ()}
    assert places["GM"].text.endswith("above it; it lacks WH, CM, asked for here)")
    assert places["EM"].text.endswith("below it)")
    other = {place.name: place.score for place in place_design(design(DesignProblem(8, "9/10", loss="L1")))}
    assert other["UM"] == Fraction(80, 27)
    tiny = place_design(design(DesignProblem(3, "1e-20")))
    assert tiny[0].text.startswith("2/100000000000000000001 = 2e-20 (")
    assert design(DesignProblem(8, "9/10", loss="L1")).score <= min(other.values())


@pytest.mark.parametrize("name", CLOSED_FORMS)
@pytest.mark.parametrize("alpha", ["1/3", "1/2", "9/10"])
def test_what_a_form_has_always_is_in_its_matrix(name, alpha):
    form = CLOSED_FORMS[name]
    for size in range(2, 6) if form.largest is None else [form.largest]:
        mechanism = form.build(size, Fraction(alpha))
        assert form.always <= set(holding(mechanism.weights, mechanism.denominator))


def test_a_landmark_lacks_what_its_own_matrix_lacks():
    assert lacking("GM", DesignProblem(8, "1/2", properties="WH,CM")) == ()
    assert lacking("GM", DesignProblem(8, "1/2", properties="WH,CM,OS:1/2")) == ("OS:1/2",)
    assert lacking("GM", DesignProblem(8, "9/10", properties="RH,RM,S")) == ()
    assert lacking("UM", DesignProblem(8, "9/10", properties="WH:2")) == ("WH:2",)
    assert lacking("GM", DesignProblem(257, "9/10", properties="CM")) is None
    assert lacking("EM", DesignProblem(257, "9/10", properties="CM")) == ()

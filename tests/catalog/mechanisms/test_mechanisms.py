"""Closed forms, landmarks and candidates: against matrices, optima and the published flowchart."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from cases import SKEWED
from hypothesis import given
from hypothesis import strategies as st
from wording import refused

from mechdesign import DesignProblem, InputError, Loss, Prior, design, design_law, export
from mechdesign.audits.audit import audit
from mechdesign.certificate.score import score
from mechdesign.designs import require_sound
from mechdesign.methods.closed_forms.explicit_fair import explicit_fair
from mechdesign.methods.closed_forms.geometric import geometric
from mechdesign.problem.properties import properties_of
from mechdesign.sweeps.landscape import landscape
from mechdesign_catalog.mechanisms.candidates import as_candidates, make_mechanism, parse_candidate, parse_candidates
from mechdesign_catalog.mechanisms.closed_forms import CLOSED_FORMS
from mechdesign_catalog.mechanisms.exponential import exponential_beta
from mechdesign_catalog.mechanisms.landmarks import class_names, compare_with_landmarks, lacking

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
    with refused(InputError, about="n"):
        CLOSED_FORMS["RR"].problem(3, Fraction(1, 2))


def test_standing():
    places = {
        place.name: place for place in compare_with_landmarks(design(DesignProblem(8, "9/10", properties="WH,CM")))
    }
    assert places["GM"].score == Fraction(18, 19)
    assert places["EM"].score == Fraction(278559, 287608)
    assert places["UM"].score == 1
    assert {name: place.lacks for name, place in places.items()} == {"GM": ("WH", "CM"), "EM": (), "UM": ()}
    assert places["GM"].text.endswith("above it; it lacks WH, CM, asked for here)")
    assert places["EM"].text.endswith("below it)")
    other = {place.name: place.score for place in compare_with_landmarks(design(DesignProblem(8, "9/10", loss="L1")))}
    assert other["UM"] == Fraction(80, 27)
    tiny = compare_with_landmarks(design(DesignProblem(3, "1e-20")))
    assert tiny[0].text.startswith("2/100000000000000000001 = 2e-20 (")
    assert design(DesignProblem(8, "9/10", loss="L1")).score <= min(other.values())


@pytest.mark.parametrize("name", CLOSED_FORMS)
@pytest.mark.parametrize("alpha", ["1/3", "1/2", "9/10"])
def test_what_a_form_has_always_is_in_its_matrix(name, alpha):
    form = CLOSED_FORMS[name]
    for size in range(2, 6) if form.largest is None else [form.largest]:
        mechanism = form.build(size, Fraction(alpha))
        assert form.always <= set(properties_of(mechanism.weights, mechanism.denominator))


def test_a_landmark_lacks_what_its_own_matrix_lacks():
    assert lacking("GM", DesignProblem(8, "1/2", properties="WH,CM")) == ()
    assert lacking("GM", DesignProblem(8, "1/2", properties="WH,CM,OS:1/2")) == ("OS:1/2",)
    assert lacking("GM", DesignProblem(8, "9/10", properties="RH,RM,S")) == ()
    assert lacking("UM", DesignProblem(8, "9/10", properties="WH:2")) == ("WH:2",)
    assert lacking("GM", DesignProblem(257, "9/10", properties="CM")) is None
    assert lacking("EM", DesignProblem(257, "9/10", properties="CM")) == ()


@pytest.mark.parametrize(
    ("n", "alpha", "names"),
    [
        (8, "9/10", ["GM", "WH", "WM", "EM"]),
        (18, "9/10", ["GM", "WM", "EM"]),  # from n = 2 alpha/(1 - alpha) on GM is weakly honest
        (6, "2/5", ["GM", "EM"]),  # GM has every column property up to alpha = 1/2
        (1, "9/10", ["GM"]),
    ],
)
def test_the_classes_of_the_published_flowchart(n, alpha, names):
    assert list(class_names(landscape(DesignProblem(n, alpha)))) == names


def test_outside_the_flowchart_only_landmarks_are_named():
    skewed = class_names(landscape(DesignProblem(4, "9/10", prior=SKEWED)))
    assert "WM" not in skewed
    assert "WH" not in skewed
    assert skewed[-1] == "EM"  # optimal with F under any prior
    assert class_names(landscape(DesignProblem(2, "3/10", loss="L1"))) == ("GM", None)
    assert set(class_names(landscape(DesignProblem(8, "9/10", loss="L1")))) == {None}


def test_a_score_that_is_not_proved_gets_no_landmark():
    found = landscape(DesignProblem(8, "9/10"))
    first, *others = found.classes
    unproved = replace(found, classes=(replace(first, lower_bound=Fraction(9, 10)), *others))
    assert class_names(unproved) == (None, "WH", "WM", "EM")


ALPHA = Fraction(9, 10)
L0, L1 = Loss.parse("L0"), Loss.parse("L1")


@pytest.mark.parametrize(
    ("name", "under_l0", "under_l1"),
    [("UCM", "none", "none"), ("WH", "WH", "WH"), ("WM", "WH,RM,CM", "WH"), ("FM", "F", "F"), ("AM", "all", "all")],
)
def test_named_designs_ask_for_what_the_study_says(name, under_l0, under_l1):
    candidate = parse_candidate(name.lower())
    assert candidate.problem(8, ALPHA, L0) == DesignProblem(8, ALPHA, properties=under_l0)
    assert candidate.problem(8, ALPHA, L1) == DesignProblem(8, ALPHA, properties=under_l1, loss="L1")


def test_closed_forms_need_no_design():
    candidate = parse_candidate("GM")
    assert candidate.problem(8, ALPHA, L0) is None
    assert candidate.mechanism(8, ALPHA, L0, designer=None) == geometric(8, ALPHA)
    with refused(InputError, about="n"):
        parse_candidate("RR").mechanism(8, ALPHA, L0)


def test_designs_of_ones_own():
    candidates = parse_candidates("GM;design:WH,CM:L1;design:none:L0:1; design:OS:1/2,WH:L2;UM")
    assert [c.name for c in candidates] == ["GM", "design:WH,CM:L1", "design:none:L0:1", "design:OS:1/2,WH:L2", "UM"]
    own = candidates[1].problem(4, ALPHA, L0, Prior.parse("binomial:1/2"))
    assert own == DesignProblem(4, ALPHA, properties="WH,CM", loss="L1", prior="binomial:1/2")
    assert candidates[3].problem(4, ALPHA, L0) == DesignProblem(4, ALPHA, properties="OS:1/2,WH", loss="L2")
    assert (
        candidates[1].mechanism(4, ALPHA, L0)
        == design(DesignProblem(4, ALPHA, properties="WH,CM", loss="L1")).mechanism
    )


def test_a_file_serves_its_own_n_alone(tmp_path):
    path = tmp_path / "wm.json"
    found = design(DesignProblem(4, ALPHA, properties="WH"))
    export(found, path)
    candidate = parse_candidate(str(path))
    assert candidate.path == Path(path)
    assert candidate.mechanism(4, ALPHA, L0) == found.mechanism
    with refused(InputError, about="mechanism"):
        candidate.mechanism(5, ALPHA, L0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("WMM", "did you mean WM?"),
        ("GRR", "mechanism must be one of GM, EM, UM, RR, EXP, UCM, WH, WM, FM, AM, design:PROPS:LOSS, a file (.json"),
        ("", "got an empty name"),
        ("design:WH", "design must be design:PROPS:LOSS"),
        ("design:XX:L0", "properties must be one of"),
        ("gone.json;GM", None),
        ("GM,UM", "mechanisms must be separated by semicolons, got GM,UM; write mechanisms 'GM;UM'"),
        ("GM,design:WH,CM:L1", "write mechanisms 'GM;design:WH,CM:L1'"),
        ("design:WH+CM:L1", "properties must be one of"),
    ],
)
def test_unknown_names(text, message):
    if message is None:
        assert len(parse_candidates(text)) == 2  # a file is looked for when it is read
        return
    with refused(InputError):
        parse_candidates(text)


def test_twice_is_once():
    assert len(parse_candidates("GM;gm;EM")) == 2


def test_a_law_is_a_candidate_of_every_size(tmp_path):
    law = design_law(alpha="4/5", properties="WH,CM")
    export(law, tmp_path / "law.json")
    from_file = parse_candidate(str(tmp_path / "law.json"))
    (given,) = as_candidates({"ours": law})
    for candidate in (from_file, given):
        assert (candidate.is_made, candidate.own_n) == (True, None)
        assert [candidate.read(n) for n in (11, 30)] == [law.at(11), law.at(30)]
        with refused(InputError, about="n"):
            candidate.read(8)


def test_designs_of_large_groups_come_of_laws():
    law = design_law(alpha="4/5", properties="WH,RM,CM")
    assert make_mechanism("WM", 200, "4/5") == law.at(200)

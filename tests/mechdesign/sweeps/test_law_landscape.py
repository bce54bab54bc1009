"""Landscapes of laws against the laws of each subset, and against landscapes of matrices of one size."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest
from wording import refused

from mechdesign import DesignProblem, InputError, LimitReachedError, Loss, Model, Privacy, design_law, landscape
from mechdesign.documents.document import document_text
from mechdesign.laws import finding
from mechdesign.laws.problem import LawProblem
from mechdesign.sweeps import law_landscape as module
from mechdesign.sweeps import subset_designs
from mechdesign.sweeps.landscape import all_subsets
from mechdesign.sweeps.law_landscape import law_landscape, law_landscape_document
from mechdesign.sweeps.subset_designs import SkippedSubset, design_exactly


def far(loss, a):
    """The loss far from both ends."""
    return {"L0": 2 * a / (1 + a), "L1": 2 * a / (1 - a**2)}[loss]


def asked(loss, alpha="4/5", aggregate="expected"):
    return LawProblem(Privacy(alpha), frozenset(), Loss.parse(loss), aggregate)


def score(group, loss, n, alpha="4/5"):
    """What a class says of n people."""
    excess = group.score.constant + group.score.slope / (n + 1)
    return (far(loss, Fraction(alpha)) + excess / (n + 1)) * (Fraction(n + 1, n) if loss == "L0" else 1)


@pytest.mark.parametrize(("loss", "alpha"), [("L0", "4/5"), ("L1", "7/10")])
def test_each_class_tells_the_scores_of_the_laws_of_its_subsets(loss, alpha):
    found = law_landscape(asked(loss, alpha))
    for group in found.classes:
        if found.is_fair(group):
            continue
        for names in (*group.weakest, *group.strictest):
            law = design_law(alpha=alpha, properties=",".join(names) or "none", loss=loss)
            assert law.least <= found.least(group)
            low, high = law.score(1000)
            told = score(group, loss, 1000, alpha)
            assert abs(told - low) <= (0 if loss == "L0" else Fraction(1, 10**40))
            assert low <= high


@pytest.mark.parametrize(("loss", "alpha", "n"), [("L0", "4/5", 24), ("L1", "7/10", 40)])
def test_matrices_of_one_size_fall_into_the_same_classes(loss, alpha, n):
    """Under L1 at 40 people matrices differ from laws by less than what tells the classes apart."""
    laws, matrices = law_landscape(asked(loss, alpha)), landscape(DesignProblem(n, alpha, loss=loss))
    for group in laws.classes:
        found = {matrices.classes[matrices.class_of(names)].score for names in group.subsets}
        if laws.is_fair(group):
            assert len(found) == 1
        else:
            assert all(abs(one - score(group, loss, n, alpha)) < Fraction(1, 10**4) for one in found)


def test_l0_has_gm_its_weakest_relatives_and_em():
    found = law_landscape(asked("L0"))
    assert found.names == ("GM", None, "EM")
    assert found.decimals == ("8/9", "8/9 + (203/1152)/n", "(1 + 1/n)(1 - y)")
    assert [group.weakest for group in found.classes] == [((),), (("CH",),), (("F",),)]
    assert found.prices == ("cheapest", "+0.1762/n", "< +0.8889/n")
    em = design_law(alpha="4/5", properties="F").score(40)[1]
    assert 0 < Fraction(8, 9) + Fraction(8, 9) / 40 - em < Fraction(1, 10)


def test_half_has_gm_for_all_but_f():
    found = law_landscape(asked("L1", "1/2"))
    assert (found.names, len(found.classes[0].subsets)) == (("GM",), 64)


def test_the_worst_case_is_em_for_every_subset():
    found = law_landscape(asked("L0", aggregate="worst"))
    assert (found.names, len(found.classes[0].subsets), found.skipped) == (("EM",), 128, {})


def test_what_has_no_law_is_told_with_the_reason():
    found = law_landscape(asked("L1", "1/2"))
    ((why, sets),) = found.without.items()
    assert sets == (("F",),)
    assert why.startswith("loss of a law for every n must be L0 where F is asked, got loss=L1")
    with refused(InputError, about="names"):
        found.class_of(("F",))
    document = json.loads(document_text(law_landscape_document(found)))
    assert document["without"] == [{"why": why, "weakest": [["F"]]}]
    assert document["classes"][0]["excess"] == {
        "constant": {"exact": "-8/3", "value": -8 / 3},
        "slope": {"exact": "0", "value": 0.0},
    }
    assert (document["problem"]["n"], document["classes"][0]["from"]) == ("any", found.least(found.classes[0]))
    members = [tuple(names) for group in document["classes"] for names in group["subsets"]]
    assert {tuple(names) for names in all_subsets()} - set(members) == {s for s in all_subsets() if "F" in s}


def test_asked_by_epsilon_it_is_the_landscape_of_the_alpha():
    problem = asked("L0")
    by_epsilon = law_landscape(replace(problem, privacy=Privacy(epsilon="1/5")))
    assert by_epsilon.is_exact
    assert by_epsilon.problem.privacy.is_exact


def test_properties_are_left_to_the_landscape(monkeypatch):
    with refused(InputError):
        law_landscape(replace(asked("L0"), properties=frozenset({"WH"})))
    monkeypatch.setattr(module, "search_law", lambda problem, seconds: SkippedSubset("too deep"))
    with refused(LimitReachedError):
        law_landscape(asked("L0"))


def test_beyond_some_people_long_matrices_are_skipped_and_all_else_is_as_before(monkeypatch):
    """There are 49 people in place of 129, which take ten times as long."""
    for where in (finding, subset_designs):
        monkeypatch.setattr(where, "FROM_AUTO", 48)
    monkeypatch.setattr(subset_designs, "LONGEST_MATRIX", 0.01)
    problem = DesignProblem(49, "1/2", loss="L2")
    found = landscape(problem)
    assert set(found.skipped) == {s for s in found.skipped if "F" in s} != set()
    assert all("no law serves; a matrix of 50 x 50 would take about " in why for why in found.skipped.values())
    (first, *_), exactly = found.classes, design_exactly(problem, None)
    assert (first.score, first.lower_bound) == (exactly.score, exactly.lower_bound)


def test_where_every_subset_would_be_skipped_the_reason_is_told():
    with refused(LimitReachedError):
        landscape(DesignProblem(2000, "9/10", loss="L3"))


@pytest.mark.parametrize("problem", [DesignProblem(4, "1/2"), DesignProblem(model=Model.ldp(4), alpha="1/2")])
def test_no_small_matrix_is_left_out_however_long_it_may_take(problem, monkeypatch):
    monkeypatch.setattr(subset_designs, "LONGEST_MATRIX", -1.0)
    assert subset_designs.design_soon(problem, None).score == design_exactly(problem, None).score

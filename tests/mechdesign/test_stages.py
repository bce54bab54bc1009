"""Of all best mechanisms, one that is best in the next respect too: values, proofs, and what is refused."""

import json
import random
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mutants import documents_of, each_noticed
from second_best import compare, random_setting
from tampering import set_in, tampered
from two_checkers import FALSE, PROVED, UNREADABLE, by_engine, by_program
from wording import check_wording, refused

from mechdesign import DesignProblem, InputError, Model, design, parse_workload, read_design, release_file
from mechdesign.certificate.proof import proved_loss
from mechdesign.certificate.stages import combined
from mechdesign.documents.document import design_document, exact_entry
from mechdesign.documents.storage import export
from mechdesign.mechanism.mechanism import Mechanism

GOLDEN = [
    (8, "3/4", "WH,CM", "L1", "835753/435456", 1.9192593511),
    (12, "4/5", "WH,CM", "L1", None, 2.6698041479),
    (16, "9/10", "WH,RM,CM", "L1", None, 4.2798076150),
    (24, "9/10", "WH,RM,CM", "L1", None, 5.4962393140),
]


@pytest.mark.parametrize(("n", "alpha", "properties", "then", "exact", "value"), GOLDEN)
def test_the_least_second_loss(n, alpha, properties, then, exact, value):
    found = design(n=n, alpha=alpha, properties=properties, then=then)
    (stage,) = found.stages
    assert found.status == "exact"
    assert stage.score == stage.lower_bound
    assert found.score == design(n=n, alpha=alpha, properties=properties).score
    assert abs(float(stage.score) - value) < 1e-9
    assert exact is None or stage.score == Fraction(exact)


def test_the_second_loss_is_that_of_another_program():
    chance = random.Random(7)
    for _ in range(40):
        assert compare(*random_setting(chance)) < 1e-6


ASKED = [
    {"then": ("L1", "L2")},
    {"then": ("worst:L1", "L2", "worst:L0:1"), "aggregate": "worst"},
    {"then": ("PB:3/4", "binomial:1/3:L1"), "method": "full", "properties": "CH"},
    {"then": ("weights:1,0,0,0,0,0,2:L1",), "prior": "weights:1,2,1,1,1,1,1"},
    {"then": ("worst:PB:1/4", "L0"), "properties": "F,S,WH:9/8", "loss": "L2"},
]


@pytest.mark.parametrize("asked", ASKED)
def test_every_stage_is_exact_and_read_back(asked, tmp_path):
    found = design(n=6, alpha="3/4", **asked)
    assert found.status == "exact"
    assert len(found.stages) == len(asked["then"])
    path = tmp_path / "staged.json"
    export(found, path)
    assert by_program(path) == by_engine(path) == PROVED
    again = read_design(path)
    assert (again.stages, again.mechanism, again.status) == (found.stages, found.mechanism, "exact")


def test_each_further_stage_keeps_what_came_before():
    for short, longer in pairwise([(), ("L1",), ("L1", "worst:L2"), ("L1", "worst:L2", "PB:1/3")]):
        first, second = (design(n=7, alpha="4/5", properties="CM", then=then) for then in (short, longer))
        assert second.score == first.score
        assert [one.score for one in second.stages][: len(short)] == [one.score for one in first.stages]


def test_both_programs_find_the_same_scores():
    found = [design(n=9, alpha="9/10", properties="WH,CM", then=("L1", "L2"), method=m) for m in ("symmetric", "full")]
    assert len({(one.score, *(stage.score for stage in one.stages)) for one in found}) == 1


@given(st.integers(1, 6), st.sampled_from(["", "CM", "WH", "RM"]), st.sampled_from(["PB:1/3", "L1", "worst:PB:1/4"]))
def test_a_mirrored_respect_has_the_same_score(n, properties, then):
    mirrored = {"PB:1/3": "PB:2/3", "L1": "L1", "worst:PB:1/4": "worst:PB:3/4"}[then]
    one, other = (design(n=n, alpha="2/3", properties=properties, then=respect) for respect in (then, mirrored))
    assert one.stages[0].score == other.stages[0].score


def test_without_then_nothing_changes():
    asked = {"n": 5, "alpha": "3/4", "properties": "WH,CM"}
    assert design_document(design(**asked))["format"] == "mechdesign-design/1"
    assert "stages" not in design_document(design(**asked, then=()))
    assert design(**asked, then=()).mechanism == design(**asked).mechanism


def test_asked_by_epsilon_the_bounds_are_those_at_the_lower_alpha(tmp_path):
    found = design(n=6, epsilon="0.3", properties="WH,CM", then="L1")
    (stage,) = found.stages
    assert found.status == "certified"
    assert 0 < stage.gap < Fraction(1, 10**6)
    assert found.at_alpha.status == "exact"
    path = tmp_path / "staged.json"
    export(found, path)
    assert by_program(path) == by_engine(path) == PROVED


def test_by_epsilon_alpha_comes_nearer_until_the_last_stage_is_certified_too():
    then = ("L1", "worst:L2", "binomial:1/3:L1")
    found = design(n=8, epsilon="0.3", properties="WH,CM", then=then)
    assert found.status == "certified"
    assert found.problem.alpha != DesignProblem(8, epsilon="0.3").alpha
    assert max(stage.gap for stage in found.stages) < Fraction(1, 10**9)


def test_a_closed_form_that_is_best_in_all_respects_is_taken_and_said_to_be():
    """WM at n = 16, alpha = 9/10 has the least L1 of all with its score; EM has the largest with F and RM."""
    asked = {"n": 16, "alpha": "9/10", "properties": "WH,RM,CM"}
    formula, best = design(**asked, method="closed-form"), design(**asked, then="L1")
    assert best.mechanism == formula.mechanism
    assert best.stages[0].gap == 0
    check_wording(best.how)
    fair = design(n=8, alpha="3/4", properties="F,RM")
    assert design(n=8, alpha="3/4", properties="F,RM", then="L1").mechanism != fair.mechanism


STAGED = design(n=8, alpha="3/4", properties="WH,CM", then=("L1", "worst:L2", "L2"))


def longer_by(key, amount):
    """A change of an exact number of the first stage by a small amount."""

    def change(data):
        entry = data["stages"][0][key]
        entry["exact"] = str(Fraction(entry["exact"]) + amount)

    return change


def relaxed(data):
    """The mechanism with a little of the uniform one: its first score is 1e-12 above the least, as the file says."""
    share, one = Fraction(1, 10**12), STAGED.mechanism
    rows = [[(1 - share) * one.fraction(i, j) + share / 9 for j in range(9)] for i in range(9)]
    other = Mechanism.from_fractions(rows)
    data["denominator"] = str(other.denominator)
    data["weights"] = [[str(weight) for weight in row] for row in other.weights]
    data["score"]["exact"] = str(STAGED.score + share * (1 - STAGED.score))
    data["status"] = "certified"


def negative_row(data):
    rows = data["stages"][0]["dual"]["rows"]
    rows[0][5] = f"-{rows[0][5]}"


def restated(place, penalties, prior):
    """A change of a stage's penalties (and prior), with the bound and the status that would follow from them."""
    stage, before = STAGED.stages[place], [STAGED, *STAGED.stages[:place]]
    own = stage.problem
    parts = [(own, prior or own.prior.weights(9))]
    paid = Fraction(0)
    for one, (multiplier,) in zip(before, penalties, strict=True):
        parts.append((one.problem, [multiplier * chance for chance in one.problem.prior.weights(9)]))
        paid += multiplier * one.score / one.problem.rescaling
    arrays = {key: array for key, array in stage.certificate.arrays.items() if key != "prior"}
    bound = proved_loss(combined(parts), replace(stage.certificate, arrays=arrays)) - paid
    assert bound < stage.score

    def change(data):
        entry = data["stages"][place]
        entry["penalties"] = [[str(value) for value in penalty] for penalty in penalties]
        entry["lower_bound"] = exact_entry(bound)
        if prior:
            entry["dual"]["prior"] = [str(value) for value in prior]
        data["status"] = "certified" if stage.score - bound < stage.score / 10**6 else "feasible"

    return change


(WEIGHT,) = STAGED.stages[0].penalties[0]
HALVED = [value / 2 for value in STAGED.stages[1].certificate["prior"]]

FORGED = [
    (longer_by("score", Fraction(-1, 10**12)), FALSE),
    (longer_by("lower_bound", Fraction(1, 10**12)), FALSE),
    (longer_by("lower_bound", Fraction(-1, 10**12)), FALSE),
    (relaxed, FALSE),
    (negative_row, FALSE),
    (set_in("stages", 0, "penalties", value=[["-1"]]), FALSE),
    (set_in("stages", 0, "penalties", value=[["1"]]), FALSE),
    (set_in("stages", 0, "penalties", value=[]), FALSE),
    (set_in("stages", 0, "penalties", value=[["1024", "0"]]), FALSE),
    (set_in("stages", 2, "penalties", 1, value=["1"]), FALSE),
    (set_in("stages", 1, "dual", "prior", 0, value="1/3"), FALSE),
    (set_in("stages", 1, "dual", "prior", value=["1"]), FALSE),
    (set_in("stages", 0, "loss", value="L2"), FALSE),
    (set_in("stages", 0, "prior", value="binomial:1/2"), FALSE),
    (set_in("stages", 0, "lower_bound", "value", value=1.9), FALSE),
    (set_in("stages", 2, "score", "value", value=1.9), FALSE),
    (restated(0, [[Fraction(-1)]], None), FALSE),
    (restated(0, [[Fraction(1)]], None), PROVED),
    (restated(0, [[WEIGHT - Fraction(1, 10**9)]], None), PROVED),
    (restated(1, STAGED.stages[1].penalties, HALVED), FALSE),
    (set_in("stages", value=[]), UNREADABLE),
    (set_in("stages", 0, value=1), UNREADABLE),
    (set_in("stages", 0, "unknown", value="1"), UNREADABLE),
    (set_in("stages", 0, "aggregate", value="worst"), UNREADABLE),
    (set_in("stages", 0, "dual", "prior", value=["1/9"] * 9), UNREADABLE),
    (set_in("format", value="mechdesign-design/1"), UNREADABLE),
]


@pytest.mark.parametrize("place", range(len(FORGED)))
def test_a_forged_stage_is_refused_by_both_checkers(place, tmp_path):
    change, verdict = FORGED[place]
    path = tampered(STAGED, tmp_path, change)
    assert by_program(path) == by_engine(path) == verdict


def test_a_closed_form_without_what_is_asked_is_passed_over():
    asked = {"n": 1, "alpha": "1/2", "properties": "WH:1/2", "loss": "L1", "prior": "binomial:1/3"}
    assert design(**asked, then="L0").status == "exact"


def test_a_record_tells_of_all_respects(tmp_path):
    export(STAGED, tmp_path / "staged.json")
    (tmp_path / "counts.csv").write_text("count\n3\n5\n")
    paths = {"output": tmp_path / "out.csv", "record": tmp_path / "out.json"}
    release_file(tmp_path / "counts.csv", column="count", mechanism=tmp_path / "staged.json", **paths)
    data = json.loads(paths["record"].read_text())
    assert data["designs"] == [json.loads((tmp_path / "staged.json").read_text())]
    best = "Of all that are as good at this alpha, for n = 8 one with the least loss L1, prior uniform, then of"
    assert best in data["statement"]
    assert by_program(paths["record"]) == PROVED


MUTANTS = [
    ("stages.py", "or min(multipliers) < 0", ""),
    ("stages.py", "paid += value * sum(penalty)", "paid += value"),
    ("stages.py", "if min(chances) < 0 or sum(chances) != 1:", "if False:"),
    ("stages.py", "[weight / aim.denominator for", "[weight / aim.denominator**2 for"),
    ("stages.py", "parts.append((before, penalty))", "pass"),
    ("proving.py", "key=list(STATUSES).index", "key=str"),
]


UNEVEN = {"n": 5, "alpha": "3/4", "then": ("PB:1/3", "worst:PB:2/7", "L1")}
documents = documents_of(
    lambda: [*((STAGED, change) for change, _ in FORGED), (STAGED, dict), (design(**UNEVEN), dict)]
)
test_a_changed_statement_is_noticed = each_noticed(MUTANTS)


REFUSED = [
    {"then": "L0"},
    {"then": ("L1", "L1")},
    {"then": ("L1", "uniform:L1")},
    {"then": "worst"},
    {"then": "L1000"},
    {"then": "binomial:2:L1"},
    {"then": ""},
    {"then": "L1", "method": "closed-form"},
    {"then": "PB:1/3", "method": "symmetric"},
    {"then": "L1", "solver": "none"},
]


@pytest.mark.parametrize("asked", REFUSED)
def test_what_cannot_be_asked_is_refused_in_a_line(asked):
    with refused(InputError):
        design(n=4, alpha="3/4", **asked)


def test_only_matrices_for_counts_have_further_respects():
    with refused(InputError):
        design(model=Model.ldp(4), alpha="3/4", then="L1")
    with refused(InputError):
        design(workload=parse_workload("ranges", 4), alpha="3/4", then="L1")


def test_a_loss_that_is_the_same_for_all_is_told():
    check_wording(design(n=8, alpha="3/4", then="L1").how)


def test_the_words_of_a_staged_design():
    check_wording(repr(STAGED.facts()))

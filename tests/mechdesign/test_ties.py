"""Ties: the ranges of all best mechanisms, and the canonical one, with the proof that there is no other."""

import random
from fractions import Fraction
from functools import partial
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mutants import documents_of, each_noticed
from second_best import random_setting, second_loss
from tampering import set_in, tampered
from two_checkers import FALSE, PROVED, UNREADABLE, by_program
from wording import check_wording, refused

from mechdesign import DesignProblem, InputError, Model, design, find_ties
from mechdesign.certificate.proof import dual_certificate
from mechdesign.certificate.stages import entry_aim
from mechdesign.documents.storage import export
from mechdesign.methods.lp import stages
from mechdesign.methods.lp.stages import StagedProgram
from mechdesign.methods.method import Effort
from mechdesign.problem.loss import Loss
from mechdesign.program.clock import Clock
from mechdesign.program.exact import optimum
from mechdesign.program.solvers import highs_
from mechdesign.ties import has_certain_ties
from mechdesign.verify.singles import Single, single_defects
from mechdesign.verify.stages import Aim, Demands


def test_the_range_of_the_mean_error():
    ties = find_ties(n=8, alpha="3/4", properties="WH,CM")
    assert not ties.is_unique
    ranges = {one.name: (one.low, one.high) for one in ties.ranges}
    assert ranges["L1"][0] == Fraction(835753, 435456)
    assert abs(float(ranges["L1"][1]) - 2.083507863) < 1e-8
    assert ranges["right at 8"] == ranges["right at 0"] == (Fraction(64, 189), Fraction(64, 189))
    check_wording(repr(ties.facts()))


def test_where_the_optimum_is_unique_a_range_is_one_number():
    ties = find_ties(n=6, alpha="3/4")
    assert ties.is_unique
    assert {one.low == one.high for one in ties.ranges} == {True}
    assert ties.ranges[0].low == design(n=6, alpha="3/4", then="L1").stages[0].score
    assert not any(" to " in text for _, text in ties.facts())


@pytest.mark.slow
def test_both_ends_of_every_range_are_those_of_another_program():
    chance = random.Random(11)
    for _ in range(12):
        setting, _ = random_setting(chance)
        ties, best = find_ties(**setting), design(**setting)
        problem, value = best.problem, best.score / best.problem.rescaling
        aims = [problem.with_aim(Loss.parse(loss), problem.prior) for loss in ("L1", "L2")]
        aims += [entry_aim(problem, j, j, halved=False) for j in range(problem.size)]
        for aim, found in zip(aims, ties.ranges, strict=True):
            for sign, end in ((1, found.low), (-1, found.high)):
                other = second_loss(problem, aim, value, sign)
                assert abs(other - float(end)) < 1e-6 * max(1, abs(other)), (setting, found)
        assert not ties.is_unique or all(one.low == one.high for one in ties.ranges)


def test_after_further_respects_the_best_are_fewer():
    ties = find_ties(n=8, alpha="3/4", properties="WH,CM", then="L1")
    assert ties.is_unique
    with refused(InputError):
        find_ties(model=Model.ldp(3), alpha="1/2")
    with refused(InputError):
        find_ties(n=3, alpha="1/2", method="full")


TIED = [
    ("", "L0", False),
    ("WH", "L0", False),
    ("WH,CM", "L0", True),
    ("F", "L0", True),
    ("CH", "L0:1", False),
    ("", "L1", False),
]


@pytest.mark.parametrize(("properties", "loss", "is_tied"), TIED)
@pytest.mark.parametrize("method", ["auto", "symmetric"])
def test_what_is_seen_on_the_way_is_true(properties, loss, is_tied, method):
    asked = {"n": 7, "alpha": "3/4", "properties": properties, "loss": loss}
    assert has_certain_ties(design(**asked, method=method)) == is_tied
    assert find_ties(**asked).is_unique is not is_tied


@pytest.mark.parametrize(("properties", "is_tied"), [("CH", True), ("RH", False), ("RM,CM,F", True)])
def test_designs_for_more_people_tell_of_ties_too(properties, is_tied):
    assert has_certain_ties(design(n=32, alpha="3/4", properties=properties)) == is_tied


def test_small_designs_tell_of_ties_exactly():
    """Before multipliers told it, 10 of 108 such settings with ties were not seen."""
    tied = 0
    for n, properties, loss, prior in product(
        (3, 6), ("", "RH", "CH", "F", "OS:1/2"), ("L0", "L1"), (None, "binomial:1/3")
    ):
        found = design(n=n, alpha="4/5", properties=properties, loss=loss, prior=prior)
        is_tied = not find_ties(found.problem).is_unique
        assert has_certain_ties(found) == is_tied, found.problem.describe()
        tied += is_tied
    assert 10 <= tied <= 30


CANONICAL = [
    {"n": 8, "properties": "WH,CM"},
    {"n": 7, "properties": "F"},
    {"n": 5, "prior": "weights:1,2,1,2,0,0"},
    {"n": 6, "loss": "L1", "prior": "weights:0,2,0,0,2,0,0", "properties": "RH"},
    {"n": 4, "aggregate": "worst", "loss": "L1", "properties": "CH"},
]


@pytest.mark.parametrize("asked", CANONICAL)
def test_the_canonical_mechanism_does_not_hang_on_solver_or_scaling(asked, monkeypatch, tmp_path):
    found = design(**asked, alpha="9/10", then="canonical")
    path = tmp_path / "canonical.json"
    export(found, path)
    assert by_program(path) == PROVED
    monkeypatch.setattr(stages, "choose_solver", lambda name: partial(highs_.solve, method="ipm"))
    assert design(**asked, alpha="9/10", then="canonical").mechanism == found.mechanism
    monkeypatch.undo()
    straight = optimum._scalings
    monkeypatch.setattr(optimum, "_scalings", lambda program: reversed(list(straight(program))))
    assert design(**asked, alpha="9/10", then="canonical").mechanism == found.mechanism


@pytest.mark.parametrize("asked", CANONICAL[:2])
def test_the_canonical_mechanism_is_that_of_the_full_program(asked):
    problem = DesignProblem(**asked, alpha="9/10")
    staged = StagedProgram(problem, False, Effort("highs", False, Clock(None)))
    for one in (problem, *(problem.with_aim(Loss.parse(loss)) for loss in ("L1", "L2"))):
        staged.minimise(one)
    assert staged.is_single()
    best = design(problem, then="canonical").mechanism
    assert staged.matrix() == [[best.fraction(i, j) for j in range(problem.size)] for i in range(problem.size)]


def test_entries_decide_in_their_order_where_losses_do_not():
    asked = {"n": 5, "alpha": "9/10", "prior": "weights:1,2,1,2,0,0"}
    best = design(**asked, then="canonical")
    entries = [one for one in best.stages if one.problem.loss.name == "matrix"]
    assert len(entries) > 1
    places = []
    for stage in entries:
        ((i, j),) = [(i, j) for i, row in enumerate(stage.problem.loss.matrix(6)) for j, x in enumerate(row) if x]
        assert stage.score == best.mechanism.fraction(i, j)
        places.append((i, j))
    assert places == sorted(places)
    ties = find_ties(**asked, then=("L1", "L2"))
    assert not ties.is_unique
    assert best.single is not None


@given(st.integers(1, 6), st.sampled_from(["", "CM", "WH", "F", "RM"]), st.sampled_from(["L0", "L1", "L0:1"]))
def test_where_rotations_cost_nothing_the_canonical_mechanism_is_one(n, properties, loss):
    best = design(n=n, alpha="3/4", properties=properties, loss=loss, then="canonical")
    assert "S" in best.holds


SINGLE = design(n=6, alpha="3/4", properties="WH,CM", then="canonical")
WORST = design(n=4, alpha="3/4", aggregate="worst", loss="L1", then="canonical")
UNEVEN = design(n=3, alpha="3/4", loss="L0", prior="weights:0,2,1,0", properties="CM", then="canonical")
EQUAL = design(n=4, alpha="3/4", properties="F,OS:1/3", then="canonical")


def without_rows(kind):
    def change(data):
        rows = data["single"]["dual"]["rows"]
        rows[:] = [row for row in rows if row[0] != kind]

    return change


def turned(data):
    data["single"]["rotations"] = not data["single"]["rotations"]


def of_another(data):
    """The proof that belongs to fewer respects: those of the first score alone."""
    data["single"]["penalties"] = [["1"], ["0"], ["0"]]


FORGED = [
    (SINGLE, set_in("single", "penalties", value=[["1"]]), FALSE),
    (SINGLE, of_another, FALSE),
    (SINGLE, without_rows("CM"), FALSE),
    (SINGLE, without_rows("DP"), FALSE),
    (SINGLE, set_in("single", "penalties", 0, 0, value="-1"), FALSE),
    (SINGLE, set_in("single", "rotations", value="true"), UNREADABLE),
    (SINGLE, set_in("single", "dual", "prices", value=["1"] * 7), UNREADABLE),
    (SINGLE, set_in("single", value=None), UNREADABLE),
    (UNEVEN, set_in("single", "penalties", value=[]), FALSE),
]


@pytest.mark.parametrize("place", range(len(FORGED)))
def test_a_forged_proof_that_there_is_no_other_is_refused(place, tmp_path):
    found, change, verdict = FORGED[place]
    assert by_program(tampered(found, tmp_path, change)) == verdict


def first_score_alone(*, with_zeros):
    """A change to the proof of the first score alone, at will with each row of the true proof at multiplier 0."""
    problem = DesignProblem(n=6, alpha="3/4", properties="WH,CM")
    staged = StagedProgram(problem, True, Effort("highs", False, Clock(None)))
    staged.minimise(problem)
    proof = staged.single_proof()
    assert not staged.is_single()

    def change(data):
        rows = [[*row[:5], "0"] for row in data["single"]["dual"]["rows"]] if with_zeros else []
        rows += [[*row[:5], str(row[5])] for row in proof.certificate["rows"]]
        data["single"]["penalties"] = [[str(proof.penalties[0][0])], ["0"], ["0"]]
        data["single"]["dual"] = {"denominator": str(proof.certificate.scale), "rows": rows}

    return change


@pytest.mark.parametrize("with_zeros", [False, True])
def test_a_proof_of_the_first_score_leaves_room_for_others(with_zeros, tmp_path):
    assert by_program(tampered(SINGLE, tmp_path, first_score_alone(with_zeros=with_zeros))) == FALSE


def test_an_output_that_never_comes_may_come_elsewhere():
    demands = Demands((1, 2), ((0, 1, 1), (1, 2, 1)), ())
    nothing = Aim([[0] * 3 for _ in range(3)], 1, [Fraction(1, 3)] * 3)
    single = Single(False, [[Fraction(1)]], dual_certificate([], 1))
    (defect,) = single_defects(demands, [nothing], single, [[1, 1, 1], [0, 0, 0], [0, 0, 0]], 1)
    check_wording(defect)


MUTANTS = [
    ("singles.py", "if m and kind", "if kind"),
    ("singles.py", "if _rank(equations) < len(factors):", "if False:"),
    ("singles.py", "if Fraction(*bound) != least:", "if False:"),
    ("singles.py", "if reduced[i][j] > least[j]}", "if False}"),
    ("singles.py", "- floors)", ")"),
    ("singles.py", "conditions += [(aim.loss, j)", "[(aim.loss, j)"),
    ("singles.py", "if kernel.ROTATION in demands.properties:\n        pairs", "if False:\n        pairs"),
    ("singles.py", "if single.rotations:", "if True:"),
]


def cases():
    """True and forged designs."""
    found = [(one, change) for one, change, _ in FORGED]
    found += [(SINGLE, first_score_alone(with_zeros=zeros)) for zeros in (False, True)]
    floors = design(n=6, alpha="9/10", properties="WH", then="canonical")
    zeros = design(n=6, alpha="9/10", loss="L2", then="canonical")
    found += [(one, dict) for one in (SINGLE, WORST, UNEVEN, EQUAL, floors, zeros)]
    return [*found, (EQUAL, turned)]


documents = documents_of(cases)
test_a_changed_statement_is_noticed = each_noticed(MUTANTS)

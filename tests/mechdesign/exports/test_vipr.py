"""Certificates: the program is the problem's, the proof proves it, and what is changed is refused."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest
from program_cases import CASES
from stated_problem import stated_rows
from vipr_reader import RefusedCertificateError, check, read_certificate
from wording import refused

from mechdesign import DesignProblem, Model, RefusedError, design, export, mend
from mechdesign.certificate.proof import dual_certificate
from mechdesign.exports.limits import count_rows
from mechdesign.exports.vipr import vipr_lines

LONG_ALPHA = "0.71828182845904523536028747135266249775724709369995957496696762772407663035354759457138"
NUDGE = Fraction(1, 10**9)


def text_of(result):
    return "".join(vipr_lines(result))


def test_there_are_ten_designs_of_each_model_and_aggregate():
    kinds = Counter((case.model.name, case.aggregate) for case in CASES)
    assert len(kinds) == 8
    assert min(kinds.values()) >= 10


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_certificate_proves_the_design(case):
    result = case.design()
    problem = result.problem
    certificate = read_certificate(text_of(result))
    check(certificate)
    assert (certificate.lower, certificate.upper) == (result.lower_bound, result.score)
    assert certificate.value(certificate.solutions[0]) == result.score
    rows = Counter((row.sense, row.rhs, frozenset(row.terms.items())) for row in certificate.rows)
    assert rows == Counter(stated_rows(problem, problem.step_alpha_below))
    assert len(certificate.rows) == count_rows(problem)
    bounds = certificate.constraints[: certificate.n_bounds]
    assert [(row.sense, row.rhs, row.terms) for row in bounds] == [("G", 0, {x: 1}) for x in range(problem.size**2)]


def test_a_design_asked_by_epsilon_is_proved_at_its_alpha():
    result = design(DesignProblem(5, epsilon=1, properties="WH,CM"))
    text = text_of(result)
    certificate = read_certificate(text)
    check(certificate)
    assert certificate.lower == certificate.upper == result.score > result.lower_bound
    assert "this is the program at alpha = 27634/75117, the mechanism's; epsilon = 1 was asked for," in text
    rows = Counter((row.sense, row.rhs, frozenset(row.terms.items())) for row in certificate.rows)
    assert rows == Counter(stated_rows(result.problem.at_alpha, result.problem.alpha))


@pytest.mark.parametrize("case", CASES[::7], ids=lambda case: case.name)
def test_the_objective_is_the_score_of_any_matrix(case):
    problem = case.problem()
    certificate = read_certificate(text_of(case.design()))
    if problem.is_worst_case:
        assert certificate.objective == {problem.size**2: 1}
    else:
        costs = [problem.rescaling * value for row in problem.cost for value in row]
        assert certificate.objective == {x: cost for x, cost in enumerate(costs) if cost}


def check_refusal(text):
    with refused(RefusedCertificateError):
        check(read_certificate(text))


@pytest.mark.parametrize("case", CASES[::5], ids=lambda case: case.name)
def test_a_bound_that_is_too_high_is_refused(case):
    result = case.design()
    text = text_of(result)
    low, high, score = result.lower_bound, result.lower_bound + NUDGE, result.score
    check_refusal(text.replace(f"proof G {low} OBJ", f"proof G {high} OBJ"))
    claim = f"RTP range {low} {score}\n"
    check_refusal(text.replace(claim, f"RTP range {high} {high + score}\n"))
    check_refusal(text.replace(claim, f"RTP range {low} {score - NUDGE}\n"))


CHANGES = [
    ("DP_0_1_0_0 G 0 2 1 1 0 -9/10", "DP_0_1_0_0 G 0 2 1 1 0 -91/100"),
    ("DP_0_2_0_1 G 0 2 2 1 1 -9/10", "DP_0_2_0_1 G 0 2 2 1 1 -89/100"),
    ("WH_2 G 1/5", "WH_2 G 1/4"),
    ("\n12 1/5\n", "\n12 1/6\n"),
    ("\n25 1/4\n", "\n25 1/5\n"),
    ("\n34 5/18\n", "\n34 -5/18\n"),
    ("20 1 1/4 2", "20 1 1/3 2"),
    ("} -1\n", ""),
    ("} -1\n", "} -1\n7\n"),
    ("P_0_1\n", "P_0_0\n"),
]


@pytest.mark.parametrize(("old", "new"), CHANGES)
def test_a_changed_number_is_refused(old, new):
    text = text_of(design(DesignProblem(4, "9/10", properties="WH,CM")))
    assert text.count(old) == 1
    check_refusal(text.replace(old, new))


def test_a_repaired_matrix_has_a_range():
    problem = DesignProblem(4, "9/10", properties="WH,CM")
    rough = [[Fraction(round(1000 * x), 1000) for x in row] for row in design(problem).mechanism.matrix().tolist()]
    result = mend(problem, rough).design
    assert result.gap > 0
    certificate = read_certificate(text_of(result))
    check(certificate)
    assert certificate.lower == result.lower_bound < result.score == certificate.upper


def test_rounded_vertices_have_a_range():
    result = design(DesignProblem(12, LONG_ALPHA, properties="CM", loss="L1"))
    assert result.status == "certified"
    check(read_certificate(text_of(result)))


@pytest.mark.parametrize("aggregate", ["expected", "worst"])
@pytest.mark.parametrize("model", [Model.count(3), Model.ldp(4), Model.lldp(5, 2)])
def test_a_loss_that_charges_nothing(model, aggregate):
    result = design(DesignProblem(model=model, alpha="1/2", loss="L0:9", aggregate=aggregate))
    certificate = read_certificate(text_of(result))
    check(certificate)
    assert (certificate.lower, certificate.upper) == (0, 0)


def test_numbers_of_any_length_are_written():
    text = text_of(design(DesignProblem(12, Fraction(10**400, 3 * 10**400 + 7), loss="L1"), exact=True))
    assert max(map(len, text.split())) > 2 * 4300
    check(read_certificate(text))


def test_a_proof_that_does_not_carry_over_is_refused():
    best = design(DesignProblem(4, "9/10", properties="WH,CM"))
    empty = dual_certificate((), 1, None, None)
    forged = replace(best, certificate=empty, method="x")
    with refused(RefusedError):
        text_of(forged)


def test_the_head_says_what_the_program_is(tmp_path):
    problem = DesignProblem(model=Model.metric([[0, 2], [2, 0]]), alpha="1/2")
    export(design(problem), tmp_path / "m.vipr")
    head = (tmp_path / "m.vipr").read_text().split("VER")[0].splitlines()
    assert all(line.startswith("% ") for line in head)
    assert problem.describe() in head[0]
    assert head[2] == "% the score is the expected loss times 2"
    assert head[-1] == "% distances are in units of 2; over one of them the factor is 1/4"


def test_a_fraction_for_a_unit_is_stated_where_the_bound_is_proved():
    problem = DesignProblem(model=Model.metric([["0", "1/2"], ["1/2", "0"]]), alpha="1/2")
    result = design(problem)
    step = result.problem.step
    certificate = read_certificate(text_of(result))
    assert 2 * step.low**2 <= 1 <= 2 * step.high**2
    assert not step.is_exact
    assert {-c for row in certificate.rows if row.name.startswith("DP") for c in row.terms.values() if c < 0} == {
        step.low
    }
    assert 0 < certificate.upper - certificate.lower < NUDGE
    root = 2**0.5
    assert float(certificate.lower) == pytest.approx(2 / (1 + root), abs=1e-12)
    assert certificate.comments[-1].endswith(f"at most alpha^unit; the mechanism is private at {step.high}")

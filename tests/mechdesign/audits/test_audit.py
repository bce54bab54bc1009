from fractions import Fraction

import highspy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wording import refused

from mechdesign import DesignProblem, InputError, Model, WorkloadProblem, design
from mechdesign.audits.audit import audit
from mechdesign.audits.mending import mend
from mechdesign.program.exact.scaling import Scaling
from mechdesign.program.linear_program import build
from mechdesign.workloads.ordered import Prefixes


def plain_highs(n, alpha):
    """The L0 LP as a newcomer solves it: unscaled, default settings, the solution taken as it comes."""
    program = build(DesignProblem(n, alpha), symmetric=False)
    scaling = Scaling(program, 1.0)
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    inf = highspy.kHighsInf
    for cost in scaling.cost:
        highs.addCol(float(cost), 0.0, inf, 0, np.array([], dtype=np.int32), np.array([]))
    for u, v, r in zip(program.upper, program.lower, scaling.coefficient, strict=True):
        highs.addRow(0.0, inf, 2, np.array([u, v], dtype=np.int32), np.array([1.0, -r]))
    for e in program.equations:
        highs.addRow(1.0, 1.0, len(e.variables), e.variables.astype(np.int32), np.ones(len(e.variables)))
    highs.run()
    return np.array(highs.getSolution().col_value).reshape(n + 1, n + 1)


def test_one_input_tells_nothing():
    found = audit([[Fraction(1, 3)], [Fraction(2, 3)]])
    assert (found.path.epsilon, found.own.alpha) == (0, 1)


@pytest.fixture(scope="module")
def plain():
    return plain_highs(24, "1/2")


def test_a_plain_solver_leaks_and_the_audit_says_where(plain):
    found = audit(plain, alpha="1/2")
    assert found.path.epsilon == float("inf")
    assert plain[found.path.output, found.path.low] == 0 < plain[found.path.output, found.path.high]
    assert not found.passed
    assert found.scores["L0"] == pytest.approx(2 / 3, abs=1e-6)


def test_and_the_repair_mends_it(plain):
    problem = DesignProblem(24, "1/2")
    mended = mend(problem, [[Fraction(x) for x in row] for row in plain.tolist()])
    result = mended.design
    assert audit(result, alpha="1/2").passed
    assert result.lower_bound == Fraction(2, 3) <= result.score < Fraction(2, 3) + Fraction(1, 10**5)
    assert mended.largest_change < Fraction(1, 10**5)
    assert result.how == "integer repair"


@pytest.mark.slow
@settings(max_examples=40)
@given(st.integers(2, 5), st.data())
def test_a_mended_matrix_passes_every_claim(size, data):
    entry = st.fractions(-1, 1, max_denominator=5)
    rows = [[data.draw(entry) for _ in range(size)] for _ in range(size)]
    problem = DesignProblem(size - 1, "4/5", properties=data.draw(st.sampled_from(["none", "CM", "F,RM", "WH,S"])))
    result = mend(problem, rows).design
    found = audit(result, alpha="4/5", properties=problem.properties)
    assert found.passed
    assert result.lower_bound == design(problem).score <= result.score


def test_defects_are_named():
    found = audit(np.array([[0.5, -0.25], [0.5, 1.0]]))
    assert found.negative == ((0, 1),)
    assert found.column_errors == ((1, Fraction(-1, 4)),)
    assert found.path.alpha is None
    rows = audit(np.array([[0.75, 0.25], [0.5, 0.5]]))
    assert rows.worst_row_error == 0
    assert not rows.column_sums_exact


def test_complete_graph_is_stricter():
    found = audit(design(DesignProblem(4, "9/10")))
    assert found.path.alpha == Fraction(9, 10)
    assert found.complete.alpha == Fraction(9, 10) ** 4


def test_scores_and_derivation():
    gm = audit(design(DesignProblem(8, "9/10")))
    assert gm.scores["L0"] == Fraction(18, 19)
    assert set(gm.scores) == {"L0", "L0:1", "L1", "L2"}
    assert gm.derivable
    em = audit(design(DesignProblem(8, "9/10", properties="F,CM,RM")))
    assert em.derivable is False
    assert em.violation is not None
    uniform = audit(np.full((4, 4), 0.25))
    assert (uniform.path.alpha, uniform.path.epsilon, uniform.derivable) == (1, 0, True)


def test_rectangles_have_no_properties():
    found = audit(np.array([[0.5, 0.5, 0.5], [0.5, 0.5, 0.5]]), properties="WH")
    assert (found.holds, found.scores) == ((), {})
    assert not found.passed


@pytest.mark.parametrize("matrix", [np.empty((0, 2)), np.array([[np.nan]]), [], [[]], [[Fraction(1)], []], None, "ab"])
def test_what_is_no_matrix(matrix):
    with refused(InputError):
        audit(matrix)


def test_claims_about_floats_are_taken_literally():
    """The float matrix of a certified design misses its own alpha by a rounding error, and the audit says so."""
    result = design(DesignProblem(8, "9/10", properties="WH,CM"))
    found = audit(result.mechanism.matrix(), alpha="9/10")
    stochastic, claim = found.claims
    assert stochastic.true
    assert not claim.true
    assert "too small" in claim.detail
    assert found.path.epsilon == pytest.approx(result.problem.epsilon, rel=1e-12)


@pytest.mark.parametrize("rows", [[[-1, -1], [2, 2]], [[5, 5], [5, 5]], [[0, 0], [0, 0]]])
def test_what_is_no_probability_passes_no_claim(rows):
    found = audit(rows, alpha="9/10")
    assert not found.passed
    assert found.derivable is None


def test_rows_of_numbers_are_a_matrix():
    assert audit([[0.5, 0.25], ["1/2", 0.75]]).path.alpha == Fraction(1, 2)


def test_a_sound_matrix_is_kept_as_it_is():
    best = design(DesignProblem(6, "9/10", properties="WH,CM"))
    rows = [[best.mechanism.fraction(i, j) for j in range(7)] for i in range(7)]
    mended = mend(best.problem, rows)
    assert (mended.design.mechanism, mended.design.status, mended.largest_change) == (best.mechanism, "exact", 0)


def test_repair_is_worth_having():
    """GM at alpha = 1/2 taken to alpha = 9/10: far better than giving up and answering uniformly."""
    loose = design(DesignProblem(16, "1/2")).mechanism
    rows = [[loose.fraction(i, j) for j in range(17)] for i in range(17)]
    for properties, most in (("none", "0.97"), ("CM", "0.975"), ("WH,CM,S", "0.975")):
        result = mend(DesignProblem(16, "9/10", properties=properties), rows).design
        assert result.lower_bound < result.score < Fraction(most)


def test_a_workload_design_is_audited_by_its_document():
    found = design(WorkloadProblem(Prefixes(3), alpha="1/3"))
    audited = audit(found)
    assert audited.passed
    assert (audited.alpha, audited.column_errors, audited.proved().score) == (Fraction(1, 3), (), found.score)
    assert audit(found.mechanism.mechanism(), model=Model.ldp(3)).path.alpha == Fraction(1, 3)

"""Whoever writes a design can read it back: long numbers are rounded where any will do, and refused where not."""

import json
from fractions import Fraction

import pytest
from cases import require_certified
from tampering import tampered
from two_checkers import PROVED, by_engine, by_program
from wording import refused

from mechdesign import DesignProblem, InputError, Model, NotCertifiedError, design, rational
from mechdesign.certificate.multipliers import PRIOR_BITS, rounded_prior
from mechdesign.methods.answer import STEP_GAP
from mechdesign.program.exact.numbers import to_exact


def line(*points, **asked):
    """Points on a line; a fraction makes the unit a fraction."""
    places = [Fraction(point) for point in points]
    model = Model.metric([[abs(a - b) for a in places] for b in places])
    return DesignProblem(model=model, **asked)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["column-generation", "full"])
def test_a_worst_case_over_many_units_is_read_back(method, tmp_path):
    """Its prior has powers of alpha over all units; the proof has one of `PRIOR_BITS`."""
    problem = line(0, "1/100", 1, 3, 4, alpha="0.9", properties="RH", loss="L1", aggregate="worst")
    assert problem.graph.distances.max() == 400
    best = design(problem, method=method)
    require_certified(best)
    assert 0 < best.gap <= STEP_GAP * best.score
    assert sum(best.certificate["prior"]) == 1
    assert max(weight.denominator for weight in best.certificate["prior"]) <= 1 << PRIOR_BITS
    path = tampered(best, tmp_path, lambda data: None)
    assert len(path.read_text()) < 4 * len(json.loads(path.read_text())["lower_bound"]["exact"]) + 40_000
    assert (by_engine(path), by_program(path)) == (PROVED, PROVED)


def test_a_long_prior_is_rounded_to_one_that_sums_to_1():
    third = Fraction(1, 3**700)
    prior = [third, 1 - 3 * third, 2 * third]
    found = rounded_prior([to_exact(weight) for weight in prior])
    assert sum(found) == 1
    assert min(found) >= 0
    assert all(abs(a - b) <= Fraction(3, 1 << PRIOR_BITS) for a, b in zip(prior, found, strict=True))
    short = (Fraction(1, 3), Fraction(2, 3))
    assert rounded_prior([to_exact(weight) for weight in short]) == short


@pytest.mark.parametrize("asked", [{}, {"aggregate": "worst"}, {"loss": "L1", "properties": "WH,CM"}])
def test_a_design_that_could_not_be_read_back_is_refused(asked, monkeypatch):
    problem = line(0, "1/2", 2, alpha="1/2", **asked)
    written = design(problem)
    longest = max(len(rational.integer_text(part)) for part in written.lower_bound.as_integer_ratio())
    monkeypatch.setattr(rational, "MAX_DIGITS", longest // 4)
    with refused(NotCertifiedError):
        design(problem)


def test_finer_steps_are_not_tried_where_their_powers_would_be_too_long(monkeypatch):
    """The bound of the first step is the answer, as wide as it is."""
    monkeypatch.setattr("mechdesign.designs.STEP_GAP", Fraction(1, 10**20))
    problem = line(0, "1/10", 1, alpha="1/2")
    fine = design(problem)
    assert fine.problem.step != problem.step
    monkeypatch.setattr("mechdesign.designs.MAX_DIGITS", fine.problem.ratio_bits // 3 - 1)
    coarse = design(problem)
    require_certified(coarse)
    assert coarse.problem.ratio_bits < fine.problem.ratio_bits
    assert coarse.gap > fine.gap


def test_a_ratio_that_no_document_may_have_is_refused_at_once():
    alpha = Fraction(10**990 + 1, 10**990 + 7)
    with refused(InputError, about="step_alpha"):
        line(0, 1, 20_000, alpha=alpha)
    assert not line(0, 20_000, alpha=alpha).step.is_exact  # one edge of one unit, alpha^20000
    assert line(0, 1, 5_000, alpha=alpha).ratio_bits == 4_999 * (10**990 + 7).bit_length()

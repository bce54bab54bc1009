"""Metrics whose unit is a fraction: what is claimed is true for alpha^unit as asked, which is hardly ever rational.

The judge is a float LP at alpha^unit itself, and the score of a matrix that is private at a rational within 2^-160 of
it: no true bound is above that, and none that is optimal is far below.
"""

import json
import random
from fractions import Fraction

import pytest
from cases import require_certified
from peer_lp import by_cvxpy
from wording import refused

from mechdesign import DesignProblem, InfeasibleError, InputError, Model, audit, design, mend
from mechdesign.documents.document import design_document, document_text
from mechdesign.documents.json_text import parse_json
from mechdesign.documents.stored import read_document
from mechdesign.methods.answer import STEP_GAP

HALF = [[0, "1/2"], ["1/2", 0]]
FINE = 160


def metric(points, unit=None):
    return Model.metric([[abs(a - b) for a in points] for b in points], unit)


def document_of(result):
    return json.loads(document_text(design_document(result)))


def reread(document):
    return read_document(parse_json(json.dumps(document), "here"), "here")


def require_true(result):
    """The bound is below the score of a matrix that is private as asked, and near it."""
    require_certified(result)
    assert result.gap <= STEP_GAP * result.score
    finer = design(result.problem.with_step_bits(FINE))
    assert finer.problem.step.low >= result.problem.step.low
    assert result.lower_bound <= finer.score
    assert finer.lower_bound <= result.score
    assert float(finer.score) == pytest.approx(by_cvxpy(result.problem), rel=1e-6, abs=1e-9)


def test_half_a_unit_is_what_it_was_not():
    """985/1189 was called the optimum; a matrix that is private scores less."""
    result = design(DesignProblem(model=Model.metric(HALF), alpha="1/2"))
    require_certified(result)
    assert result.status == "certified"
    better = [[Fraction(2500000, 4267767), Fraction(1767767, 4267767)]]
    better.append(better[0][::-1])
    found = audit(better, alpha="1/2", model=Model.metric(HALF))
    assert found.passed
    assert result.lower_bound <= found.scores["L0"] < Fraction(985, 1189)
    assert float(result.lower_bound) == pytest.approx(2 * 2**-0.5 / (1 + 2**-0.5), abs=1e-9)


@pytest.mark.slow
def test_three_points_of_which_two_are_near():
    """0.833400022 was claimed, 1.03e-4 too high."""
    result = design(DesignProblem(model=metric([0, Fraction(1, 1000), 1]), alpha="1/2"))
    require_true(result)
    assert float(result.score) == pytest.approx(0.833314097, abs=1e-9)
    assert result.mechanism.denominator.bit_length() < 300  # rounded: it is not the last word anyway


def random_problem(chance):
    size = chance.randint(2, 4)
    unit = Fraction(chance.randint(1, 5), chance.choice([2, 3, 4, 7, 10, 16]))
    if chance.random() < 0.5:
        points = sorted(chance.sample(range(12), size))
        model = metric([p * unit for p in points])
    elif chance.random() < 0.3:
        model = Model.metric([[unit * (a != b) for a in range(size)] for b in range(size)])
    else:
        places = chance.sample([(x, y) for x in range(4) for y in range(4)], size)
        model = Model.metric([[unit * (abs(a - c) + abs(b - d)) for a, b in places] for c, d in places])
    return DesignProblem(
        model=model,
        alpha=chance.choice(["1/2", "9/10", "1/5", "99/100", "2/3"]),
        properties=chance.choice(["none", "none", "WH", "CM", "RM", "WH,RM,CM", "F", "S", "CH,S", "FE,RH", "OS:1/2"]),
        loss=chance.choice(["L0", "L1", "L2", "PB:1/3"]),
        aggregate=chance.choice(["expected", "expected", "worst"]),
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_bounds_are_true_as_asked(seed):
    chance = random.Random(seed)
    for _ in range(10):
        require_true(design(random_problem(chance)))


@pytest.mark.parametrize("method", ["closed-form", "column-generation", "symmetric", "full"])
def test_every_method_serves_and_says_the_same(method):
    problem = DesignProblem(model=metric([0, Fraction(1, 3), Fraction(2, 3)]), alpha="1/2", loss="L1")
    result = design(problem, method=method)
    require_true(result)
    assert (result.method, result.certificate.get("prices")) == (method, None)


@pytest.mark.parametrize("properties", ["none", "RM"])
def test_prices_become_rows_on_a_path(properties):
    problem = DesignProblem(model=metric([0, Fraction(1, 3), Fraction(5, 3), 2]), alpha="9/10", properties=properties)
    require_true(design(problem, method="column-generation"))


def test_a_power_that_is_rational_is_exact():
    result = design(DesignProblem(model=Model.metric(HALF), alpha="1/4"))
    assert (result.status, result.score) == ("exact", Fraction(2, 3))
    assert result.certificate.get("prices") is not None
    step = document_of(result)["problem"]["step_alpha"]
    assert step == {"low": "1/2", "high": "1/2"}


def test_what_ignores_privacy_is_exact_nevertheless():
    result = design(DesignProblem(model=Model.metric(HALF), alpha="1/2", properties="OS:1"))
    assert (result.status, result.score) == ("exact", 1)


def test_the_document_has_both_numbers_and_is_held_to_them():
    result = design(DesignProblem(model=metric([0, Fraction(1, 2), 1]), alpha="1/2"))
    document = document_of(result)
    step = document["problem"]["step_alpha"]
    assert step.keys() == {"low", "high"}
    assert Fraction(step["low"]) ** 2 < Fraction(1, 2) < Fraction(step["high"]) ** 2
    assert audit(reread(document)).passed
    coarse, fine = {**step, "high": "3/4"}, {**step, "low": "7/10"}
    for other in (
        coarse,
        fine,
    ):  # both enclose: but the matrix is not private at 3/4, and the bound is not that of 7/10
        document["problem"]["step_alpha"] = other
        assert not audit(reread(document)).passed
    for wrong in (
        {**step, "low": step["high"]},
        {**step, "high": step["low"]},
        {"low": step["low"]},
        step["high"],
        None,
    ):
        document["problem"]["step_alpha"] = wrong
        with pytest.raises(InputError):
            reread(document)


def test_prices_are_no_proof_for_two_alphas():
    problem = DesignProblem(model=Model.metric(HALF), alpha="1/2")
    document = document_of(design(problem))
    document["dual"]["prices"] = ["0", "0"]
    false = [claim for claim in audit(reread(document)).claims if not claim.true]
    assert [claim.detail for claim in false] == [
        "the proof is invalid: prices stand for one alpha, and step_alpha has two"
    ]


def test_rounded_distances_keep_their_proviso():
    model = Model.metric([[0, "1", "1.414213562373"], ["1", 0, "1"], ["1.414213562373", "1", 0]])
    result = design(DesignProblem(model=model, alpha="1/2"))
    claims = [claim.claim for claim in audit(reread(document_of(result))).claims]
    assert any(claim.endswith(", for the distances as rounded") for claim in claims)


def test_a_repair_is_measured_by_the_same_bound():
    problem = DesignProblem(model=Model.metric(HALF), alpha="1/2")
    mended = mend(problem, [[0.6, 0.4], [0.4, 0.6]])
    require_certified(mended.design)
    assert mended.design.lower_bound == design(problem).lower_bound


@pytest.mark.parametrize("properties", ["none", "RM,CM"])
@pytest.mark.parametrize(
    "points", [[0, Fraction(1, 2)], [0, Fraction(1, 3), 1], [0, Fraction(3, 7), Fraction(9, 7), 2]]
)
def test_infeasible_is_true_as_asked(points, properties):
    """The largest diagonal is that of the worst case under L0; just above it nothing is, just below it something is."""
    model = metric(points)
    wrong = DesignProblem(model=model, alpha="1/2", properties=properties, aggregate="worst").with_step_bits(FINE)
    largest = 1 - design(wrong).score / wrong.rescaling  # of a matrix that is private as asked
    for share, feasible in ((1 - Fraction(1, 10**8), True), (1 + Fraction(1, 10**8), False)):
        beta = largest * model.size * share
        asked = DesignProblem(
            model=model, alpha="1/2", properties=f"{properties},WH:{beta}".removeprefix("none,"), loss="L1"
        )
        if feasible:
            assert design(asked).mechanism.fraction(0, 0) >= largest * share
        else:
            with refused(InfeasibleError):
                design(asked)


def test_a_floor_that_only_just_can_be_had():
    """Closer to the largest diagonal than the first rationals about alpha^unit are: finer ones are tried."""
    model = metric([0, Fraction(1, 2), 1])
    wrong = DesignProblem(model=model, alpha="1/2", aggregate="worst").with_step_bits(FINE)
    beta = (1 - design(wrong).score / wrong.rescaling) * 3 * (1 - Fraction(1, 10**14))
    result = design(DesignProblem(model=model, alpha="1/2", properties=f"WH:{beta}"))
    require_certified(result)
    assert result.mechanism.fraction(1, 1) * 3 >= beta

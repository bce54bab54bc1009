from fractions import Fraction

import numpy as np
import pytest
from wording import refused

from mechdesign import DesignProblem, InputError, Mechanism, design
from mechdesign.audits.derivation import derivation_violation
from mechdesign.certificate.score import problem_loss, score, weights_score
from mechdesign.mechanism.notebook import heat_colour
from mechdesign.problem.loss import Loss
from mechdesign.problem.prior import Prior

COIN = Mechanism(((2, 1), (1, 2)), 3)


def test_fractions_matrix_and_array():
    assert COIN.fraction(0, 1) == Fraction(1, 3)
    assert np.array_equal(np.asarray(COIN), [[2 / 3, 1 / 3], [1 / 3, 2 / 3]])
    assert Mechanism.from_fractions([[Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 3), Fraction(2, 3)]]) == COIN
    assert Mechanism.from_weights([[4, 2], [2, 4]], 6) == COIN


def test_rectangular_mechanisms_are_mechanisms():
    wide = Mechanism(((1, 1, 0), (1, 1, 2)), 2)
    assert (wide.n_outputs, wide.n_inputs) == wide.matrix().shape == (2, 3)


@pytest.mark.parametrize(
    ("weights", "denominator"),
    [
        ((), 1),
        (((1, 2), (3,)), 4),
        (((2, 1), (-1, 0)), 1),
        (((0.5, 0.5), (0.5, 0.5)), 1),
        (((1, 1), (1, 2)), 2),
        (((0, 0), (0, 0)), 1),
    ],
)
def test_what_is_no_mechanism(weights, denominator):
    with refused(InputError):
        Mechanism(weights, denominator)


def test_values_are_frozen():
    with pytest.raises(AttributeError):
        COIN.denominator = 5
    with pytest.raises(AttributeError):
        DesignProblem(2, "1/2").n = 3


def test_notebook_table():
    html = COIN._repr_html_()
    assert 'title="2/3"' in html
    assert html.count("<td") == 4
    assert "Pr[output" in html
    lightness = [sum(heat_colour(share / 10)) for share in range(11)]
    assert lightness == sorted(lightness, reverse=True)


def test_expected_loss_by_hand():
    problem = DesignProblem(1, "1/2", loss="L1", prior="binomial:1/4")
    assert problem_loss(COIN.weights, COIN.denominator, problem) == Fraction(1, 3)
    assert score(COIN, DesignProblem(1, "1/2")) == Fraction(2, 3)
    assert weights_score([[3, 1], [1, 1]], 4, Loss.parse("L0"), Prior.parse("uniform")) == Fraction(1, 2)


def test_score_by_two_ways():
    problem = DesignProblem(6, "3/4", properties="WH", loss="L2", prior="binomial:1/3")
    mechanism = design(problem).mechanism
    assert score(mechanism, problem) == weights_score(
        mechanism.weights, mechanism.denominator, problem.loss, problem.prior
    )


@pytest.mark.parametrize(
    ("properties", "alpha", "derivable"),
    [("none", "9/10", True), ("WH,RM,CM", "1/3", True), ("WH,RM,CM", "9/10", False), ("F", "9/10", False)],
)
def test_what_gm_can_derive(properties, alpha, derivable):
    mechanism = design(DesignProblem(4, alpha, properties=properties)).mechanism
    violation = derivation_violation(mechanism.weights, Fraction(alpha))
    assert (violation is None) == derivable
    # P = T GM with T = P GM^-1; derivable exactly when that T is nonnegative
    gm = np.array(design(DesignProblem(4, alpha)).mechanism.matrix())
    remap = mechanism.matrix() @ np.linalg.inv(gm)
    assert (remap.min() > -1e-9) == derivable


def test_a_mechanism_may_ignore_its_input():
    assert Mechanism(((1, 1), (2, 2)), 3).ignores_input
    assert not Mechanism(((1, 2), (2, 1)), 3).ignores_input

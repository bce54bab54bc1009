from fractions import Fraction

import pytest

from mechdesign.errors import InputError
from mechdesign.problem.loss import Loss
from mechdesign.problem.prior import Prior


def test_losses_by_hand():
    assert Loss.parse("L0").matrix(3) == ((0, 1, 1), (1, 0, 1), (1, 1, 0))
    assert Loss.parse("l2").matrix(3) == ((0, 1, 4), (1, 0, 1), (4, 1, 0))
    assert Loss.parse("L0:1").matrix(3) == ((0, 0, 1), (0, 0, 0), (1, 0, 0))
    assert Loss.parse("L1:1").matrix(4)[0] == (0, 0, 2, 3)


def test_only_error_shares_are_rescaled():
    assert Loss.parse("L0").rescaling(9) == Loss.parse("L0:2").rescaling(9) == Fraction(9, 8)
    assert (
        Loss.parse("L1").rescaling(9)
        == Loss.from_matrix(((Fraction(0), Fraction(1)), (Fraction(1), Fraction(0)))).rescaling(9)
        == 1
    )


@pytest.mark.parametrize("text", ["L", "L-1", "L1.5", "L0:", "L0:-1", "X", "", "L257", "L0:1:2"])
def test_bad_losses(text):
    with pytest.raises(InputError, match="loss must be"):
        Loss.parse(text)


def test_a_loss_matrix_must_have_the_shape():
    with pytest.raises(InputError, match="loss matrix must be 3 x 3, got 2 x 2"):
        Loss.from_matrix(((Fraction(0), Fraction(1)), (Fraction(1), Fraction(0)))).matrix(3)


def test_priors_by_hand():
    assert Prior.parse("uniform").weights(4) == (Fraction(1, 4),) * 4
    assert Prior.parse("binomial:1/3").weights(3) == (Fraction(4, 9), Fraction(4, 9), Fraction(1, 9))
    assert Prior.parse("binomial:0").weights(3) == (1, 0, 0)
    assert Prior.parse("binomial:0.5").name == "binomial:1/2"


@pytest.mark.parametrize("text", ["", "normal", "binomial", "binomial:", "binomial:2", "binomial:-1", "uniform:3"])
def test_bad_priors(text):
    with pytest.raises(InputError, match="prior"):
        Prior.parse(text)


def test_bad_prior_weights():
    with pytest.raises(InputError, match=r"must sum to exactly 1, got 999/1000"):
        Prior.from_weights([Fraction(333, 1000)] * 3)
    with pytest.raises(InputError, match=r"must be nonnegative, got -0\.5 for input 1"):
        Prior.from_weights([Fraction(3, 2), Fraction(-1, 2)])
    with pytest.raises(InputError, match="prior must have 3 weights"):
        Prior.from_weights([Fraction(1, 2)] * 2).weights(3)

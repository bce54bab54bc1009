from fractions import Fraction

import pytest

from mechdesign.errors import InputError
from mechdesign.problem.prior import Prior


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

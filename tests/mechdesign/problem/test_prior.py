from fractions import Fraction

import pytest
from wording import refused

from mechdesign.errors import InputError
from mechdesign.problem.prior import Prior


def test_priors_by_hand():
    assert Prior.parse("uniform").weights(4) == (Fraction(1, 4),) * 4
    assert Prior.parse("binomial:1/3").weights(3) == (Fraction(4, 9), Fraction(4, 9), Fraction(1, 9))
    assert Prior.parse("binomial:0").weights(3) == (1, 0, 0)
    assert Prior.parse("binomial:0.5").name == "binomial:1/2"


def test_whole_weights_are_divided_by_their_sum():
    prior = Prior.parse(" WEIGHTS:0, 2,1,0007 ")
    assert prior.name == "weights"
    assert prior.weights(4) == (0, Fraction(1, 5), Fraction(1, 10), Fraction(7, 10))
    assert prior == Prior.from_weights(["0", "0.2", "0.1", "7/10"])
    largest = "9" * 18
    assert Prior.parse(f"weights:{largest},1").weights(2) == (Fraction(10**18 - 1, 10**18), Fraction(1, 10**18))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("weights:1,2.5", "must be whole numbers of at least 0 and at most 18 digits, got 2.5 for input 1"),
        ("weights:1,-2", "got -2 for input 1"),
        ("weights:1/2,1/2", "got 1/2 for input 0"),
        ("weights:1,,2", "got nothing for input 1"),
        ("weights:1,2,", "got nothing for input 2"),
        ("weights:1,\u0663", "for input 1"),
        ("weights:1" + "0" * 18, "at most 18 digits, got 1000000000000000000 for input 0"),
        ("weights:0,0,0", "must not all be 0, got 0 for every input"),
    ],
    ids=["decimal", "negative", "fraction", "gap", "comma-at-end", "arabic-digit", "19-digits", "zeros"],
)
def test_bad_whole_weights(text, message):
    with refused(InputError) as error:
        Prior.parse(text)
    assert message in str(error.value)


@pytest.mark.parametrize(
    "text",
    ["", "normal", "binomial", "binomial:", "binomial:2", "binomial:-1", "uniform:3", "weights", "weights:"],
)
def test_bad_priors(text):
    with refused(InputError):
        Prior.parse(text)


def test_bad_prior_weights():
    with refused(InputError):
        Prior.from_weights([Fraction(333, 1000)] * 3)
    with refused(InputError):
        Prior.from_weights([Fraction(3, 2), Fraction(-1, 2)])
    with refused(InputError, about="prior"):
        Prior.from_weights([Fraction(1, 2)] * 2).weights(3)

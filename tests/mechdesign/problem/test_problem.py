from fractions import Fraction

import pytest
from cases import SKEWED
from wording import refused

from mechdesign import DesignProblem, InputError, Loss
from mechdesign.methods.flowchart import flowchart_box


@pytest.mark.parametrize("n", [0, -3, 2.5, "8", True, 10**9])
def test_bad_n(n):
    with refused(InputError, about="n"):
        DesignProblem(n, "0.9")


def test_exactly_one_of_alpha_and_epsilon():
    with refused(InputError):
        DesignProblem(8)
    with refused(InputError):
        DesignProblem(8, "0.9", epsilon="1")


def test_a_problem_is_checked_when_it_is_made():
    with refused(InputError):
        DesignProblem(8, "0.9", loss=Loss.from_matrix(((Fraction(1),),)))
    with refused(InputError, about="prior"):
        DesignProblem(8, "0.9", prior=SKEWED)


def test_when_symmetry_is_free():
    assert DesignProblem(4, "0.9", loss="L1", prior="binomial:1/2").symmetry_is_free
    assert not DesignProblem(4, "0.9", loss="L1", prior="binomial:1/3").symmetry_is_free


@pytest.mark.parametrize(
    ("n", "alpha", "properties", "extra", "box"),
    [
        (8, "0.9", "F", {}, "EM"),
        (8, "0.9", "RM,S", {}, "GM"),
        (8, "0.9", "WH", {}, "LP"),
        (18, "0.9", "WH", {}, "GM"),
        (17, "0.9", "WH", {}, "LP"),
        (18, "0.9", "CH", {}, "LP"),
        (2, "0.5", "CM", {}, "GM"),
        (1, "0.9", "CM,WH", {}, "GM"),
        (8, "0.9", "none", {"loss": "L1"}, "LP"),
        (8, "0.9", "F", {"prior": "binomial:1/3"}, "LP"),
    ],
)
def test_the_flowchart(n, alpha, properties, extra, box):
    assert flowchart_box(DesignProblem(n, alpha, properties=properties, **extra)).name == box

"""alpha^unit between two rationals: enclosed, exact where it can be, as near as asked, refused where of no use."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wording import refused

from mechdesign import DesignProblem, InputError, Model
from mechdesign.problem.step_alpha import StepAlpha

ALPHAS = st.fractions(Fraction(1, 1000), Fraction(999, 1000), max_denominator=1000)


@pytest.mark.slow
@given(ALPHAS, st.fractions(Fraction(1, 64), 3, max_denominator=64), st.sampled_from([20, 40, 160]))
def test_the_power_is_enclosed_as_tightly_as_asked(alpha, unit, bits):
    step = StepAlpha.around(alpha, unit, bits)
    power = alpha**unit.numerator
    assert 0 < step.low**unit.denominator <= power <= step.high**unit.denominator
    assert step.high - step.low <= 3 * step.high * (1 - step.low) / 2**bits
    assert step.high < 1
    assert step.is_exact == (step.low**unit.denominator == power)
    assert step.high.denominator.bit_length() <= bits + 16


@given(st.fractions(Fraction(1, 30), Fraction(29, 30), max_denominator=30), st.integers(1, 7), st.integers(1, 7))
def test_a_rational_power_is_found(root, a, b):
    unit = Fraction(a, b)
    step = StepAlpha.around(root**unit.denominator, unit, 20)
    assert step == StepAlpha(root**unit.numerator, root**unit.numerator)


def test_very_long_exponents():
    step = StepAlpha.around(Fraction(1, 2), Fraction(3, 10**12), 40)
    assert 0 < 1 - step.high <= 1 - step.low < Fraction(21, 10**13)
    assert StepAlpha.around(Fraction(1, 4), Fraction(1001, 2), 20).high == Fraction(1, 2) ** 1001
    with refused(InputError):
        StepAlpha.around(Fraction(1, 2), Fraction(10**7), 20)
    with refused(InputError):
        Model.metric([[0, 10**400], [10**400, 0]]) and DesignProblem(
            model=Model.metric([[0, 10**400], [10**400, 0]]), alpha="1/2"
        )


def test_a_step_that_does_not_enclose_is_refused():
    model = Model.metric([[0, "1/2"], ["1/2", 0]])
    good = StepAlpha(Fraction(7, 10), Fraction(71, 100))
    problem = DesignProblem(model=model, alpha="1/2", step=good)
    assert (problem.step_alpha_below, problem.step_alpha) == (good.low, good.high)
    for low, high in (("71/100", "72/100"), ("7/10", "7/10"), ("7/10", "1"), ("0", "71/100"), ("-7/10", "71/100")):
        with refused(InputError, about="step_alpha"):
            DesignProblem(model=model, alpha="1/2", step=StepAlpha(Fraction(low), Fraction(high)))
    with refused(InputError, about="step"):
        DesignProblem(3, "1/2", step=good)


def test_finer_steps_are_the_same_problem():
    problem = DesignProblem(model=Model.metric([[0, "1/2"], ["1/2", 0]]), alpha="1/2")
    finer = problem.with_step_bits(80)
    assert problem.step.low < finer.step.low < finer.step.high < problem.step.high
    assert finer.describe() == problem.describe()
    assert DesignProblem(4, "9/10").step == StepAlpha(Fraction(9, 10), Fraction(9, 10))

import json
import math
import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wording import refused

from mechdesign.errors import InputError
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.privacy import (
    EPSILON_SLACK,
    Privacy,
    epsilon_bounds,
    loss_above,
    loss_text,
    privacy_if_given,
    require_privacy,
    rounded_up,
)
from mechdesign.verify.enclosures import loss_bounds

alphas = st.fractions(min_value=Fraction(1, 10**12), max_value=1 - Fraction(1, 10**12), max_denominator=10**15)
epsilons = st.fractions(min_value=Fraction(1, 10**6), max_value=200)
privacies = alphas.map(lambda alpha: Privacy(alpha=alpha)) | epsilons.map(lambda epsilon: Privacy(epsilon=epsilon))


@pytest.mark.parametrize("value", ["0.5", "1/2", " .5 ", 0.5, Fraction(1, 2), "50e-2", "2/4"])
def test_alpha_is_what_was_typed(value):
    assert Privacy(alpha=value) == Privacy(value)
    assert Privacy(alpha=value).alpha == Fraction(1, 2)
    assert Privacy(alpha=value).given_epsilon is None


@pytest.mark.parametrize("value", ["0", "1", "1.7", "-0.5", "0/5"])
def test_alpha_outside_the_open_interval_is_refused(value):
    with refused(InputError, about="alpha"):
        Privacy(alpha=value)


@pytest.mark.parametrize("value", ["0", "-1", "200.1", "nan"])
def test_epsilon_out_of_range_is_refused(value):
    with refused(InputError, about="epsilon"):
        Privacy(epsilon=value)


def test_exactly_one_of_the_two():
    with refused(InputError):
        Privacy()
    with refused(InputError):
        Privacy("1/2", "1")
    with refused(InputError):
        require_privacy(privacy_if_given(None, None))
    assert require_privacy(privacy_if_given("1/2", None)) == Privacy("1/2")


@given(st.fractions(min_value=Fraction(1, 1000), max_value=20))
def test_alpha_from_epsilon_never_promises_less_privacy(epsilon):
    alpha = Privacy(epsilon=epsilon).alpha
    truth = Fraction(math.exp(-epsilon))  # good to 1e-15, the interval is 1e-9 wide
    assert truth * (1 - Fraction(1, 10**14)) <= alpha <= truth * (1 + Fraction(1, 10**9)) * (1 + Fraction(1, 10**14))


def test_alpha_from_epsilon_has_the_smallest_denominator():
    alpha = Privacy(epsilon="1/2").alpha
    low, high = math.exp(-0.5), math.exp(-0.5) * (1 + 1e-9)
    fits = (d for d in range(1, alpha.denominator) if math.floor(high * d) > math.floor(low * d))
    assert next(fits, None) is None


def test_a_tiny_epsilon_stays_below_one():
    assert 0 < 1 - Privacy(epsilon="1e-20").alpha < Fraction(1, 10**19)


@given(privacies)
def test_the_text_form_reads_back_to_the_very_same_value(privacy):
    found = Privacy.parse(str(privacy))
    assert (found, hash(found), str(found)) == (privacy, hash(privacy), str(privacy))
    assert (found.alpha, found.given_epsilon) == (privacy.alpha, privacy.given_epsilon)
    assert eval(repr(privacy)) == privacy


def test_the_text_form_of_long_numbers():
    long = Privacy(alpha=Fraction(3**9000, 2 * 3**9000 + 1))
    assert Privacy.parse(str(long)) == long


@pytest.mark.parametrize(
    "text", ["", "1/2", "alpha", "alpha=", "alpha=0.5", "beta=1", "epsilon=1 ", "alpha=1/0", 1, None]
)
def test_what_is_no_text_form_is_refused(text):
    with pytest.raises(InputError):
        Privacy.parse(text)


def test_an_alpha_is_not_the_epsilon_that_gives_it():
    asked = Privacy(epsilon=1)
    same = Privacy(alpha=asked.alpha)
    assert asked != same
    assert len({asked, same, Privacy(epsilon="1.0")}) == 2


@pytest.mark.slow
@given(privacies, st.integers(1, 12))
def test_a_root_is_never_below_the_true_one_and_hardly_above(privacy, parts):
    root = privacy.root(parts)
    if privacy.given_epsilon is None:
        assert privacy.alpha <= root**parts <= privacy.alpha * (1 + EPSILON_SLACK) ** parts
    else:
        least, most = epsilon_bounds(root)
        assert most * parts <= privacy.given_epsilon
        assert privacy.given_epsilon - least * parts <= Fraction(11, 10**10) * parts
    assert root < 1


@given(st.integers(1, 50), st.integers(1, 50), st.integers(1, 6))
def test_a_rational_root_is_exact(top, rest, parts):
    root = Fraction(top, top + rest)
    assert Privacy(alpha=root**parts).root(parts) == root


def test_shares():
    assert Privacy("1/4").split(2) == Privacy("1/2")
    assert Privacy(epsilon=1).split(4) == Privacy(epsilon="1/4")
    assert Privacy("1/3").split(1) == Privacy("1/3")
    with refused(InputError, about="parts"):
        Privacy("1/3").split(0)
    with refused(InputError, about="epsilon"):
        Privacy(alpha=1 - Fraction(1, 10**50)).split(2)
    with refused(InputError, about="epsilon"):
        Privacy(epsilon="3e-30").split(4)


@given(alphas)
def test_bounds_of_epsilon_hold_the_truth(alpha):
    low, high = epsilon_bounds(alpha)
    assert 0 < low < high
    assert high - low <= low / 10**50
    least, most = loss_bounds(alpha)  # the same in integers, to 180 bits
    assert low <= most
    assert least <= high
    assert float(low) == pytest.approx(-math.log(alpha) if alpha < 0.9 else -math.log1p(float(alpha - 1)), rel=1e-13)


@pytest.mark.parametrize(
    "alpha", [Fraction(1, 2), 1 - Fraction(1, 10**20), 1 - Fraction(1, 10**31), Fraction(1, 10**40)]
)
def test_bounds_of_epsilon_are_those_in_integers(alpha):
    low, high = epsilon_bounds(alpha)
    least, most = loss_bounds(alpha)
    assert low <= most
    assert least <= high
    assert high - low <= low / 10**50


@given(alphas, st.integers(1, 12))
def test_what_is_shown_is_never_below_the_loss(alpha, digits):
    low, high = epsilon_bounds(alpha)
    shown = Fraction(loss_text(alpha, digits))
    assert high <= shown <= low * (1 + Fraction(10) ** (1 - digits))
    assert high <= Fraction(loss_above(alpha)) <= low * (1 + Fraction(1, 2**50))


def test_losses_as_they_are_shown():
    assert loss_text(Fraction(1, 3)) == "1.09862"
    assert loss_text(Fraction(1, 2), 12) == "0.693147180560"[:-1]
    assert loss_text(Fraction(1)) == "0"
    assert loss_text(Privacy(epsilon=1).alpha) == "1"
    assert (rounded_up(Fraction(100)), rounded_up(Fraction(1, 10**9))) == ("100", "1e-09")
    assert Privacy("1/2").describe() == "alpha = 0.5 (epsilon = 0.693148)"
    assert Privacy(alpha=Fraction(10**50, 2 * 10**50 + 1)).describe() == "alpha = about 0.5 (epsilon = 0.693148)"


@given(privacies)
def test_the_budget_is_epsilon_or_just_below(privacy):
    assert privacy.budget == (privacy.given_epsilon or epsilon_bounds(privacy.alpha)[0])
    assert Fraction(repr(privacy.epsilon)) >= (privacy.given_epsilon or epsilon_bounds(privacy.alpha)[0])
    assert privacy.epsilon == pytest.approx(float(privacy.budget), rel=1e-15)


def test_its_import_is_cheap():
    code = "import sys, json, mechdesign.problem.privacy; print(json.dumps(sorted(sys.modules)))"
    loaded = json.loads(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
    assert not {"numpy", "scipy", "highspy"} & set(loaded)


def test_a_text_that_would_take_long_is_refused():
    with refused(InputError, about="privacy"):
        Privacy.parse(f"alpha={'1' * 200_000}/{'9' * 200_000}")
    long = Privacy.parse(f"alpha={'1' * 40_000}/{'9' * 40_000}")
    assert Privacy.parse(str(long)) == long


@given(st.fractions(min_value=Fraction(1, 10**29), max_value=200), st.integers(20, 200))
def test_an_epsilon_is_enclosed_as_tightly_as_asked(epsilon, bits):
    """By the integers of the program, which knows logarithms to 2^-180."""
    usual = Privacy(epsilon=epsilon)
    for privacy, finest in ((usual, 40), (usual.finer(bits), min(bits, 120))):
        low, high = loss_bounds(privacy.bound_alpha), loss_bounds(privacy.alpha)
        assert high[1] <= epsilon <= low[0]
        width = 1 - Fraction(math.exp(-epsilon)) if epsilon > Fraction(1, 10**6) else epsilon
        assert low[1] - epsilon <= Fraction(11, 10) * width / (1 << finest)
    assert usual.finer(bits).given_epsilon == epsilon
    assert epsilon - loss_bounds(usual.alpha)[0] <= Fraction(11, 10**10)


@pytest.mark.parametrize(("bound", "alpha"), [("1/3", "1/2"), ("37/100", "1/2"), ("1/3", "36/100")])
def test_what_a_file_states_need_not_enclose_its_epsilon(bound, alpha):
    stated = Privacy.enclosed(1, bound, alpha)
    assert (stated.alpha, stated.bound_alpha, stated.is_exact) == (Fraction(alpha), Fraction(bound), False)


def test_an_alpha_is_its_own_bound():
    privacy = Privacy("1/3")
    assert (privacy.bound_alpha, privacy.is_exact) == (privacy.alpha, True)
    assert privacy.finer(100) is privacy
    assert Privacy(epsilon=1).at_alpha == Privacy("27634/75117")
    with refused(InputError, about="bound_alpha"):
        Privacy.enclosed(1, 1, "1/2")


def test_one_parameter_is_given():
    assert DesignProblem(3, privacy=Privacy(epsilon=1)) == DesignProblem(3, epsilon=1)
    assert DesignProblem(3, privacy=Privacy("1/3")) == DesignProblem(3, "1/3")
    assert DesignProblem(3, epsilon=1) != DesignProblem(3, Privacy(epsilon=1).alpha)
    with refused(InputError, about="privacy"):
        DesignProblem(3, "1/3", privacy=Privacy("1/3"))


@pytest.mark.parametrize("halvings", range(286, 292))
def test_the_least_alpha_is_found_by_the_length_of_its_numbers_and_then_by_its_logarithm(halvings):
    for alpha in (
        Fraction(1, 1 << halvings),
        Fraction(3, (1 << halvings + 1) - 1),
        Fraction(3, (1 << halvings + 2) + 1),
    ):
        if math.log(alpha.denominator) - math.log(alpha.numerator) <= 200:
            assert Privacy(alpha=alpha).alpha == alpha
        else:
            with pytest.raises(InputError, match="must be at least exp"):
                Privacy(alpha=alpha)

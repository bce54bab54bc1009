"""A measurement of OpenDP says no less than the truth, and takes any whole number."""

from fractions import Fraction

import flint
import pytest
from wording import refused

from mechdesign.designs import design
from mechdesign.errors import InputError
from mechdesign.interop.opendp_ import FEATURES, to_opendp
from mechdesign.laws.finding import design_law
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.model import Model

dp = pytest.importorskip("opendp.prelude", reason="OpenDP is not installed")

NEARLY_SURE = "1/1000000000000000000"
"""An alpha at which outputs are inputs, but for a few of 10^18."""


@pytest.fixture(autouse=True)
def _features():
    dp.enable_features(*FEATURES)
    yield
    dp.disable_features("honest-but-curious")  # contrib stays: central releases enable it for the process


def is_above(number, alpha, steps):
    """Whether a float is at least `-steps ln alpha`, and hardly more, judged by balls of flint."""
    with flint.ctx.workprec(200):
        true = -flint.arb(flint.fmpq(alpha.numerator, alpha.denominator)).log() * steps
        return flint.arb(number) >= true and flint.arb(number) <= true * (1 + flint.arb("1e-15"))


@pytest.mark.parametrize("alpha", ["0.9", "9/10000", "999999/1000000", "1/3"])
def test_the_map_of_counts_is_the_loss_of_each_step_rounded_up(alpha):
    measurement = to_opendp(design(DesignProblem(n=4, alpha=alpha)))
    assert measurement.map(0) == 0
    for distance in (1, 2, 3, 7, 1000):
        assert is_above(measurement.map(distance), Fraction(alpha), distance)


def test_items_of_a_local_model_differ_or_not():
    measurement = to_opendp(design(DesignProblem(model=Model.ldp(4), alpha="0.3")))
    assert str(measurement.input_metric).startswith("DiscreteDistance")
    assert is_above(measurement.map(1), Fraction(3, 10), 1)
    assert measurement.map(0) == 0


def test_items_of_limited_precision_lose_a_step_for_each_radius():
    measurement = to_opendp(design(DesignProblem(model=Model.lldp(6, 2), alpha="0.5")))
    assert [is_above(measurement.map(distance), Fraction(1, 2), steps) for distance, steps in
            ((1, 1), (2, 1), (3, 2), (4, 2), (5, 3))] == [True] * 5  # fmt: skip


def test_what_the_mechanism_loses_counts_and_not_what_was_asked():
    half_spent = Mechanism(((3, 2), (2, 3)), 5)
    assert is_above(to_opendp(half_spent).map(1), Fraction(2, 3), 1)


def test_opendp_adds_losses_up():
    one, other = (to_opendp(design(DesignProblem(n=3, alpha=alpha))) for alpha in ("0.9", "0.5"))
    both = dp.c.make_composition([one, other, other])
    assert both.map(1) >= one.map(1) + 2 * other.map(1)
    assert is_above(both.map(1), Fraction(9, 40), 1)
    assert len(both(2)) == 3


def test_opendp_composes_adaptively():
    measurement = to_opendp(design(DesignProblem(n=3, alpha="0.5")))
    space = measurement.input_domain, measurement.input_metric, measurement.output_measure
    queryable = dp.c.make_adaptive_composition(*space, d_in=1, d_mids=[0.7, 0.7])(2)
    assert queryable(measurement) in range(4)
    assert queryable(measurement) in range(4)
    with pytest.raises(dp.OpenDPException):
        queryable(measurement)


@pytest.mark.parametrize(("value", "taken"), [(-(10**12), 0), (-1, 0), (0, 0), (2, 2), (4, 4), (5, 4), (10**12, 4)])
def test_inputs_are_brought_into_range_and_not_refused(value, taken):
    measurement = to_opendp(design(DesignProblem(model=Model.ldp(5), alpha=NEARLY_SURE)))
    assert measurement(value) == taken


@pytest.mark.slow
def test_outputs_follow_the_column_of_the_input():
    mechanism = Mechanism(((7, 1), (1, 7)), 8)
    measurement = to_opendp(mechanism)
    ones = sum(measurement(1) for _ in range(2000))
    assert 1600 < ones < 1900  # 1750 and 9 standard deviations


def test_features_are_left_to_the_user():
    dp.disable_features("honest-but-curious")
    with refused(InputError):
        to_opendp(Mechanism(((3, 1), (1, 3)), 4))


def test_what_has_no_epsilon_is_refused():
    with refused(InputError):
        to_opendp(Mechanism(((1, 0), (0, 1)), 1))
    with refused(InputError, about="model"):
        to_opendp(Mechanism(((3, 1), (1, 3)), 4), Model.metric([[0, 1], [1, 0]]))


def test_a_negative_distance_has_no_loss():
    with pytest.raises(Exception, match="distance"):
        to_opendp(Mechanism(((3, 1), (1, 3)), 4)).map(-1)


def test_a_law_is_a_measurement_for_groups_of_any_size():
    law = design_law(alpha="4/5", properties="WH,CM")
    small, large = to_opendp(law, n=20), to_opendp(law, n=10**9)
    same = to_opendp(law.design(20))
    assert [one.map(2) for one in (small, large)] == [same.map(2)] * 2
    assert all(small(25) <= 20 for _ in range(50))
    assert abs(large(5 * 10**8) - 5 * 10**8) < 1000
    with refused(InputError, about="n"):
        to_opendp(law)
    with refused(InputError, about="n"):
        to_opendp(law, n=10)
    with refused(InputError, about="model"):
        to_opendp(law, Model.count(20), n=20)
    with refused(InputError, about="n"):
        to_opendp(law.design(20), n=20)

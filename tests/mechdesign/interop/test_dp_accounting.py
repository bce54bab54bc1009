"""The distribution for dp-accounting is never below the truth, in both directions, and hardly above it."""

import math
from collections import Counter
from fractions import Fraction

import pytest
from wording import refused

from mechdesign.designs import design
from mechdesign.errors import InputError
from mechdesign.interop.dominating_pair import dominating_pair
from mechdesign.interop.dp_accounting_ import loss_masses, to_dp_accounting
from mechdesign.laws.finding import design_law
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.model import Model
from mechdesign.problem.privacy import epsilon_bounds

PLACES = (0.0, 0.3, 0.5, 1.0, 1.5, 1.9)
FOLD = 12


@pytest.fixture(scope="module")
def skewed():
    """A design whose worst pair of neighbours is another one at another epsilon."""
    return design(DesignProblem(n=8, alpha="0.9", properties="CM", loss="L1", prior="binomial:0.2"))


def deltas(mechanism, a, b, fold):
    """Return the deltas of `fold` uses for the inputs a and b, by adding losses up: ratios of whole numbers, exact."""
    step = Counter()
    for i in range(mechanism.n_outputs):
        step[mechanism.fraction(i, a) / mechanism.fraction(i, b)] += mechanism.fraction(i, a)
    law = {Fraction(1): Fraction(1)}
    for _ in range(fold):
        longer = Counter()
        for ratio, mass in law.items():
            for other, chance in step.items():
                longer[ratio * other] += mass * chance
        law = longer
    return [
        float(sum(m * Fraction(max(-math.expm1(e - math.log(r)), 0.0)) for r, m in law.items() if r > 1))
        for e in PLACES
    ]


def worst(mechanism, pairs, fold):
    return [max(found) for found in zip(*(deltas(mechanism, a, b, fold) for a, b in pairs), strict=True)]


@pytest.mark.slow
def test_it_is_above_every_pair_of_neighbours_and_near_the_dominating_one(skewed):
    pytest.importorskip("dp_accounting", reason="dp-accounting is not installed")
    mechanism, graph = skewed.mechanism, skewed.problem.model.graph
    stated = to_dp_accounting(skewed, interval=1e-3).self_compose(FOLD).get_delta_for_epsilon(PLACES)
    pairs = [pair for j in range(8) for pair in ((j, j + 1), (j + 1, j))]
    true = worst(mechanism, pairs, FOLD)
    bound = deltas(dominating_pair(mechanism, graph), 0, 1, FOLD)
    assert all(found >= below - 1e-12 for found, below in zip(stated, true, strict=True))
    assert all(found >= below - 1e-12 for found, below in zip(bound, true, strict=True))
    assert stated == pytest.approx(bound, rel=2e-3, abs=1e-9)
    assert bound == pytest.approx(true, rel=1e-2, abs=1e-9)


@pytest.mark.slow
def test_one_direction_by_itself_would_be_too_little(skewed):
    """What dp-accounting makes of the pair 0, 1 alone: its default has the losses of one direction."""
    distributions = pytest.importorskip(
        "dp_accounting.pld.privacy_loss_distribution", reason="dp-accounting is not installed"
    )
    mechanism = skewed.mechanism
    first, second = ({i: math.log(mechanism.fraction(i, j)) for i in range(9)} for j in (0, 1))
    one = distributions.from_two_probability_mass_functions(second, first).self_compose(FOLD)
    assert one.get_delta_for_epsilon(0.5) < 0.99 * deltas(mechanism, 1, 0, FOLD)[2]
    assert to_dp_accounting(skewed).self_compose(FOLD).get_delta_for_epsilon(0.5) >= deltas(mechanism, 1, 0, FOLD)[2]


def test_the_largest_loss_is_epsilon_rounded_up_to_the_interval():
    pytest.importorskip("dp_accounting", reason="dp-accounting is not installed")
    coin = Mechanism(((3, 1), (1, 3)), 4)
    assert to_dp_accounting(coin).get_epsilon_for_delta(0) == pytest.approx(1.0987, abs=1e-12)
    assert to_dp_accounting(coin, interval=0.1).get_epsilon_for_delta(0) == pytest.approx(1.1, abs=1e-12)


def test_items_of_a_local_model_are_all_neighbours():
    pytest.importorskip("dp_accounting", reason="dp-accounting is not installed")
    far = Mechanism(((4, 2, 1), (2, 3, 2), (1, 2, 4)), 7)
    assert to_dp_accounting(far).get_epsilon_for_delta(0) == pytest.approx(math.log(2), abs=1e-4)
    assert to_dp_accounting(far, Model.ldp(3)).get_epsilon_for_delta(0) == pytest.approx(math.log(4), abs=1e-4)


def test_masses_add_up_to_a_little_more_than_the_truth_at_any_interval():
    pair = Mechanism(((5, 2), (3, 3), (2, 4), (1, 2)), 11)
    for interval in (Fraction(1, 3), Fraction(1, 100), Fraction(1, 10**5)):
        masses, infinite = loss_masses(pair, interval)
        assert infinite == 0
        assert 1 <= sum(map(Fraction, masses.values())) < 1 + Fraction(1, 10**14)
        low = sum(mass * math.exp(-float(place * interval)) for place, mass in masses.items())
        assert low == pytest.approx(1, abs=1e-12)  # what the other input gives these outputs
        for below, above in ((5, 2), (2, 4)):
            loss = epsilon_bounds(Fraction(min(below, above), max(below, above)))[0] * (1 if below > above else -1)
            assert {math.floor(loss / interval), math.floor(loss / interval) + 1} <= set(masses)


def test_an_output_that_a_neighbour_never_gives_has_an_infinite_loss():
    masses, infinite = loss_masses(Mechanism(((1, 0), (3, 4)), 4), Fraction(1, 10))
    assert infinite == 0.25
    assert sum(masses.values()) == pytest.approx(0.75)
    pytest.importorskip("dp_accounting", reason="dp-accounting is not installed")
    found = to_dp_accounting(Mechanism(((1, 0), (3, 4)), 4))
    assert found.get_delta_for_epsilon(50.0) == 0.25


@pytest.mark.parametrize(
    "options",
    [
        {"interval": 0.0},
        {"interval": float("nan")},
        {"interval": 1e-8},
        {"model": Model.metric([[0, 1], [1, 0]])},
        {"model": Model.ldp(3)},
    ],
    ids=["no interval", "interval is no number", "too many losses", "metric", "other inputs"],
)
def test_what_cannot_be_is_refused_in_one_line(options):
    pytest.importorskip("dp_accounting", reason="dp-accounting is not installed")
    with refused(InputError):
        to_dp_accounting(Mechanism(((3, 1), (1, 3)), 4), **options)


def test_a_design_has_its_own_model(skewed):
    with refused(InputError, about="model"):
        to_dp_accounting(skewed, Model.count(8))
    with refused(InputError, about="design"):
        to_dp_accounting([[1]])


def test_a_law_is_accounted_for_at_every_size():
    pytest.importorskip("dp_accounting", reason="dp-accounting is not installed")
    law = design_law(alpha="4/5", properties="WH,CM")
    of_law, of_size = to_dp_accounting(law), to_dp_accounting(law.design(15))
    for epsilon in (0.0, 0.1, 0.2, 0.3):
        assert of_law.get_delta_for_epsilon(epsilon) == of_size.get_delta_for_epsilon(epsilon)
    with refused(InputError, about="model"):
        to_dp_accounting(law, Model.count(15))

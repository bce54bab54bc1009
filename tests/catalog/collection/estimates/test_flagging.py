"""Flags are never raised for honest users but with the stated chance, and are raised for sums that nobody gives."""

from fractions import Fraction
from math import comb

import flint
import numpy as np
import pytest

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.collection.estimates.flagging import LEVEL, flags_of, signs_tail, upper_tail
from mechdesign_catalog.randomizers.facts.rates import SignRates
from mechdesign_catalog.randomizers.reports.reports import State
from mechdesign_catalog.systems import make_oracle
from mechdesign_catalog.systems.tables.registry import parse_marginal_oracle

ONE = Privacy(epsilon=1)


def tail(count, trials, chance):
    """Pr[Bin >= count], exactly."""
    return sum(comb(trials, i) * chance**i * (1 - chance) ** (trials - i) for i in range(count, trials + 1))


def test_tails_are_those_of_the_binomial():
    for trials in [1, 7, 60]:
        for chance in [Fraction(1, 7), Fraction(1, 2), Fraction(99, 100)]:
            counts = np.arange(trials + 1)
            found = upper_tail(counts, np.full(trials + 1, trials), np.full(trials + 1, float(chance)))
            assert found.tolist() == pytest.approx(
                [float(tail(count, trials, chance)) for count in counts.tolist()], rel=1e-11
            )


def test_tails_of_a_billion_users_are_as_exact():
    """By flint's balls: the incomplete beta function, regularised."""
    for count, trials, chance in [
        (501_100_000, 10**9, 0.501),
        (1200, 10**9, 1e-6),
        (10**8 + 10**5, 10**9, 0.1),
        (999_999, 10**6, 0.9999),
    ]:
        with flint.ctx.workprec(300):
            true = float(flint.arb(chance).beta_lower(flint.arb(count), flint.arb(trials - count + 1), True))
        assert upper_tail(np.array([count]), np.array([trials]), np.array([chance]))[0] == pytest.approx(true, rel=1e-6)


def signs_law(trials, chance, up):
    """The law of the sum of so many steps +1, -1, 0: chances by sum."""
    law = {0: Fraction(1)}
    for _ in range(trials):
        after = {}
        for total, mass in law.items():
            for step, part in ((1, chance * up), (-1, chance * (1 - up)), (0, 1 - chance)):
                after[total + step] = after.get(total + step, 0) + mass * part
        law = after
    return law


@pytest.mark.parametrize("trials", [1, 5, 40])
@pytest.mark.parametrize("chance", [Fraction(1, 8), Fraction(1)])
def test_the_bound_of_signs_is_above_their_tail_and_near_it(trials, chance):
    up = Fraction(3, 4)
    law = signs_law(trials, chance, up)
    sums = np.arange(trials + 1)
    rates = SignRates("signs", sums, np.full(len(sums), trials), np.full(len(sums), float(chance)), float(1 - up))
    found = signs_tail(sums, rates)
    for s in sums.tolist():
        true = float(sum((mass for total, mass in law.items() if total >= s), Fraction(0)))
        assert found[s] >= true * (1 - 1e-9)
        x = np.exp(np.linspace(0, 12, 4001))
        bounds = x**-s * (1 + float(chance) * (float(up) * (x - 1) + float(1 - up) * (1 / x - 1))) ** trials
        assert found[s] <= bounds.min() * (1 + 1e-9)
    assert found[-1] == pytest.approx(float((chance * up) ** trials), rel=1e-9)
    assert (np.diff(found) <= 1e-12).all()


SIMULATED = {
    "grr": (lambda: make_oracle("grr", 6, ONE), [300, 0, 0, 0, 0, 0]),
    "oue": (lambda: make_oracle("oue", 6, ONE), [100, 100, 50, 50, 0, 0]),
    "olh": (lambda: make_oracle("olh", 6, ONE), [0, 300, 0, 0, 0, 0]),
    "dbitflip, d = 1": (lambda: make_oracle("dbitflip", 4, ONE, d=1), [300, 0, 0, 0]),
    "design": (lambda: make_oracle("design:CH:L1", 4, ONE), [300, 0, 0, 0]),
    "hh": (lambda: make_oracle("hh", 8, ONE, b=2), [300, 0, 0, 0, 0, 0, 0, 0]),
    "haar": (lambda: make_oracle("haar", 8, ONE), [300, 0, 0, 0, 0, 0, 0, 0]),
}


@pytest.mark.parametrize("label", SIMULATED)
def test_honest_populations_are_flagged_as_rarely_as_is_said(label):
    """At a level of 0.2, 600 populations; more than 0.2 and 4.5 standard deviations would be 164."""
    oracle, counts = SIMULATED[label][0](), np.array(SIMULATED[label][1])
    generator = np.random.default_rng(16)
    flagged = sum(bool(flags_of(oracle, oracle.simulate_sums(counts, generator), 0.2)) for _ in range(600))
    assert flagged <= 164


def test_a_report_that_is_sent_by_all_is_flagged():
    for name in ("grr", "sue", "oue", "rappor", "ss", "blh", "olh", "hrr", "dbitflip", "hcms"):
        oracle = make_oracle(name, 8, ONE)
        one = oracle.privatize(np.array([3]))
        state = oracle.aggregate(one)
        many = State(state.parameters, 5000, state.sums * 5000)
        flags = flags_of(oracle, many)
        assert flags, name
        assert all(flag.trials == 5000 for flag in flags)


def test_a_tuple_that_is_sent_by_all_is_flagged():
    for name in ["spl", "smp", "rs+fd", "inprr:sue", "inpolh", "margps", "calm", "inpht", "inpes"]:
        oracle = parse_marginal_oracle(name, (2, 3, 2), ONE)
        state = oracle.aggregate(oracle.privatize(np.array([[1, 2, 0]])))
        assert flags_of(oracle, State(state.parameters, 5000, state.sums * 5000))


@pytest.mark.parametrize("name", ["hh", "haar"])
def test_a_level_that_too_many_report_is_flagged_by_its_name(name):
    oracle = make_oracle(name, 8, ONE)
    states = [oracle.aggregate(oracle.privatize(np.arange(64) % 8)) for _ in range(40)]
    honest = states[0]
    for state in states[1:]:
        honest = honest.merge(state)
    assert not flags_of(oracle, honest)
    one = oracle.aggregate(oracle.privatize(np.array([3])))
    flags = flags_of(oracle, honest.merge(State(one.parameters, 3000, one.sums * 3000)))
    assert "users of levels" in {flag.name for flag in flags}
    assert "honest users give" in flags[0].describe()


def test_each_tail_has_its_share_of_the_level():
    """The least count that is flagged: its tail is below the level over the number of tails, and the next one's not."""
    oracle = make_oracle("oue", 5, ONE)
    users, p = 1000, float(oracle.support.p)
    middle = np.full(5, 400)

    def is_flagged(count):
        sums = middle.copy()
        sums[2] = count
        return bool(flags_of(oracle, State(oracle.parameters, users, sums)))

    first = next(count for count in range(500, 700) if is_flagged(count))
    each = LEVEL / 10
    tails = upper_tail(np.array([first - 1, first]), np.full(2, users), np.full(2, p))
    assert tails[1] < each <= tails[0] * 1.02
    assert (
        len([one for rates in oracle.honest_rates(State(oracle.parameters, users, middle)) for one in rates.counts])
        == 5
    )
    low = next(count for count in range(270, 0, -1) if is_flagged(count))
    assert 1 - upper_tail(np.array([low + 1]), np.array([users]), np.array([float(oracle.support.q)]))[0] < 1.5 * each

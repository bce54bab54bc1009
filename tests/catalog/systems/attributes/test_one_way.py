"""Tables of single attributes by SPL, SMP and RS+FD: mean and covariance by enumeration, and states drawn at once."""

import numpy as np
import pytest
from wording import refused

from mechdesign import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.systems.tables.registry import marginal_oracle_of, parse_marginal_oracle

WHOLE = ("spl", "rs+fd:encoding=grr", "rs+fd:encoding=oue-z", "rs+fd")
every = pytest.mark.parametrize("text", [*WHOLE, "smp"])
PEOPLE = np.array([[0, 2], [1, 0], [1, 1], [0, 2], [1, 2]])


def small(text, domains=(2, 3), epsilon=1):
    return parse_marginal_oracle(text, domains, Privacy(epsilon=epsilon))


@every
def test_one_attribute_is_the_most(text):
    oracle = small(text)
    state = oracle.simulate_sums(np.repeat(PEOPLE, 9, axis=0), np.random.default_rng(1))
    assert oracle.way == 1
    assert marginal_oracle_of(oracle.parameters) == oracle
    with refused(InputError):
        oracle.raw.estimate(state, [(0, 1)])
    (table,) = oracle.least_squares.estimate(state, [(1,)])
    assert table.sum() == pytest.approx(1, abs=1e-12)


@every
def test_planned_users_are_those_of_the_mean(text):
    oracle = small(text)
    assert np.array(oracle.planned_users(10)).tolist() == ([5, 5] if text == "smp" else 10)


def test_what_is_really_lost():
    assert small("spl").alpha == small("spl").parts[0].alpha ** 2
    assert small("smp").alpha == small("smp").privacy.alpha
    faked = small("rs+fd")
    assert faked.alpha == faked.amplified_alpha
    assert not faked.privacy.allows(faked.alpha)

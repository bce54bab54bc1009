"""Tables of single attributes by SPL, SMP and RS+FD: mean and covariance by enumeration, and states drawn at once."""

import branch_enumeration
import marginal_laws
import numpy as np
import pytest

from mechdesign import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.marginals.registry import marginal_oracle_of, parse_marginal_oracle
from mechdesign_catalog.multidimensional.tables import PeopleShares

WHOLE = ("spl", "rs+fd:encoding=grr", "rs+fd:encoding=oue-z", "rs+fd")
every = pytest.mark.parametrize("text", [*WHOLE, "smp"])
PEOPLE = np.array([[0, 2], [1, 0], [1, 1], [0, 2], [1, 2]])


def small(text, domains=(2, 3), epsilon=1):
    return parse_marginal_oracle(text, domains, Privacy(epsilon=epsilon))


@pytest.mark.parametrize("text", WHOLE)
def test_tables_are_those_of_the_law(text):
    marginal_laws.assert_tables_are_those_of_the_law(small(text), [(0,), (1,)])


@pytest.mark.parametrize("estimator", ["raw", "least_squares"])
@pytest.mark.parametrize("domains", [(2, 3), (2, 7)], ids=["2x3", "2x7"])
@pytest.mark.parametrize("attribute", [0, 1])
def test_smp_by_enumeration_of_all_reports(domains, attribute, estimator):
    oracle = small("smp", domains, epsilon="1/2")
    assert oracle.encodings == ("grr", "grr" if domains[1] == 3 else "oue")
    found = getattr(oracle, estimator)
    for counts in ([2, 3], [4, 1]):
        mean, covariance = branch_enumeration.enumerated(oracle, found, (attribute,), PEOPLE, counts)
        shares = PeopleShares(domains, PEOPLE)
        users = np.array(counts, dtype=float)
        assert mean == pytest.approx(shares.table((attribute,)), abs=1e-12)
        assert found.covariance((attribute,), shares, users) == pytest.approx(covariance, abs=1e-10)
        assert found.variances((attribute,), shares, users) == pytest.approx(np.diag(covariance), abs=1e-10)
        assert (found.least_variances((attribute,), users) <= np.diag(covariance) + 1e-12).all()


@pytest.mark.slow
@every
def test_states_are_drawn_by_the_law(text):
    oracle = small(text, (2, 5), epsilon=2)
    if text != "smp":
        marginal_laws.assert_drawn_states_have_the_law(oracle, (1,))
        return
    generator = np.random.default_rng(11)
    people = np.repeat(PEOPLE, 20, axis=0)
    states = [oracle.draw_state(people, generator) for _ in range(2000)]
    errors = np.array([oracle.raw.estimate(state, [(1,)])[0] for state in states])
    errors -= PeopleShares((2, 5), people).table((1,))
    stated = np.mean(
        [oracle.raw.variances((1,), PeopleShares((2, 5), people), oracle.users_of(state)) for state in states], axis=0
    )
    squares = errors**2
    assert (np.abs(squares.mean(axis=0) - stated) <= 4.5 * squares.std(axis=0) / np.sqrt(2000)).all()
    assert sum(state.sums[0] for state in states) == pytest.approx(100_000, abs=4.5 * np.sqrt(50_000))


@every
def test_one_attribute_is_the_most(text):
    oracle = small(text)
    state = oracle.draw_state(np.repeat(PEOPLE, 9, axis=0), np.random.default_rng(1))
    assert oracle.way == 1
    assert marginal_oracle_of(oracle.parameters) == oracle
    with pytest.raises(InputError, match="at most k=1 attribute"):
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

"""INPRR, INPPS, INPOLH: laws, unbiasedness and covariances by enumeration, agreement of tables, refusals."""

import itertools

import numpy as np
import pytest
from marginal_laws import (
    assert_drawn_states_have_the_law,
    assert_law_is_private,
    assert_tables_are_those_of_the_law,
)

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.marginals.registry import marginal_oracle_of, parse_marginal_oracle
from mechdesign_catalog.multidimensional.tables import PeopleShares, UniformShares, subsets_of
from mechdesign_catalog.oracles import State

NAMES = ["inprr:sue", "inprr:oue", "inpps", "inpolh"]
every = pytest.mark.parametrize("name", NAMES)


def make(name, domains, epsilon="11/10"):
    return parse_marginal_oracle(name, domains, Privacy(epsilon=epsilon))


LAWS = [(name, domains, epsilon) for name in NAMES[:3] for domains in ((2, 2, 2), (3, 2)) for epsilon in ("2/5", "7/5")]
LAWS += [("inpolh", (2, 2, 2), "11/10")]  # 4 buckets; and then 5 of different sizes
UNEVEN = pytest.param("inpolh:hash_bits=3", (2, 2), "7/5", marks=pytest.mark.slow)


@pytest.mark.parametrize(("name", "domains", "epsilon"), [*LAWS, UNEVEN], ids=str)
def test_estimates_are_those_of_the_law(name, domains, epsilon):
    oracle = make(name, domains, epsilon)
    assert_law_is_private(oracle)
    subsets = [subset for way in range(1, len(domains) + 1) for subset in subsets_of(len(domains), way)]
    assert_tables_are_those_of_the_law(oracle, subsets)


@every
@pytest.mark.slow
def test_drawn_states_have_the_law(name):
    oracle = make(name, (3, 2, 2))
    assert_drawn_states_have_the_law(oracle, (0, 2))


@every
def test_tables_agree_and_their_total_is_one(name):
    oracle = make(name, (2,) * 8)
    values = np.random.default_rng(3).integers(0, 2, (500, 8))
    state = oracle.aggregate(oracle.privatize(values, seeded_words(1)))
    pairs = subsets_of(8, 2)
    tables = dict(zip(pairs, oracle.least_squares.estimate(state, pairs), strict=True))
    for subset, table in tables.items():
        assert table.sum() == pytest.approx(1, abs=1e-12)
        for i in subset:
            (single,) = oracle.least_squares.estimate(state, [(i,)])
            axis = 1 - subset.index(i)
            np.testing.assert_allclose(table.reshape(2, 2).sum(axis=axis), single, atol=1e-12)


@every
def test_total_shift_is_constrained_least_squares(name):
    """Against least squares of all joint cells under the constraint, with their covariance at equal shares."""
    domains = (2, 3, 2)
    oracle = make(name, domains)
    values = np.random.default_rng(4).integers(0, domains, (200, 3))
    state = oracle.aggregate(oracle.privatize(values, seeded_words(2)))
    everything = (0, 1, 2)
    (raw,) = oracle.raw.estimate(state, [everything])
    noise = oracle.raw.covariance(everything, UniformShares(domains), 200)
    ones = np.ones(12)
    gain = noise @ ones / (ones @ noise @ ones) if ones @ noise @ ones > 1e-12 else np.zeros(12)
    best = raw - gain * (raw.sum() - 1)
    for subset in itertools.chain(subsets_of(3, 1), subsets_of(3, 2)):
        others = tuple(i for i in everything if i not in subset)
        (table,) = oracle.least_squares.estimate(state, [subset])
        np.testing.assert_allclose(table, best.reshape(domains).sum(axis=others).reshape(-1), atol=1e-12)


@every
def test_least_squares_never_loses(name):
    oracle = make(name, (2, 2, 3, 2), "7/5")
    values = np.random.default_rng(5).integers(0, (2, 2, 3, 2), (40, 4)) ** 2 % 2
    shares = PeopleShares(oracle.domains, values)
    for subset in subsets_of(4, 2):
        ours, published = (e.variances(subset, shares, 40) for e in (oracle.least_squares, oracle.raw))
        assert ours.mean() <= published.mean() * (1 + 1e-12)


@every
def test_parameters_make_the_same_oracle_and_states_merge(name):
    oracle = make(name, (3, 2, 2))
    assert marginal_oracle_of(oracle.parameters) == oracle
    values = np.random.default_rng(6).integers(0, 2, (90, 3))
    reports = oracle.privatize(values, seeded_words(3))
    parts = oracle.aggregate(reports[:40]).merge(oracle.aggregate(reports[40:]))
    whole = oracle.aggregate(reports)
    np.testing.assert_array_equal(parts.sums, whole.sums)
    assert parts.users == whole.users == oracle.users_of(whole) == oracle.planned_users(90)


def test_options_of_local_hashing():
    oracle = parse_marginal_oracle("inpolh:k=1:hash_bits=6", (2, 2), Privacy(epsilon="7/5"))
    assert (oracle.way, oracle.hash_bits, oracle.flat.hash_bits) == (1, 6, 6)
    assert marginal_oracle_of(oracle.parameters) == oracle


@every
def test_a_joint_domain_beyond_the_memory_is_refused_before_any_work(name):
    oracle = make(name, (2,) * 39)
    for call in (
        lambda: oracle.privatize(np.zeros((5, 39), dtype=np.int64)),
        lambda: oracle.draw_state(np.zeros((5, 39), dtype=np.int64), np.random.default_rng(0)),
        lambda: oracle.raw.estimate(State(oracle.parameters, 5, np.zeros(4, dtype=np.int64)), [(0,)]),
    ):
        with pytest.raises(InputError, match=f"for {name}, got 549755813888 of 39 attributes, about .*inpht"):
            call()
    assert oracle.raw.variances((0, 1), UniformShares(oracle.domains), 10**6)[0] > 1e3
    with pytest.raises(InputError, match=r"at most 2\^40 combinations of all attributes' items, got 2\^41.0 of 41"):
        make(name, (2,) * 41)


@pytest.mark.parametrize("name", ["inprr:sue", "inprr:oue", "inpolh"])
def test_a_long_law_is_not_listed(name):
    with pytest.raises(InputError, match=f"the law of {name} must have at most 65536 reports to be listed, got more"):
        make(name, (2,) * 8).report_law()


@every
def test_bad_input_is_refused(name):
    oracle = make(name, (2, 2))
    with pytest.raises(InputError, match=r"values of attribute 2 must be in 0..1, got another in row 1"):
        oracle.privatize(np.array([[0, 2]]))
    with pytest.raises(InputError, match=r"k must be in 1\.\.2, as there are 2 attributes, got k=3"):
        parse_marginal_oracle(f"{name}:k=3", (2, 2), Privacy(epsilon=1))
    reports = make(name, (2, 2), 1).privatize(np.array([[0, 1]]))
    with pytest.raises(InputError, match="reports must be made with the same parameters"):
        oracle.aggregate(reports)
    with pytest.raises(InputError, match="a state must have at least one user, got none"):
        oracle.raw.estimate(State(oracle.parameters, 0, np.zeros(4, dtype=np.int64)), [(0,)])

"""INPRR, INPPS, INPOLH and INPEM: combinations counted, tables inverted, and what is refused."""

import numpy as np
import pytest
from wording import refused

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.decoders.tables.subsets import UniformShares, cell_numbers, subsets_of
from mechdesign_catalog.systems import Reports, State
from mechdesign_catalog.systems.tables.registry import marginal_oracle_of, parse_marginal_oracle

NAMES = ["inprr:sue", "inprr:oue", "inpps", "inpolh"]
every = pytest.mark.parametrize("name", NAMES)


def make(name, domains, epsilon="11/10"):
    return parse_marginal_oracle(name, domains, Privacy(epsilon=epsilon))


def test_options_of_local_hashing():
    oracle = parse_marginal_oracle("inpolh:k=1:hash_bits=6", (2, 2), Privacy(epsilon="7/5"))
    assert (oracle.way, oracle.hash_bits, oracle.flat.hash_bits) == (1, 6, 6)
    assert marginal_oracle_of(oracle.parameters) == oracle


@every
def test_a_joint_domain_beyond_the_memory_is_refused_before_any_work(name):
    oracle = make(name, (2,) * 39)
    for call in (
        lambda: oracle.privatize(np.zeros((5, 39), dtype=np.int64)),
        lambda: oracle.simulate_sums(np.zeros((5, 39), dtype=np.int64), np.random.default_rng(0)),
        lambda: oracle.raw.estimate(State(oracle.parameters, 5, np.zeros(4, dtype=np.int64)), [(0,)]),
    ):
        with refused(InputError):
            call()
    assert oracle.raw.variances((0, 1), UniformShares(oracle.domains), 10**6)[0] > 1e3
    with refused(InputError):
        make(name, (2,) * 41)


@pytest.mark.parametrize("name", ["inprr:sue", "inprr:oue", "inpolh"])
def test_a_long_law_is_not_listed(name):
    with refused(InputError):
        make(name, (2,) * 8).report_law()


@every
def test_bad_input_is_refused(name):
    oracle = make(name, (2, 2))
    with refused(InputError):
        oracle.privatize(np.array([[0, 2]]))
    with refused(InputError, about="k"):
        parse_marginal_oracle(f"{name}:k=3", (2, 2), Privacy(epsilon=1))
    reports = make(name, (2, 2), 1).privatize(np.array([[0, 1]]))
    with refused(InputError, about="reports"):
        oracle.aggregate(reports)
    with refused(InputError):
        oracle.raw.estimate(State(oracle.parameters, 0, np.zeros(4, dtype=np.int64)), [(0,)])


def inpem_of(d, way=2, epsilon="11/10"):
    return parse_marginal_oracle(f"inpem:k={way}", (2,) * d, Privacy(epsilon=epsilon))


def combinations_of(d, way=2, users=400):
    oracle = inpem_of(d, way)
    values = np.random.default_rng(d).integers(0, 2, (users, d))
    return oracle, oracle.privatize(values, seeded_words(1))


@pytest.mark.parametrize("users", [1, 63, 64, 65, 1000])
def test_reported_combinations_are_counted(users):
    oracle, reports = combinations_of(9, 3, users)
    bits = np.unpackbits(reports.columns["bits"], axis=1, bitorder="little")[:, :9].astype(np.int64)
    state = oracle.aggregate(reports)
    assert len(state.sums) == 9 + 36 + 84 == oracle.contribution.length
    for subset in [(0,), (8,), (1, 5), (0, 4, 8), (2, 3, 7)]:
        counts = np.bincount(cell_numbers(oracle.domains, subset, bits), minlength=1 << len(subset))
        np.testing.assert_array_equal(oracle.reported(state, subset), counts)


def test_tables_invert_the_channel_and_agree():
    oracle, reports = combinations_of(6, 3)
    state = oracle.aggregate(reports)
    triples = subsets_of(6, 3)
    for subset, table in zip(triples, oracle.raw.estimate(state, triples), strict=True):
        inverse = np.linalg.inv(oracle.channel(3).matrix())
        np.testing.assert_allclose(table, inverse @ oracle.reported(state, subset) / 400, atol=1e-9)
        assert table.sum() == pytest.approx(1, abs=1e-12)
        for axis in range(3):
            (pair,) = oracle.least_squares.estimate(state, [tuple(np.delete(subset, axis).tolist())])
            np.testing.assert_allclose(table.reshape(2, 2, 2).sum(axis=axis).reshape(-1), pair, atol=1e-12)


def test_variance_of_uniform_users_grows_as_published():
    """In the mean over cells `K^-2 sum_a ((2p-1)^(-2|a|) - 1)`, where all shares are alike."""
    for d, epsilon in ((4, 1), (9, "1/5")):
        oracle = inpem_of(d, 3, epsilon)
        sure = float((1 - oracle.parts[0].alpha) / (1 + oracle.parts[0].alpha))
        found = oracle.raw.variances((0, 1, 2), UniformShares(oracle.domains), 1)
        expected = (3 * sure**-2 + 3 * sure**-4 + sure**-6 - 7) / 64
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_bad_input_is_refused_of_inpem():
    with refused(InputError, about="attributes"):
        parse_marginal_oracle("inpem", (2, 3), Privacy(epsilon=1))
    with refused(InputError):
        inpem_of(60, 15)
    oracle, reports = combinations_of(5)
    with refused(InputError):
        oracle.aggregate(Reports(oracle.parameters, {"item": np.zeros(3, dtype=np.int64)}))
    with refused(InputError):
        oracle.aggregate(Reports(oracle.parameters, {"bits": reports.columns["bits"] | 0x80}))
    with refused(InputError):
        oracle.raw.estimate(State(oracle.parameters, 4, np.full(15, 3, dtype=np.int64)), [(0, 1)])
    with refused(InputError):
        oracle.raw.estimate(State(oracle.parameters, 4, np.zeros(14, dtype=np.int64)), [(0, 1)])
    with refused(InputError):
        inpem_of(9).report_law()

"""INPEM's client, its sums, and its unbiased tables: by enumeration, against counts, and bad input."""

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
from mechdesign_catalog.multidimensional.tables import UniformShares, cell_numbers, subsets_of
from mechdesign_catalog.oracles import Reports, State


def make(d, way=2, epsilon="11/10"):
    return parse_marginal_oracle(f"inpem:k={way}", (2,) * d, Privacy(epsilon=epsilon))


def collected(d, way=2, users=400):
    oracle = make(d, way)
    values = np.random.default_rng(d).integers(0, 2, (users, d))
    return oracle, oracle.privatize(values, seeded_words(1))


@pytest.mark.parametrize(("d", "epsilon"), [(3, "11/10"), (4, "3")])
def test_estimates_are_those_of_the_law(d, epsilon):
    oracle = make(d, 3, epsilon)
    assert_law_is_private(oracle)
    assert_tables_are_those_of_the_law(oracle, [subset for way in (1, 2, 3) for subset in subsets_of(d, way)])


@pytest.mark.slow
def test_drawn_states_have_the_law():
    assert_drawn_states_have_the_law(make(5), (1, 3))


@pytest.mark.parametrize("users", [1, 63, 64, 65, 1000])
def test_reported_combinations_are_counted(users):
    oracle, reports = collected(9, 3, users)
    bits = np.unpackbits(reports.columns["bits"], axis=1, bitorder="little")[:, :9].astype(np.int64)
    state = oracle.aggregate(reports)
    assert len(state.sums) == 9 + 36 + 84 == oracle.state_length
    for subset in [(0,), (8,), (1, 5), (0, 4, 8), (2, 3, 7)]:
        counts = np.bincount(cell_numbers(oracle.domains, subset, bits), minlength=1 << len(subset))
        np.testing.assert_array_equal(oracle.reported(state, subset), counts)


def test_tables_invert_the_channel_and_agree():
    oracle, reports = collected(6, 3)
    state = oracle.aggregate(reports)
    triples = subsets_of(6, 3)
    for subset, table in zip(triples, oracle.raw.estimate(state, triples), strict=True):
        inverse = np.linalg.inv(oracle.channel(3).matrix())
        np.testing.assert_allclose(table, inverse @ oracle.reported(state, subset) / 400, atol=1e-9)
        assert table.sum() == pytest.approx(1, abs=1e-12)
        for axis in range(3):
            (pair,) = oracle.least_squares.estimate(state, [tuple(np.delete(subset, axis).tolist())])
            np.testing.assert_allclose(table.reshape(2, 2, 2).sum(axis=axis).reshape(-1), pair, atol=1e-12)


def test_the_channel_is_that_of_the_law():
    """A table of all attributes sees what the law says."""
    oracle = make(2)
    channel, law = oracle.channel(2), oracle.report_law()
    for report, chances in law.items():
        y = 2 * (report[0] & 1) + (report[0] >> 1)
        assert tuple(channel.fraction(y, x) for x in range(4)) == chances


def test_variance_of_uniform_users_grows_as_published():
    """In the mean over cells `K^-2 sum_a ((2p-1)^(-2|a|) - 1)`, where all shares are alike."""
    for d, epsilon in ((4, 1), (9, "1/5")):
        oracle = make(d, 3, epsilon)
        sure = float((1 - oracle.parts[0].alpha) / (1 + oracle.parts[0].alpha))
        found = oracle.raw.variances((0, 1, 2), UniformShares(oracle.domains), 1)
        expected = (3 * sure**-2 + 3 * sure**-4 + sure**-6 - 7) / 64
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_parameters_make_the_same_oracle_and_states_merge():
    oracle, reports = collected(5)
    assert marginal_oracle_of(oracle.parameters) == oracle
    whole = oracle.aggregate(reports)
    parts = oracle.aggregate(reports[:130]).merge(oracle.aggregate(reports[130:]))
    np.testing.assert_array_equal(parts.sums, whole.sums)
    assert parts.users == oracle.users_of(whole) == oracle.planned_users(400) == 400


def test_bad_input_is_refused():
    with pytest.raises(InputError, match="attributes must have 2 items for inpem, got 3 in attribute 2"):
        parse_marginal_oracle("inpem", (2, 3), Privacy(epsilon=1))
    with pytest.raises(InputError, match=r"at most 2\^20 sets of up to k attributes, got k=15 of 60 attributes"):
        make(60, 15)
    oracle, reports = collected(5)
    with pytest.raises(InputError, match="reports of inpem must have the columns bits, got item"):
        oracle.aggregate(Reports(oracle.parameters, {"item": np.zeros(3, dtype=np.int64)}))
    with pytest.raises(InputError, match="no bit beyond bit 4, got one in row 1"):
        oracle.aggregate(Reports(oracle.parameters, {"bits": reports.columns["bits"] | 0x80}))
    with pytest.raises(InputError, match="sums that reports add up to"):
        oracle.raw.estimate(State(oracle.parameters, 4, np.full(15, 3, dtype=np.int64)), [(0, 1)])
    with pytest.raises(InputError, match="a state must have 15 sums"):
        oracle.raw.estimate(State(oracle.parameters, 4, np.zeros(14, dtype=np.int64)), [(0, 1)])
    with pytest.raises(InputError, match="at most 8 to list the law of inpem, got 9"):
        make(9).report_law()

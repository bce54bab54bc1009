"""INPEM's decoders: EM as printed, likelihood against an independent optimiser, and what the published stop does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from wording import refused

from mechdesign import InputError, NoAnswerError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.decoders.tables.subsets import subsets_of
from mechdesign_catalog.systems.tables.consistency.posts import table_source
from mechdesign_catalog.systems.tables.estimates import LinearTables
from mechdesign_catalog.systems.tables.inputs import decoded_tables
from mechdesign_catalog.systems.tables.inputs.decoded_tables import EmTables, LikelihoodTables, expectation_maximization
from mechdesign_catalog.systems.tables.registry import parse_marginal_oracle


def collected(d=6, epsilon=6, users=500, way=2, seed=0):
    """Reports of users with few different tuples, so that some cells of the tables are empty."""
    oracle = parse_marginal_oracle(f"inpem:k={way}", (2,) * d, Privacy(epsilon=epsilon))
    generator = np.random.default_rng(seed)
    values = generator.integers(0, 2, (4, d))[generator.integers(0, 4, users)]
    reports = oracle.privatize(values, seeded_words(seed))
    return oracle, reports, oracle.aggregate(reports)


def printed_em(rows, kept, change):
    """Algorithm 3 line by line, over all users' reported pairs (k = 2)."""
    cells = [(0, 0), (0, 1), (1, 0), (1, 1)]
    guess, steps = dict.fromkeys(cells, 0.25), 0
    while True:
        after = dict.fromkeys(cells, 0.0)
        for y in rows:
            joint = {
                g: guess[g] * np.prod([kept if a == b else 1 - kept for a, b in zip(y, g, strict=True)]) for g in cells
            }
            total = sum(joint.values())
            for g in cells:
                after[g] += joint[g] / total / len(rows)
        steps += 1
        moved = max(abs(after[g] - guess[g]) for g in cells)
        guess = after
        if moved <= change:
            return np.array([guess[g] for g in cells]), steps


@pytest.mark.slow
def test_em_is_the_printed_algorithm():
    oracle, reports, state = collected(users=40)
    bits = np.unpackbits(reports.columns["bits"], axis=1, bitorder="little")
    subsets = [(0, 1), (2, 5)]
    source = EmTables(LinearTables(oracle, state, "raw"), change=1e-3)
    fitted = source.fitted(subsets)
    for place, subset in enumerate(subsets):
        rows = [tuple(row) for row in bits[:, list(subset)].tolist()]
        expected, steps = printed_em(rows, float(1 / (1 + oracle.parts[0].alpha)), 1e-3)
        np.testing.assert_allclose(fitted.shares[place], expected, atol=1e-12)
        assert fitted.steps[place] == steps
        np.testing.assert_allclose(source.shares([subset])[0], fitted.shares[place], atol=1e-12)


def test_the_published_stop_is_the_way_em():
    oracle, _, state = collected()
    source = table_source(oracle, state, "em")
    subsets = [(0,), (1, 2), (3,), (0, 5)]
    found = source.shares(subsets)
    assert [len(shares) for shares in found] == [2, 4, 2, 4]
    channel = oracle.channel(2).matrix()
    observed = oracle.reported(state, (1, 2))[None] / 500
    stopped = expectation_maximization(observed, channel)
    np.testing.assert_allclose(found[1], stopped.shares[0], atol=1e-12)
    after = stopped.shares[0] * ((observed[0] / (channel @ stopped.shares[0])) @ channel)
    assert np.abs(after - stopped.shares[0]).max() <= 1e-5
    assert not source.unbiased
    below = table_source(oracle, state, "raw").table((1, 2))
    np.testing.assert_array_equal(source.table((1, 2)).covariance(), below.covariance())
    np.testing.assert_allclose(source.table((1, 2)).shares, found[1], atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("way", [1, 2, 3])
def test_likelihood_is_that_of_an_independent_optimiser_within_its_proof(way):
    oracle, _, state = collected(users=60, way=3, epsilon=4)
    source = LikelihoodTables(LinearTables(oracle, state, "raw"))
    inverted = 0
    for subset in subsets_of(6, way)[:8]:
        (found,) = source.estimates([subset])
        counts, channel = oracle.reported(state, subset), oracle.channel(way).matrix()

        def loss(free, counts=counts, channel=channel):
            weights = np.exp(free - free.max())
            return -counts @ np.log(channel @ (weights / weights.sum()))

        best = min(minimize(loss, start, method="BFGS", options={"gtol": 1e-9}).fun for start in np.eye(1 << way) * 0.1)
        value = counts @ np.log(channel @ np.array(found.distribution))
        assert value == pytest.approx(found.log_likelihood, rel=1e-12)
        assert found.converged
        assert found.bound <= 1e-6
        assert -best <= value + found.bound + 1e-9
        (raw,) = oracle.raw.estimate(state, [subset])
        if raw.min() >= 0:
            inverted += 1
            np.testing.assert_allclose(source.shares([subset])[0], raw, atol=2e-3)
        assert min(source.shares([subset])[0]) >= 0
    assert inverted < 8


def test_em_ends_below_the_largest_likelihood_and_a_smaller_stop_nears_it():
    oracle, _, state = collected()
    subsets = subsets_of(6, 2)
    raw = LinearTables(oracle, state, "raw")
    best = [estimate.log_likelihood for estimate in LikelihoodTables(raw).estimates(subsets)]
    short = []
    for change in (1e-3, 1e-5, 1e-7):
        shares = EmTables(raw, change=change).shares(subsets)
        values = [
            oracle.reported(state, subset) @ np.log(oracle.channel(2).matrix() @ table)
            for subset, table in zip(subsets, shares, strict=True)
        ]
        short.append(np.subtract(best, values))
    assert all((gap >= -1e-6).all() for gap in short)
    assert short[0].sum() > short[1].sum() > short[2].sum()
    assert short[2].max() < 1e-2


@pytest.mark.slow
def test_failures_of_the_published_decoder_are_its_stop():
    """Table 4.2: at epsilon 0.1, d = 8, n = 2^18 about half of the tables stop at once; with a smaller stop none."""
    oracle = parse_marginal_oracle("inpem", (2,) * 8, Privacy(epsilon="1/10"))
    generator = np.random.default_rng(3)
    state = oracle.simulate_sums((generator.random((1 << 18, 8)) < generator.random(8)).astype(np.int64), generator)
    pairs = subsets_of(8, 2)
    at_once = (EmTables(LinearTables(oracle, state, "raw")).fitted(pairs).steps == 1).sum()
    assert 4 <= at_once <= 26
    assert (EmTables(LinearTables(oracle, state, "raw"), change=1e-6).fitted(pairs).steps > 1).all()


@given(st.lists(st.integers(0, 50), min_size=4, max_size=4).filter(sum), st.floats(0.05, 0.45))
def test_a_step_of_em_never_makes_reports_less_likely(counts, turned):
    bit = np.array([[1 - turned, turned], [turned, 1 - turned]])
    channel, observed = np.kron(bit, bit), np.array([counts]) / sum(counts)
    values = [
        float((observed * np.log(expectation_maximization(observed, channel, change).shares @ channel.T)).sum())
        for change in (1.0, 1e-2, 1e-3)
    ]
    assert values[0] >= float((observed * np.log(0.25 * channel.sum(axis=0))).sum()) - 1e-12
    assert values == sorted(values) or np.ptp(values) < 1e-12


def test_bad_input_is_refused(monkeypatch):
    oracle, _, state = collected()
    other = parse_marginal_oracle("inpps", (2,) * 6, Privacy(epsilon=1))
    for post in ("em", "likelihood"):
        with refused(InputError):
            table_source(other, state, post)
        with refused(InputError):
            table_source(oracle, state, post).table((0, 1, 2))
    with refused(InputError, about="reports"):
        EmTables(LinearTables(other, state, "raw"))
    with refused(InputError, about="change"):
        EmTables(LinearTables(oracle, state, "raw"), change=0).table((0, 1))
    monkeypatch.setattr(decoded_tables, "MOST_STEPS", 3)
    with refused(NoAnswerError):
        EmTables(LinearTables(oracle, state, "raw")).table((0, 1))

"""Collisions of the count-mean sketch in answers: over all public hashes and reports, and at uniform shares."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from public_hashes import with_hashes
from report_scores import possible_reports, scores

from mechdesign import InputError, parse_workload
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.queries import Intervals, LinearQueries
from mechdesign_catalog.oracles import make_oracle
from mechdesign_catalog.oracles.exchangeable import ExchangeableOracle
from mechdesign_catalog.oracles.kinds.collisions import Correlations

WORKLOADS = ["histogram", "prefixes", "ranges", "ranges:3"]


@pytest.mark.parametrize(("k", "hashes", "width"), [(4, 2, 2), (4, 1, 4), (3, 3, 2), (5, 1, 2)])
@pytest.mark.parametrize("counts", [(3, 2, 4, 0, 1), (9, 0, 0, 0, 0), (1, 1, 5, 2, 0)])
def test_answers_over_all_public_hashes_are_the_formula(k, hashes, width, counts) -> None:
    """Mean and variance of every query, of unequal weights too, from all reports under all hashes."""
    items, users = np.array(counts[:k]), sum(counts[:k])
    random = np.random.default_rng(k).normal(size=(4, k))
    queries = LinearQueries(np.vstack([np.eye(k), np.ones((1, k)), np.tri(k), random, random[:1] * 3]))
    usual = make_oracle("hcms", k, Privacy(epsilon=1), hashes=hashes, width=width)
    matrices = list(itertools.product(range(1 << usual.family.item_bits), repeat=width.bit_length() - 1))
    means, given_hashes = [], []
    for drawn in itertools.product(matrices, repeat=hashes):
        oracle = with_hashes(make_oracle("hcms", k, Privacy(epsilon=1), hashes=hashes, width=width), list(drawn))
        reports, chances = possible_reports(oracle)
        answers = scores(oracle, reports) @ queries.matrix.T
        of_user = answers.T @ chances  # (query, item of the user)
        means.append(of_user @ items / users)
        given_hashes.append(((answers**2).T @ chances - of_user**2) @ items / users**2)
    exact = np.mean(given_hashes, axis=0) + np.var(means, axis=0)
    assert np.mean(means, axis=0) == pytest.approx(queries.apply(items / users), abs=1e-12)
    assert usual.answer_variance(queries, items / users, users) == pytest.approx(exact, rel=1e-9)
    assert usual.variance(items / users, users) == pytest.approx(exact[:k], rel=1e-9)
    prefixes = Intervals(k, np.zeros(k, dtype=int), np.arange(k))
    assert usual.answer_variance(prefixes, items / users, users) == pytest.approx(exact[k + 1 : 2 * k + 1], rel=1e-9)


@pytest.mark.parametrize("k", [2, 7, 16, 21])
def test_intervals_have_the_energy_of_their_weights(k) -> None:
    """All intervals, by aligned blocks, against the sum over all pairs of items."""
    shares = np.random.default_rng(k).dirichlet(np.ones(k))
    first, last = np.triu_indices(k)
    weights = Intervals(k, first, last).weights()
    correlations = Correlations.of(shares)
    pairs = np.array([[sum(shares[x] * shares[x ^ d] for x in range(k) if x ^ d < k) for d in range(32)]])[0]
    matrix = np.array([[pairs[v ^ w] for w in range(k)] for v in range(k)])
    direct = np.einsum("qv,vw,qw->q", weights, matrix, weights)
    assert correlations.energy(Intervals(k, first, last)) == pytest.approx(direct, rel=1e-12)
    assert correlations.energy(LinearQueries(weights)) == pytest.approx(direct, rel=1e-12)
    assert correlations.energy_of_items() == pytest.approx(matrix[0, 0])


@pytest.mark.parametrize("k", [3, 4])
@pytest.mark.parametrize("owners", [(0, 1), (2, 2)])
def test_estimated_correlations_are_unbiased(k, owners) -> None:
    """Exactly: in the mean over all public hashes and all pairs of reports of two users."""
    usual = make_oracle("hcms", k, Privacy(epsilon=1), hashes=2, width=2)
    found = []
    for drawn in itertools.product(itertools.product(range(4), repeat=1), repeat=2):
        oracle = with_hashes(make_oracle("hcms", k, Privacy(epsilon=1), hashes=2, width=2), list(drawn))
        reports, chances = possible_reports(oracle)
        score = scores(oracle, reports)
        for (one, p), (other, q) in itertools.product(*(zip(score, chances[:, v], strict=True) for v in owners)):
            found.append(p * q * Correlations.estimated((one + other) / 2, usual.moments, 2, 2).values)
    truth = np.bincount(owners, minlength=k) / 2
    assert np.sum(found, axis=0) / 16 == pytest.approx(Correlations.of(truth).values, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("k", "hashes", "width", "repetitions"), [(64, 16, 4, 200), (50, 8, 8, 200), (5, 1, 2, 200)])
def test_estimated_variances_of_answers_are_true_in_the_mean(k, hashes, width, repetitions) -> None:
    """Collisions are most of it; intervals, the whole, and weights of both signs."""
    counts = np.random.default_rng(k).multinomial(20_000, 1 / np.arange(1, k + 1) / (1 / np.arange(1, k + 1)).sum())
    values, truth = np.repeat(np.arange(k), counts), counts / 20_000
    random = np.random.default_rng(1).normal(size=(3, k))
    queries = LinearQueries(np.vstack([np.eye(k)[:2], np.tri(k)[[k // 2, k - 1]], random]))
    found = []
    for seed in range(repetitions):
        oracle = make_oracle("hcms", k, Privacy(epsilon=2), hashes=hashes, width=width, seed=seed)
        estimate = oracle.estimate(oracle.aggregate(oracle.privatize(values, seeded_words([k, seed]))))
        found.append(oracle.estimated_answer_variance(queries, estimate, 20_000))
        assert found[-1][:2] == pytest.approx(oracle.estimated_variance(estimate, 20_000)[:2], rel=1e-9)
    exact = oracle.answer_variance(queries, truth, 20_000)
    assert (exact > 3 * ExchangeableOracle.answer_variance(oracle, queries, truth, 20_000))[:4].all()
    ratio = np.mean(found, axis=0) / exact
    assert (ratio > 0.9).all()
    assert (ratio < 1.1).all() or hashes == 1  # a single hash with two places: an upper bound


def test_too_many_queries_for_collisions_are_refused(monkeypatch) -> None:
    oracle = make_oracle("hcms", 10, Privacy(epsilon=1))
    monkeypatch.setattr("mechdesign_catalog.oracles.kinds.collisions.MOST_STEPS", 32)
    with pytest.raises(InputError, match="queries other than intervals must be at most 2 for collisions, got 3"):
        oracle.answer_variance(LinearQueries(np.ones((3, 10))), np.full(10, 0.1), 5)


@pytest.mark.parametrize("workload", [*(f"{name} {k}" for name in WORKLOADS for k in (5, 8, 11, 16)), "grid:3,4 12"])
@pytest.mark.parametrize("options", [{}, {"hashes": 2, "width": 2}])
def test_workloads_at_uniform_shares_are_averages_of_all_their_answers(workload, options) -> None:
    name, k = workload.split()
    asked, oracle = parse_workload(name, int(k)), make_oracle("hcms", int(k), Privacy(epsilon=2), **options)
    for users in (1, 10**9):
        every = oracle.answer_variance(asked.queries(), np.full(int(k), 1 / int(k)), users)
        assert oracle.average_variance(asked, users) == pytest.approx(every.mean(), rel=1e-12)
        assert oracle.largest_variance(asked, users) == pytest.approx((every.max(), every.max()), rel=1e-12)


def test_weights_of_both_signs_are_gone_through(tmp_path) -> None:
    matrix = np.random.default_rng(5).normal(size=(6, 7)).round(3)
    np.savetxt(tmp_path / "w.csv", matrix, delimiter=",")
    asked, oracle = parse_workload(str(tmp_path / "w.csv"), 7), make_oracle("hcms", 7, Privacy(epsilon=2), hashes=4)
    every = oracle.answer_variance(LinearQueries(matrix), np.full(7, 1 / 7), 10**7)
    assert oracle.average_variance(asked, 10**7) == pytest.approx(every.mean(), rel=1e-12)
    assert oracle.largest_variance(asked, 10**7)[0] == pytest.approx(every.max(), rel=1e-12)


def test_averages_of_many_items_are_closed_forms() -> None:
    """Where k is a power of two, all a(d) are 1/k: a range of r items has D = r^2 (1/k - 1/k^2)."""
    k, users = 2**24, 10**8
    oracle = make_oracle("hcms", k, Privacy(epsilon=1))
    total = Fraction(k * (k + 1) ** 2 * (k + 2), 12)  # of (k + 1 - r) r^2 over all r
    spread = total / Fraction(k * (k + 1), 2) * (Fraction(1, k) - Fraction(1, k**2)) / (1024 * 1023)
    of_sums, of_squares = oracle.moments.at_uniform_shares(k)
    lengths = Fraction(k * (k + 1) * (k + 2), 6)
    noise = (of_sums * total + of_squares * lengths) / Fraction(k * (k + 1), 2) / users
    assert oracle.average_variance(parse_workload("ranges", k), users) == pytest.approx(
        float(noise + spread), rel=1e-13
    )

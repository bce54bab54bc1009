"""Every frequency oracle: privacy from its exact law, draws by that law, unbiased, variance, merging, bad input.

The statistical tests have fixed seeds. Each tests many means at once; a single one fails a right oracle with a chance
of 1e-3 at most (Bonferroni over the numbers that it looks at), so the whole table, fewer than 100 such tests, with less
than one in ten over all seeds.
"""

import math
import os
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest
from oracle_cases import CASES, Case
from scipy.stats import chi2

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.oracles import (
    FrequencyOracle,
    Reports,
    State,
    merged,
    normal_intervals,
    oracle_of,
    true_loss,
)
from mechdesign_catalog.oracles.exchangeable import PureOracle
from mechdesign_catalog.oracles.kinds.dbitflip import DBitFlip
from mechdesign_catalog.oracles.ragged import Ragged

FAMILY = 1e-3
USERS, REPETITIONS = 500, 4000

every = pytest.mark.parametrize("case", CASES, ids=lambda case: case.label)


def rows(reports: Reports) -> list[tuple[int, ...]]:
    """Reports as the keys of a law: columns in their order, packed bytes one by one."""
    columns = [
        [column[row : row + 1].data.tolist() for row in range(len(reports))]
        if isinstance(column, Ragged)
        else column.reshape(len(reports), -1).tolist()
        for column in reports.columns.values()
    ]
    return [tuple(cell for cells in row for cell in cells) for row in zip(*columns, strict=True)]


def bound(count: int, family: float = FAMILY) -> float:
    """How far the largest of `count` standard normal numbers is from 0, except with chance `family`."""
    return NormalDist().inv_cdf(1 - family / (2 * count))


@every
def test_loss_of_the_enumerated_law_is_the_claim_or_a_hair_less(case: Case) -> None:
    oracle = case.small()
    law = oracle.report_law()
    assert all(sum(row[v] for row in law.values()) == 1 for v in range(oracle.k))
    possible = [row for row in law.values() if max(row) > 0]
    tightest = min(min(row) / max(row) for row in possible)
    assert tightest == oracle.alpha
    assert math.exp(-oracle.privacy.epsilon) <= tightest
    assert true_loss(oracle) <= oracle.privacy.epsilon
    assert (oracle.privacy.epsilon - true_loss(oracle) <= 1e-6) == oracle.claim_is_tight


@pytest.mark.slow
@every
def test_reports_are_drawn_by_the_law(case: Case) -> None:
    oracle = case.small()
    law = oracle.report_law()
    draws = 20_000
    for value in range(min(oracle.k, 3)):
        reports = oracle.privatize(np.full(draws, value), seeded_words([11, value]))
        found = Counter(rows(reports))
        assert set(found) <= {report for report, chances in law.items() if chances[value] > 0}
        expected = {report: float(chances[value]) * draws for report, chances in law.items() if chances[value]}
        rare = sum(mean for mean in expected.values() if mean < 5)  # pooled: chi-square needs some of each
        few = sum(found[report] for report, mean in expected.items() if mean < 5)
        cells = [(found[report], mean) for report, mean in expected.items() if mean >= 5]
        cells += [(few, rare)] if rare >= 5 else []
        statistic = sum((seen - mean) ** 2 / mean for seen, mean in cells)
        assert statistic <= chi2.ppf(1 - FAMILY / 3, max(1, len(cells) - (rare < 5 or few == 0)))


@pytest.mark.slow
@every
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_estimates_are_unbiased(case: Case, share: float) -> None:
    repetitions, users = 400, 1000
    oracle = case.usual()
    values = np.concatenate([np.zeros(int(share * users)), np.ones(users - int(share * users))]).astype(np.int64)
    truth = np.bincount(values, minlength=oracle.k) / users
    found = np.array(estimates(case, values, repetitions, 21))
    error = np.sqrt(oracle.variance(truth, users) / repetitions)
    assert (np.abs(found.mean(axis=0) - truth) <= bound(oracle.k) * error + 1e-12).all()


def estimates(case: Case, values: np.ndarray, repetitions: int, seed: int) -> list[np.ndarray]:
    """One estimate for each repetition, all users reporting anew."""
    users = len(values)
    if case.redraw is not None:
        found = []
        for r in range(repetitions):
            oracle = case.redraw(seed * 100_000 + r)
            found.append(oracle.estimate(oracle.aggregate(oracle.privatize(values, seeded_words([seed, r])))))
        return found
    oracle = case.usual()
    reports = oracle.privatize(np.tile(values, repetitions), seeded_words(seed))
    parts = [reports[r * users : (r + 1) * users] for r in range(repetitions)]
    return [oracle.estimate(oracle.aggregate(part)) for part in parts]


@pytest.mark.slow
@every
def test_empirical_variance_is_the_formula(case: Case) -> None:
    """Pooled over items of equal frequency; the standard error of a pooled variance comes from the repetitions."""
    oracle = case.usual()
    half = USERS // 2
    values = np.repeat([0, 1], half).astype(np.int64)
    truth = np.bincount(values, minlength=oracle.k) / USERS
    squares = (np.array(estimates(case, values, REPETITIONS, 31)) - truth) ** 2
    formula = oracle.variance(truth, USERS)
    for items in (np.flatnonzero(truth == 0.5), np.flatnonzero(truth == 0)):
        if len(items):
            pooled = squares[:, items].mean(axis=1)
            error = pooled.std(ddof=1) / math.sqrt(REPETITIONS)
            assert abs(pooled.mean() - formula[items].mean()) <= 4 * error
            assert formula[items].std() <= 1e-12 or not case.treat_alike  # equal shares, equal variances
    if (truth == 0).any() and case.treat_alike:
        assert oracle.approximate_variance(USERS) == pytest.approx(formula[truth == 0][0], rel=0.5)


@every
def test_two_halves_merge_to_the_whole(case: Case) -> None:
    oracle = case.usual()
    values = np.arange(301, dtype=np.int64) % oracle.k
    reports = oracle.privatize(values, seeded_words(41))
    whole = oracle.aggregate(reports)
    parts = [oracle.aggregate(reports[a:b]) for a, b in ((0, 100), (100, 100), (100, 301))]
    for order in (parts, parts[::-1]):
        state = merged(order)
        assert state.users == whole.users == 301
        assert np.array_equal(state.sums, whole.sums)
    assert np.array_equal(oracle.estimate(merged(parts)), oracle.estimate(whole))


@every
def test_parameters_make_the_oracle_again(case: Case) -> None:
    oracle = case.usual()
    state = oracle.aggregate(oracle.privatize(np.arange(50) % oracle.k, seeded_words(51)))
    twin = oracle_of(state.parameters)
    assert twin == oracle
    assert np.array_equal(twin.estimate(state), oracle.estimate(state))


@pytest.mark.slow
@every
def test_sums_drawn_at_once_have_mean_variance_and_covariance_of_reports(case: Case) -> None:
    oracle = case.usual()
    if not oracle.sums_have_law:
        with pytest.raises(InputError, match=f"simulate must be reports for {oracle.name}"):
            oracle.draw_state(np.ones(oracle.k, dtype=np.int64), np.random.default_rng(61))
        return
    counts = np.zeros(oracle.k, dtype=np.int64)
    counts[:2] = (120, 80)
    users = int(counts.sum())
    values = np.repeat(np.arange(oracle.k), counts)
    repetitions = 2000
    reported = np.array(estimates(case, values, repetitions, 71))
    generator = np.random.default_rng(81)
    drawn = np.array([oracle.estimate(oracle.draw_state(counts, generator)) for _ in range(repetitions)])
    first, second = reported - counts / users, drawn - counts / users
    pairs = [(i, j) for i in range(min(oracle.k, 4)) for j in range(i, min(oracle.k, 4))]
    limit = bound(len(pairs) + oracle.k)
    error = np.sqrt((first.var(axis=0) + second.var(axis=0)) / repetitions)
    assert (np.abs(first.mean(axis=0) - second.mean(axis=0)) <= limit * error).all()
    for i, j in pairs:
        one, other = first[:, i] * first[:, j], second[:, i] * second[:, j]
        error = math.sqrt((one.var() + other.var()) / repetitions)
        assert abs(one.mean() - other.mean()) <= limit * error, (i, j)


@pytest.mark.slow
@every
def test_intervals_cover(case: Case) -> None:
    oracle = case.usual()
    values = np.repeat([0, 1], 250).astype(np.int64)
    truth = np.bincount(values, minlength=oracle.k) / 500
    found = estimates(case, values, 400, 91)
    hits = 0
    for estimate in found:
        low, high = normal_intervals(estimate, np.sqrt(oracle.estimated_variance(estimate, 500)), 0.9)
        hits += int(((low <= truth) & (truth <= high)).sum())
    assert hits / (400 * oracle.k) == pytest.approx(0.9, abs=0.05)


@every
def test_wrong_values_and_foreign_reports_are_refused(case: Case) -> None:
    oracle = case.usual()
    with pytest.raises(InputError, match=f"values must be in 0..{oracle.k - 1}, got another in row 2$"):
        oracle.privatize(np.array([0, oracle.k]))
    with pytest.raises(InputError, match=r"got another in row 1$"):
        oracle.privatize(np.array([-1]))
    reports = oracle.privatize(np.array([0, 1]), seeded_words(1))
    other = Reports({**reports.parameters, "privacy": "epsilon=7/3"}, reports.columns)
    with pytest.raises(InputError, match="reports must be made with the same parameters, got privacy=epsilon=7/3"):
        oracle.aggregate(other)
    with pytest.raises(InputError, match="at least one user"):
        oracle.estimate(oracle.aggregate(reports[0:0]))
    renamed = Reports(reports.parameters, {"theirs": np.zeros(2, dtype=np.int64)})
    with pytest.raises(InputError, match="must have the columns"):
        oracle.aggregate(renamed)


@every
def test_states_that_no_reports_add_up_to_are_refused(case: Case, tmp_path) -> None:
    """Of another length, which numpy would spread out, and with more or less than all users in a place."""
    oracle = case.usual()
    state = oracle.aggregate(oracle.privatize(np.arange(20) % oracle.k, seeded_words(1)))
    for wrong in (state.sums[:-1], state.sums[:1], np.append(state.sums, 0), state.sums.reshape(-1, 1)):
        broken = State(oracle.parameters, 20, wrong)
        with pytest.raises(InputError, match=r"must have .* sum"):
            oracle.estimate(broken)
        with pytest.raises(InputError, match="states must have as many sums"):
            merged([broken, state])
    for wrong in (-21, 21):
        counted = np.full_like(state.sums, wrong)
        with pytest.raises(InputError, match=r"a state must have counts in 0\.\..*, got "):
            oracle.estimate(State(oracle.parameters, 20, counted))


@every
def test_reports_of_unequal_columns_are_refused(case: Case) -> None:
    reports = case.usual().privatize(np.array([0, 1]), seeded_words(1))
    for name, column in reports.columns.items():
        with pytest.raises(InputError, match="reports must have columns of equal length"):
            Reports(reports.parameters, {**reports.columns, name: column[:1], "more": np.zeros(2)})
    with pytest.raises(InputError, match="columns of equal length, got none"):
        Reports(reports.parameters, {})


@every
def test_operating_system_randomness_is_the_default(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    oracle = case.usual()
    asked = []
    truly_random = os.urandom
    monkeypatch.setattr("os.urandom", lambda count: asked.append(count) or truly_random(count))
    oracle.privatize(np.zeros(10, dtype=np.int64))
    assert sum(asked) >= 1


@every
def test_sizes_are_said(case: Case) -> None:
    oracle: FrequencyOracle = case.usual()
    assert 0 < oracle.bits < 1e6
    assert oracle.row_bytes > 0
    assert oracle.server_bytes >= 8
    assert "N" in oracle.time_class
    assert isinstance(oracle.alpha, Fraction)


@pytest.mark.parametrize("epsilon", ["1e-8", "1e-12", "1e-17"])
@every
def test_tiny_epsilons_lose_no_digits(case: Case, epsilon: str) -> None:
    """Against rationals: p - q is far below the rounding of p and q. The estimate is off by its own noise at most."""
    usual = case.usual()
    privacy = Privacy(epsilon=epsilon)
    oracle = replace(usual, privacy=privacy) if case.remade is None else case.remade(privacy)
    values = np.arange(40, dtype=np.int64) % oracle.k
    state = oracle.aggregate(oracle.privatize(values, seeded_words(5)))
    shares = np.bincount(values, minlength=oracle.k) / 40
    rare, variances = oracle.approximate_variance(40), oracle.variance(shares, 40)
    assert variances == pytest.approx(np.full(oracle.k, rare), rel=1e-6)
    assert oracle.estimated_variance(oracle.estimate(state), 40) == pytest.approx(variances, rel=2e-3)
    if isinstance(oracle, PureOracle):
        p, q = oracle.support.p, oracle.support.q
        exact = [float((Fraction(int(s), 40) - q) / (p - q)) for s in oracle.supports(state)]
        assert oracle.estimate(state) == pytest.approx(exact, abs=1e-12 * math.sqrt(rare))
        assert rare == pytest.approx(float(q * (1 - q) / (p - q) ** 2 / 40), rel=1e-9)
    if oracle.sums_have_law:
        counts = np.bincount(values, minlength=oracle.k)
        drawn = oracle.estimate(oracle.draw_state(counts, np.random.default_rng(6)))
        assert (np.abs(drawn) <= 6 * np.sqrt(rare) + 1).all()


@pytest.mark.parametrize("epsilon", ["1e-8", "1e-12", "1e-17"])
def test_tiny_epsilons_of_some_buckets_by_fractions(epsilon: str) -> None:
    oracle = DBitFlip(4, Privacy(epsilon=Fraction(epsilon)), 2)
    p, q = oracle.support.p, oracle.support.q
    state = State(oracle.parameters, 1000, np.array([260, 250, 240, 250, 500, 500, 500, 500]))
    ones, owners = state.sums.reshape(2, 4).tolist()
    exact = [float((one - q * owner) / (p - q) * Fraction(4, 2000)) for one, owner in zip(ones, owners, strict=True)]
    assert oracle.estimate(state) == pytest.approx(exact, rel=1e-6, abs=1)
    assert oracle.variance(np.zeros(4), 1000) == pytest.approx(float(q * (1 - q) / (p - q) ** 2 / 500), rel=1e-9)

"""Answers to linear queries: unbiased, and their variances those of the enumerated reports, for every oracle."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle_cases import CASES, Case
from report_scores import possible_reports, scores

from mechdesign import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.queries import Intervals, LinearQueries
from mechdesign_catalog.oracles import FrequencyOracle, make_oracle
from mechdesign_catalog.oracles.exchangeable import ExchangeableOracle
from mechdesign_catalog.oracles.levels.level_oracle import LevelOracle
from mechdesign_catalog.oracles.moments import Moments

OVER_HASHES = "hcms"  # unbiased over redrawn hashes only: enumerated in test_collisions
FLAT = [case for case in CASES if case.label != OVER_HASHES and not isinstance(case.usual(), LevelOracle)]
every = pytest.mark.parametrize("case", FLAT, ids=lambda case: case.label)
GRID = [("grr", (3, 7)), ("oue", (3, 7)), ("sue", (2, 6)), ("ss", (3, 8)), ("dbitflip", (3, 5)), ("blh", (3, 7))]
GRID += [("olh", (3, 4)), ("hrr", (3, 6)), ("rappor", (2, 5))]


def queries_on(k: int) -> LinearQueries:
    """Single items, the whole, an interval, differences, and weights without a pattern."""
    random = np.random.default_rng(k).normal(size=(3, k)).round(2)
    steps = np.eye(k)[:-1] - np.eye(k)[1:]
    return LinearQueries(np.vstack([np.eye(k), np.ones((1, k)), np.tri(k)[k // 2], steps, random, 3 * random[0] - 1]))


def shares_of(k: int) -> list[np.ndarray]:
    """Uniform, a point mass, and others."""
    return [np.full(k, 1 / k), np.eye(k)[k - 1], np.random.default_rng(k + 1).dirichlet(np.ones(k))]


def assert_answers_are_those_of_the_law(oracle: FrequencyOracle) -> None:
    """Against sums over all possible reports, which know nothing of moments."""
    reports, chances = possible_reports(oracle)
    score = scores(oracle, reports)
    np.testing.assert_allclose(score.T @ chances, np.eye(oracle.k), atol=1e-9 * np.abs(score).max())
    queries = queries_on(oracle.k)
    answers = score @ queries.matrix.T
    for_user = (answers**2).T @ chances - (answers.T @ chances) ** 2  # (query, item of the user)
    size = (answers**2).max(axis=0)
    for shares in shares_of(oracle.k):
        found = oracle.answer_variance(queries, shares, 50) * 50
        assert (np.abs(found - for_user @ shares) <= 1e-10 * size).all()
        singles = oracle.variance(shares, 50) * 50
        assert (np.abs(singles - (for_user @ shares)[: oracle.k]) <= 1e-10 * size[: oracle.k]).all()
    sums = slice(0, oracle.k + 2)  # of items: each weight is 0 or 1
    for estimates in (np.full(oracle.k, -40.0), np.full(oracle.k, 40.0), 80 * np.eye(oracle.k)[0] - 40):
        found = oracle.estimated_answer_variance(queries, estimates, 50) * 50
        assert (found >= 0).all()
        assert (found[sums] >= for_user.min(axis=1)[sums] - 1e-10 * size[sums]).all()
        assert (found[sums] <= for_user.max(axis=1)[sums] + 1e-10 * size[sums]).all()


@every
def test_answers_are_those_of_the_law(case: Case) -> None:
    assert_answers_are_those_of_the_law(case.small())


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", ["1/5", "11/10", "2"])
@pytest.mark.parametrize(("name", "k"), [(name, k) for name, sizes in GRID for k in sizes])
def test_answers_are_those_of_the_law_at_several_sizes(name: str, k: int, epsilon: str) -> None:
    assert_answers_are_those_of_the_law(make_oracle(name, k, Privacy(epsilon=epsilon)))


@every
def test_answers_add_up_estimates(case: Case) -> None:
    oracle = case.usual()
    state = oracle.aggregate(oracle.privatize(np.arange(40) % oracle.k))
    assert oracle.users_of(state) == 40
    queries = queries_on(oracle.k)
    estimates = oracle.estimate(state)
    assert oracle.answers(state, queries) == pytest.approx(queries.matrix @ estimates, rel=1e-12)
    at_estimates = oracle.estimated_answer_variance(queries, estimates, 40)
    single = oracle.estimated_variance(estimates, 40)
    assert at_estimates[: oracle.k] == pytest.approx(single, rel=1e-9)
    for call in (oracle.answers, lambda *_: oracle.answer_variance(queries_on(oracle.k + 1), estimates, 40)):
        with pytest.raises(InputError, match=f"on the {oracle.k} items of the oracle, got queries on {oracle.k + 1}"):
            call(state, queries_on(oracle.k + 1))


@pytest.mark.parametrize("name", ["grr", "ss"])
@pytest.mark.parametrize("k", [2, 5, 1000, 10**6])
def test_an_answer_that_no_report_changes_has_no_variance(name: str, k: int) -> None:
    """The estimates of these oracles always sum to 1; all but one item vary as that item does."""
    oracle = make_oracle(name, k, Privacy(epsilon="0.3"))
    whole = Intervals(k, np.array([0, 1]), np.array([k - 1, k - 1]))
    shares = np.full(k, 1 / k)
    found = oracle.answer_variance(whole, shares, 100)
    assert found[0] == 0
    assert found[1] == pytest.approx(oracle.variance(shares, 100)[0], rel=1e-6)
    assert oracle.estimated_answer_variance(whole, shares - 1, 100)[0] == 0


@pytest.mark.parametrize("name", ["grr", "oue", "sue", "hrr", "olh", "blh", "ss", "dbitflip"])
def test_uniform_shares_need_sums_alone(name: str) -> None:
    oracle = make_oracle(name, 9, Privacy(epsilon=1))
    assert isinstance(oracle, ExchangeableOracle)
    a, b = oracle.moments.at_uniform_shares(9)
    queries = queries_on(9)
    found = float(a) * queries.sums**2 + float(b) * queries.squares
    assert found == pytest.approx(oracle.answer_variance(queries, np.full(9, 1 / 9), 1), rel=1e-9, abs=1e-9)


def test_the_moments_of_the_literature() -> None:
    """By their formulas in `x = e^eps`, at alpha = 1/3: all of them in the notation of variances of one user."""
    x, privacy = Fraction(3), Privacy(alpha="1/3")
    optimised = 4 * x / (x - 1) ** 2
    assert make_oracle("oue", 8, privacy).moments == Moments(optimised, optimised + 1, Fraction(0), Fraction(0))
    assert make_oracle("olh", 8, privacy).moments == Moments(optimised, optimised + 1, Fraction(0), Fraction(0))
    assert make_oracle("hrr", 8, privacy).moments == Moments(optimised + 1, optimised, Fraction(0), Fraction(0))
    grr = make_oracle("grr", 8, privacy).moments
    assert grr == Moments((x + 6) / (x - 1) ** 2, 7 * x / (x - 1) ** 2, -1 / (x - 1) ** 2, -x / (x - 1) ** 2)


weights = st.lists(st.floats(-3, 3), min_size=4, max_size=4)


@given(weights, st.sampled_from(["grr", "hrr", "olh", "ss"]))
def test_noise_stays_within_its_bounds_at_all_shares(row: list[float], name: str) -> None:
    """A user's variance is between the bounds at every item, and reaches them where all weights are 0 or 1."""
    moments = make_oracle(name, 4, Privacy(epsilon="3/2")).moments
    queries = LinearQueries(np.array([row, np.round(np.clip(row, 0, 1))]))
    low, high = moments.least_and_largest(queries)
    found = np.array(
        [
            moments.noise(queries.sums, queries.squares, queries.apply(shares), queries.apply_squares(shares))
            for shares in np.eye(4)
        ]
    )
    slack = 1e-9 * (1 + high)
    assert (low >= 0).all()
    assert (low - slack <= found).all()
    assert (found <= high + slack).all()
    assert low[1] == pytest.approx(found[:, 1].min(), abs=1e-9)
    assert high[1] == pytest.approx(found[:, 1].max(), abs=1e-9)
    assert all(np.isfinite(bound).all() for bound in (low, high))


@pytest.mark.parametrize("others", [Fraction(0), Fraction(-1, 5)])
@pytest.mark.parametrize("own_other", [Fraction(0), Fraction(-1, 3), Fraction(1, 7)])
def test_noise_is_the_mean_over_users_of_the_quadratic_form(others: Fraction, own_other: Fraction) -> None:
    """`w' C w` with the covariances C of one user's scores, whether or not different items vary together."""
    moments, shares = Moments(Fraction(3), Fraction(4), others, own_other), np.array([0.5, 0.2, 0.3])
    weights = np.array([[1.0, 1, 0], [2, -1, 0.5], [1, 1, 1]])
    expected = np.zeros(3)
    for item, share in enumerate(shares):
        covariances = np.full((3, 3), float(others)) + np.eye(3) * float(3 - others)
        covariances[item, :] = covariances[:, item] = float(own_other)
        covariances[item, item] = 4.0
        expected += share * np.einsum("qu,uv,qv->q", weights, covariances, weights)
    found = moments.noise(weights.sum(axis=1), (weights**2).sum(axis=1), weights @ shares, weights**2 @ shares)
    np.testing.assert_allclose(found, expected, rtol=1e-13)


@pytest.mark.parametrize("size", [1, 2, 3, 6])
def test_groups_of_items_vary_together_as_the_sums_of_their_scores(size: int) -> None:
    """`G C G'` for each item of a user, with the covariances C of all items written down."""
    moments = Moments(Fraction(3), Fraction(4), Fraction(-1, 5), Fraction(1, 7))
    shares = np.array([0.3, 0.05, 0.1, 0.25, 0.1, 0.2])
    groups = np.kron(np.eye(6 // size), np.ones(size))
    expected = np.zeros((6 // size, 6 // size))
    for item, share in enumerate(shares):
        covariances = np.full((6, 6), -0.2) + np.eye(6) * 3.2
        covariances[item, :] = covariances[:, item] = 1 / 7
        covariances[item, item] = 4.0
        expected += share * groups @ covariances @ groups.T
    np.testing.assert_allclose(moments.of_groups(size).covariance(groups @ shares), expected, rtol=1e-13)


def test_users_must_be_one_number_where_there_are_no_levels() -> None:
    oracle = make_oracle("oue", 4, Privacy(epsilon=1))
    with pytest.raises(InputError, match="users must be one number for an oracle without levels, got 3 numbers"):
        oracle.variance(np.full(4, 0.25), np.ones(3))
    with pytest.raises(InputError, match="users must be at least 1, got 0"):
        oracle.answer_variance(queries_on(4), np.full(4, 0.25), 0)


def test_prefixes_of_a_million_items_answer_at_once() -> None:
    """Ranges by differences of prefixes; their variance grows with the number of items."""
    oracle = make_oracle("oue", 1 << 20, Privacy(epsilon=1))
    last = np.array([0, 10, 1000, (1 << 20) - 1])
    found = oracle.answer_variance(Intervals(1 << 20, np.zeros(4, dtype=int), last), np.full(1 << 20, 2.0**-20), 1000)
    assert found == pytest.approx((last + 1) * oracle.approximate_variance(1000), rel=1e-5)
    assert all(a < b for a, b in pairwise(found))

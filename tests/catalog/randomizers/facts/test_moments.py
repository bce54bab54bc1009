"""Moments, rates and information of oracles, against enumerated reports and quadratic forms."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle_cases import CASES, Case
from wording import refused

from mechdesign import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.queries import Intervals, LinearQueries
from mechdesign_catalog.randomizers.exchangeable import ExchangeableOracle
from mechdesign_catalog.randomizers.facts import information
from mechdesign_catalog.randomizers.facts.information import set_information, sets_of_bits
from mechdesign_catalog.randomizers.facts.moments import Moments
from mechdesign_catalog.randomizers.mixture import Mixture
from mechdesign_catalog.randomizers.reports.reports import ReportLaw
from mechdesign_catalog.systems import make_oracle, parse_oracle

OVER_HASHES = "hcms"  # unbiased over redrawn hashes only: enumerated in test_collisions
FLAT = [case for case in CASES if case.label != OVER_HASHES and not isinstance(case.usual(), Mixture)]
every = pytest.mark.parametrize("case", FLAT, ids=lambda case: case.label)


def queries_on(k: int) -> LinearQueries:
    """Single items, the whole, an interval, differences, and weights without a pattern."""
    random = np.random.default_rng(k).normal(size=(3, k)).round(2)
    steps = np.eye(k)[:-1] - np.eye(k)[1:]
    return LinearQueries(np.vstack([np.eye(k), np.ones((1, k)), np.tri(k)[k // 2], steps, random, 3 * random[0] - 1]))


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
        with refused(InputError):
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
    with refused(InputError, about="users"):
        oracle.variance(np.full(4, 0.25), np.ones(3))
    with refused(InputError, about="users"):
        oracle.answer_variance(queries_on(4), np.full(4, 0.25), 0)


def test_prefixes_of_a_million_items_answer_at_once() -> None:
    """Ranges by differences of prefixes; their variance grows with the number of items."""
    oracle = make_oracle("oue", 1 << 20, Privacy(epsilon=1))
    last = np.array([0, 10, 1000, (1 << 20) - 1])
    found = oracle.answer_variance(Intervals(1 << 20, np.zeros(4, dtype=int), last), np.full(1 << 20, 2.0**-20), 1000)
    assert found == pytest.approx((last + 1) * oracle.approximate_variance(1000), rel=1e-5)
    assert all(a < b for a, b in pairwise(found))


ONE = Privacy(epsilon=1)


def test_levels_without_users_are_among_the_rates():
    """So the number of tails, over which the level is shared out, is no matter of chance."""
    oracle = make_oracle("hh", 8, ONE, b=2)
    few = oracle.aggregate(oracle.privatize(np.array([3])))
    many = oracle.aggregate(oracle.privatize(np.arange(800) % 8))
    assert [len(one.counts) for one in oracle.honest_rates(few)] == [
        len(one.counts) for one in oracle.honest_rates(many)
    ]


def by_law(law: ReportLaw, counts: list[int]) -> np.ndarray:
    """Sum `q_u q_v / (s'q)` over the reports, each term a fraction."""
    k, total = len(counts), sum(counts)
    found = [[Fraction(0)] * k for _ in range(k)]
    for row in law.values():
        mean = sum((count * chance for count, chance in zip(counts, row, strict=True)), Fraction(0)) / total
        for u in range(k):
            for v in range(k) if mean else ():
                found[u][v] += row[u] * row[v] / mean
    return np.array(found, dtype=np.float64)


@pytest.mark.parametrize("name", ["grr", "oue", "olh", "ss:size=2", "hrr", "dbitflip"])
def test_items_of_several_shares_and_some_that_nobody_has(name):
    oracle, counts = parse_oracle(name, 5, Privacy(alpha="1/3")), [2, 2, 1, 0, 2]
    found = oracle.information_at(np.array(counts))
    assert found == pytest.approx(by_law(oracle.report_law(), counts), rel=1e-12)


def test_nodes_of_too_many_sizes_are_refused(monkeypatch):
    monkeypatch.setattr(information, "MOST_SIZES", 10)
    law = sets_of_bits(4, make_oracle("oue", 4, ONE).support)
    with refused(InputError, about="nodes"):
        set_information(law, np.array([1, 2, 3, 3]))


def test_many_hashes_are_taken_to_be_fully_random(monkeypatch):
    """Three items are hashed so exactly. More are not, by little."""
    for k, error in ((3, 1e-12), (8, 0.02)):
        oracle = make_oracle("olh", k, ONE)
        exact = oracle.information()
        with monkeypatch.context() as patch:
            patch.setattr(information, "MOST_CHANCES", 0)
            random = oracle.information()
            assert not make_oracle("hh", 4, ONE, b=2, in_="olh").information().is_exact
        assert (exact.is_exact, random.is_exact) == (True, False)
        assert random.matrix == pytest.approx(exact.matrix, rel=error)
        if k == 8:
            assert abs(random.matrix - exact.matrix).max() > 1e-4


def test_a_thousand_items():
    """OUE: a contrast of rare items has the variance of a rare item, and its own users' part is 1/k."""
    oracle = make_oracle("oue", 1000, ONE)
    found = oracle.information().matrix
    assert found.sum(axis=1) == pytest.approx(np.full(1000, 1000.0), rel=1e-9)
    assert 1 / (found[0, 0] - found[0, 1]) - 1 / 1000 == pytest.approx(float(oracle.moments.other), rel=1e-5)

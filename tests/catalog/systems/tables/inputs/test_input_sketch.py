"""INPHTCMS: tables over all public hashes and reports, estimated errors over redrawn hashes, bad options."""

import itertools
import tracemalloc

import numpy as np
import pytest
from wording import refused

from mechdesign import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.decoders.tables.subsets import JointShares, PeopleShares, UniformShares
from mechdesign_catalog.systems.tables.estimates import EstimatedShares
from mechdesign_catalog.systems.tables.inputs import input_sketch
from mechdesign_catalog.systems.tables.registry import parse_marginal_oracle
from mechdesign_catalog.testing import OracleLaw


def make(domains, options="", epsilon=1):
    return parse_marginal_oracle(f"inphtcms{options}", domains, Privacy(epsilon=epsilon))


@pytest.mark.parametrize(
    ("domains", "options"),
    [((2, 2), ":hashes=1:width=4"), ((2, 2), ":hashes=2:width=2"), ((3, 2), ":hashes=1:width=2")],
    ids=["wide", "two hashes", "categorical"],
)
def test_tables_over_all_public_hashes_have_the_stated_covariance(domains, options):
    """Their means and variances are judged by `check_oracle`; here how cells vary together."""
    judge, users = OracleLaw.of(make(domains, options)), 20
    joint = np.random.default_rng(8).dirichlet(np.ones(judge.inputs))
    for subset, post in itertools.product([(0,), (1,), (0, 1)], ("raw", "least_squares")):
        means, given = [], []
        for one in judge.draws:
            estimator = getattr(one.oracle, post)
            scores = np.array([estimator.estimate(one.oracle.aggregate(r), [subset])[0] for r in one.reports])
            of_user = one.chances.T @ scores
            means.append(joint @ of_user)
            products = np.einsum("rt,rc,re->tce", one.chances, scores, scores)
            given.append(np.einsum("t,tce->ce", joint, products - np.einsum("tc,te->tce", of_user, of_user)) / users)
        exact = np.mean(given, axis=0) + np.cov(np.array(means).T, bias=True)
        found = getattr(judge.oracle, post).covariance(subset, JointShares(domains, joint), users)
        np.testing.assert_allclose(found, exact, atol=1e-10 * np.abs(exact).max())
        least = getattr(judge.oracle, post).least_variances(subset, users)
        assert ((least > 0) & (least <= np.diag(exact) * (1 + 1e-12))).all()


@pytest.mark.parametrize("options", [":hashes=1:width=4", ":hashes=2:width=2"])
def test_estimated_covariances_are_exactly_right_in_the_mean_over_all_hashes_and_reports(options, monkeypatch):
    """But for that they are brought to the nearest covariance, which is left out here."""
    monkeypatch.setattr(input_sketch, "_nonnegative", lambda matrix: matrix)
    judge, people, subset = OracleLaw.of(make((2, 2), options)), np.array([[0, 1], [1, 1]]), (0,)
    total = np.zeros((2, 2))
    for one in judge.draws:
        states = [one.oracle.aggregate(report) for report in one.reports]
        for (first, chances), (second, others) in itertools.product(zip(states, one.chances, strict=True), repeat=2):
            estimated = EstimatedShares(one.oracle, first.merge(second))
            total += chances[1] * others[3] * one.oracle.raw.covariance(subset, estimated, len(people))
    exact = judge.oracle.raw.covariance(subset, PeopleShares((2, 2), people), len(people))
    np.testing.assert_allclose(total / len(judge.draws), exact, rtol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("domains", [(2,) * 6, (3, 5, 4)], ids=["binary", "categorical"])
def test_estimated_variances_are_right_in_the_mean_over_redrawn_hashes(domains):
    """Far fewer places than by default, so that collisions and noise matter alike; and shares that differ much."""
    users = 2_000
    generator = np.random.default_rng(9)
    people = generator.integers(0, domains, (users, len(domains))) * (generator.random((users, 1)) < 0.4)
    shares, subset = PeopleShares(domains, people), (0, 2)
    usual = make(domains, ":hashes=5:width=16")
    drawn = [usual.redrawn(seed) for seed in range(150)]
    states = [oracle.simulate_sums(people, generator) for oracle in drawn]
    for post in ("raw", "least_squares"):
        exact = getattr(usual, post).variances(subset, shares, users)
        ratios, errors = [], []
        for oracle, state in zip(drawn, states, strict=True):
            estimator = getattr(oracle, post)
            ratios.append(estimator.variances(subset, EstimatedShares(oracle, state), users) / exact)
            errors.append((estimator.estimate(state, [subset])[0] - shares.table(subset)) ** 2 / exact)
        assert np.mean(ratios) == pytest.approx(1, abs=0.15)
        assert np.mean(errors) == pytest.approx(1, abs=0.3)


def test_more_places_collide_less():
    shares = PeopleShares((2, 2, 2), np.zeros((4, 3), dtype=np.int64))
    few, many = (make((2, 2, 2), f":width={width}").raw.variances((0,), shares, 10**9)[1] for width in (16, 1024))
    assert few == pytest.approx(many * 1023 / 15, rel=0.01)
    uniform = make((2, 2, 2)).raw.variances((0,), UniformShares((2, 2, 2)), 10**9)
    np.testing.assert_allclose(uniform, uniform[0], rtol=1e-9)


def test_tables_of_many_attributes_are_even_whatever_the_users_have():
    oracle = make((2,) * 16)
    for item in (0, 1):
        state = oracle.simulate_sums(np.full((500, 16), item), np.random.default_rng(4))
        for table in oracle.least_squares.estimate(state, [(0, 1), (4, 9)]):
            np.testing.assert_allclose(table, 0.25, atol=1e-12)
        assert oracle.least_squares.variances((0, 1), EstimatedShares(oracle, state), 500).min() > 1


@pytest.mark.slow
def test_errors_of_large_tables_take_no_more_memory_than_those_of_small_ones():
    oracle = make((64, 1024), ":k=1")
    shares = UniformShares(oracle.domains)
    oracle.raw.variances((0,), shares, 100)  # what all tables have in common is kept
    tracemalloc.start()
    oracle.raw.variances((0,), shares, 100)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 * 8 * oracle.places


def test_joint_domains_whose_tables_would_take_too_long_are_refused():
    """Those of nine of Adult's attributes: the largest table has 656 cells, and a transform 2^26 places."""
    oracle = make((8, 16, 7, 14, 6, 5, 2, 41, 2))
    values = np.zeros((3, 9), dtype=np.int64)
    for call in (
        lambda: oracle.privatize(values),
        lambda: oracle.simulate_sums(values, np.random.default_rng(1)),
        lambda: oracle.raw.covariance((0, 1), UniformShares(oracle.domains), 3),
    ):
        with refused(InputError):
            call()


@pytest.mark.parametrize("options", [":width=6", ":hashes=0"])
def test_bad_options_are_refused(options):
    with refused(InputError):
        make((2, 2), options)

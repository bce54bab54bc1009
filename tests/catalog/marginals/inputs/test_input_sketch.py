"""INPHTCMS: tables over all public hashes and reports, estimated errors over redrawn hashes, bad options."""

import itertools
import tracemalloc

import numpy as np
import pytest
from marginal_laws import all_tuples, assert_law_is_private, enumerated
from public_hashes import with_hashes

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.marginals.estimates import EstimatedShares
from mechdesign_catalog.marginals.registry import marginal_oracle_of, parse_marginal_oracle
from mechdesign_catalog.multidimensional.tables import JointShares, PeopleShares, UniformShares, subsets_of


def make(domains, options="", epsilon=1):
    return parse_marginal_oracle(f"inphtcms{options}", domains, Privacy(epsilon=epsilon))


@pytest.mark.parametrize(
    ("domains", "options"),
    [((2, 2), ":hashes=1:width=4"), ((2, 2), ":hashes=2:width=2"), ((3, 2), ":hashes=1:width=2")],
    ids=["wide", "two hashes", "categorical"],
)
def test_tables_over_all_public_hashes_have_the_stated_mean_and_covariance(domains, options):
    usual = make(domains, options)
    people = all_tuples(domains)
    joint = np.random.default_rng(8).dirichlet(np.ones(len(people)))
    subsets = [*subsets_of(2, 1), (0, 1)]
    shares, users = JointShares(domains, joint), 20
    bits, rows = usual.flat.family.item_bits, usual.width.bit_length() - 1
    matrices = list(itertools.product(range(1 << bits), repeat=rows))
    means = {(post, subset): [] for post in (0, 1) for subset in subsets}
    given = {key: [] for key in means}
    for drawn in itertools.product(matrices, repeat=usual.hashes):
        oracle = make(domains, options)
        oracle.__dict__["flat"] = with_hashes(make(domains, options).flat, list(drawn))
        reports, chances = enumerated(oracle)
        states = [oracle.aggregate(reports[i : i + 1]) for i in range(len(reports))]
        for post, subset in means:
            estimator = (oracle.raw, oracle.least_squares)[post]
            scores = np.array([estimator.estimate(state, [subset])[0] for state in states])
            of_user = chances.T @ scores
            means[post, subset].append(joint @ of_user)
            products = np.einsum("rt,rc,re->tce", chances, scores, scores) - np.einsum("tc,te->tce", of_user, of_user)
            given[post, subset].append(np.einsum("t,tce->ce", joint, products) / users)
    for (post, subset), found in means.items():
        estimator = (usual.raw, usual.least_squares)[post]
        np.testing.assert_allclose(np.mean(found, axis=0), shares.table(subset), atol=1e-12)
        exact = np.mean(given[post, subset], axis=0) + np.cov(np.array(found).T, bias=True)
        np.testing.assert_allclose(estimator.covariance(subset, shares, users), exact, atol=1e-10 * np.abs(exact).max())
        least = estimator.least_variances(subset, users)
        assert (least > 0).all()
        assert (least <= np.diag(exact) * (1 + 1e-12)).all()


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
    states = [oracle.draw_state(people, generator) for oracle in drawn]
    for post in ("raw", "least_squares"):
        exact = getattr(usual, post).variances(subset, shares, users)
        ratios, errors = [], []
        for oracle, state in zip(drawn, states, strict=True):
            estimator = getattr(oracle, post)
            ratios.append(estimator.variances(subset, EstimatedShares(oracle, state), users) / exact)
            errors.append((estimator.estimate(state, [subset])[0] - shares.table(subset)) ** 2 / exact)
        assert np.mean(ratios) == pytest.approx(1, abs=0.15)
        assert np.mean(errors) == pytest.approx(1, abs=0.3)


def test_the_law_of_one_seed_is_private():
    assert_law_is_private(make((2, 3), ":hashes=2:width=8"))


def test_parameters_make_the_same_oracle():
    oracle = make((2, 3), ":k=1:hashes=2:width=8:seed=5")
    assert (oracle.way, oracle.hashes, oracle.width, oracle.seed) == (1, 2, 8, 5)
    assert marginal_oracle_of(oracle.parameters) == oracle
    assert make((2, 2)).hashes == 5
    values = np.array([[0, 1], [1, 2]])
    state = oracle.aggregate(oracle.privatize(values, seeded_words(0)))
    assert state.users == 2
    assert len(state.sums) == 16


def test_more_places_collide_less():
    shares = PeopleShares((2, 2, 2), np.zeros((4, 3), dtype=np.int64))
    few, many = (make((2, 2, 2), f":width={width}").raw.variances((0,), shares, 10**9)[1] for width in (16, 1024))
    assert few == pytest.approx(many * 1023 / 15, rel=0.01)
    uniform = make((2, 2, 2)).raw.variances((0,), UniformShares((2, 2, 2)), 10**9)
    np.testing.assert_allclose(uniform, uniform[0], rtol=1e-9)


def test_tables_of_many_attributes_are_even_whatever_the_users_have():
    oracle = make((2,) * 16)
    for item in (0, 1):
        state = oracle.draw_state(np.full((500, 16), item), np.random.default_rng(4))
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
    message = "at most 2.32 for inphtcms, got 656 times 61716480; inpht, margps and calm"
    values = np.zeros((3, 9), dtype=np.int64)
    for refused in (
        lambda: oracle.privatize(values),
        lambda: oracle.draw_state(values, np.random.default_rng(1)),
        lambda: oracle.raw.covariance((0, 1), UniformShares(oracle.domains), 3),
    ):
        with pytest.raises(InputError, match=message):
            refused()


@pytest.mark.parametrize(
    ("options", "message"), [(":width=6", "width must be a power of two"), (":hashes=0", "hashes")]
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        make((2, 2), options)

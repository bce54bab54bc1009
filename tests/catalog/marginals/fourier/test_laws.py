"""INPHT and INPES: laws, losses, mean and covariance by enumeration of every report."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from branch_enumeration import enumerated
from marginal_laws import assert_law_is_private
from scipy.stats import chi2

from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.marginals.registry import marginal_oracle_of, parse_marginal_oracle
from mechdesign_catalog.multidimensional.tables import PeopleShares
from mechdesign_catalog.oracles.reports import Reports

THIRD = Privacy(alpha="1/3")
SYSTEMS = [
    ("inpht:k=2", (2, 2, 2)),
    ("inpht:k=3:draw=uniform", (2, 2, 2)),
    ("inpht:k=2", (2, 2, 2, 2)),
    ("inpht:k=3", (2, 2, 2, 2)),
    ("inpht:k=2", (3, 2, 5)),
    ("inpht:k=2", (3, 3, 3)),
    ("inpht:k=2:draw=uniform", (4, 3)),
    ("inpht:k=1", (3, 2)),
    ("inpht:k=1", (5,)),
    ("inpes:k=2:basis=helmert", (3, 2, 2)),
    ("inpes:k=2:basis=helmert:draw=uniform", (4, 2)),
    ("inpes:k=2:basis=trigonometric", (3, 2, 5)),
    ("inpes:k=2:basis=walsh", (4, 2)),
]
systems = pytest.mark.parametrize(
    ("text", "domains"), SYSTEMS, ids=[f"{text} {'x'.join(map(str, domains))}" for text, domains in SYSTEMS]
)


def people(domains: tuple[int, ...], users: int) -> np.ndarray:
    """Tuples of users, some of them frequent."""
    generator = np.random.default_rng(len(domains))
    return np.stack([np.minimum(generator.geometric(0.5, users) - 1, items - 1) for items in domains], axis=1)


@systems
def test_laws_are_laws_with_the_stated_loss(text, domains):
    oracle = parse_marginal_oracle(text, domains, THIRD)
    assert_law_is_private(oracle)
    assert oracle.alpha == Fraction(1, 3)
    assert len(oracle.report_law()) == 2 * oracle.supports.coefficients
    assert marginal_oracle_of(oracle.parameters) == oracle


@pytest.mark.parametrize("estimator", ["raw", "least_squares"])
@systems
def test_mean_and_covariance_by_enumeration(text, domains, estimator):
    oracle = parse_marginal_oracle(text, domains, THIRD)
    users = 1 + np.arange(oracle.branches) % 3
    values = people(domains, int(users.sum()))
    shares = PeopleShares(domains, values)
    tables = getattr(oracle, estimator)
    subsets = [s for size in range(1, oracle.way + 1) for s in itertools.combinations(range(len(domains)), size)]
    for subset in {subsets[0], subsets[-1]}:
        mean, covariance = enumerated(oracle, tables, subset, values, users)
        assert mean == pytest.approx(shares.table(subset), abs=1e-10)
        found = tables.covariance(subset, shares, users.astype(float))
        assert found == pytest.approx(covariance, abs=1e-9 * np.abs(covariance).max())
        variances = tables.variances(subset, shares, users.astype(float))
        assert variances == pytest.approx(np.diag(covariance), rel=1e-9)
        least = tables.least_variances(subset, users.astype(float))
        assert (least > 0).all()
        assert (least <= variances * (1 + 1e-12)).all()


@systems
def test_reports_follow_the_law(text, domains):
    """Every word that a client draws is from one stream here; counts of reports against the law, by chi-squared."""
    oracle = parse_marginal_oracle(text, domains, THIRD)
    item = tuple(items - 1 for items in domains)
    column = int(np.ravel_multi_index(item, domains))
    expected = np.array([float(row[column]) for row in oracle.report_law().values()])
    reports = oracle.privatize(np.array([item] * 40_000), seeded_words(5))
    counts = np.bincount(reports.arrays()["report"], minlength=len(expected))
    statistic = float(((counts - 40_000 * expected) ** 2 / (40_000 * expected)).sum())
    assert 0.001 < chi2.cdf(statistic, len(expected) - 1) < 0.999
    assert isinstance(reports, Reports)


@pytest.mark.parametrize("text", ["inpht:k=2", "inpes:k=2"])
def test_errors_of_drawn_states_have_the_stated_size(text):
    """Squared errors over variances at the numbers of users that were drawn; the mean of many is near 1."""
    domains, generator = (3, 2, 5), np.random.default_rng(4)
    oracle, values = parse_marginal_oracle(text, domains, THIRD), people(domains, 600)
    shares, ratios = PeopleShares(domains, values), []
    for _ in range(300):
        state = oracle.draw_state(values, generator)
        users, subset = oracle.users_of(state), (0, 2)
        (table,) = oracle.least_squares.estimate(state, [subset])
        errors = (table - shares.table(subset)) ** 2 / oracle.least_squares.variances(subset, shares, users)
        ratios.append(errors.mean())
    assert abs(np.mean(ratios) - 1) < 4 * np.std(ratios) / np.sqrt(len(ratios)) < 0.2

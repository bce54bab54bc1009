"""Tables with a known total, against dense constrained least squares over all tuples."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from table_doubles import JointEstimator, incidence

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.decoders.tables.subsets import JointShares, PeopleShares
from mechdesign_catalog.systems.attributes.sum_to_one import SumToOneTables
from mechdesign_catalog.systems.registry import make_oracle

DOMAINS = (3, 2, 2)
USERS = 50


def covariance_of(name):
    """One user's covariance of the scores of all tuples, where the users have these shares, by listing all reports."""
    oracle = make_oracle(name, 12, Privacy.parse("epsilon=11/10"))
    moments = oracle.moments
    own, other, others, with_own = map(float, (moments.own, moments.other, moments.others, moments.own_other))

    def of_user(x):
        found = np.full((12, 12), others)
        found[x, :] = found[:, x] = with_own
        np.fill_diagonal(found, other)
        found[x, x] = own
        return found

    return lambda shares: sum(share * of_user(x) for x, share in enumerate(shares))


every = pytest.mark.parametrize("subset", [(1,), (0, 2), (0, 1, 2)], ids=str)


@pytest.fixture(params=["oue", "grr", "sue"])
def estimator(request):
    return JointEstimator(DOMAINS, covariance_of(request.param))


@every
def test_the_table_is_that_of_the_nearest_joint_shares_with_total_1(estimator, subset):
    state = np.random.default_rng(2).normal(0.1, 0.2, 12)
    system = np.block([[np.eye(12), np.ones((12, 1))], [np.ones((1, 12)), np.zeros((1, 1))]])
    nearest = np.linalg.solve(system, np.append(state, 1.0))[:12]  # with a multiplier for the total
    (found,) = SumToOneTables(DOMAINS, estimator).estimate(state, [subset])
    assert_allclose(found, incidence(DOMAINS, subset) @ nearest, atol=1e-14)


@every
def test_the_covariance_is_that_of_the_dense_projection(estimator, subset):
    shares = np.random.default_rng(3).dirichlet(np.ones(12))
    rows = incidence(DOMAINS, subset) @ (np.eye(12) - 1 / 12)
    expected = rows @ estimator.covariance_of(shares) @ rows.T / USERS
    truth = JointShares(DOMAINS, shares)
    total = SumToOneTables(DOMAINS, estimator)
    assert_allclose(total.covariance(subset, truth, USERS), expected, atol=1e-14)
    assert_allclose(total.variances(subset, truth, USERS), np.diag(expected), atol=1e-14)


@every
def test_the_least_variance_is_the_least_over_all_tuples(estimator, subset):
    total = SumToOneTables(DOMAINS, estimator)
    tuples = np.array(np.unravel_index(np.arange(12), DOMAINS)).T
    each = [total.variances(subset, PeopleShares(DOMAINS, person[None]), USERS) for person in tuples]
    assert_allclose(total.least_variances(subset, USERS), np.min(each, axis=0), atol=1e-15)
    assert (total.least_variances(subset, USERS) > 0).all()

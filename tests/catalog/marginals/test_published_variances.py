"""Variances of the published systems against closed forms that share no code with them."""

import numpy as np
import pytest
from marginal_forms import cell_variances, total_variance

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.marginals.registry import parse_marginal_oracle
from mechdesign_catalog.multidimensional.tables import JointShares, subsets_of

NAMES = ("inpht:draw=uniform", "inprr:sue", "inprr:oue", "inpps", "margrr:sue", "margrr", "margps", "marght")
SETTINGS = [(4, 2, 3.0), (5, 3, 1.5), (3, 1, 3.0), (3, 3, 9.0)]


def made(system, d, k, x):
    oracle = parse_marginal_oracle(f"{system}:k={k}", (2,) * d, Privacy(alpha=1 / x))
    joint = np.random.default_rng((d, k)).dirichlet(np.ones(2**d))
    return oracle, JointShares((2,) * d, joint)


@pytest.mark.parametrize("system", NAMES)
@pytest.mark.parametrize(("d", "k", "x"), SETTINGS)
def test_published_estimates(system, d, k, x):
    oracle, shares = made(system, d, k, x)
    for subset in subsets_of(d, k):
        found = oracle.raw.variances(subset, shares, oracle.planned_users(1000))
        expected = cell_variances(
            system.partition(":draw")[0], d, k, 1 / float(oracle.privacy.alpha), shares.table(subset), 1000
        )
        assert found == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("system", NAMES)
@pytest.mark.parametrize(("d", "k", "x"), SETTINGS)
def test_sums_over_the_cells(system, d, k, x):
    oracle, shares = made(system, d, k, x)
    subset, users = subsets_of(d, k)[-1], 10**8
    found = oracle.raw.variances(subset, shares, oracle.planned_users(users)).sum()
    squares = (shares.table(subset) ** 2).sum()
    expected = total_variance(system.partition(":draw")[0], d, k, 1 / float(oracle.privacy.alpha), squares, users)
    assert found == pytest.approx(expected, rel=1e-6)

"""Sampled tables against enumeration of their reports, closed forms of variances, and dense least squares."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from branch_enumeration import enumerated, tuple_numbers

from mechdesign import InputError, NoAnswerError, Privacy
from mechdesign.mechanism.sampling import seeded_words
from mechdesign_catalog.marginals.registry import marginal_oracle_of, parse_marginal_oracle
from mechdesign_catalog.marginals.sampling.all_tables import Margps, Margrr, MargrrSue
from mechdesign_catalog.multidimensional.tables import PeopleShares, UniformShares
from mechdesign_catalog.oracles.ragged import Ragged
from mechdesign_catalog.oracles.reports import Reports, State

ESTIMATORS = ("raw", "least_squares")
EPSILON = Privacy(epsilon="1.1")
KINDS = {"margps": Margps, "margrr": Margrr, "margrr:sue": MargrrSue}


def people(domains, users, seed=3):
    generator = np.random.default_rng(seed)
    return np.stack([generator.binomial(r - 1, 0.3, users) for r in domains], axis=1).astype(np.int64)


def uneven(branches, seed=5):
    return np.random.default_rng(seed).integers(1, 5, branches)


def require_exact(oracle, name):
    counts = uneven(oracle.branches)
    values = people(oracle.domains, int(counts.sum()))
    shares, estimator, users = PeopleShares(oracle.domains, values), getattr(oracle, name), counts.astype(float)
    for size in range(1, oracle.way + 1):
        for subset in list(combinations(range(len(oracle.domains)), size))[:3]:
            mean, covariance = enumerated(oracle, estimator, subset, values, counts)
            assert mean == pytest.approx(shares.table(subset), abs=1e-11)
            found = estimator.covariance(subset, shares, users)
            assert found == pytest.approx(covariance, abs=1e-11 * covariance.max())
            assert estimator.variances(subset, shares, users) == pytest.approx(np.diag(covariance), rel=1e-11)


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize(
    ("kind", "domains", "way"),
    [
        ("margps", (2, 2, 2), 2),
        ("margps", (2, 2, 2, 2), 3),
        ("margps", (3, 2, 2), 2),
        ("margps", (3, 2, 4, 2), 2),
        ("margps", (3, 2, 2), 3),
        ("margps", (3, 5), 1),
        ("margrr", (2, 2, 2), 2),
        ("margrr", (3, 2, 2), 2),
        ("margrr", (2, 2, 2), 3),
        ("margrr:sue", (3, 2, 2), 2),
    ],
    ids=lambda value: "-".join(map(str, value)) if isinstance(value, tuple) else str(value),
)
def test_estimates_are_unbiased_and_their_covariance_is_that_of_all_reports(kind, domains, way, name):
    require_exact(KINDS[kind](domains, EPSILON, way), name)

"""Tables and estimators that tests make up: sums over all tuples, and covariances that are written down."""

from dataclasses import dataclass
from itertools import product

import numpy as np


def incidence(domains, subset):
    """Rows of the cells of a table, columns of all tuples: 1 where the tuple is in the cell."""
    tuples = list(product(*map(range, domains)))
    cells = list(product(*(range(domains[i]) for i in subset)))
    return np.array([[float(tuple(x[i] for i in subset) == cell) for x in tuples] for cell in cells])


def random_tables(domains, subsets, seed=3, noise=0.2):
    """Tables that do not agree, one for each subset: those of one random joint law, and noise."""
    generator = np.random.default_rng(seed)
    joint = generator.dirichlet(np.full(int(np.prod(domains)), 0.3))
    tables = {subset: incidence(domains, subset) @ joint for subset in subsets}
    return {subset: table + generator.normal(0, noise / len(table), len(table)) for subset, table in tables.items()}


@dataclass(frozen=True)
class JointEstimator:
    """Estimates from one vector for all tuples, which is the state; `covariance_of` has its covariance at shares."""

    domains: tuple[int, ...]
    covariance_of: object

    def estimate(self, state, subsets):
        return [incidence(self.domains, subset) @ state for subset in subsets]

    def covariance(self, subset, shares, users):
        rows = incidence(self.domains, subset)
        joint = shares.table(tuple(range(len(self.domains))))
        return rows @ self.covariance_of(joint) @ rows.T / users

    def variances(self, subset, shares, users):
        return np.diag(self.covariance(subset, shares, users))

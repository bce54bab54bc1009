"""Tables of a stated estimate of all tuples' shares, with a stated covariance: a source of tables without an oracle."""

from dataclasses import dataclass

import numpy as np
from table_doubles import incidence

from mechdesign_catalog.systems.tables.estimates import UnbiasedTables, table_estimate


@dataclass(frozen=True, eq=False)
class JointTables(UnbiasedTables):
    """A source of tables: marginals of `joint`, shape (r_1 .. r_d,) in a row, of one covariance at all shares."""

    domains: tuple = ()
    joint: np.ndarray | None = None
    noise: np.ndarray | None = None
    users: int = 0
    way: int = 2
    post: str = "least-squares"
    unbiased: bool = True

    def tables(self, subsets):
        return [self._one(subset) for subset in subsets]

    def shares(self, subsets):
        return [incidence(self.domains, subset) @ self.joint for subset in subsets]

    def covariance(self, subset, shares):
        marginal = incidence(self.domains, subset)
        return marginal @ self.noise @ marginal.T

    def _one(self, subset):
        covariance = self.covariance(subset, None)
        return table_estimate(self.shares([subset])[0], covariance, np.sqrt(np.diag(covariance)), self.post)


def product_of(*shares):
    """The joint law of independent attributes, in a row."""
    found = np.ones(1)
    for law in shares:
        found = np.outer(found, law).reshape(-1)
    return found


def randomized_response(law, users, epsilon, generator):
    """Draw users from a law and their reports by GRR on its cells: unbiased shares, and their exact covariance.

    The covariance is that of the noise at the users' true shares; written out cell by cell, from the definition.
    """
    k = len(law)
    x = np.exp(epsilon)
    chances = np.full((k, k), 1 / (x + k - 1))
    np.fill_diagonal(chances, x / (x + k - 1))
    counts = generator.multinomial(users, law)
    reported = sum(generator.multinomial(count, row) for count, row in zip(counts, chances, strict=True))
    gap = (x - 1) / (x + k - 1)
    estimate = (reported / users - 1 / (x + k - 1)) / gap
    spread = sum(share * (np.diag(row) - np.outer(row, row)) for share, row in zip(estimate, chances, strict=True))
    return estimate, spread / (users * gap**2)

"""The covariance of estimates from branches that users share out over.

The server divides what branch b tells by the number `n_b` of its users (`oracles.branches`). Let branch b tell `g_b` of
a user, a vector with an entry for each cell of a table, so that the sum over all branches is the user's own cell and a
constant. Given the `n_b`, the users of a branch are a random sample of all n. So estimates are unbiased, and for users
whose tuples are fixed

    Cov = sum_b (N_b + n/(n-1) S_b) / n_b - (diag(F) - F F^T) / (n-1)

exactly. `N_b` is the covariance of a user's report about `g_b`, in the mean over all users; `S_b` the covariance of
`g_b` over all users; F are the shares of the cells. Weights of branches may depend on the `n_b`, not on reports.
"""

import numpy as np

from mechdesign.errors import InputError
from mechdesign_catalog.randomizers.reports.probabilities import Floats


def table_covariance(noise: Floats, spread: Floats, shares: Floats, users: Floats) -> Floats:
    """Compute the covariance of a table's cells, shape (cells, cells).

    Args:
        noise: `sum_b N_b / n_b`, shape (cells, cells).
        spread: `sum_b S_b / n_b`, of the same shape.
        shares: F, shape (cells,).
        users: `n_b`, shape (branches,); real numbers where they are planned.
    """
    total = float(users.sum())
    if len(users) == 1 or total == 1:
        return noise
    found: Floats = noise + (total * spread - np.diag(shares) + np.outer(shares, shares)) / (total - 1)
    return found


def table_variances(noise: Floats, spread: Floats, shares: Floats, users: Floats) -> Floats:
    """Compute the diagonal of `table_covariance`, where `noise` and `spread` are the diagonals; shape (cells,)."""
    total = float(users.sum())
    if len(users) == 1 or total == 1:
        return noise
    found: Floats = noise + (total * spread - shares * (1 - shares)) / (total - 1)
    return found


MOST_BRANCHES = 1 << 20
"""Branches at most."""


def require_few_branches(branches: int, what: str) -> None:
    """Refuse more branches than can be listed.

    Raises:
        InputError: with what they are, and their number.
    """
    if branches > MOST_BRANCHES:
        raise InputError(f"{what} must be at most 2^20, got {branches}; take a smaller k")

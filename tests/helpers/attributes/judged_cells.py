"""Judged cells of a table: their means and covariances against the law of the reports."""

import numpy as np

from mechdesign_catalog.decoders.tables.subsets import JointShares, cells_of
from mechdesign_catalog.testing import EstimatedAnswers, judge_estimate


def judge_cells(judge, estimator, subset, users):
    """Judge three random mixtures of the cells, at these users of each branch: what fits all of them is the covariance.

    Tuples have shares in proportion to 1, 2, 3, ..
    """
    domains = judge.oracle.domains
    cells = np.eye(cells_of(domains, subset))[:, judge.oracle.cells_of_tuples(subset)]
    mixed = np.random.default_rng(len(subset)).normal(size=(3, len(cells)))

    def estimate(state):
        return mixed @ estimator.estimate(state, [subset])[0]

    def variances(shares, count):
        covariance = estimator.covariance(subset, JointShares(domains, shares), count)
        return np.einsum("qc,cd,qd->q", mixed, covariance, mixed)

    shares = np.arange(1.0, judge.inputs + 1)
    judge_estimate(
        judge, EstimatedAnswers(f"cells of {subset}", mixed @ cells, estimate, variances), users, shares / shares.sum()
    )

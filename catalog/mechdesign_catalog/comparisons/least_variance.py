"""The least variance of linear unbiased estimates from a mechanism's reports.

It is that of a workload.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from mechdesign.workloads.workload import Workload
from mechdesign_catalog.randomizers.reports.probabilities import Floats

LOST = 1e-9
"""Eigenvalues below this part of the largest one are taken to be 0, and so is a part of the queries below it."""


@dataclass(frozen=True, eq=False)
class LinearEstimates:
    """Linear unbiased estimates for a workload whose k items are equally frequent, rated.

    Attributes:
        centred: the Gram matrix of the queries less their mean weights, k x k.
        known: what is added to its part, `1'G1/k^2 - tr(G)/k`.
    """

    centred: Floats
    known: float

    @classmethod
    def of(cls, workload: Workload) -> "LinearEstimates":
        """Form the matrix of a workload.

        Raises:
            InputError: for more items than a Gram matrix is written down for.
        """
        gram = np.array(workload.gram(), dtype=np.float64)
        means = gram.mean(axis=0)
        known = float(means.mean() - np.trace(gram) / workload.k)
        return cls(gram - means - means[:, None] + means.mean(), known)

    def least_variance(self, information: Floats) -> float:
        """Compute the least variance for one user, summed over all queries.

        With A the information matrix of a report it is `tr(G A^+) - tr(G)/k`, the value that a design for the workload
        has as `variance`. Of n users an answer has, on average over the queries, this over n times their number.

        Returns:
            That, or infinity where the reports do not tell all queries.

        >>> from mechdesign.problem.privacy import Privacy
        >>> from mechdesign.workloads.ordered import Histogram
        >>> from mechdesign_catalog.systems.registry import make_oracle
        >>> grr = make_oracle("grr", 4, Privacy(alpha="1/4"))
        >>> round(LinearEstimates.of(Histogram(4)).least_variance(grr.information().matrix), 9)
        3.333333333
        """
        return _part(self.centred, information) + self.known


def _part(centred: Floats, information: Floats) -> float:
    """Compute `tr(Gc A^+)`, by Cholesky factors unless A is near singular."""
    try:
        factor, lower = cho_factor(information, lower=True)
    except LinAlgError:
        factor = np.zeros((1, 1))
    pivots = factor.diagonal() ** 2
    if pivots.min() > LOST * pivots.max():
        return float(np.trace(cho_solve((factor, lower), centred)))
    values, vectors = np.linalg.eigh(information)
    energies = np.sum(vectors * (centred @ vectors), axis=0)
    told = values > LOST * values[-1]
    if energies[~told].sum() > LOST * energies.sum():
        return math.inf
    return float(np.sum(energies[told] / values[told]))

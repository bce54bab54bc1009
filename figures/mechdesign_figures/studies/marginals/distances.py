"""Distances of tables from the truth: expected total variation of estimates."""

import math

import numpy as np

from mechdesign_catalog.randomizers.reports.probabilities import Floats

HALF_NORMAL = math.sqrt(2 / math.pi)
"""Mean absolute value of a standard normal."""


def total_variation(estimates: Floats, shares: Floats) -> float:
    """Return half the sum of absolute errors (Definition 15 of the thesis); nothing is clipped.

    >>> total_variation(np.array([0.5, 0.6]), np.array([0.25, 0.75]))
    0.2
    """
    return float(np.abs(estimates - shares).sum() / 2)


def expected_total_variation(variances: Floats) -> float:
    """Return the expectation of `total_variation` where estimates are normal with these variances.

    A normal error has the mean absolute value `sqrt(2 Var / pi)`.
    """
    return 0.5 * HALF_NORMAL * float(np.sqrt(variances).sum())

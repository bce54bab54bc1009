"""Confidence intervals of estimates that are normal, or nearly so."""

import math
from statistics import NormalDist

import numpy as np

from mechdesign.errors import InputError
from mechdesign_catalog.randomizers.reports.probabilities import Floats


def normal_intervals(
    estimates: Floats, standard_errors: Floats, level: float = 0.95, together: int = 1
) -> tuple[Floats, Floats]:
    """Compute normal intervals, estimate -+ z standard errors; the shape is that of the estimates.

    They hold the truth with chance `level` each by itself; or all of `together` estimates at once, if that is their
    number. Then each has the level `level^(1/together)`: for normal estimates, however they depend on each other, all
    hold with at least the product of these (Sidak, *Rectangular confidence regions for the means of multivariate normal
    distributions*, JASA 1967).

    Raises:
        InputError: for a level that is not in (0, 1).

    >>> low, high = normal_intervals(np.array([0.5]), np.array([0.1]))
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.304], [0.696])
    """
    if not 0 < level < 1:
        raise InputError(f"level must be in (0, 1), got level={level}")
    missed = -math.expm1(math.log(level) / together)
    half = -NormalDist().inv_cdf(missed / 2) * standard_errors
    return np.asarray(estimates - half), np.asarray(estimates + half)

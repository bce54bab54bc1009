"""Consistent estimates: no negative share, and a sum of 1 or at most 1.

All functions take estimates of shape (..., k), any repetitions first, and give new arrays of the same shape; the true
shares are nonnegative and sum to 1, the raw estimates of an oracle need neither.
"""

from collections.abc import Iterator

import numpy as np

from mechdesign_catalog.randomizers.reports.probabilities import Floats

ROUNDING = 1e-9
"""How far above 1 a sum may be and still count as 1: floats that should sum to 1 seldom do exactly."""


def raw(estimates: Floats) -> Floats:
    """Leave the estimates as they are: unbiased."""
    return np.array(estimates, dtype=np.float64)


def base_pos(estimates: Floats) -> Floats:
    """Set negative estimates to 0: `max(x_i, 0)`; the sum is left alone.

    Base-Pos of Wang et al. (NDSS 2020), Base-Pro in the commuting thesis.
    """
    return np.maximum(estimates, 0.0)


def base_cut(estimates: Floats) -> Floats:
    """Keep the largest estimates as they are until all users are used up; the rest become 0.

    From the largest down, positive estimates are kept while their sum is at most 1. Of equal ones the lower item comes
    first. The largest is always kept, even above 1; no estimate of 0 or less is. This is the thesis's Base-Cut. In Wang
    et al. (NDSS 2020) that name is for a cut at a significance threshold, and what is nearest to this one is Norm-Cut,
    which rescales to the sum 1 where the positive estimates do not reach it.

    >>> base_cut(np.array([0.5, 0.2, 0.4, -0.1])).tolist()
    [0.5, 0.0, 0.4, 0.0]
    """
    kept = np.zeros(np.shape(estimates))
    for source, target in _rows(estimates, kept):
        positive = np.flatnonzero(source > 0)
        order = positive[np.argsort(-source[positive], kind="stable")]
        fits = np.cumsum(source[order]) <= 1 + ROUNDING
        fits[:1] = True
        order = order[fits]
        target[order] = source[order]
    return kept


def norm_sub(estimates: Floats) -> Floats:
    """Project on the simplex: `max(x_i - delta, 0)`, the same delta for all, such that the sum is 1.

    The result is the nearest point of the simplex.

    Norm-Sub of Wang et al. (NDSS 2020), which they show to be the constrained least squares solution, that is the
    Euclidean projection on the simplex (Held, Wolfe, Crowder 1974): one function has both names here. With estimates
    sorted downwards, `delta = (sum of the m largest - 1) / m` for the largest m whose m-th estimate is not below it.

    The usual code sets negative estimates to 0 first and then spreads the difference over the positive ones, again and
    again. That gives the same where the positive estimates sum to at least 1. Where they do not, delta is below 0, and
    the projection raises small negative estimates too, which that code leaves at 0: then it is not the nearest point.

    >>> norm_sub(np.array([0.75, 0.5, 0.125])).tolist()
    [0.625, 0.375, 0.0]
    """
    projected = np.empty(np.shape(estimates))
    for source, target in _rows(estimates, projected):
        downwards = np.sort(source)[::-1]
        deltas = (np.cumsum(downwards) - 1.0) / np.arange(1, len(source) + 1)
        delta = deltas[np.flatnonzero(downwards >= deltas)[-1]]
        np.maximum(source - delta, 0.0, out=target)
    return projected


def _rows(estimates: Floats, results: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Yield each vector of k estimates with where its result goes: sorting one after the other needs little memory."""
    k = np.shape(estimates)[-1]
    yield from zip(np.asarray(estimates, dtype=np.float64).reshape(-1, k), results.reshape(-1, k), strict=True)

"""The beta-binomial model: one distribution fitted to the groups of all sizes.

Every group g has a chance p_g of its own, drawn from one Beta distribution with mean m and spread rho (the variance of
p is `rho m (1 - m)`), whatever its size. Given it, the units of the group are ones independently, each with that
chance. The true count of a group of n is then beta-binomial, and the released one is i with the chance `(P_n b_n)_i`.

The likelihood of all released counts is computed on a grid of m and rho, and so is the region of all pairs that are as
likely as the largest but for a factor `1 - level`: by Wilks' theorem it holds the true pair with about the probability
`level`, where the model is true and the groups are many. What is said of the distribution of p is its value at the
likeliest pair, and the least and largest value in the region.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

MODEL = (
    "beta-binomial: each group has a chance of its own from one Beta distribution, whatever its size; its units are "
    "independent, each with that chance"
)
MEANS = np.arange(1, 200) / 200
SPREADS = np.array([0.0, *np.geomspace(0.002, 0.9, 40)])
BINS = 10

MOST_COUNTS = 1 << 14
"""True counts of all sizes together up to which the model is fitted, in some ten seconds."""

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class ProfileLikelihood:
    """A value at the likeliest parameters, and its least and largest in their region."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class PooledEstimate:
    """The fitted model: mean chance, its standard deviation between groups, distribution.

    `distribution[k]` is the share of groups whose chance is between k/10 and (k+1)/10.
    """

    mean: ProfileLikelihood
    deviation: ProfileLikelihood
    distribution: tuple[ProfileLikelihood, ...]


def pooled_estimate(
    rows_at: Callable[[int, Sequence[int]], Vector], counts: Mapping[int, Mapping[int, int]], confidence: float
) -> PooledEstimate:
    """Fit the model to released counts.

    Args:
        rows_at: `rows_at(n, outputs)` are these rows of the mechanism for n, shape (outputs, n + 1).
        counts: `counts[n][i]` groups of n released i.
        confidence: of the region.
    """
    means, spreads = _pairs()
    likelihood = np.zeros(len(means))
    for size, found in counts.items():
        chances = beta_binomial(size, means, spreads) @ rows_at(size, list(found)).T
        with np.errstate(divide="ignore"):
            likelihood += np.log(chances) @ np.array(list(found.values()), dtype=float)
    best = int(np.argmax(likelihood))
    inside = likelihood >= likelihood[best] + math.log1p(-confidence)

    def likely(values: Vector) -> ProfileLikelihood:
        return ProfileLikelihood(float(values[best]), float(values[inside].min()), float(values[inside].max()))

    return PooledEstimate(
        likely(means), likely(np.sqrt(spreads * means * (1 - means))), tuple(likely(row) for row in _shares_in_bins())
    )


def _pairs() -> tuple[Vector, Vector]:
    """Return the mean and the spread of every pair that is tried."""
    means, spreads = (grid.ravel() for grid in np.meshgrid(MEANS, SPREADS, indexing="ij"))
    return means, spreads


def beta_binomial(size: int, means: Vector, spreads: Vector) -> Vector:
    """Compute the chance of each count 0..size for each pair of mean m and spread s, shape (pairs, size + 1).

    The chances of j+1 and j have the ratio `(n-j)/(j+1) (m(1-s) + s j) / ((1-m)(1-s) + s(n-j-1))`, where s may be 0.
    """
    count = np.arange(size)
    m, s = means[:, None], spreads[:, None]
    ratios = s * count + m * (1 - s)
    ratios /= s * (size - count - 1) + (1 - m) * (1 - s)
    ratios *= (size - count) / (count + 1)
    chances = np.zeros((len(means), size + 1))
    np.cumsum(np.log(ratios, out=ratios), axis=1, out=chances[:, 1:])
    chances -= chances.max(axis=1, keepdims=True)
    np.exp(chances, out=chances)
    chances /= chances.sum(axis=1, keepdims=True)
    return chances


@cache
def _shares_in_bins() -> Vector:
    """Compute the share of chances in each bin, for each pair, shape (bins, pairs)."""
    below = np.stack([_share_below(edge / BINS, *_pairs()) for edge in range(BINS + 1)])
    return np.diff(below, axis=0)


def _share_below(edge: float, means: Vector, spreads: Vector) -> Vector:
    """Compute the share of chances below an edge; all are the mean itself where there is no spread."""
    from scipy.special import betainc

    safe = np.where(spreads > 0, spreads, 0.5)
    units = 1 / safe - 1
    smooth = betainc(means * units, (1 - means) * units, edge)
    share: Vector = np.where(spreads > 0, smooth, (means < edge) | (edge >= 1))
    return share

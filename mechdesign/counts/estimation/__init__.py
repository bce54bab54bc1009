"""Estimates from noisy counts: the distribution of the true counts, its mean, a posterior.

The posterior is that of one group.
"""

from mechdesign.counts.estimation.counting import count_releases, released_column
from mechdesign.counts.estimation.estimate import Estimate, estimate_counts
from mechdesign.counts.estimation.inversion import Inversion, exact_inversion, invert, rank, unbiased_weights
from mechdesign.counts.estimation.likelihood import LikelihoodEstimate, maximum_likelihood
from mechdesign.counts.estimation.mean import Interval, MeanEstimate, MeanEstimator, as_confidence
from mechdesign.counts.estimation.posterior import Posterior, posterior

__all__ = [
    "Estimate",
    "Interval",
    "Inversion",
    "LikelihoodEstimate",
    "MeanEstimate",
    "MeanEstimator",
    "Posterior",
    "as_confidence",
    "count_releases",
    "estimate_counts",
    "exact_inversion",
    "invert",
    "maximum_likelihood",
    "posterior",
    "rank",
    "released_column",
    "unbiased_weights",
]

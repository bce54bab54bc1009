"""Repetitions of simulated values, summarised as cells of a table."""

import math
from collections.abc import Sequence
from statistics import mean, stdev

import numpy as np

from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_figures.studies.study import Row

NOISE_STREAM = 0x9015E
"""Keeps the noise of a study apart from data that were made with the same seed."""

REPEATED = ("mean", "deviation", "standard_error", "repetitions")
"""The columns that `repeated` fills."""


def repeated(values: Sequence[float]) -> Row:
    """Return mean, sample standard deviation, standard error of the mean and number of at least two values."""
    deviation = stdev(values)
    return {
        "mean": mean(values),
        "deviation": deviation,
        "standard_error": deviation / math.sqrt(len(values)),
        "repetitions": len(values),
    }


def rescaled(estimate: Floats) -> Floats:
    """Rescale estimates to a distribution: negative ones set to 0, the rest divided by their sum.

    Raises:
        ValueError: where none is positive, of which there is no such distribution.

    >>> rescaled(np.array([0.6, -0.1, 0.2])).round(2).tolist()
    [0.75, 0.0, 0.25]
    """
    kept = np.maximum(estimate, 0.0)
    if not kept.any():
        raise ValueError("at least one estimate must be positive")
    return np.asarray(kept / kept.sum())

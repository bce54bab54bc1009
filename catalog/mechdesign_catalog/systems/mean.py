"""Oracles for the mean of numbers in [0, maximum]."""

import numpy as np

from mechdesign.names import require_known
from mechdesign_catalog.randomizers.facts.intervals import normal_intervals
from mechdesign_catalog.randomizers.reports.reports import Parameters, State
from mechdesign_catalog.systems.flat.onebitmean import OneBitMean

MEAN_ORACLES: dict[str, type[OneBitMean]] = {OneBitMean.name: OneBitMean}


def mean_oracle_of(parameters: Parameters) -> OneBitMean:
    """Make the oracle that reports or a state were made with.

    Raises:
        InputError: for parameters that no oracle for means has.
    """
    name = require_known(str(parameters.get("oracle", "")), MEAN_ORACLES, "oracle")
    return MEAN_ORACLES[name].of_parameters(parameters)


def mean_interval(oracle: OneBitMean, state: State, level: float = 0.95) -> tuple[float, float]:
    """Compute a normal interval of the mean; errors as `normal_intervals`."""
    estimate, error = np.array([oracle.estimate(state)]), np.array([oracle.standard_error(state)])
    low, high = normal_intervals(estimate, error, level)
    return float(low[0]), float(high[0])

"""Define oracles for the mean of numbers in [0, maximum]."""

from dataclasses import fields
from typing import Any

import numpy as np

from mechdesign.errors import InputError, shorten
from mechdesign.names import require_known
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.oracles.intervals import normal_intervals
from mechdesign_catalog.oracles.kinds.onebitmean import OneBitMean
from mechdesign_catalog.oracles.reports import Parameters, State

MEAN_ORACLES: dict[str, type[OneBitMean]] = {OneBitMean.name: OneBitMean}


def mean_oracle_of(parameters: Parameters) -> OneBitMean:
    """Make the oracle that reports or a state were made with.

    Raises:
        InputError: for parameters that no oracle for means has.
    """
    values: dict[str, Any] = dict(parameters)
    name = require_known(str(values.pop("oracle", "")), MEAN_ORACLES, "oracle")
    kind = MEAN_ORACLES[name]
    names = {field.name for field in fields(kind)}
    if set(values) != names:
        raise InputError(f"parameters of {name} must be {', '.join(sorted(names))}, got {', '.join(values)}")
    oracle = kind(privacy=Privacy.parse(values.pop("privacy")), **values)
    if oracle.parameters != parameters:
        raise InputError(f"parameters of {name} must be those that it writes, got {shorten(parameters)}")
    return oracle


def mean_interval(oracle: OneBitMean, state: State, level: float = 0.95) -> tuple[float, float]:
    """Compute a normal interval of the mean; errors as `normal_intervals`."""
    estimate, error = np.array([oracle.estimate(state)]), np.array([oracle.standard_error(state)])
    low, high = normal_intervals(estimate, error, level)
    return float(low[0]), float(high[0])

"""Make the oracle that a task is collected with, whatever it estimates."""

from mechdesign_catalog.marginals.registry import MARGINAL_ORACLES, marginal_oracle_of
from mechdesign_catalog.multidimensional.marginal_oracle import MarginalOracle
from mechdesign_catalog.oracles.mean import MEAN_ORACLES, MeanOracle, mean_oracle_of
from mechdesign_catalog.oracles.oracle import FrequencyOracle
from mechdesign_catalog.oracles.registry import oracle_of
from mechdesign_catalog.oracles.reports import Parameters

AnyOracle = FrequencyOracle | MeanOracle | MarginalOracle


def any_oracle_of(parameters: Parameters) -> AnyOracle:
    """Make the oracle with these parameters: of items, of a mean, or of several attributes.

    Raises:
        InputError: for parameters that no oracle has.
    """
    name = str(parameters.get("oracle", ""))
    if name in MEAN_ORACLES:
        return mean_oracle_of(parameters)
    return marginal_oracle_of(parameters) if name in MARGINAL_ORACLES else oracle_of(parameters)

"""The oracle of a task, for an item, a number, or several attributes."""

from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.randomizers.oracle import FrequencyOracle
from mechdesign_catalog.systems.attributes.marginal_oracle import MarginalOracle
from mechdesign_catalog.systems.flat.onebitmean import OneBitMean
from mechdesign_catalog.systems.mean import MEAN_ORACLES, mean_oracle_of
from mechdesign_catalog.systems.registry import oracle_of
from mechdesign_catalog.systems.tables.registry import MARGINAL_ORACLES, marginal_oracle_of


def task_oracle(task: Task) -> FrequencyOracle | OneBitMean | MarginalOracle:
    """Make the oracle that the reports of a task are made with.

    Raises:
        InputError: for parameters that no oracle has.
    """
    if task.oracle in MEAN_ORACLES:
        return mean_oracle_of(task.parameters)
    if task.oracle in MARGINAL_ORACLES:
        return marginal_oracle_of(task.parameters)
    return oracle_of(task.parameters)

"""Estimates from a state: frequencies of items, a mean, or tables of several attributes."""

from mechdesign.errors import InputError
from mechdesign_catalog.collection.estimates.frequency_estimate import FrequencyEstimate
from mechdesign_catalog.collection.estimates.marginals_estimate import MarginalsEstimate
from mechdesign_catalog.collection.estimates.mean_estimate import ReportedMean
from mechdesign_catalog.collection.estimates.workload_estimate import WorkloadEstimate
from mechdesign_catalog.collection.states.collection_state import CollectionState
from mechdesign_catalog.collection.tasks.domains import attributes_of, domain_of
from mechdesign_catalog.datasets.attributes import AttributesLike
from mechdesign_catalog.datasets.items.domain import DomainLike
from mechdesign_catalog.systems.designs.workload_design import WorkloadOracle
from mechdesign_catalog.systems.mean import MEAN_ORACLES, mean_oracle_of
from mechdesign_catalog.systems.memory_needs import ESTIMATE_BYTES, require_fit, require_items_fit
from mechdesign_catalog.systems.registry import oracle_of
from mechdesign_catalog.systems.tables.registry import MARGINAL_ORACLES, marginal_oracle_of


def estimate_state(
    state: CollectionState, *, domain: DomainLike | AttributesLike | None = None
) -> FrequencyEstimate | WorkloadEstimate | ReportedMean | MarginalsEstimate:
    """Estimate what the reports of a state tell, without bias.

    Args:
        state: the sums of at least one report.
        domain: the items (a file, or a list), or the attributes, where they are too many to travel with the reports.

    Raises:
        InputError: for a state of nobody, sums that no reports add up to, or another domain.
    """
    task = state.task
    if task.oracle in MEAN_ORACLES:
        if domain is not None:
            raise InputError(f"domain goes with items, got it with {task.oracle}")
        return ReportedMean(mean_oracle_of(task.parameters), state.sums)
    if task.oracle in MARGINAL_ORACLES:
        return MarginalsEstimate(marginal_oracle_of(task.parameters), attributes_of(task, domain), state.sums)
    oracle = oracle_of(task.parameters)
    require_fit(oracle)
    require_items_fit(oracle.k, ESTIMATE_BYTES, "estimates")
    items = domain_of(task, domain)
    if isinstance(oracle, WorkloadOracle):
        return WorkloadEstimate.of(oracle, items, state.sums, ordered=task.ordered)
    return FrequencyEstimate.of(oracle, items, state.sums, ordered=task.ordered)

"""Estimate frequencies from collected reports: what the server does."""

from collections.abc import Callable, Iterable

from mechdesign.workers.choosing import IN_PROCESS, WorkerChoice
from mechdesign_catalog.collection.estimates.frequency_estimate import FrequencyEstimate
from mechdesign_catalog.collection.estimates.marginals_estimate import MarginalsEstimate
from mechdesign_catalog.collection.estimates.mean_estimate import ReportedMean
from mechdesign_catalog.collection.servers.collecting import collect
from mechdesign_catalog.collection.servers.estimating import estimate_state
from mechdesign_catalog.collection.servers.inputs import Countable
from mechdesign_catalog.datasets.attributes import AttributesLike
from mechdesign_catalog.datasets.items.domain import DomainLike


def aggregate(
    reports: Countable | Iterable[Countable],
    *,
    domain: DomainLike | AttributesLike | None = None,
    workers: WorkerChoice = IN_PROCESS,
    report: Callable[[float], None] = lambda share: None,
) -> FrequencyEstimate | ReportedMean | MarginalsEstimate:
    """Estimate which share of the users has each item (or the mean of their numbers) from their reports.

    Estimates are unbiased: they may be below 0 and need not sum to 1; `postprocess` makes others of them. Of users with
    several attributes the marginal tables are estimated.

    Args:
        reports: files of reports, what `privatize` returned, states or `.state` files; one or several, of one task.
        domain: the items (a file, or a list), or the attributes, where they are too many to travel with the reports.
        workers: who counts, as `workers_for` chooses them; this process by default.
        report: told which share of the work is done, from 0 to 1.

    Raises:
        InputError: for reports that do not belong together or stand there twice, damaged files, or another domain.
        MachineError: if a process died, and again when it was tried alone.
    """
    return estimate_state(collect(reports, workers=workers, report=report), domain=domain)

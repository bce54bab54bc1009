"""Estimate frequencies from collected reports: what the server does."""

from collections.abc import Callable, Iterable
from concurrent.futures import Executor

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
    jobs: int | None = 1,
    cluster: str | None = None,
    executor: Executor | None = None,
    report: Callable[[float], None] = lambda share: None,
) -> FrequencyEstimate | ReportedMean | MarginalsEstimate:
    """Estimate which share of the users has each item (or the mean of their numbers) from their reports.

    Estimates are unbiased: they may be below 0 and need not sum to 1; `postprocess` makes others of them. Of users with
    several attributes the marginal tables are estimated.

    Args:
        reports: files of reports, what `privatize` returned, states or `.state` files; one or several, of one task.
        domain: the items (a file, or a list), or the attributes, where they are too many to travel with the reports.
        jobs: processes of this machine; None takes one for each usable processor. With more than one, a script must be
            under `if __name__ == "__main__":`.
        cluster: instead, the address of a Dask scheduler, `tcp://HOST:PORT`, or `local`; its workers read the files.
        executor: instead, any `concurrent.futures.Executor`.
        report: told which share of the work is done, from 0 to 1.

    Raises:
        InputError: for reports that do not belong together or stand there twice, damaged files, or another domain.
        MachineError: if a process died, and again when it was tried alone.
        ClusterError: if the cluster cannot be reached, or is lost.
    """
    return estimate_state(collect(reports, jobs=jobs, cluster=cluster, executor=executor, report=report), domain=domain)

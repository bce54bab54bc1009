"""Frequency estimates from collected reports: the server's aggregation."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mechdesign.arguments import checked
from mechdesign.documents.files import FilePath
from mechdesign_catalog.collection.estimates.frequency_estimate import FrequencyEstimate
from mechdesign_catalog.collection.estimates.marginals_estimate import MarginalsEstimate
from mechdesign_catalog.collection.estimates.mean_estimate import ReportedMean
from mechdesign_catalog.collection.estimates.workload_estimate import WorkloadEstimate
from mechdesign_catalog.collection.servers.collecting import collect
from mechdesign_catalog.collection.servers.estimating import estimate_state
from mechdesign_catalog.collection.servers.inputs import Countable
from mechdesign_catalog.collection.states.delivered_sums import delivered_state, read_sums
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.datasets.attributes import AttributesLike
from mechdesign_catalog.datasets.items.domain import DomainLike


@checked
def aggregate(
    reports: Countable | Iterable[Countable],
    *,
    task: Task | None = None,
    domain: DomainLike | AttributesLike | None = None,
    jobs: int | None = 1,
    cluster: str | None = None,
    executor: Executor | None = None,
    drop_invalid: bool = False,
    report: Callable[[float], None] = lambda share: None,
) -> FrequencyEstimate | WorkloadEstimate | ReportedMean | MarginalsEstimate:
    """Estimate which share of the users has each item (or the mean of their numbers) from their reports.

    Estimates are unbiased: they may be below 0 and need not sum to 1; `postprocess` makes others of them. Of users with
    several attributes the marginal tables are estimated, of a design for a workload the answers to its queries.

    Args:
        reports: files of reports, what `privatize` returned, states or `.state` files; one or several, of one task.
        task: the task that all of them must be of, if that is to be seen to.
        domain: the items (a file, or a list), or the attributes, where they are too many to travel with the reports.
        jobs: processes of this machine; None takes one for each usable processor. With more than one, a script must be
            under `if __name__ == "__main__":`.
        cluster: instead, the address of a Dask scheduler, `tcp://HOST:PORT`, or `local`; its workers read the files.
        executor: instead, any `concurrent.futures.Executor`.
        drop_invalid: leave out reports that no client makes; without it they are refused.
        report: told which share of the work is done, from 0 to 1.

    Raises:
        InputError: for reports that do not belong together or stand there twice, damaged files, or another domain.
        MachineError: if a process died, and again when it was tried alone.
        ClusterError: if the cluster cannot be reached, or is lost.
    """
    state = collect(
        reports,
        task=task,
        jobs=jobs,
        cluster=cluster,
        executor=executor,
        drop_invalid=drop_invalid,
        report=report,
    )
    return estimate_state(state, domain=domain)


def aggregate_sums(
    sums: FilePath | Sequence[int] | NDArray[np.int64],
    users: int,
    task: Task,
    *,
    domain: DomainLike | AttributesLike | None = None,
) -> FrequencyEstimate | WorkloadEstimate | ReportedMean | MarginalsEstimate:
    """Estimate what users have from the sum of their vectors alone, as secure aggregation (Prio, DAP) delivers it.

    Estimates and standard errors are those of reports: they follow from the sums, the number of users and the task.

    Args:
        sums: a CSV file with the columns part, place, sum; or the whole vector.
        users: number of users whose vectors were added.
        task: says what each user adds.
        domain: as for `aggregate`.

    Raises:
        InputError: for sums that no such users' vectors add up to, and as `aggregate`.

    >>> from mechdesign_catalog import make_task
    >>> found = aggregate_sums([40, 60], 100, make_task("grr", alpha="1/4", domain=["no", "yes"]))
    >>> [round(float(share), 3) for share in found.estimates]
    [0.333, 0.667]
    """
    if isinstance(sums, str | Path):
        return estimate_state(read_sums(sums, task, users), domain=domain)
    return estimate_state(delivered_state(task, sums, users), domain=domain)

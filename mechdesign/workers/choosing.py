"""The choice of workers: this process, several, a Dask cluster, or an executor."""

import re
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec

from mechdesign.errors import InputError, shorten
from mechdesign.machine import require_jobs
from mechdesign.workers.given_executor import GivenExecutor
from mechdesign.workers.in_process import InProcess
from mechdesign.workers.processes import MOST_PROCESSES
from mechdesign.workers.workers import Workers

LOCAL = "local"
"""The name of a cluster that is made of processes of this machine."""

NEEDED = ("cryptography", "distributed")
"""What the extra `dask` installs."""

LEAST_LOCAL = 2
"""Its processes at least: one goes on while another is replaced."""

_ADDRESS = re.compile(
    r"(?:(?:tcp|tls|ws|wss)://)?[^\s/:]+:\d{1,5}|(?:(?:tcp|tls|ws|wss)://)?\[[0-9a-f:.]+\]:\d{1,5}",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class WorkerChoice:
    """The chosen workers; nothing is begun before `open`. `workers_for` makes one.

    Args:
        jobs: processes of this machine, or of a local cluster.
        cluster: `local` or the address of a Dask scheduler.
        executor: takes the tasks in place of both.
    """

    jobs: int = 1
    cluster: str | None = None
    executor: Executor | None = None

    @property
    def here(self) -> "WorkerChoice":
        """The same processes of this machine, for what must not leave it."""
        return WorkerChoice(self.jobs)

    @contextmanager
    def open(self, tasks: int | None = None) -> Iterator[Workers]:
        """Open the workers; no process of ours is left when the block ends.

        Args:
            tasks: how many there are to do, where that is known: a single one is done in this process.

        Raises:
            ClusterError: if the cluster cannot be reached, or has other versions.
        """
        jobs = min(self.jobs, MOST_PROCESSES)
        if tasks is not None:
            jobs = min(jobs, tasks)
        if self.executor is not None:
            yield GivenExecutor(self.executor)
        elif self.cluster is not None:
            from mechdesign.workers.dask_opening import connected, local_cluster

            with local_cluster(self.jobs) if self.cluster == LOCAL else connected(self.cluster) as workers:
                yield workers
        elif jobs <= 1:
            yield InProcess()
        else:
            from mechdesign.workers.process_pool import ProcessPool

            with ProcessPool(jobs) as pool:
                yield pool


IN_PROCESS = WorkerChoice()
"""Work in this process, one task after the other."""


def workers_for(
    jobs: int | None = None, *, cluster: str | None = None, executor: Executor | None = None
) -> WorkerChoice:
    """Choose who works: processes of this machine, a Dask cluster, or an executor.

    Args:
        jobs: processes; 1 works in this one, None takes one for each usable processor. With more than one, a script
            must be under `if __name__ == "__main__":`.
        cluster: the address of a Dask scheduler, `tcp://HOST:PORT`, or `local` for a cluster of `jobs` processes of
            this machine, two at least, each with its share of the memory. Needs `mechdesign[dask]`.
        executor: any `concurrent.futures.Executor`; it is not shut down. Only `submit`, and `cancel` of its futures,
            are used.

    Raises:
        InputError: for fewer than one job, an address that is none, or more than one kind of workers.

    >>> workers_for(jobs=1) == IN_PROCESS
    True
    """
    if executor is not None and not isinstance(executor, Executor):
        raise InputError(f"executor must be a concurrent.futures.Executor, got {type(executor).__name__}")
    if cluster is not None and executor is not None:
        raise InputError("workers must be of one kind, got cluster and executor")
    if jobs not in (None, 1) and (executor is not None or cluster not in (None, LOCAL)):
        raise InputError(f"jobs goes with processes of this machine, got jobs={jobs} with {cluster or 'an executor'}")
    if cluster is None:
        return WorkerChoice(require_jobs(jobs), executor=executor)
    if cluster != LOCAL and not _ADDRESS.fullmatch(cluster):
        raise InputError(f"cluster must be {LOCAL} or an address as tcp://host:8786, got cluster={shorten(cluster)}")
    if any(find_spec(name) is None for name in NEEDED):
        raise InputError('cluster must have Dask, got none; pip install "mechdesign[dask]"')
    return WorkerChoice(max(LEAST_LOCAL, require_jobs(jobs)), cluster)

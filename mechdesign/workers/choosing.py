"""Choose workers: this process, several, a Dask cluster, or an executor."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from mechdesign.machine import require_jobs
from mechdesign.workers.in_process import InProcess
from mechdesign.workers.processes import MOST_PROCESSES
from mechdesign.workers.workers import Workers


@dataclass(frozen=True)
class WorkerChoice:
    """Say who works; nothing is begun before `open`. `workers_for` makes one."""

    jobs: int = 1

    @contextmanager
    def open(self, tasks: int | None = None) -> Iterator[Workers]:
        """Open the workers; none is left when the block ends.

        Args:
            tasks: how many there are to do, where that is known: a single one is done in this process.

        Raises:
            ClusterError: if the cluster cannot be reached, or has other versions.
        """
        jobs = min(self.jobs, MOST_PROCESSES) if tasks is None else min(self.jobs, MOST_PROCESSES, tasks)
        if jobs <= 1:
            yield InProcess()
            return
        from mechdesign.workers.process_pool import ProcessPool

        with ProcessPool(jobs) as pool:
            yield pool


IN_PROCESS = WorkerChoice()
"""Work in this process, one task after the other."""


def workers_for(jobs: int | None = 1) -> WorkerChoice:
    """Choose who works: processes of this machine.

    Args:
        jobs: processes; 1 works in this one, None takes one for each usable processor. With more than one, a script
            must be under `if __name__ == "__main__":`.

    Raises:
        InputError: for fewer than one job.

    >>> workers_for(jobs=1) == IN_PROCESS
    True
    """
    return WorkerChoice(require_jobs(jobs))

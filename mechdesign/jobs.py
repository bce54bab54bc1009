"""How many processes to work with."""

import os
import sys

from mechdesign.errors import InputError


def usable_cpus() -> int:
    """Processors that this process may run on."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def require_jobs(jobs: int | None) -> int:
    """The number of processes: as asked, else one for each usable processor."""
    if jobs is not None and jobs < 1:
        raise InputError(f"jobs must be at least 1, got jobs={jobs}")
    return jobs or usable_cpus()

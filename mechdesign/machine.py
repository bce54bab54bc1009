"""The processors and the memory that this machine offers."""

import os
import sys
from pathlib import Path

from mechdesign.errors import InputError


def usable_cpus() -> int:
    """Count the processors that this process may run on."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


MOST_JOBS = 1024


def require_jobs(jobs: int | None) -> int:
    """Choose the number of processes: as asked, else one for each usable processor."""
    if jobs is not None and jobs < 1:
        raise InputError(f"jobs must be at least 1, got jobs={jobs}")
    if jobs is not None and jobs > MOST_JOBS:
        raise InputError(f"jobs must be at most {MOST_JOBS}, got jobs={jobs}")
    return jobs or usable_cpus()


SHARE_OF_MEMORY = 0.7


def memory_limit() -> int:
    """Return the bytes that a design may take: a share of the memory of this machine, or of its container if less."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 4 << 30
    group = Path("/sys/fs/cgroup/memory.max")
    try:
        text = group.read_text().strip()
    except OSError:
        text = "max"
    return int(SHARE_OF_MEMORY * min(total, int(text) if text.isdigit() else total))


def readable_bytes(count: int) -> str:
    """Write a number of bytes with three digits and a unit, such as `1.5 GB`."""
    size = float(count)
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} TB"

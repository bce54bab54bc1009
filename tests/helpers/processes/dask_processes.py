"""A Dask cluster of real processes: a scheduler, two workers each under a nanny, and ways to kill them."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

import psutil
from studios import PATIENCE, wait_until

from mechdesign.workers import dask_opening

HELPERS = Path(__file__).parent
MEMORY = "500MiB"


@dataclass
class DaskProcesses:
    """The scheduler and whoever works for it; each in a process group of its own."""

    folder: Path
    address: str = ""
    scheduler: subprocess.Popen | None = None
    workers: list[subprocess.Popen] = field(default_factory=list)

    def start(self) -> None:
        """Start a scheduler, which gives a task up that killed two workers."""
        file = self.folder / "scheduler.json"
        environment = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1"}
        options = ["--port", "0", "--host", "127.0.0.1", "--scheduler-file", str(file)]
        options += ["--no-dashboard", "--dashboard-address", "127.0.0.1:0"]
        self.scheduler = self._begin("dask_scheduler", options, environment)
        wait_until(file.exists)
        wait_until(lambda: file.read_text().endswith("}"))
        self.address = json.loads(file.read_text())["address"]

    def add_worker(self, count: int = 2, python_path: Path | None = None) -> None:
        """Start so many workers, one alone without a nanny; those with a path of their own see other packages there."""
        options = [self.address, "--nworkers", str(count), "--nthreads", "1", "--memory-limit", MEMORY]
        options += ["--no-dashboard", "--local-directory", str(self.folder), *(["--no-nanny"] if count == 1 else [])]
        path = os.pathsep.join(map(str, filter(None, (python_path, HELPERS))))
        self.workers.append(self._begin("dask_worker", options, {"PYTHONPATH": path}))

    def kill_scheduler(self) -> None:
        """SIGKILL the scheduler."""
        assert self.scheduler is not None
        self.scheduler.kill()
        self.scheduler.wait()

    def worker_processes(self) -> list[int]:
        """The processes in which tasks are done: those that nannies have spawned."""
        children = [child for nanny in self.workers for child in psutil.Process(nanny.pid).children(recursive=True)]
        return [child.pid for child in children if "spawn_main" in " ".join(child.cmdline())]

    def close(self) -> None:
        """End every process."""
        for process in [*self.workers, *filter(None, [self.scheduler])]:
            with_group = os.getpgid(process.pid) if process.poll() is None else None
            if with_group is not None:
                os.killpg(with_group, signal.SIGKILL)
            process.wait()

    def _begin(self, module: str, options: list[str], environment: dict[str, str]) -> subprocess.Popen:
        with (self.folder / f"{module}.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.{module}", *options],
                env={**os.environ, **environment},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )


@contextmanager
def dask_processes(folder: Path, workers: int = 2) -> Iterator[DaskProcesses]:
    """Run a cluster as long as the block; whoever connects to it is patient."""
    processes = DaskProcesses(folder)
    with patch.object(dask_opening, "CONNECT_SECONDS", PATIENCE):
        try:
            processes.start()
            if workers:
                processes.add_worker(workers)
            yield processes
        finally:
            processes.close()

"""A command in a process of its own that has begun to solve a program of many minutes: there is time to end it."""

import signal
import subprocess
import sys
from pathlib import Path

from studios import wait_until


def begin_to_solve(folder: Path, *words: str) -> subprocess.Popen:
    """Start `mechdesign solve` with these words there, and return it once it has loaded its solver."""
    job = subprocess.Popen(
        [sys.executable, "-m", "mechdesign_cli", "solve", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # jobs in the background ignore Ctrl-C
    )
    wait_until(lambda: job.poll() is not None or "highspy" in Path(f"/proc/{job.pid}/maps").read_text())
    assert job.poll() is None
    return job

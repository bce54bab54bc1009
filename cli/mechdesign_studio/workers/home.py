"""Keep everything that the studio writes in one temporary folder that goes with the process, also after SIGKILL."""

import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from mechdesign_studio.workers import guard

PATIENCE = 5.0
"""Seconds that the guard has to clear the folder."""


class Home:
    """A folder that only its owner can enter, with the guard that clears it and ends the workers."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="mechdesign-studio-"))
        self.uploads = self.path / "uploads"
        self.jobs = self.path / "jobs"
        self.uploads.mkdir()
        self.jobs.mkdir()
        self._guard = subprocess.Popen(
            [sys.executable, "-I", "-S", guard.__file__, str(self.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd="/",
        )

    def begins(self, group: int) -> None:
        """Tell the guard of a process group that must not outlive the studio."""
        self._tell(f"+{group}\n")

    def ended(self, group: int) -> None:
        """Tell the guard that a process group is gone."""
        self._tell(f"-{group}\n")

    def close(self) -> None:
        """Let the guard end what is left, and wait until the folder is cleared."""
        assert self._guard.stdin is not None
        with suppress(OSError):
            self._guard.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._guard.wait(PATIENCE)

    def _tell(self, line: str) -> None:
        assert self._guard.stdin is not None
        with suppress(OSError, ValueError):  # no guard: the studio still ends its workers itself where it can
            self._guard.stdin.write(line.encode())
            self._guard.stdin.flush()

"""The studio's one temporary folder, which goes with the process, also after SIGKILL."""

import shutil
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

from mechdesign_studio.workers import guard

PATIENCE = 5.0
"""Seconds that the guard has to clear the folder."""

MOST_GUARDS = 20
"""So many guards are started at most, one after the other, where something ends them."""


class WorkFolder:
    """A folder that only its owner can enter, with the guard that clears it and ends the workers.

    A guard that is killed is replaced at once: without one, uploads would outlive the studio.
    """

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="mechdesign-studio-"))
        self.uploads = self.path / "uploads"
        self.jobs = self.path / "jobs"
        self.uploads.mkdir()
        self.jobs.mkdir()
        self._groups: set[int] = set()
        self._lock = threading.Lock()
        self._is_closed = False
        self._guard = self._start()
        threading.Thread(target=self._keep_guarded, daemon=True, name="watch-guard").start()

    def begins(self, group: int) -> None:
        """Return the guard of a process group that must not outlive the studio."""
        with self._lock:
            self._groups.add(group)
            self._tell(f"+{group}\n")

    def ended(self, group: int) -> None:
        """Return the guard that a process group is gone."""
        with self._lock:
            self._groups.discard(group)
            self._tell(f"-{group}\n")

    def close(self) -> None:
        """Let the guard end what is left, and wait until the folder is cleared."""
        with self._lock:
            self._is_closed = True
        assert self._guard.stdin is not None
        with suppress(OSError):
            self._guard.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._guard.wait(PATIENCE)
        shutil.rmtree(self.path, ignore_errors=True)  # where the guard was killed

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", guard.__file__, str(self.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd="/",
        )

    def _keep_guarded(self) -> None:
        """Start another guard whenever one ends before the studio does, and tell it of what there is."""
        for _ in range(MOST_GUARDS):
            self._guard.wait()
            with self._lock:
                if self._is_closed:
                    return
                self._guard = self._start()
                for group in sorted(self._groups):
                    self._tell(f"+{group}\n")

    def _tell(self, line: str) -> None:
        assert self._guard.stdin is not None
        with suppress(OSError, ValueError):  # it has just been killed: the next one hears of all that there is
            self._guard.stdin.write(line.encode())
            self._guard.stdin.flush()

"""Studios started as people do, with the page's requests, and all their processes."""

import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

MARK = "STUDIO_OF_TEST"
COMMAND = (sys.executable, "-m", "mechdesign_cli", "studio", "--no-browser", "--port", "0")
PATIENCE = 300.0
"""Seconds after which a test is given up: no machine is as slow as that."""


class Studio:
    """A studio in a process of its own, and a client that has its session."""

    def __init__(self, folder: Path, *words: str, command: tuple[str, ...] = COMMAND) -> None:
        self.mark = secrets.token_hex(8)
        self.folder = folder
        environment = {**os.environ, MARK: self.mark, "TMPDIR": str(folder)}
        with (folder / "stderr.txt").open("w") as remarks:
            self.process = subprocess.Popen(
                [*command, *words],
                stdout=subprocess.PIPE,
                stderr=remarks,
                text=True,
                env=environment,
                cwd=folder,
                start_new_session=True,
            )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        self.base = f"http://{urlsplit(self.address).netloc}"
        self.token = self.address.rpartition("=")[2]
        self.client = httpx.Client(base_url=self.base, headers={"origin": self.base}, timeout=PATIENCE)

    def open(self) -> "Studio":
        """Begin a session, as the browser does."""
        self.client.get(self.address)
        return self

    @property
    def remarks(self) -> str:
        """What it said on stderr."""
        return (self.folder / "stderr.txt").read_text()

    def ask(self, steps: object, page: str = "page", panel: str = "design") -> httpx.Response:
        """Ask for a job."""
        return self.client.post("/api/jobs", json={"page": page, "panel": panel, "steps": steps})

    def job(self, steps: object, page: str = "page", panel: str = "design") -> str:
        """Ask for a job that is taken, and return its id."""
        answer = self.ask(steps, page, panel)
        assert answer.status_code == 202, answer.text
        return answer.json()["job"]

    def events(self, address: str, last: int | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
        """Read a stream of events: their numbers and data."""
        headers = {} if last is None else {"last-event-id": str(last)}
        with self.client.stream("GET", address, headers=headers) as answer:
            assert answer.status_code == 200, answer.read()
            number = -1
            for line in answer.iter_lines():
                if line.startswith("id: "):
                    number = int(line[4:])
                elif line.startswith("data: "):
                    yield number, json.loads(line[6:])

    def end_of(self, job: str) -> dict[str, Any]:
        """Wait for the end of a job, and return its last event."""
        return [data for _, data in self.events(f"/api/jobs/{job}/events")][-1]

    def run(self, steps: object, page: str = "page", panel: str = "design") -> dict[str, Any]:
        """Run a job to its end, and return its last event."""
        return self.end_of(self.job(steps, page, panel))

    def await_state(self, job: str, state: str) -> None:
        """Wait until a job has a state."""
        wait_until(lambda: self.client.get(f"/api/jobs/{job}").json()["state"] == state)

    def processes(self) -> set[int]:
        """Return every process that has this studio's mark, whoever started it."""
        found = set()
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if f"{MARK}={self.mark}".encode() in (folder / "environ").read_bytes():
                    found.add(int(folder.name))
            except OSError:
                continue
        return found

    def homes(self) -> list[Path]:
        """Return the temporary folders of studios."""
        return list(self.folder.glob("mechdesign-studio-*"))

    def interrupt(self) -> int:
        """Press Ctrl-C, which a terminal sends to every process of the job, and return the exit code."""
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(PATIENCE)

    def end(self, number: int) -> int:
        """Send a signal, and return the exit code."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)

    def close(self) -> None:
        """End it, however it is."""
        self.client.close()
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(PATIENCE)
        assert self.process.stdout is not None
        self.process.stdout.close()


def patient_process(patience: str, *words: object) -> subprocess.Popen:
    """Start a command that waits for others as long as the test lasts; `patience` names the constant that says so."""
    module, _, name = patience.rpartition(".")
    code = (
        f"import runpy, {module} as waiting; waiting.{name} = {PATIENCE}; "
        "runpy.run_module('mechdesign_cli', run_name='__main__')"
    )
    command = [sys.executable, "-c", code, *map(str, words)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def wait_until(is_so: Callable[[], bool]) -> None:
    """Wait until something is so, and fail where it does not come."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.02)

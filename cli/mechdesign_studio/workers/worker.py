"""The worker's side of the pipe: jobs in a process of its own, one after the other."""

import json
import os
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from mechdesign_studio.workers.work import Ending, Work

LARGEST_FILE = 2 * 2**30
"""Bytes that a file of a job may have: what is longer fails as on a full disk."""

LONGEST_MESSAGE = 400
UNEXPECTED = 70
"""The exit code of what nobody foresaw."""


def work_for_ever(pipe: Connection, work: Work, home: Path) -> None:
    """Answer orders `(task, payload, folder)` until the other end closes; every answer is a tuple with its kind first.

    `("ready",)` comes once; a job sends `("event", kind, JSON text)` while it runs, and last `("end", kind, JSON text,
    bytes)` with the most memory that this worker ever had. The task `learn` has a stage's number as payload, and
    sends `("learnt", stage, answer)`.
    """
    _leave_the_terminal()
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        pipe.send(("ready",))
        while True:
            task, payload, folder = pipe.recv()
            if task == "warm":
                work.warm()
                pipe.send(("warm",))
            elif task == "learn":
                pipe.send(("learnt", payload, work.learn[payload]()))
            else:
                pipe.send(("end", *_run(pipe, work, payload, folder), peak_memory()))
                os.chdir(home)


def _leave_the_terminal() -> None:
    """Be the first of a process group, so that a kill takes the job's own processes too, and Ctrl-C is the server's."""
    os.setpgid(0, 0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    with suppress(OSError):  # where memory ends, the system takes a worker, not the studio or the browser
        Path("/proc/self/oom_score_adj").write_text("500")
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))


def _run(pipe: Connection, work: Work, payload: object, folder: Path) -> tuple[str, str]:
    """Run one job in its folder; returns the kind of its end, and what is said of it as JSON."""

    def emit(kind: str, data: Mapping[str, Any]) -> None:
        pipe.send(("event", kind, compact(data)))

    started = time.monotonic()
    os.chdir(folder)
    linked = {path.name: path.stat().st_ino for path in folder.iterdir()}
    try:
        ending = work.run(payload, folder, emit)
    except Exception as error:
        text = " ".join(f"unexpected {type(error).__name__}: {error}".split())[:LONGEST_MESSAGE]
        ending = Ending("failed", {"step": None, "code": UNEXPECTED, "message": text, "steps": []})
    made = [
        {"name": path.name, "bytes": path.stat().st_size}
        for path in sorted(folder.iterdir())
        if path.is_file() and linked.get(path.name) != path.stat().st_ino
    ]
    return ending.kind, compact({**ending.data, "files": made, "seconds": round(time.monotonic() - started, 4)})


def peak_memory() -> int:
    """Return the most bytes that this process ever had in memory; 0 where the system does not say."""
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def compact(data: Mapping[str, Any]) -> str:
    """Write JSON on one line; half a letter (a lone surrogate), which no stream can carry, is written as its escape."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace").decode()

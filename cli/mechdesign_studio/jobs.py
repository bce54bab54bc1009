"""Jobs: a queue with the newest of each panel, two workers, and each job's events."""

import asyncio
import json
import os
import secrets
import shutil
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mechdesign.errors import InputError
from mechdesign_studio.feeds import Event, Feed, Feeds
from mechdesign_studio.uploads import Uploads
from mechdesign_studio.workers.work import Order, Work
from mechdesign_studio.workers.work_folder import WorkFolder
from mechdesign_studio.workers.worker import compact
from mechdesign_studio.workers.worker_pool import Worker, WorkerPool

GRACE = 0.5
"""Seconds: a job younger than this finishes though a newer one of its panel waits."""

MOST_WAITING = 64
KEPT_OF_A_PANEL = 4
KEPT = 60
KEPT_BYTES = 2**30
KEPT_FRUITLESS = 200
"""Jobs that wait at most; finished ones that are kept with their files, of each panel and in all, and their bytes; and
those known that came to nothing."""

ENDS = ("done", "failed", "superseded", "cancelled")


@dataclass(eq=False)
class Job:
    """One job: who asked for it, what it is, how far it is, and its own events."""

    page: str
    panel: str
    order: Order
    folder: Path
    id: str
    state: str = "waiting"
    started: float = 0.0
    worker: Worker | None = None
    feed: Feed = field(default_factory=Feed)
    last: str = ""
    bytes: int = 0

    @property
    def key(self) -> tuple[str, str]:
        """What a newer job supersedes it by."""
        return self.page, self.panel

    @property
    def is_over(self) -> bool:
        """Whether it has ended, in whatever way."""
        return self.state in ENDS

    def document(self) -> dict[str, Any]:
        """Describe it: state, lines and the data of its last event."""
        return {
            "job": self.id,
            "panel": self.panel,
            "state": self.state,
            "lines": list(self.order.lines),
            "last": json.loads(self.last) if self.last else None,
        }


class Jobs:
    """All jobs of all pages; the listener of the worker pool."""

    def __init__(self, work: Work, home: WorkFolder, uploads: Uploads, feeds: Feeds) -> None:
        self._home = home
        self._uploads = uploads
        self._feeds = feeds
        self._jobs: dict[str, Job] = {}
        self._waiting: list[Job] = []
        self._running: dict[tuple[str, str], Job] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.pool = WorkerPool(work, home, self)

    def add(self, page: str, panel: str, order: Order) -> Job:
        """Put a job in the queue; it supersedes older ones of its page and panel.

        Raises:
            InputError: where too many wait.
        """
        identifier = secrets.token_urlsafe(12)
        job = Job(page, panel, order, self._home.jobs / identifier, identifier)
        for older in [other for other in self._waiting if other.key == job.key]:
            self._end(older, "superseded")
        if len(self._waiting) >= MOST_WAITING:
            raise InputError(f"jobs must wait at most {MOST_WAITING} at a time, got one more; cancel some, or wait")
        self._jobs[identifier] = job
        self._waiting.append(job)
        if (running := self._running.get(job.key)) is not None:
            left = GRACE - (time.monotonic() - running.started)
            asyncio.get_running_loop().call_later(max(0.0, left), self._out_of_time, running)
        self._dispatch()
        return job

    def find(self, job: str) -> Job | None:
        """Return the job of an id, None where there is none."""
        return self._jobs.get(job)

    def cancel(self, job: Job) -> None:
        """End a job at once, with its worker where it runs; one that is over stays as it is."""
        if not job.is_over:
            self._end(job, "cancelled")
            self._dispatch()

    def cancel_page(self, page: str) -> None:
        """End every job of a page that has gone."""
        for job in sorted(self.of_page(page), key=lambda job: job.state != "waiting"):  # so that none of them starts
            self.cancel(job)

    def of_page(self, page: str) -> list[Job]:
        """List the jobs of a page that are still known."""
        return [job for job in self._jobs.values() if job.page == page]

    def close(self) -> None:
        """End the workers, and let whoever listens know."""
        self.pool.close()
        for job in self._jobs.values():
            job.feed.wake()

    def worker_is_free(self) -> None:
        """Give a new worker what waits."""
        self._dispatch()

    def worker_says(self, worker: Worker, what: str, kind: str, text: str) -> None:
        """Pass on what a worker reports on its job."""
        job = next((job for job in self._running.values() if job.worker is worker), None)
        if job is None:
            return
        if what == "event":
            self._report(job, kind, text)
        else:
            self._end(job, kind, text)
            self._dispatch()

    def worker_died(self, worker: Worker, code: int | None) -> None:
        """Fail the job of a worker that died."""
        job = next((job for job in self._running.values() if job.worker is worker), None)
        if job is not None:
            job.worker = None
            how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
            message = (
                f"worker must live as long as its job, got its death by {how}; "
                "a job that needs more memory than there is ends so: try a smaller one"
            )
            self._end(job, "failed", compact({"step": None, "code": 70, "message": message, "steps": []}))
        self._dispatch()

    def _dispatch(self) -> None:
        """Start what can start, oldest first; of each page and panel one job runs at a time."""
        for job in list(self._waiting):
            worker = self.pool.free()
            if worker is None:
                return
            if job.key not in self._running:
                self._waiting.remove(job)
                self._start(job, worker)

    def _start(self, job: Job, worker: Worker) -> None:
        try:
            self._lay_out(job)
        except OSError as error:
            self._end(job, "failed", compact({"step": None, "code": 2, "message": error.strerror, "steps": []}))
            return
        job.state, job.worker, job.started = "running", worker, time.monotonic()
        self._running[job.key] = job
        worker.tell("run", job.order.payload, job.folder)
        self._report(job, "started", "{}")

    def _lay_out(self, job: Job) -> None:
        """Make the job's folder, with the uploads that it reads."""
        job.folder.mkdir()
        for name, upload in job.order.links.items():
            found = self._uploads.use(upload)
            if found is None:
                raise FileNotFoundError(2, f"upload must be there when its job begins, got {name}, which was removed")
            os.link(found.path, job.folder / name)

    def _out_of_time(self, job: Job) -> None:
        if job.state == "running" and any(other.key == job.key for other in self._waiting):
            self._end(job, "superseded")
            self._dispatch()

    def _end(self, job: Job, kind: str, text: str = "{}") -> None:
        """End a job: its worker too, unless it has ended by itself."""
        if job in self._waiting:
            self._waiting.remove(job)
        if self._running.get(job.key) is job:
            del self._running[job.key]
        if job.worker is not None and kind in ("superseded", "cancelled"):
            self.pool.end(job.worker)
        job.worker = None
        job.state = kind
        self._report(job, kind, text)
        if kind == "done":
            files = (path for path in job.folder.iterdir() if path.is_file() and path.stat().st_nlink == 1)
            job.bytes = len(text) + sum(path.stat().st_size for path in files)
        else:
            self._clear(job)
        self._forget()

    def _report(self, job: Job, kind: str, text: str) -> None:
        begin = compact({"job": job.id, "panel": job.panel, "kind": kind})
        data = begin if text == "{}" else f"{begin[:-1]},{text[1:]}"
        event = Event(self._feeds.next_number(), data)
        job.last = data
        job.feed.add(event)
        self._feeds.of_page(job.page).add(event)

    def _forget(self) -> None:
        """Forget older jobs: of those that are done the last few of each panel stay, of the others the last ones."""
        of_panel: Counter[tuple[str, str]] = Counter()
        done, others, size = 0, 0, 0
        for job in [job for job in reversed(self._jobs.values()) if job.is_over]:
            if job.state == "done":
                of_panel[job.key] += 1
                done, size = done + 1, size + job.bytes
                is_too_old = of_panel[job.key] > KEPT_OF_A_PANEL or done > KEPT or (size > KEPT_BYTES and done > 1)
            else:
                others += 1
                is_too_old = others > KEPT_FRUITLESS
            if is_too_old:
                self._clear(job)
                del self._jobs[job.id]

    def _clear(self, job: Job) -> None:
        """Remove a job's folder, aside of the loop: it may be large."""
        task = asyncio.ensure_future(asyncio.to_thread(shutil.rmtree, job.folder, ignore_errors=True))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

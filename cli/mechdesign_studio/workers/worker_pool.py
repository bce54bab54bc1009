"""The pool of warm workers: started, given work, ended at once, and replaced."""

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any, Protocol

from mechdesign_studio.workers.knowledge import Knowledge
from mechdesign_studio.workers.work import Work
from mechdesign_studio.workers.work_folder import WorkFolder
from mechdesign_studio.workers.worker import work_for_ever

SIZE = 2
MOST_STILLBORN = 3
"""How many workers there are, and how many may end one after the other before they were ready."""

LEAVING = 2.0
"""Seconds that a worker which has closed its pipe may still take to end by itself."""

LARGEST_PEAK = 2**30
"""Bytes: a worker that ever had more is replaced after its job, since Python seldom gives memory back."""


class PoolListener(Protocol):
    """A listener for the workers' messages."""

    def worker_is_free(self) -> None:
        """Note that a worker waits for a job."""

    def worker_says(self, worker: "Worker", what: str, kind: str, text: str) -> None:
        """Take a worker's report on its job: `what` is `event` or `end`, and `text` is JSON."""

    def worker_died(self, worker: "Worker", code: int | None) -> None:
        """Note that a worker ended though nobody ended it; `code` is negative for a signal."""


class Worker:
    """One worker process and the thread that listens to it."""

    def __init__(self, work: Work, home: Path, hear: Callable[["Worker", tuple[Any, ...] | None], None]) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self.is_ready = False
        self.is_free = False
        self.is_ended = False
        self._process = context.Process(target=work_for_ever, args=(other, work, home), name="mechdesign-studio-worker")
        resource_tracker.ensure_running()  # by itself it would unblock signals when it starts
        signals = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, signals)
        other.close()
        assert self._process.pid is not None
        self.group = self._process.pid
        with suppress(OSError):  # the worker does it as well: whoever comes first
            os.setpgid(self.group, self.group)
        self._loop = asyncio.get_running_loop()
        self._hear = hear
        self._watcher = threading.Thread(target=self._watch, daemon=True, name=f"watch-{self.group}")
        self._watcher.start()
        threading.Thread(target=self._listen, daemon=True, name=f"listen-{self.group}").start()

    def tell(self, task: str, payload: object = None, folder: Path | None = None) -> None:
        """Give it something to do."""
        self.is_free = False
        with suppress(OSError):  # it died: that is heard
            self._pipe.send((task, payload, folder))

    def end(self) -> None:
        """Kill it and every process that it started."""
        self.is_ended = True
        self._kill_group()
        with suppress(OSError):
            self._process.kill()

    def wait(self, seconds: float) -> int | None:
        """Wait for its end, and return its exit code."""
        self._process.join(seconds)
        return self._process.exitcode

    def _listen(self) -> None:
        with suppress(EOFError, OSError):
            while True:
                self._post(self._pipe.recv())
        self._watcher.join(LEAVING)
        self._kill_group()
        self._process.join()
        self._pipe.close()
        self._post(None)

    def _watch(self) -> None:
        """Kill what a worker that dies by itself leaves: a process that it forked may hold the pipe open."""
        with suppress(AttributeError, OSError):  # not on every system; or it is gone already
            os.waitid(os.P_PID, self.group, os.WEXITED | os.WNOWAIT)
            self._kill_group()

    def _kill_group(self) -> None:
        """Kill the worker's processes, while its own number is not yet given to another one."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.group, signal.SIGKILL)

    def _post(self, message: tuple[Any, ...] | None) -> None:
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._hear, self, message)


class WorkerPool:
    """All workers; they also find out what requests are read by.

    They start one after the other, each when the one before can take a job: on a machine of few cores the first job
    would else wait for what only later ones need.
    """

    def __init__(self, work: Work, home: WorkFolder, pool_listener: PoolListener) -> None:
        self._work = work
        self._home = home
        self._boss = pool_listener
        self._workers: list[Worker] = []
        self._stillborn = 0
        self._is_closed = False
        self._learner: Worker | None = None
        self.knowledge = Knowledge(len(work.learn))
        self._start()

    def free(self) -> Worker | None:
        """Return a worker that waits for a job, None where all are busy."""
        return next((worker for worker in self._workers if worker.is_free), None)

    def end(self, worker: Worker) -> None:
        """End a worker and its job, and start another one."""
        worker.end()
        self._replace(worker)

    def close(self) -> None:
        """End all workers."""
        self._is_closed = True
        for worker in self._workers:
            worker.end()
        for worker in self._workers:
            if worker.wait(LEAVING) is not None:
                self._home.ended(worker.group)

    def _start(self) -> None:
        worker = Worker(self._work, self._home.path, self._hear)
        self._home.begins(worker.group)
        self._workers.append(worker)

    def _replace(self, worker: Worker) -> None:
        if worker in self._workers:
            self._workers.remove(worker)
            if not self._is_closed:
                self._start()

    def _hear(self, worker: Worker, message: tuple[Any, ...] | None) -> None:
        if message is None:
            self._gone(worker)
        elif worker.is_ended:
            return
        elif message[0] == "ready":
            self._begin(worker)
        elif message[0] == "learnt":
            _, stage, learnt = message
            self._learner = None
            self.knowledge.add(stage, learnt)
            worker.tell("warm")
        elif message[0] == "warm":
            self._stillborn = 0
            worker.is_ready = True
            self._set_free(worker)
            if len(self._workers) < SIZE:
                self._start()
        elif message[0] == "event":
            self._boss.worker_says(worker, *message)
        else:
            *said, peak = message
            if peak > LARGEST_PEAK:
                self.end(worker)
            else:
                worker.is_free = True
            self._boss.worker_says(worker, *said)

    def _begin(self, worker: Worker) -> None:
        """Let a new worker learn what is not known yet, unless another one is at it; then it warms up for jobs."""
        stage = self.knowledge.next_stage
        if stage is None or self._learner is not None:
            worker.tell("warm")
        else:
            self._learner = worker
            worker.tell("learn", stage)

    def _set_free(self, worker: Worker) -> None:
        worker.is_free = True
        self._boss.worker_is_free()

    def _gone(self, worker: Worker) -> None:
        self._home.ended(worker.group)
        if worker.is_ended or self._is_closed:
            return
        code = worker.wait(0)
        worker.is_ended = True
        if worker is self._learner:
            self._learner = None
        if not worker.is_ready:
            self._stillborn += 1
        if self._stillborn < MOST_STILLBORN:
            self._replace(worker)
        elif worker in self._workers:
            self._workers.remove(worker)
            self.knowledge.fail()
        self._boss.worker_died(worker, code)

"""A pool of processes, replaced where one dies.

Where none can live, that is said.
"""

import multiprocessing
import os
import threading
from collections.abc import Callable, Collection
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import Any, cast

from mechdesign.errors import MachineError
from mechdesign.workers.processes import LAST_SECONDS, end_processes, new_pool, sheltered
from mechdesign.workers.workers import TICK_SECONDS, Answer, Argument, Ticket, WorkerDiedError


class ProcessPool:
    """A pool of so many processes; none outlives the block.

    Each is begun when it is needed.

    Use it in a `with` block: at its end the processes end, at once where it ends by an error or Ctrl-C.
    """

    def __init__(self, jobs: int) -> None:
        self.places = jobs
        self._pool: ProcessPoolExecutor | None = None
        self._others = set(multiprocessing.active_children())
        self._proved = False

    def submit(self, work: Callable[[Argument], Any], argument: Argument, /) -> Ticket:
        """Hand a task to a process; where one died, to a new pool.

        Raises:
            MachineError: if even a process without work dies.
        """
        try:
            return self._handed_over(work, argument)
        except BrokenProcessPool:
            self._end()
            self._require_processes()
            return self._handed_over(work, argument)

    def wait(self, tickets: Collection[Ticket], /) -> list[Answer]:
        """Wait for the first that ends; where a process died, all tasks of its pool are answered so."""
        futures = cast(Collection[Future[Any]], tickets)
        done, _ = wait(futures, timeout=TICK_SECONDS, return_when=FIRST_COMPLETED)
        return [_answer(future) for future in done]

    def cancel(self, tickets: Collection[Ticket], /) -> None:
        """End all processes at once; a task that comes later gets new ones."""
        self._end()

    def __enter__(self) -> "ProcessPool":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._end()
        elif self._pool is not None:
            self._pool.shutdown(wait=True)

    def _handed_over(self, work: Callable[[Argument], Any], argument: Argument) -> Future[Any]:
        if self._pool is None:
            self._others = set(multiprocessing.active_children())
            self._pool = new_pool(self.places)
        with sheltered():
            return self._pool.submit(work, argument)

    def _end(self) -> None:
        pool, self._pool = self._pool, None
        if pool is None:
            return
        end_processes(set(multiprocessing.active_children()) - self._others)
        closing = threading.Thread(target=partial(pool.shutdown, cancel_futures=True), daemon=True)
        closing.start()
        closing.join(LAST_SECONDS)  # nobody waits for ever for a pool whose processes were killed

    def _require_processes(self) -> None:
        """Refuse to go on where even a process without work dies: then no task is to blame."""
        if self._proved:
            return
        try:
            self._handed_over(_process_id, None).result()
        except BrokenProcessPool:
            self._end()
            raise MachineError("worker processes die as they start; --jobs 1 does the work in one process") from None
        self._proved = True


def _process_id(_: None) -> int:
    return os.getpid()


def _answer(future: Future[Any]) -> Answer:
    error = future.exception()
    if isinstance(error, BrokenProcessPool):
        return Answer(future, error=WorkerDiedError())
    if error is None:
        return Answer(future, future.result())
    if isinstance(error, Exception):
        return Answer(future, error=error)
    raise error

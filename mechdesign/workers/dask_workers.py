"""Workers on a Dask cluster, whose scheduler replaces those that die.

It gives a task up that killed several.
"""

import pickle
import socket
import threading
import time
from collections.abc import Callable, Collection
from concurrent.futures import CancelledError
from itertools import count
from typing import Any, cast

from distributed import Client, Future, KilledWorker

from mechdesign.errors import ClusterError
from mechdesign.workers.versions import OtherVersionsError, Versions, our_versions, require_versions
from mechdesign.workers.workers import TICK_SECONDS, Answer, Argument, Ticket, WorkerDiedError

LONELY_SECONDS = 60.0
"""How long a cluster may be without any worker: they may be on their way."""

LOOK_SECONDS = 1.0
"""How often the scheduler is asked how many there are."""


class DaskWorkers:
    """The workers behind the scheduler that a client is connected to."""

    def __init__(self, client: Client, address: str) -> None:
        self._client = client
        self._address = address
        self._numbers = count()
        self._futures: dict[Ticket, Future[Any]] = {}
        self._something_ended = threading.Event()
        self._threads = 0
        self._seen_workers = self._looked = time.monotonic()
        self._look()

    @property
    def places(self) -> int:
        """The threads that the cluster had when it was last looked at."""
        return max(1, self._threads)

    def submit(self, work: Callable[[Argument], Any], argument: Argument, /) -> Ticket:
        """Hand a task to the scheduler.

        Raises:
            ClusterError: if the scheduler is gone.
        """
        self._require_scheduler()
        name = getattr(work, "__name__", type(work).__name__)
        ticket = next(self._numbers)
        # As bytes, since Dask would look for tasks of its own in what it is given.
        future = self._client.submit(
            do_task, pickle.dumps((work, argument)), dict(our_versions()), key=f"{name}-{self._client.id}-{ticket}"
        )
        future.add_done_callback(lambda _: self._something_ended.set())
        self._futures[ticket] = future
        return ticket

    def wait(self, tickets: Collection[Ticket], /) -> list[Answer]:
        """Wait for the first that ends.

        Raises:
            ClusterError: if the scheduler is gone, a worker has other versions, or there has been none for a minute.
        """
        self._something_ended.wait(TICK_SECONDS)
        self._something_ended.clear()
        self._require_scheduler()
        if time.monotonic() > self._looked + LOOK_SECONDS:
            self._look()
        return [answer for ticket in list(tickets) if (answer := self._answer(ticket)) is not None]

    def cancel(self, tickets: Collection[Ticket], /) -> None:
        """Cancel what has not begun; what has goes on until the cluster is closed, and its value is dropped."""
        given_up = [self._futures.pop(ticket) for ticket in list(tickets) if ticket in self._futures]
        if self._client.status == "running":
            self._client.cancel(given_up)

    def _answer(self, ticket: Ticket) -> Answer | None:
        """Return what became of a task; None where that is open, or its value was lost and is computed again."""
        future = self._futures[ticket]
        if future.status == "cancelled":
            raise self._lost()
        if future.status not in ("finished", "error"):
            return None
        try:
            error = future.exception(timeout=TICK_SECONDS)
            value = None if error else future.result(timeout=TICK_SECONDS)
        except TimeoutError:
            self._something_ended.set()  # look again without waiting
            return None
        except (CancelledError, OSError):  # the scheduler went while the value was on its way
            raise self._lost() from None
        del self._futures[ticket]
        if isinstance(error, OtherVersionsError):
            raise error
        if isinstance(error, KilledWorker):
            return Answer(ticket, error=WorkerDiedError())
        return Answer(ticket, value, cast(Exception | None, error))

    def _look(self) -> None:
        """Ask how many threads the cluster has, and refuse to wait for ever where it has none."""
        try:
            threads: Any = self._client.nthreads()
        except OSError:
            raise self._lost() from None
        self._threads, self._looked = sum(threads.values()), time.monotonic()
        if self._threads:
            self._seen_workers = self._looked
        elif self._looked > self._seen_workers + LONELY_SECONDS:
            raise ClusterError(f"cluster must have a worker, got none for {LONELY_SECONDS:g} s at {self._address}")

    def _require_scheduler(self) -> None:
        if self._client.status != "running":
            raise self._lost()

    def _lost(self) -> ClusterError:
        return ClusterError(f"cluster must stay until all is done, got no answer any more from {self._address}")


def do_task(task: bytes, versions: Versions) -> Any:
    """Call pickled work in a worker, which may have come after the versions of all were compared."""
    require_versions(our_versions(), versions, socket.gethostname())
    work, argument = pickle.loads(task)
    return work(argument)

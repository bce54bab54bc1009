"""Work in this process, one task after the other."""

from collections import deque
from collections.abc import Callable, Collection
from itertools import count
from typing import Any

from mechdesign.workers.workers import Answer, Argument, Ticket


class InProcess:
    """The worker in this process: a task is done when it is waited for.

    Nothing is pickled, and nobody dies alone.
    """

    places = 1

    def __init__(self) -> None:
        self._numbers = count()
        self._waiting: deque[tuple[Ticket, Callable[[], Any]]] = deque()

    def submit(self, work: Callable[[Argument], Any], argument: Argument, /) -> Ticket:
        """Keep a task for later."""
        ticket = next(self._numbers)
        self._waiting.append((ticket, lambda: work(argument)))
        return ticket

    def wait(self, tickets: Collection[Ticket], /) -> list[Answer]:
        """Do the oldest task."""
        ticket, task = self._waiting.popleft()
        try:
            return [Answer(ticket, task())]
        except Exception as error:
            return [Answer(ticket, error=error)]

    def cancel(self, tickets: Collection[Ticket], /) -> None:
        """Forget tasks that were not done."""
        self._waiting.clear()

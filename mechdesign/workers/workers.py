"""The interface of workers, to whom tasks are handed, and who may die meanwhile."""

from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from mechdesign.errors import MachineError

Argument = TypeVar("Argument")

TICK_SECONDS = 0.5
"""Longest time that `Workers.wait` waits in vain."""

PROCESS_DIED = "its process died (out of memory?)"

Ticket = Hashable
"""What stands for a task that was handed over."""


class WorkerDiedError(MachineError):
    """The error when the process died in which a task was under way: of this task, or of another beside it."""

    def __init__(self) -> None:
        super().__init__(PROCESS_DIED)


@dataclass(frozen=True)
class Answer:
    """The end of a task: its value, or the error that it ended by."""

    ticket: Ticket
    value: Any = None
    error: Exception | None = None


class Workers(Protocol):
    """Anything that takes tasks and answers for each.

    Workers that died are replaced before the next task is handed over.
    """

    @property
    def places(self) -> int:
        """How many tasks can be at work at the same time."""

    def submit(self, work: Callable[[Argument], Any], argument: Argument, /) -> Ticket:
        """Hand over `work(argument)`; both are pickled where the work is done in another process.

        Raises:
            MachineError, ClusterError: if nobody is left who can work, and nobody takes their place.
        """

    def wait(self, tickets: Collection[Ticket], /) -> list[Answer]:
        """Wait until one of the tasks has ended, half a second at most; returns those that have.

        A task whose process died is answered by `WorkerDiedError`.

        Raises:
            MachineError, ClusterError: as `submit`.
        """

    def cancel(self, tickets: Collection[Ticket], /) -> None:
        """Give up these tasks: none is begun after this, and those under way are ended where that can be done."""

"""The loop over arguments with workers: an outcome for each, whoever dies."""

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from mechdesign.errors import MachineError
from mechdesign.workers.workers import Argument, Ticket, WorkerDiedError, Workers

Result = TypeVar("Result")

AHEAD = 2
"""Tasks handed over for each place: one at work, one waiting so that nobody is idle."""


@dataclass(frozen=True)
class Outcome(Generic[Result]):
    """The outcome for one argument: a value, or an error; `place` counts arguments from 0."""

    place: int
    value: Result | None = None
    error: Exception | None = None

    @property
    def died(self) -> bool:
        """Whether the task killed its process, also when it was tried alone."""
        return isinstance(self.error, WorkerDiedError)

    def result(self, task: str = "a task") -> Result:
        """Return the value, or raise the error; where the process died, `task` says of whom."""
        if isinstance(self.error, WorkerDiedError):
            raise MachineError(f"{task} failed: {self.error}")
        if self.error is not None:
            raise self.error
        return cast(Result, self.value)


def work_through(
    work: Callable[[Argument], Result],
    arguments: Iterable[Argument],
    workers: Workers,
    tick: Callable[[], None] = lambda: None,
) -> Generator[Outcome[Result], None, None]:
    """Yield an outcome for each argument, once, as they come; they are begun in their order.

    Where a process dies, every task that may have been in it is suspected. Suspects are tried again at the end, one at
    a time with nothing beside them, so that each shows whether it is to blame.

    Closing the generator cancels what is under way. Arguments are taken as they are needed, and only those under way
    and the suspects are kept.

    Args:
        work: importable by name in a new process, and without memory of other tasks: it may be called again.
        arguments: picklable.
        workers: open ones, as `workers_for` makes them; those that others use at the same time are no good.
        tick: called about twice a second.

    Raises:
        MachineError, ClusterError: if nobody is left who can work.
    """
    suspects: list[tuple[int, Argument]] = []
    for place, argument, outcome in _passed(work, enumerate(arguments), lambda: AHEAD * workers.places, workers, tick):
        if outcome.died:
            suspects.append((place, argument))
        else:
            yield outcome
    for _, _, outcome in _passed(work, suspects, lambda: 1, workers, tick):
        yield outcome


def _passed(
    work: Callable[[Argument], Result],
    numbered: Iterable[tuple[int, Argument]],
    most: Callable[[], int],
    workers: Workers,
    tick: Callable[[], None],
) -> Generator[tuple[int, Argument, Outcome[Result]], None, None]:
    """Hand each argument over once, at most so many at a time; a cluster grows and shrinks meanwhile."""
    coming = iter(numbered)
    running: dict[Ticket, tuple[int, Argument]] = {}
    exhausted = False
    try:
        while True:
            while not exhausted and len(running) < most():
                following = next(coming, None)
                if following is None:
                    exhausted = True
                else:
                    running[workers.submit(work, following[1])] = following
            if not running:
                return
            for answer in workers.wait(running.keys()):
                place, argument = running.pop(answer.ticket)
                yield place, argument, Outcome(place, answer.value, answer.error)
            tick()
    finally:
        if running:
            workers.cancel(running.keys())

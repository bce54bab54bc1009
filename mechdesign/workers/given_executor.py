"""Workers of a given executor: only its `submit`, and `cancel` of its futures, are used."""

from collections.abc import Callable, Collection
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from typing import Any, NoReturn, cast

from mechdesign.errors import MachineError
from mechdesign.workers.workers import TICK_SECONDS, Answer, Argument, Ticket

ASSUMED_PLACES = 500
"""Places that an executor is taken to have, since it does not tell."""


class GivenExecutor:
    """The workers of an executor, which is neither shut down nor replaced.

    Where it breaks the work ends.
    """

    places = ASSUMED_PLACES

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def submit(self, work: Callable[[Argument], Any], argument: Argument, /) -> Ticket:
        """Hand a task to the executor.

        Raises:
            MachineError: if it takes none any more.
        """
        try:
            return self._executor.submit(work, argument)
        except RuntimeError as error:  # shut down, or broken
            _end(error)

    def wait(self, tickets: Collection[Ticket], /) -> list[Answer]:
        """Wait for the first that ends.

        Raises:
            MachineError: if the executor broke, or cancelled a task.
        """
        futures = cast(Collection[Future[Any]], tickets)
        done, _ = wait(futures, timeout=TICK_SECONDS, return_when=FIRST_COMPLETED)
        return [_answer(future) for future in done]

    def cancel(self, tickets: Collection[Ticket], /) -> None:
        """Cancel what has not begun; what has goes on."""
        for future in cast(Collection[Future[Any]], tickets):
            future.cancel()


def _answer(future: Future[Any]) -> Answer:
    try:
        return Answer(future, future.result())
    except (BrokenExecutor, CancelledError) as error:
        _end(error)
    except Exception as error:
        return Answer(future, error=error)


def _end(error: BaseException) -> NoReturn:
    raise MachineError(f"executor must take tasks until all are done, got {type(error).__name__}") from None

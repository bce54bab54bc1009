"""Clocks: the time left until a limit, and the time that the solver has taken."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf

from mechdesign.errors import LimitReachedError

TIME_IS_OVER = "the time limit was reached before a mechanism was certified"


@dataclass(frozen=True)
class Seconds:
    """The wall-clock time of the three stages."""

    solve: float
    certify: float
    verify: float

    def __str__(self) -> str:
        return f"solve {self.solve:.3f}, certify {self.certify:.3f}, verify {self.verify:.3f}"


class Clock:
    """The time left until a limit, the time in the solver, and the limit of its later calls.

    `reserve` are seconds before the limit in which a search that was ended says what it has found.
    """

    def __init__(self, limit: float | None, now: Callable[[], float] = time.monotonic) -> None:
        self.now = now
        self.deadline = None if limit is None else now() + limit
        self.solving = 0.0
        self.loading = 0.0
        self.patience: float | None = None
        self.reserve = 0.0

    @contextmanager
    def while_loading(self) -> Iterator[None]:
        """Add up the time of imports apart: the first design of a process is not slower at its work."""
        started = time.perf_counter()
        yield
        self.loading += time.perf_counter() - started

    def remaining(self) -> float:
        """Return the seconds until the limit: infinitely many without one, below 0 past it."""
        return inf if self.deadline is None else self.deadline - self.now()

    def left(self) -> float | None:
        """Return the seconds until the limit, less the reserve, or None; past it, raise `LimitReachedError`."""
        if self.deadline is None:
            return None
        left = self.remaining() - self.reserve
        if left <= 0:
            raise LimitReachedError(TIME_IS_OVER)
        return left

"""Time left and time spent."""

import time

from mechdesign.errors import LimitReachedError


class Clock:
    """Time left until a limit, time spent inside the solver, and how long it may take from its second call on."""

    def __init__(self, limit: float | None) -> None:
        self.deadline = None if limit is None else time.monotonic() + limit
        self.solving = 0.0
        self.patience: float | None = None

    def left(self) -> float | None:
        """Seconds until the limit, None without one; past it, an error."""
        if self.deadline is None:
            return None
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise LimitReachedError("the time limit was reached before a mechanism was certified")
        return left

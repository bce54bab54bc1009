"""State what a search for rows is asked for."""

from collections.abc import Callable
from dataclasses import dataclass, field

from mechdesign.methods.row_designs.programme import Bits, FoundRows
from mechdesign.program.clock import Clock


@dataclass(frozen=True, eq=False)
class AskedRows:
    """State what a search for rows is to reach, where it begins, and how long it may take.

    Attributes:
        gap: the relative gap to stop at, of variance and bound.
        worst: whether the largest variance over the inputs is to be least, under the least favourable prior.
        start: rows to begin with as well, zeros and ones, shape (n, K).
        clock: a search has something after its first round, even if the time is over.
        tell: is told a line now and then.
        offer: is given, after each round, what makes the best rows so far; None if nobody wants them before the end.
    """

    gap: float
    worst: bool = False
    start: Bits | None = None
    clock: Clock = field(default_factory=lambda: Clock(None))
    tell: Callable[[str], None] | None = None
    offer: Callable[[Callable[[], FoundRows]], None] | None = None

    @property
    def is_late(self) -> bool:
        """Whether the time is over."""
        return self.clock.remaining() <= 0

    def show(self, found: Callable[[], FoundRows]) -> None:
        """Offer what makes the best rows so far, if anyone wants them."""
        if self.offer is not None:
            self.offer(found)

    def say(self, line: str) -> None:
        """Tell a line, if anyone listens."""
        if self.tell is not None:
            self.tell(line)

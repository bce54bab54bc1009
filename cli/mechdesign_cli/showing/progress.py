"""Show a progress bar on stderr, only when the work takes longer than a second."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress

PATIENCE = 1.0


@contextmanager
def progress_after_a_second(label: str, total: int) -> Iterator[Callable[[int], None]]:
    """Yield a function to call with how much of `total` is done."""
    bar = Progress(console=Console(file=sys.stderr), transient=True)
    started = time.monotonic()
    task = None

    def show(done: int) -> None:
        nonlocal task
        if task is None and time.monotonic() - started > PATIENCE and sys.stderr.isatty():
            bar.start()
            task = bar.add_task(label, total=total)
        if task is not None:
            bar.update(task, completed=done)

    try:
        yield show
    finally:
        if task is not None:
            bar.stop()

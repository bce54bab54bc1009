"""Show how far long work has come on stderr: a bar on a terminal after a second, elsewhere a line a minute."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress

from mechdesign_cli.showing.messages import say

PATIENCE = 1.0
LINE_SECONDS = 60.0


@contextmanager
def progress_after_a_second(label: str, total: int) -> Iterator[Callable[[int], None]]:
    """Yield a function to call with how much of `total` is done."""
    bar = Progress(console=Console(file=sys.stderr), transient=True)
    started = said = time.monotonic()
    task = None

    def show(done: int) -> None:
        nonlocal task, said
        now = time.monotonic()
        if not sys.stderr.isatty():
            if now - said > LINE_SECONDS:
                said = now
                say(f"{label}: {100 * min(done, total) // max(total, 1)} % after {now - started:.0f} s")
            return
        if task is None and now - started > PATIENCE:
            bar.start()
            task = bar.add_task(label, total=total)
        if task is not None:
            bar.update(task, completed=done)

    try:
        yield show
    finally:
        if task is not None:
            bar.stop()

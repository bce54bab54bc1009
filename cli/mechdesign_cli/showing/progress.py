"""Progress on stderr: a bar on a terminal after a second, elsewhere a line a minute."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

from rich.console import Console
from rich.progress import Progress

from mechdesign_cli.showing.messages import is_quiet, say

PATIENCE = 1.0
LINE_SECONDS = 60.0
SEARCH_SECONDS = 15.0
"""From one line of a search to the next."""

Show = Callable[[int], None]
Listener = Callable[[str, int, int | None], None]
"""Hears a label, how much is done, and of how much; None where nobody knows."""

_listeners: list[Listener] = []


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Return a listener instead of stderr how far work in this block has come."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


@contextmanager
def progress_after_a_second(label: str, total: int) -> Iterator[Show]:
    """Yield a function to call with how much of `total` is done."""
    if _listeners:
        _listeners[-1](label, 0, total)
        yield lambda done: _listeners[-1](label, done, total)
        return
    with _bar(label, total) if sys.stderr.isatty() and not is_quiet() else _lines(label, total) as show:
        yield show


@contextmanager
def line_a_minute(label: str) -> Iterator[None]:
    """Say each minute that the work in this block goes on; nobody knows how long."""
    if _listeners:
        _listeners[-1](label, 0, None)
        yield
        return
    with _lines(label, None):
        yield


def progress_printer() -> Callable[[str], None]:
    """Return a function that says a line where the last one, or the beginning, is some seconds past.

    A listener hears every line, as how far the work has come.
    """
    if _listeners:
        return lambda line: _listeners[-1](line, 1, None)
    last = time.monotonic()

    def tell(line: str) -> None:
        nonlocal last
        if time.monotonic() - last > SEARCH_SECONDS:
            last = time.monotonic()
            say(line)

    return tell


@contextmanager
def _bar(label: str, total: int) -> Iterator[Show]:
    bar = Progress(console=Console(file=sys.stderr), transient=True)
    started = time.monotonic()
    task = None

    def show(done: int) -> None:
        nonlocal task
        if task is None and time.monotonic() - started > PATIENCE:
            bar.start()
            task = bar.add_task(label, total=total)
        if task is not None:
            bar.update(task, completed=done)

    try:
        yield show
    finally:
        if task is not None:
            bar.stop()


@contextmanager
def _lines(label: str, total: int | None) -> Iterator[Show]:
    """A thread speaks, so that a line comes also while one long step keeps the work from telling how far it is."""
    done = 0
    ended = Event()
    started = time.monotonic()

    def show(now_done: int) -> None:
        nonlocal done
        done = now_done

    def speak() -> None:
        while not ended.wait(LINE_SECONDS):
            share = "" if total is None else f" {100 * min(done, total) // max(total, 1)} %"
            say(f"{label}:{share} after {(time.monotonic() - started) / 60:.0f} min")

    speaker = Thread(target=speak, daemon=True)
    speaker.start()
    try:
        yield show
    finally:
        ended.set()
        speaker.join()

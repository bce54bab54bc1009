"""Run worker processes that leave nothing behind: none survives its parent, and only the parent handles Ctrl-C."""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing.process import BaseProcess
from typing import TypeVar

from mechdesign.errors import MachineError

Argument = TypeVar("Argument")
Result = TypeVar("Result")

TICK_SECONDS = 0.5
LAST_SECONDS = 2.0
"""What a process that was told to end has for it before it is killed."""

MOST_PROCESSES = 61 if sys.platform == "win32" else 1024
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")


def in_processes(
    work: Callable[[Argument], Result],
    arguments: Sequence[Argument],
    jobs: int,
    tick: Callable[[], None] = lambda: None,
) -> Iterator[tuple[int, Result]]:
    """Yield `(k, work(arguments[k]))` as they come, begun in order; the first error ends all and is raised.

    `work` must be importable by name in a new process. With one job (or one argument) it is called in this process.

    Raises:
        MachineError: if a process dies.
    """
    jobs = min(jobs, len(arguments), MOST_PROCESSES)
    if jobs <= 1:
        for k, argument in enumerate(arguments):
            yield k, work(argument)
            tick()
        return
    try:
        with process_pool(jobs) as pool:
            running: dict[Future[Result], int] = {}
            for k, argument in enumerate(arguments):
                with sheltered():
                    running[pool.submit(work, argument)] = k
            while running:
                done, _ = wait(running, timeout=TICK_SECONDS, return_when=FIRST_COMPLETED)
                for future in done:
                    yield running.pop(future), future.result()
                tick()
    except BrokenProcessPool:
        raise MachineError("a worker process died (out of memory?); --jobs 1 does the work in one process") from None


@contextmanager
def process_pool(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Open a pool whose processes are gone when the block ends; at once where it ends by an error or Ctrl-C."""
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), initializer=_settle_in)
    try:
        yield pool
    except BaseException:
        _end(set(multiprocessing.active_children()) - others)
        closing = threading.Thread(target=partial(pool.shutdown, cancel_futures=True), daemon=True)
        closing.start()
        closing.join(LAST_SECONDS)  # nobody waits for ever for a pool whose processes were killed
        raise
    pool.shutdown(wait=True)


def _end(children: Iterable[BaseProcess]) -> None:
    for child in children:
        child.terminate()
    for child in children:
        child.join(LAST_SECONDS)
        if child.is_alive():
            child.kill()
            child.join(LAST_SECONDS)


@contextmanager
def sheltered() -> Iterator[None]:
    """Start processes in this block that never see Ctrl-C, and keep to one thread each."""
    saved = {name: os.environ.get(name) for name in _ONE_THREAD}
    with _without_interrupts():
        os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))
        try:
            yield
        finally:
            for name, value in saved.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Hold Ctrl-C back until the block has ended.

    The mask is for the processes that inherit it. It does not hold the signal off this process, where any other thread
    may receive it and Python still runs the handler here: so that is another one meanwhile.
    """
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    usual = signal.signal(signal.SIGINT, lambda number, frame: came.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, signal.default_int_handler if usual is None else usual)
        if came:
            signal.raise_signal(signal.SIGINT)


def _settle_in() -> None:
    """Prepare a new process: ignore Ctrl-C, and end when the parent ends, however that happens."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_leave_after, args=(parent,), daemon=True).start()


def _leave_after(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)

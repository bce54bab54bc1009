"""Worker processes that leave nothing behind.

None survives its parent, and only the parent handles Ctrl-C.
"""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures.process import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.process import BaseProcess

LAST_SECONDS = 2.0
"""What a process that was told to end has for it before it is killed."""

MOST_PROCESSES = 61 if sys.platform == "win32" else 1024
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")


def new_pool(jobs: int) -> ProcessPoolExecutor:
    """Make a pool of processes that settle in; each is begun when it is needed, which must be in a shelter."""
    return ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), initializer=_settle_in)


def end_processes(processes: Iterable[BaseProcess]) -> None:
    """End processes at once, whatever they are at."""
    for process in processes:
        process.terminate()
    for process in processes:
        process.join(LAST_SECONDS)
        if process.is_alive():
            process.kill()
            process.join(LAST_SECONDS)


@contextmanager
def sheltered() -> Iterator[None]:
    """Start processes in this block that never see Ctrl-C, and keep to one thread each.

    Nor do those see it that a thread starts which was begun in the block.
    """
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
    resource_tracker.ensure_running()  # a thread that begins it unblocks Ctrl-C for all that it starts afterwards
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

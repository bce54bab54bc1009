"""Locks on a file or a folder against other processes."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mechdesign.errors import InputError

LOCK_SECONDS = 30.0
"""How long somebody else is waited for."""


@contextmanager
def locked(path: Path, name: str, why: str, seconds: float | None = None) -> Iterator[int]:
    """Lock a file or a folder; the lock goes with the process, however that ends. Yields its descriptor.

    Args:
        path: what is locked.
        name: what errors call it.
        why: for what somebody else has it.
        seconds: how long somebody else is waited for; `LOCK_SECONDS` by default.

    Raises:
        InputError: where somebody else still has it then.
    """
    handle = os.open(path, os.O_RDONLY)
    try:
        _wait_for(handle, f"{name} must be free, got {path}, {why}", LOCK_SECONDS if seconds is None else seconds)
        yield handle
    finally:
        os.close(handle)


def _wait_for(handle: int, refusal: str, seconds: float) -> None:
    try:
        import fcntl
    except ImportError:  # not on Windows
        return
    last = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > last:
                raise InputError(refusal) from None
            time.sleep(0.1)

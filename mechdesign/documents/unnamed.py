"""Files without a name until they are whole, so that a killed process leaves nothing."""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO, TextIO

OWNER_ONLY = 0o600


def appear(target: Path, content: bytes) -> bool:
    """Let a new file appear as a whole, for its owner only from its first moment; one that is there already stays.

    Tells whether it is new; then it is forced to the disk.

    Raises:
        OSError: where it cannot be written.
    """
    try:
        with unnamed_file(target.parent) as (handle, give_name):
            with open(handle, "wb", closefd=False) as stream:
                stream.write(content)
                force_to_disk(stream)
            give_name(target)
    except FileExistsError:
        return False
    finally:
        sync_folder(target.parent)
    return True


_IS_SCRATCH = ContextVar("is_scratch", default=False)


@contextmanager
def scratch_files() -> Iterator[None]:
    """Write without waiting for the disk until the block ends: the files go with this process, and need not last."""
    earlier = _IS_SCRATCH.set(True)
    try:
        yield
    finally:
        _IS_SCRATCH.reset(earlier)


def force_to_disk(stream: TextIO | BinaryIO) -> None:
    """Force what was written onto the disk, so that a full one is found out now."""
    stream.flush()
    if not _IS_SCRATCH.get():
        os.fsync(stream.fileno())


def sync_folder(folder: Path) -> None:
    """Make new names in a folder last; where it cannot be opened (Windows) the system sees to it."""
    if _IS_SCRATCH.get():
        return
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def unnamed_file(folder: Path) -> Iterator[tuple[int, Callable[[Path], None]]]:
    """Open a new file for its owner only; yield its handle, and a function that gives it a name that is not there yet.

    It has no name before. Where the system has no such files, it has a hidden one, which goes at the end.

    Raises:
        OSError: where the folder cannot be written.
    """
    handle = _without_name(folder)
    if handle is not None:
        try:
            os.fchmod(handle, OWNER_ONLY)  # whatever the umask left of it
            # with a folder given, though none is needed, the link that /proc has to the file is followed
            yield handle, lambda target: os.link(f"/proc/self/fd/{handle}", target, src_dir_fd=handle)
        finally:
            os.close(handle)
        return
    handle, name = tempfile.mkstemp(prefix=".unfinished.", dir=folder)
    try:
        os.chmod(name, OWNER_ONLY)
        yield handle, lambda target: _rename_new(Path(name), target)
    finally:
        os.close(handle)
        Path(name).unlink(missing_ok=True)


def _rename_new(path: Path, target: Path) -> None:
    """Rename a file to a name that is not there yet; some file systems have no links, by which this is certain."""
    try:
        os.link(path, target)
    except FileExistsError:
        raise
    except OSError:
        if target.exists():
            raise FileExistsError(target) from None
        path.rename(target)


def _without_name(folder: Path) -> int | None:
    flag = getattr(os, "O_TMPFILE", None)
    if flag is None or not os.path.exists("/proc/self/fd"):
        return None
    try:
        return os.open(folder, flag | os.O_RDWR, OWNER_ONLY)
    except OSError:  # a file system without
        return None

"""The journal of finished designs, by which a stopped sweep goes on.

A design is on the disk before the next is looked at. Each line is a JSON object: first what the file is, then one line
for each finished design, `{"key", "time_limit", "row"}`. Rows are found again by their key, which names the whole
problem, the solver and the version: a journal may hold rows of other sweeps, which are left alone. A line that was cut
off, or that is no row, counts as not written.
"""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from io import FileIO
from pathlib import Path

from mechdesign.documents.json_text import unique_keys
from mechdesign.documents.unnamed import force_to_disk
from mechdesign.errors import InputError
from mechdesign.sweeps.worker import SweepRow, Task, row_from

FORMAT = "mechdesign-sweep/1"
_HEADER = json.dumps({"format": FORMAT}).encode() + b"\n"


def journal_path(output: Path) -> Path:
    """Return the path of a table's journal, beside the table."""
    return output.with_name(f"{output.name}.journal")


class Journal:
    """The rows of an open journal file; `open_journal` makes one."""

    def __init__(self, path: Path, stream: FileIO) -> None:
        self.path = path
        self._stream = stream
        self._entries: dict[str, tuple[float | None, SweepRow]] = {}

    def load(self) -> None:
        """Read what the file holds, and cut a torn last line off so that the next one starts afresh.

        Raises:
            InputError: if the file is something else.
        """
        self._entries.clear()
        self._stream.seek(0)
        content = self._stream.read()
        whole = content[: content.rfind(b"\n") + 1]
        if not whole and _HEADER.startswith(content):  # new, or killed while it was being made
            self._stream.truncate(0)
            self._write(_HEADER)
            return
        if not whole.startswith(_HEADER):
            raise InputError(f"journal must be one of {FORMAT}, got another file in {self.path}; move it away")
        self._stream.truncate(len(whole))
        for line in whole.split(b"\n")[1:-1]:
            self._take(line)

    def _take(self, line: bytes) -> None:
        try:
            entry = json.loads(line, object_pairs_hook=unique_keys)
        except (ValueError, RecursionError):
            return
        row = row_from(entry.get("row")) if isinstance(entry, dict) else None
        if row is None or not isinstance(entry.get("key"), str):
            return
        limit = entry.get("time_limit")
        self._entries[entry["key"]] = (limit if isinstance(limit, float) else None, row)

    def rows_for(self, tasks: Sequence[Task]) -> dict[str, SweepRow]:
        """Return the finished rows of these tasks, by key. A failure under another time limit is not finished."""
        found = {}
        for task in tasks:
            limit, row = self._entries.get(task.key, (None, None))
            if row is not None and (not row.failed or limit == _as_float(task.time_limit)):
                found[task.key] = row
        return found

    def has_other_rows(self, tasks: Sequence[Task]) -> bool:
        """Return whether there are rows of designs that are not among these tasks."""
        return bool(self._entries.keys() - {task.key for task in tasks})

    def append(self, task: Task, row: SweepRow) -> None:
        """Write a finished row to the disk."""
        limit = _as_float(task.time_limit)
        line = json.dumps({"key": task.key, "time_limit": limit, "row": asdict(row)}) + "\n"
        self._write(line.encode())
        self._entries[task.key] = (limit, row)

    def discard(self, tasks: Sequence[Task]) -> bool:
        """Remove the file once the table of these tasks is written, unless a task failed or rows of others are in it.

        Returns:
            True when the file is kept.
        """
        solved = {key for key, (_, row) in self._entries.items() if not row.failed}
        if solved == {task.key for task in tasks}:
            self.path.unlink(missing_ok=True)
            return False
        return True

    def close(self) -> None:
        """Close the file, and remove it if it holds no row."""
        if self._stream.seek(0, os.SEEK_END) <= len(_HEADER):
            self.path.unlink(missing_ok=True)
        self._stream.close()

    def _write(self, line: bytes) -> None:
        try:
            while line:
                line = line[self._stream.write(line) :]
            force_to_disk(self._stream)
        except OSError as error:
            raise InputError(f"journal could not be written: {self.path} ({error.strerror})") from None


def _as_float(limit: float | None) -> float | None:
    return None if limit is None else float(limit)


@contextmanager
def open_journal(path: Path) -> Iterator[Journal]:
    """Open the journal at a path, made if it is not there, for this process alone.

    Raises:
        InputError: if the file is something else, cannot be written, or is in use by another sweep.
    """
    try:
        stream = path.open("a+b", buffering=0)
    except OSError as error:
        raise InputError(f"journal must be a writable file, got {path} ({error.strerror})") from None
    with stream:
        _lock(stream, path)
        journal = Journal(path, stream)
        journal.load()
        try:
            yield journal
        finally:
            journal.close()


def _lock(stream: FileIO, path: Path) -> None:
    """Lock the journal: two sweeps at once would each do the work of both. The lock ends with the process."""
    if sys.platform == "win32":
        return
    import fcntl

    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError(f"journal must belong to one sweep at a time, got {path}, which another is using") from None
    except OSError:  # a file system without locks
        return

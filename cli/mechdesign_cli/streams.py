"""Standard output and standard error, whose failures are told from those of other files.

A full output is foreseen, and ends the command by a `PrintError`. Standard error has remarks alone: where it takes
nothing more, they are lost, and the command keeps its own verdict.
"""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO, cast


class PrintError(Exception):
    """The error when standard output takes nothing more; the text says why."""


class _Stream:
    """A text stream that gives up its file when that fails, so that Python's own last flush does not fail as well."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except OSError as error:
            self._give_up(error)
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError as error:
            self._give_up(error)

    def _give_up(self, _error: OSError) -> None:
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())
        except (OSError, ValueError):
            self._stream = io.StringIO()


class _Output(_Stream):
    """Standard output: it fails again whenever it is flushed, since a library may have passed over the first time."""

    _failed: OSError | None = None

    def flush(self) -> None:
        if self._failed is not None:
            self._tell(self._failed)
        super().flush()

    def _give_up(self, error: OSError) -> None:
        super()._give_up(error)
        self._failed = error
        self._tell(error)

    def _tell(self, error: OSError) -> None:
        if isinstance(error, BrokenPipeError):
            raise error
        raise PrintError(error.strerror or str(error)) from error


@contextmanager
def guarded() -> Iterator[None]:
    """Put both in place while a command runs; a stream that the caller has closed is one that nobody reads."""
    output, remarks = sys.stdout or io.StringIO(), sys.stderr or io.StringIO()
    sys.stdout, sys.stderr = cast(TextIO, _Output(output)), cast(TextIO, _Stream(remarks))
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(PrintError, OSError, ValueError):
                stream.flush()
        sys.stdout, sys.stderr = output, remarks

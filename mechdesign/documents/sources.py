"""Sources of tables, read row by row, with the progress of reading."""

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mechdesign.documents.csv_rows import Cells, read_rows
from mechdesign.documents.files import FilePath, require_readable
from mechdesign.documents.parquet_rows import SUFFIX, parquet_rows
from mechdesign.errors import InputError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


CHUNK = 1 << 16
"""Bytes that are read at once."""


class Position:
    """The progress of reading: bytes of a file, rows of a data set."""

    def __init__(self) -> None:
        self.read = 0


@dataclass(frozen=True)
class Source:
    """Rows, what they are called, and how far reading has come."""

    header: Cells
    rows: Iterator[Cells]
    name: str
    total: int
    position: Position


Tap = Callable[[bytes], object]
"""Shown every byte of a file in the order in which it is read."""


def taps(*each: Tap) -> Tap:
    """Return a tap that shows what is read to each of these."""

    def tap(data: bytes) -> None:
        for one in each:
            one(data)

    return tap


@contextmanager
def open_table(path: Path, tap: Tap = len, strict: bool = False) -> Iterator[Source]:
    """Open a CSV file with a header, or a Parquet file; nothing but the current rows is kept in memory.

    Unless it is `strict`, a byte order mark, blanks around names of the header, and blank last rows are passed over,
    and a file that ends in `.parquet` is Parquet, which the tap is shown before any of its rows.

    Raises:
        InputError: for a file that cannot be read, is empty, or is no CSV or Parquet.
    """
    require_readable(path)
    try:
        raw = path.open("rb", buffering=0)
    except OSError as error:
        raise InputError(f"input must be a readable file, got {path} ({error.strerror})") from None
    position, total = Position(), path.stat().st_size
    if path.suffix.lower() == SUFFIX and not strict:
        with raw, io.BufferedReader(raw) as file:
            while data := file.read(CHUNK):
                tap(data)
            file.seek(0)

            def progress(share: float) -> None:
                position.read = round(share * total)

            yield Source(*parquet_rows(file, str(path), progress), str(path), total, position)
        return
    tapped = io.BufferedReader(_Tapped(raw, position, tap), CHUNK)
    with raw, io.TextIOWrapper(tapped, encoding="utf-8" if strict else "utf-8-sig", newline="") as text:
        header, rows = read_rows(text, str(path), strict)
        yield Source(header, rows, str(path), total, position)


@contextmanager
def open_csv(path: FilePath, name: str = "input") -> Iterator[tuple[Cells, Iterator[Cells]]]:
    """Open a small CSV file, and read its header and its rows; `name` is what an error calls it.

    Raises:
        InputError: for a file that cannot be read, is empty, or is no CSV.
    """
    require_readable(path)
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as stream:
            yield read_rows(stream, str(path))
    except OSError as error:
        raise InputError(f"{name} must be a readable file, got {path} ({error.strerror})") from None


class _Tapped(io.RawIOBase):
    """A file that counts its bytes, and shows them to a tap, as they are read."""

    def __init__(self, raw: io.FileIO, position: Position, tap: Tap) -> None:
        self.raw, self.position, self.tap = raw, position, tap

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        view = memoryview(buffer)
        count = self.raw.readinto(view)
        self.position.read += count
        self.tap(bytes(view[:count]))
        return count

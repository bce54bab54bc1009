"""Read tables row by row, telling how far reading has come, and mechanisms for counts."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mechdesign.documents.csv_rows import Cells, read_rows
from mechdesign.errors import InputError


class Position:
    """How much of the source was read; files count bytes, data sets rows."""

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


@contextmanager
def open_table(path: Path) -> Iterator[Source]:
    """Open a CSV file with a header; nothing but the current rows is kept in memory."""
    try:
        raw = path.open("rb")
    except OSError as error:
        raise InputError(f"input must be a readable file, got {path} ({error.strerror})") from None
    with raw, io.TextIOWrapper(raw, encoding="utf-8-sig", newline="") as text:
        header, rows = read_rows(text, str(path))
        position = Position()
        yield Source(header, _tracked(rows, raw, position), str(path), path.stat().st_size, position)


def _tracked(rows: Iterator[Cells], raw: io.BufferedReader, position: Position) -> Iterator[Cells]:
    tells = raw.seekable()
    for number, row in enumerate(rows):
        if tells and number % 4096 == 0:
            position.read = raw.tell()
        yield row

"""Rows of files in the style of the UCI archive: cells, no header, remarks after a bar."""

import csv
from collections.abc import Iterator

from mechdesign.errors import InputError


def numbered_rows(content: bytes, width: int, source: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each row with its number, counted from 1; blank lines and lines that begin with `|` do not count.

    Raises:
        InputError: naming the row that does not have `width` cells.
    """
    lines = content.decode("utf-8", errors="replace").splitlines()
    rows = (row for row in csv.reader(lines, skipinitialspace=True) if row and not row[0].startswith("|"))
    for number, row in enumerate(rows, start=1):
        if len(row) != width:
            raise InputError(f"row {number} of {source} must have {width} cells, got {len(row)}")
        yield number, row

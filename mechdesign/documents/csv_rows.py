"""Rows of CSV streams: columns and whole numbers in them, and one-line errors."""

import csv
import re
from collections.abc import Collection, Iterator
from typing import TextIO

import numpy as np

from mechdesign.errors import InputError, argument, quote, shorten

LONGEST_LINE = 1 << 25
Cells = list[str]

_LIKE_A_VALUE = re.compile(r"\s*([-+.]*\d|$)")
"""A cell that begins like a number, or is blank."""


def csv_rows(stream: TextIO, source: str) -> Iterator[list[str]]:
    """Read the rows of a CSV stream, and report binary, unreadable and malformed ones in one line.

    A quote that is never closed is malformed.
    """
    rows = csv.reader(_text_lines(stream, source), strict=True)
    try:
        yield from rows
    except UnicodeDecodeError:
        raise InputError(f"file must be text in UTF-8, got {source}, which is not; save it as CSV UTF-8") from None
    except csv.Error as error:
        raise InputError(f"file must be CSV, got {source}: {error} in line {rows.line_num}") from None
    except OSError as error:
        raise InputError(f"file must be readable, got {source} ({error.strerror})") from None


def _text_lines(stream: TextIO, source: str) -> Iterator[str]:
    while line := stream.readline(LONGEST_LINE):
        if "\0" in line:
            raise InputError(f"file must be text, got {source}, which is binary")
        if len(line) == LONGEST_LINE:
            raise InputError(f"lines must be shorter than {LONGEST_LINE} characters, got a longer one in {source}")
        yield line


def column_position(
    header: Cells, name: str, source: str, asked_by: str | None = None, values: Collection[str] = ()
) -> int:
    """Find where a name stands in a header; it must stand there once.

    Args:
        header: the names.
        name: the one that is asked for.
        source: what errors call the table.
        asked_by: the argument that named it.
        values: texts that the column holds; a first line that has one is no header.
    """
    if header.count(name) != 1:
        asked = "" if asked_by is None else f", which {argument(asked_by)} asks for"
        names = f"(columns: {listed_names(header, values)})"
        if name not in header:
            raise InputError(f"{source} has no column {quote(name)}{asked} {names}")
        raise InputError(f"{source} must have one column {quote(name)}{asked}, got {header.count(name)} {names}")
    return header.index(name)


def listed_names(header: Cells, values: Collection[str] = ()) -> str:
    """List the names of a header for a message.

    The first line of a file without a header has values of a person: it is not repeated where a cell looks like one, or
    is one of the values that are known.
    """
    if any(map(_LIKE_A_VALUE.match, header)) or not set(values).isdisjoint(header):
        return "the first line seems to be no header"
    return shorten(", ".join(header), 200)


def read_rows(stream: TextIO, source: str, strict: bool = False) -> tuple[Cells, Iterator[Cells]]:
    """Read header and data rows of a CSV stream, and report ragged, blank, binary and broken rows in one line.

    Blanks around the names of a header and blank rows at the end are passed over, unless it is `strict`.
    """
    rows = csv_rows(stream, source)
    header = next(rows, None)
    if not header:
        raise InputError(f"file must have a header and rows, got an empty one: {source}")
    if len(header) == 1 and ";" in header[0]:
        raise InputError(f"cells must be separated by commas, got semicolons in {source}")
    names = header if strict else [name.strip() for name in header]
    return names, _checked(rows, len(header), source, strict)


def _checked(rows: Iterator[Cells], width: int, source: str, strict: bool) -> Iterator[Cells]:
    blank = None
    for number, row in enumerate(rows, start=1):
        if not row:
            blank = blank or number
            if not strict:
                continue
        if blank is not None:
            raise InputError(f"row {blank} of {source} must not be blank")
        if len(row) != width:
            raise InputError(f"row {number} of {source} must have {width} cells like the header, got {len(row)}")
        yield row


def whole_numbers(
    texts: list[str], name: str, done: int, source: str
) -> "np.ndarray[tuple[int, ...], np.dtype[np.int64]]":
    """Parse the integers that some cells spell; the first is in row `done + 1` of the source.

    Raises:
        InputError: naming the row of another text, which is not repeated: it may be about a person.
    """
    stripped = [text.strip() for text in texts]
    if not all(map(_is_whole, stripped)):
        k = next(k for k, text in enumerate(stripped) if not _is_whole(text))
        got = "another" if stripped[k] else "none"
        raise InputError(f"{name} must be a whole number of at least 0, got {got} in row {done + k + 1} of {source}")
    return np.array(list(map(int, stripped)), dtype=np.int64)


def _is_whole(text: str) -> bool:
    return text.isdecimal() and text.isascii() and len(text) <= 18


def require_at_most(counts: np.ndarray, limits: np.ndarray, done: int, source: str, limit: str) -> None:
    """Refuse counts above their limits, naming the first row where one is."""
    above = counts > limits
    if above.any():
        k = int(np.argmax(above))
        raise InputError(f"count must be at most {limit}, got more in row {done + k + 1} of {source}")

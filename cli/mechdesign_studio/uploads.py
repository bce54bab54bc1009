"""Uploads of a page, kept until it takes them back or the studio ends."""

import codecs
import csv
import os
import re
import secrets
import shutil
from collections import OrderedDict
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mechdesign.errors import InputError, quote, shorten

LARGEST = 256 * 2**20
ALL_TOGETHER = 2**30
MOST = 100
"""Bytes of one upload, bytes of all that are there at a time, and how many these are."""

HEADER_BYTES = 65_536
MOST_COLUMNS = 1_000
LONGEST_NAME = 120
LONGEST_SUFFIX = 16
TABLES = (".csv", ".tsv")
NUMBER = re.compile(r"\s*[-+]?[0-9]+([.][0-9]+)?\s*")
NO_UTF8 = "Its text is not UTF-8. Read it as Latin-1, or save it again as CSV UTF-8."


@dataclass(frozen=True)
class Upload:
    """One file: its id, its name, where it lies, its size, and a table's column names, or why it has none.

    `doubt` says that the header looks like data. `is_utf8` is False for a table whose beginning is no UTF-8: the page
    offers to read it as Latin-1.
    """

    id: str
    name: str
    path: Path
    bytes: int
    columns: tuple[str, ...] | str
    is_utf8: bool = True
    doubt: str | None = None

    def document(self) -> dict[str, Any]:
        """Describe it for the page."""
        header = {"columns": None, "why": self.columns} if isinstance(self.columns, str) else {"columns": self.columns}
        return {
            "upload": self.id,
            "name": self.name,
            "bytes": self.bytes,
            "utf8": self.is_utf8,
            "doubt": self.doubt,
            **header,
        }


class Uploads:
    """All uploads, in a folder; where there are too many, those go first that were not used for longest."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._kept: OrderedDict[str, Upload] = OrderedDict()
        self._arriving = 0

    def use(self, upload: str) -> Upload | None:
        """Return the upload of an id, None where there is none."""
        if upload in self._kept:
            self._kept.move_to_end(upload)
        return self._kept.get(upload)

    def names(self) -> dict[str, str]:
        """Return the name of each upload by its id."""
        return {upload.id: upload.name for upload in self._kept.values()}

    async def add(self, name: str, content: AsyncIterator[bytes]) -> Upload:
        """Keep a file; its bytes go to the disk as they come.

        Raises:
            InputError: for a name that is none, and where the file is too large.
        """
        called = plain_name(name)
        path = self._folder / secrets.token_urlsafe(12)
        size = 0
        try:
            with path.open("xb") as stream:
                async for piece in content:
                    size += len(piece)
                    self._arriving += len(piece)
                    self._make_room(size)
                    stream.write(piece)
        except BaseException as error:
            path.unlink(missing_ok=True)
            if isinstance(error, OSError) and error.strerror:
                raise InputError(f"upload must fit on the disk, got {called} ({error.strerror})") from None
            raise
        finally:
            self._arriving -= size
        return self._keep(path, called, size)

    def copy(self, path: Path) -> Upload:
        """Keep a copy of a file of this machine's.

        Raises:
            InputError: where it cannot be read or is too large.
        """
        kept = self._folder / secrets.token_urlsafe(12)
        try:
            self._make_room(path.stat().st_size)
            shutil.copyfile(path, kept)
        except OSError as error:
            raise InputError(f"file must be readable, got {path} ({error.strerror})") from None
        return self._keep(kept, plain_name(path.name), kept.stat().st_size)

    def remove(self, upload: str) -> bool:
        """Forget an upload, and say whether there was one; jobs that have begun with it still have it."""
        found = self._kept.pop(upload, None)
        if found is not None:
            found.path.unlink(missing_ok=True)
        return found is not None

    def _keep(self, path: Path, name: str, size: int) -> Upload:
        columns = _columns(path, name)
        upload = Upload(path.name, name, path, size, columns, columns != NO_UTF8, _doubt(path, columns))
        self._kept[upload.id] = upload
        self._make_room(0)
        return upload

    def _make_room(self, size: int) -> None:
        """Refuse a file that is too large, and let go of the oldest ones where all are too much."""
        if size > LARGEST:
            raise InputError(f"upload must have at most {LARGEST:,} bytes, got more; use the command line for it")
        while len(self._kept) > MOST or self._arriving + sum(kept.bytes for kept in self._kept.values()) > ALL_TOGETHER:
            if not self._kept:
                raise InputError(f"uploads must have at most {ALL_TOGETHER:,} bytes on their way, got more; wait")
            self.remove(next(iter(self._kept)))


def plain_name(name: str) -> str:
    """Make of a file's name one that is safe in any folder and on any command line, as like it as can be.

    >>> plain_name("../My people (2024).csv"), plain_name("-rf.csv")
    ('My people (2024).csv', 'rf.csv')
    """
    last = re.split(r"[/\\]", name)[-1]
    kept = "".join(c if c.isalnum() or c in "._-+() " else "_" for c in last).lstrip(".-+ ").rstrip(" .")
    if not kept:
        raise InputError(f"name must be that of a file, got name={quote(name)}")
    stem, suffix = os.path.splitext(kept)
    if len(suffix) > LONGEST_SUFFIX:
        stem, suffix = kept, ""
    while len(f"{stem}{suffix}".encode()) > LONGEST_NAME:
        stem = stem[:-1]
    return f"{stem}{suffix}"


def _columns(path: Path, name: str) -> tuple[str, ...] | str:
    """The cells of a table's first line; where the file is no such table, a sentence that says why."""
    if not name.lower().endswith(TABLES):
        return f"The name of a table must end in {' or '.join(TABLES)}."
    with path.open("rb") as stream:
        begin = stream.read(HEADER_BYTES)
    line, newline, _ = begin.replace(b"\r\n", b"\n").replace(b"\r", b"\n").partition(b"\n")
    if b"\0" in line:
        return "It holds no text."
    if not newline and len(begin) == HEADER_BYTES:
        return f"Its first line, the header, is longer than {HEADER_BYTES:,} bytes."
    try:
        codecs.getincrementaldecoder("utf-8")().decode(begin)  # the last letter may be cut
        cells = next(csv.reader([line.decode("utf-8-sig")], strict=True), [])
    except UnicodeDecodeError:
        return NO_UTF8
    except csv.Error:
        return "Its first line, the header, has a quotation mark that does not close."
    if not cells:
        return "Its first line, the header, is empty."
    return tuple(cells) if len(cells) <= MOST_COLUMNS else f"It has {len(cells):,} columns, more than {MOST_COLUMNS:,}."


def _doubt(path: Path, columns: tuple[str, ...] | str) -> str | None:
    """Say that names of columns, and what stands below them, are all numbers; None where it is not so."""
    if isinstance(columns, str) or not all(map(NUMBER.fullmatch, columns)):
        return None
    with path.open(encoding="utf-8", errors="replace") as stream:
        stream.readline()
        below = next(csv.reader([stream.readline(HEADER_BYTES)]), [])
    if not below or not all(map(NUMBER.fullmatch, below)):
        return None
    first = shorten(",".join(columns))
    return f"The first line, {first}, looks like data; a header line is expected. Its row is not counted."

"""Read the output of a release by the columns that its record names."""

import codecs
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from mechdesign.counts.release import CHUNK_ROWS
from mechdesign.documents.csv_rows import Cells, whole_numbers
from mechdesign.documents.sources import open_table
from mechdesign.errors import InputError
from mechdesign.ledgers.spellings import without_invisible
from mechdesign.releases.intervals import GroupIntervals
from mechdesign.releases.microdata import Name, in_public_order
from mechdesign.releases.record import ReleaseRecord

_PLAIN = re.compile(r"0|[1-9][0-9]{0,17}")
"""The one way in which a release writes a count, and a size of microdata."""


@dataclass(frozen=True)
class ReleasedCounts:
    """Hold the rows of an output.

    Attributes:
        header: of the file.
        sizes: of each row's group.
        released: the count of each row.
        names: of the groups, row by row, where units were counted, that of the region first; else none.
        intervals: of each row, where the record has intervals; else none.
        is_plain: whether the file is UTF-8 with line feeds, and no mark at its beginning.
    """

    header: tuple[str, ...]
    sizes: tuple[int, ...]
    released: tuple[int, ...]
    names: tuple[Name, ...]
    intervals: tuple[tuple[str, ...], ...]
    is_plain: bool

    @property
    def counts(self) -> dict[int, Counter[int]]:
        """How often each count was released, `counts[n][i]` times i among groups of n."""
        return _counted(zip(self.sizes, self.released, strict=True))

    @property
    def counts_by_region(self) -> dict[str, dict[int, Counter[int]]]:
        """The same of the groups of each region, in the order of the rows; none where groups have no regions."""
        rows: dict[str, list[tuple[int, int]]] = {}
        for name, size, count in zip(self.names, self.sizes, self.released, strict=bool(self.names)):
            if len(name) > 1:
                rows.setdefault(name[0], []).append((size, count))
        return {region: _counted(found) for region, found in rows.items()}

    @property
    def groups(self) -> dict[int, int]:
        """Number of groups of each size."""
        return dict(Counter(self.sizes))

    @property
    def outside(self) -> int | None:
        """The first row whose count is above its size, from 1."""
        rows = enumerate(zip(self.released, self.sizes, strict=True), start=1)
        return next((number for number, (count, size) in rows if count > size), None)

    def of_value(self, value: str) -> "ReleasedCounts":
        """Return the rows of one value of a category, whose groups are then those of a bit."""
        kept = [k for k, name in enumerate(self.names) if name[-1] == value]
        return replace(
            self,
            sizes=tuple(self.sizes[k] for k in kept),
            released=tuple(self.released[k] for k in kept),
            names=tuple(self.names[k][:-1] for k in kept),
            intervals=tuple(self.intervals[k] for k in kept),
        )

    def first_unfit(self, values: tuple[str, ...]) -> int | None:
        """The first row that is not of the value that stands in its place, or has another group or size, from 1."""
        rows = list(zip(self.names, self.sizes, strict=True))
        for k, (name, size) in enumerate(rows):
            first, n = rows[k - k % len(values)]
            if name[-1] != values[k % len(values)] or name[:-1] != first[:-1] or size != n:
                return k + 1
        return None if len(rows) % len(values) == 0 else len(rows)

    def wrong_interval(self, record: ReleaseRecord) -> int | None:
        """The first row whose interval is not the one that follows from its count, from 1."""
        if record.confidence is None:
            return None
        known = GroupIntervals(record, record.confidence)
        rows = enumerate(zip(self.sizes, self.released, self.intervals, strict=True), start=1)
        return next((k for k, (size, count, cells) in rows if tuple(map(str, known.of(size, count))) != cells), None)

    @property
    def again(self) -> int | None:
        """The first row whose group stood in one before, or has a name that no release writes, from 1.

        No name has a second spelling, as where microdata are read.
        """
        seen: set[Name] = set()
        spelled: dict[tuple[int, str], str] = {}
        for number, name in enumerate(self.names, start=1):
            for place, text in enumerate(name):
                known = without_invisible(text)
                if not known or not text.isprintable() or text.strip() != text:
                    return number
                if spelled.setdefault((place, known), text) != text:
                    return number
            if name in seen:
                return number
            seen.add(name)
        return None

    @property
    def is_sorted(self) -> bool:
        """Whether the groups stand in the public order."""
        return list(self.names) == in_public_order(self.names)


def read_output(record: ReleaseRecord, path: Path) -> ReleasedCounts:
    """Read an output in the form of FORMAT.md; it has no rows where its columns are not those of the record.

    Raises:
        InputError: for a file that is unusable, or has a cell that no release writes (naming its row).
    """
    form = _Form()
    sizes: list[int] = []
    released: list[int] = []
    names: list[Name] = []
    intervals: list[tuple[str, ...]] = []
    with open_table(path, form.see, strict=True) as source:
        header = tuple(source.header)
        while chunk := list(islice(source.rows, CHUNK_ROWS)):
            if header != record.columns:
                continue
            done = len(released)
            released += _plain_numbers(chunk, record.released_at, "released count", done, source.name)
            sizes += _sizes(record, chunk, done, source.name)
            intervals += [tuple(row[record.released_at + 1 :]) for row in chunk]
            parts = len(record.name_columns)
            names += [tuple(row[:parts]) for row in chunk] if parts else []
    return ReleasedCounts(header, tuple(sizes), tuple(released), tuple(names), tuple(intervals), form.is_plain)


def _counted(rows: Iterable[tuple[int, int]]) -> dict[int, Counter[int]]:
    counts: dict[int, Counter[int]] = {}
    for size, count in rows:
        counts.setdefault(size, Counter())[count] += 1
    return dict(sorted(counts.items()))


def _sizes(record: ReleaseRecord, chunk: list[Cells], done: int, source: str) -> list[int]:
    if record.size_column is None:
        return [next(iter(record.groups_by_size))] * len(chunk)
    at = record.columns.index(record.size_column)
    if record.group is not None:
        return _plain_numbers(chunk, at, "size", done, source)
    sizes: list[int] = whole_numbers([row[at] for row in chunk], "size", done, source).tolist()
    return sizes


def _plain_numbers(chunk: list[Cells], at: int, name: str, done: int, source: str) -> list[int]:
    """Parse whole numbers that are written as a release writes them.

    Raises:
        InputError: naming the row of the first other text, which is not repeated.
    """
    for number, row in enumerate(chunk, start=done + 1):
        if not _PLAIN.fullmatch(row[at]):
            raise InputError(
                f"{name} must be a whole number in decimal digits alone, without zeros or blanks before it, "
                f"got another text in row {number} of {source}"
            )
    return [int(row[at]) for row in chunk]


class _Form:
    """Look at the bytes of a file as they are read."""

    def __init__(self) -> None:
        self.first = b""
        self.returns = False

    def see(self, data: bytes) -> None:
        self.first = self.first or data[: len(codecs.BOM_UTF8)]
        self.returns = self.returns or b"\r" in data

    @property
    def is_plain(self) -> bool:
        return self.first != codecs.BOM_UTF8 and not self.returns

"""Read the output of a release by the columns that its record names."""

from collections import Counter
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from mechdesign.counts.release import CHUNK_ROWS
from mechdesign.documents.csv_rows import Cells, whole_numbers
from mechdesign.documents.sources import open_table
from mechdesign.releases.record import ReleaseRecord


@dataclass(frozen=True)
class ReleasedCounts:
    """Hold how often each count was released, `counts[n][i]` times i among groups of n, and the header."""

    header: tuple[str, ...]
    counts: dict[int, Counter[int]]

    @property
    def groups(self) -> dict[int, int]:
        """Number of groups of each size."""
        return {size: found.total() for size, found in self.counts.items()}

    def outside(self) -> tuple[int, int] | None:
        """Find a count that is above its size: (count, size)."""
        found = ((count, size) for size, counts in self.counts.items() for count in counts if count > size)
        return next(found, None)


def read_output(record: ReleaseRecord, path: Path) -> ReleasedCounts:
    """Count the released counts of a file; there are none where its columns are not those of the record.

    Raises:
        InputError: for a file that is unusable, or a cell that is no whole number (naming its row).
    """
    counts: dict[int, Counter[int]] = {}
    with open_table(path) as source:
        header = tuple(source.header)
        if header != record.columns:
            return ReleasedCounts(header, {})
        done = 0
        while chunk := list(islice(source.rows, CHUNK_ROWS)):
            released = whole_numbers([row[-1] for row in chunk], "released count", done, source.name).tolist()
            for size, count in zip(_sizes(record, chunk, done, source.name), released, strict=True):
                counts.setdefault(size, Counter())[count] += 1
            done += len(chunk)
    return ReleasedCounts(header, dict(sorted(counts.items())))


def _sizes(record: ReleaseRecord, chunk: list[Cells], done: int, source: str) -> list[int]:
    if record.size_column is None:
        return [record.sizes[0].size] * len(chunk)
    at = record.columns.index(record.size_column)
    sizes: list[int] = whole_numbers([row[at] for row in chunk], "size", done, source).tolist()
    return sizes

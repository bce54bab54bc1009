"""The output of a release, by the columns that its record names."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from mechdesign.counts.release import CHUNK_ROWS
from mechdesign.documents.sources import open_table
from mechdesign.releases.microdata import Name
from mechdesign.releases.record import ReleaseRecord


@dataclass(frozen=True)
class ReleasedCounts:
    """The rows of an output.

    Attributes:
        header: of the file.
        sizes: of each row's group.
        released: the count of each row.
        names: of the groups, row by row, where units were counted, that of the region first; else none.
    """

    header: tuple[str, ...]
    sizes: tuple[int, ...]
    released: tuple[int, ...]
    names: tuple[Name, ...]

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

    def of_value(self, value: str) -> "ReleasedCounts":
        """Return the rows of one value of a category, whose groups are then those of a bit."""
        kept = [k for k, name in enumerate(self.names) if name[-1] == value]
        return replace(
            self,
            sizes=tuple(self.sizes[k] for k in kept),
            released=tuple(self.released[k] for k in kept),
            names=tuple(self.names[k][:-1] for k in kept),
        )


def read_output(record: ReleaseRecord, path: Path) -> ReleasedCounts:
    """Read an output whose cells `verify` has judged; it has no rows where its columns are not those of the record.

    Raises:
        InputError: for a file that is unusable.
    """
    at = None if record.size_column is None else record.columns.index(record.size_column)
    sizes: list[int] = []
    released: list[int] = []
    names: list[Name] = []
    with open_table(path, strict=True) as source:
        header = tuple(source.header)
        while chunk := list(islice(source.rows, CHUNK_ROWS)):
            if header != record.columns:
                continue
            released += [int(row[record.released_at]) for row in chunk]
            sizes += [next(iter(record.groups_by_size)) if at is None else int(row[at]) for row in chunk]
            parts = len(record.name_columns)
            names += [tuple(row[:parts]) for row in chunk] if parts else []
    return ReleasedCounts(header, tuple(sizes), tuple(released), tuple(names))


def _counted(rows: Iterable[tuple[int, int]]) -> dict[int, Counter[int]]:
    counts: dict[int, Counter[int]] = {}
    for size, count in rows:
        counts.setdefault(size, Counter())[count] += 1
    return dict(sorted(counts.items()))

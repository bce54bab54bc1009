"""Frequencies of released counts: all that estimation needs of a table, read in chunks."""

from collections.abc import Iterable
from itertools import islice

import numpy as np

from mechdesign.counts.release import CHUNK_ROWS, RELEASED, Progress
from mechdesign.documents.csv_rows import Cells, column_position, listed_names, require_at_most, whole_numbers
from mechdesign.errors import InputError


def released_column(header: Cells, name: str | None, source: str) -> int:
    """Find where the released counts stand: under `name`, else under `released`, else in the only column.

    Raises:
        InputError: for a name that is missing or stands twice, or several columns to choose from.
    """
    if name is None and RELEASED not in header:
        if len(header) != 1:
            raise InputError(f"column must be named, got {len(header)} to choose from: {listed_names(header)}")
        return 0
    return column_position(header, RELEASED if name is None else name, source, None if name is None else "column")


def count_releases(
    rows: Iterable[Cells], column: int, n: int, source: str, progress: Progress = lambda rows: None
) -> tuple[int, ...]:
    """Count releases: `counts[i]` rows have the released count i, for i = 0..n.

    Raises:
        InputError: for a cell that is not a whole number in 0..n (naming its row), or an empty table.
    """
    counts = np.zeros(n + 1, dtype=np.int64)
    done = 0
    source_rows = iter(rows)
    while chunk := list(islice(source_rows, CHUNK_ROWS)):
        released = whole_numbers([row[column] for row in chunk], "count", done, source)
        require_at_most(released, np.full(len(released), n), done, source, f"the mechanism's n = {n}")
        counts += np.bincount(released, minlength=n + 1)
        done += len(chunk)
        progress(len(chunk))
    if not done:
        raise InputError(f"the input must have at least one row, got none in {source}")
    return tuple(counts.tolist())

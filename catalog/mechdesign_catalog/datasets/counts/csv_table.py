"""A table of one's own: a row for each person with a bit, or for each group with a count."""

from collections.abc import Iterable, Iterator, Sequence, Sized
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mechdesign.documents.csv_rows import Cells, column_position, listed_names, whole_numbers
from mechdesign.documents.sources import open_csv
from mechdesign.errors import InputError, shorten
from mechdesign.releases.microdata import BitColumn, CountedGroups, count_groups
from mechdesign_catalog.datasets.counts.counts_table import CountsTable
from mechdesign_catalog.datasets.counts.grouped import DataSet, require_group_size
from mechdesign_catalog.datasets.counts.people import People
from mechdesign_catalog.datasets.texts import column_texts

if TYPE_CHECKING:
    from narwhals import DataFrame

Filled = TypeVar("Filled", bound=Sized)


def open_table(
    table: object,
    *,
    bit: str | None = None,
    column: str | None = None,
    group: str | None = None,
    group_size: int | None = None,
) -> DataSet:
    """Read the people or the groups of a CSV file with a header, or of a table.

    Args:
        table: the file, or a table of pandas, polars or pyarrow in memory.
        bit: the column with a 0 or a 1 for each person. People are grouped in the order of the rows.
        column: the column with the true count of each group; the only column if neither is given.
        group: with `bit`, the column that names each person's group: rows with the same text belong together, wherever
            they stand; groups come in the order of their first row, and must be of one size.
        group_size: the only n that the file may be grouped by.

    Raises:
        InputError: naming the row or the group that does not fit.
    """
    if bit is not None and column is not None:
        raise InputError(f"one of bit and column must be given, got bit={bit} and column={column}")
    if group is not None and (bit is None or group_size is not None):
        raise InputError(f"group goes with bit and without group_size, got group={group}")
    if group_size is not None:
        require_group_size(group_size)
    with _opened(table, bit, [column, group]) as (header, rows, name, source):
        if bit is None:
            return CountsTable(name, _some(_counts(header, rows, column, source), source), group_size)
        if group is not None:
            return _by_name(count_groups(header, rows, bit, (group,), source), group, name, source)
        bits = BitColumn.find(bit, header, source)
        cells = (bits.read(row, number, source) for number, row in enumerate(rows, start=1))
        return People(name, _some(np.frombuffer(bytearray(cells), dtype=np.bool_), source), group_size)


@contextmanager
def _opened(
    table: object, bit: str | None, others: Sequence[str | None]
) -> Iterator[tuple[Cells, Iterable[Cells], str, str]]:
    """Read header and rows, and return with them the name of the table and what errors call it."""
    if isinstance(table, str | Path):
        path = Path(table)
        with open_csv(path) as (header, rows):
            yield header, rows, path.name, str(path)
    else:
        from mechdesign.documents.frames import SOURCE, open_frame

        frame = open_frame(table)
        of_bits = None if bit is None else BitColumn.find(bit, frame.columns, SOURCE).name
        yield frame.columns, _rows(frame, [of_bits, *others]), SOURCE, SOURCE


def _rows(frame: "DataFrame[Any]", names: Sequence[str | None]) -> Iterator[Cells]:
    """Read the rows of a table, without the cells of columns that nobody named, unless there is only one."""
    wanted = [name for name in frame.columns if name in names or len(frame.columns) == 1]
    columns = {name: column_texts(frame[name].to_native(), f"column {name} of the table") for name in wanted}
    blank = [""] * len(frame)
    return map(list, zip(*(columns.get(name, blank) for name in frame.columns), strict=True))


def _counts(header: Cells, rows: Iterable[Cells], column: str | None, source: str) -> NDArray[np.int64]:
    if column is None and len(header) > 1:
        raise InputError(
            f"bit or column must be given, got neither; the columns of {source} are: {listed_names(header)}"
        )
    at = 0 if column is None else column_position(header, column, source, "column")
    return whole_numbers([row[at] for row in rows], "count", 0, source)


def _some(values: Filled, source: str) -> Filled:
    if not len(values):
        raise InputError(f"the input must have at least one row, got none in {source}")
    return values


def _by_name(groups: CountedGroups, group: str, table: str, source: str) -> CountsTable:
    """Take groups in the order of their first rows; all must be of one size."""
    (first,), size = groups.names[0], groups.sizes[0]
    for (name,), other in zip(groups.names, groups.sizes, strict=True):
        if other != size:
            raise InputError(
                f"groups must be of one size, got {size} people in {group} {shorten(first)} "
                f"and {other} in {group} {shorten(name)} of {source}; mechdesign release takes groups of any sizes"
            )
    return CountsTable(table, np.array(groups.counts, dtype=np.int64), size)

"""Tables of true counts: counted from microdata, or given as counts."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mechdesign.counts.release import RELEASED, ReleaseColumns
from mechdesign.documents.csv_rows import Cells
from mechdesign.documents.sources import Source
from mechdesign.errors import InputError
from mechdesign.releases.microdata import count_categories, count_groups, group_columns
from mechdesign.releases.publishing import TrueCounts
from mechdesign.releases.record import SIZE
from mechdesign.releases.secret_key import InputDigest

READ_BETWEEN = 4096
"""Rows after which progress is told."""


@dataclass(frozen=True)
class InputColumns:
    """The columns of an input: those of microdata (`bit` or `category`, `group`, `unit_column`), or of a table.

    `unit` is what a row of microdata is. A table has `column` and `size`.
    """

    unit: str
    bit: str | None = None
    group: str | None = None
    unit_column: str | None = None
    column: str | None = None
    size: str | None = None
    category: str | None = None


def counted_table(
    source: Source,
    path: Path,
    asked: InputColumns,
    code: InputDigest | None,
    progress: Callable[[int], None],
) -> tuple[TrueCounts, tuple[int, ...]]:
    """Count the groups of microdata, and make the table that is published of them: names, size, released count.

    Of a category each group has a row for each value, in the order of the list, so that the columns are the same
    whatever the values are called.

    Args:
        source: the rows, one for each unit.
        path: of the file.
        asked: the columns of the bit, or of the category, and of the groups.
        code: of the bytes that are read.
        progress: told how far reading has come.

    Returns:
        The table, and the sizes of the groups.

    Raises:
        InputError: as `count_groups`, or where the group's column has a name that is needed.
    """
    assert asked.group is not None  # else it is a table
    named = group_columns(asked.group, source.header)
    for name in named:
        if name in (SIZE, RELEASED):
            raise InputError(f"group must be a column with another name than {name}, which the output has; rename it")
    rows = _told(source, progress)
    values: tuple[str, ...] = ()
    if asked.category is None:
        groups = count_groups(source.header, rows, asked.bit, named, source.name, asked.unit_column).in_public_order()
        counted, sizes, names = groups.counted, groups.sizes, list(named)
        found = zip(groups.names, groups.sizes, groups.counts, strict=True)
        table = [[*name, str(size), str(count)] for name, size, count in found]
    else:
        cells = count_categories(source.header, rows, asked.category, named, source.name, asked.unit_column)
        counted, sizes, values = cells.category.name, cells.sizes, cells.category.values
        names = [*named, counted]
        if counted in (SIZE, RELEASED):
            raise InputError(f"category must be a column with another name than {counted}, which the output has")
        table = [
            [*name, value, str(size), str(count)]
            for name, size, counts in zip(cells.names, sizes, cells.counts, strict=True)
            for value, count in zip(values, counts, strict=True)
        ]
    columns = ReleaseColumns([*names, SIZE, "" if values else counted], len(names) + 1, len(names), keep_true=False)
    made = TrueCounts(
        columns,
        table,
        f"the groups of {source.name}",
        counted=counted,
        values=values,
        group=named[-1],
        region=named[0] if len(named) > 1 else None,
        unit=asked.unit,
        unit_column=asked.unit_column,
        input_hmac=_result(code),
        input=path,
    )
    return made, sizes


def table_of_counts(
    source: Source,
    path: Path | None,
    columns: ReleaseColumns,
    unit: str,
    code: InputDigest | None = None,
    progress: Callable[[int], None] = lambda read: None,
) -> TrueCounts:
    """Take a table that has a true count in each row; all its other columns are published as they are."""
    counted = columns.header[columns.count]
    rows = _told(source, progress)
    return TrueCounts(columns, rows, source.name, counted, unit=unit, input_hmac=_result(code), input=path)


def _told(source: Source, progress: Callable[[int], None]) -> Iterator[Cells]:
    for number, row in enumerate(source.rows):
        if number % READ_BETWEEN == 0:
            progress(source.position.read)
        yield row


def _result(code: InputDigest | None) -> Callable[[], str | None]:
    return (lambda: None) if code is None else code.result

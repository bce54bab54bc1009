"""Make tables of true counts: from microdata, which is counted first, or from a table that has the counts."""

from collections.abc import Callable, Iterator
from pathlib import Path

from mechdesign.counts.release import RELEASED, ReleaseColumns
from mechdesign.documents.csv_rows import Cells
from mechdesign.documents.sources import Source
from mechdesign.errors import InputError
from mechdesign.releases.microdata import CountedGroups, count_groups, group_columns
from mechdesign.releases.publishing import TrueCounts
from mechdesign.releases.record import SIZE
from mechdesign.releases.secret_key import InputDigest

READ_BETWEEN = 4096
"""Rows after which progress is told."""


def counted_table(
    source: Source,
    path: Path,
    bit: str,
    group: str,
    unit: str,
    unit_column: str | None,
    code: InputDigest | None,
    progress: Callable[[int], None],
) -> tuple[TrueCounts, CountedGroups]:
    """Count the groups of microdata, and make the table that is published of them: names, size, released count.

    Args:
        source: the rows, one for each unit.
        path: of the file.
        bit: the column with a 0 or a 1, or `COLUMN=YES/NO`.
        group: the column of the groups' names, by which they are sorted, or `REGION,GROUP`.
        unit: what a row is: a person, a household.
        unit_column: the column in which no unit may stand twice.
        code: of the bytes that are read.
        progress: told how far reading has come.

    Raises:
        InputError: as `count_groups`, or where the group's column has a name that is needed.
    """
    named = group_columns(group, source.header)
    for name in named:
        if name in (SIZE, RELEASED):
            raise InputError(f"group must be a column with another name than {name}, which the output has; rename it")
    rows = _told(source, progress)
    groups = count_groups(source.header, rows, bit, named, source.name, unit_column).in_public_order()
    table = [
        [*name, str(size), str(count)]
        for name, size, count in zip(groups.names, groups.sizes, groups.counts, strict=True)
    ]
    columns = ReleaseColumns([*named, SIZE, groups.counted], len(named) + 1, len(named), keep_true=False)
    made = TrueCounts(
        columns,
        table,
        f"the groups of {source.name}",
        counted=groups.counted,
        group=named[-1],
        region=named[0] if len(named) > 1 else None,
        unit=unit,
        unit_column=unit_column,
        input_hmac=_result(code),
        input=path,
    )
    return made, groups


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

"""Report files: Parquet, with all that a server needs to read them.

The file's metadata has the header (`mechdesign`) and the task (`mechdesign.task`), both JSON. Rows are in groups of one
size, each with its digest: a file that was changed or cut off is found out, and several processes can share one.
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from mechdesign.documents.files import FilePath, require_readable, whole_binary_file
from mechdesign.documents.json_text import unique_keys
from mechdesign.errors import InputError, reason_of
from mechdesign_catalog.collection.reports.locations import Location
from mechdesign_catalog.collection.reports.report_columns import arrow_schema, dictionary_columns, from_arrow, to_arrow
from mechdesign_catalog.collection.reports.report_header import FORMAT, Header
from mechdesign_catalog.collection.reports.row_groups import group_digest, regrouped, rows_of_group
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.collection.tasks.task_oracle import task_oracle
from mechdesign_catalog.randomizers.reports.report_schema import ReportSchema
from mechdesign_catalog.randomizers.reports.reports import Reports, random_identity

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

KEY = b"mechdesign"
TASK_KEY = b"mechdesign.task"
TASKS_KEPT = 8
"""So many tasks are parsed once; the files of a collection have one."""


def write_reports(path: Path, header: Header, pieces: Iterable[Reports]) -> int:
    """Write reports piece by piece; the file appears whole at the end, or not at all. Returns the number of rows.

    Rows, digests and identity of the header are filled in.

    Raises:
        InputError: for no reports at all, reports of another oracle, or where the file cannot be written.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    report_schema, source = task_oracle(header.task).report_schema, iter(pieces)
    first = next(source, None)
    if first is None:
        raise InputError("the input must have at least one row, got none")
    schema, rows, digests = arrow_schema(report_schema), 0, []
    options = {"use_dictionary": dictionary_columns(report_schema), "compression": "none", "store_schema": False}
    with whole_binary_file(path) as stream, pq.ParquetWriter(stream, schema, **options) as parquet:
        for group in regrouped(map(report_schema.typed, chain([first], source)), rows_of_group(report_schema)):
            arrays = [to_arrow(column, group.columns[column.name]) for column in report_schema.columns]
            parquet.write_table(pa.Table.from_arrays(arrays, schema=schema), row_group_size=len(group))
            rows += len(group)
            digests.append(group_digest(report_schema, group))
        completed = replace(header, rows=rows, groups=tuple(digests), identity=_identity(header))
        task = json.dumps(header.task.body())
        parquet.add_key_value_metadata({KEY.decode(): completed.to_json(), TASK_KEY.decode(): task})
    return rows


def completed_header(header: Header, reports: Reports) -> Header:
    """Fill in what a header says of these reports: rows, digests and identity."""
    report_schema = task_oracle(header.task).report_schema
    groups = regrouped([report_schema.typed(reports)], rows_of_group(report_schema))
    digests = tuple(group_digest(report_schema, group) for group in groups)
    return replace(header, rows=len(reports), groups=digests, identity=_identity(header))


def _identity(header: Header) -> str:
    """Return the identity that the header has, or a new one unless a seed makes the reports again."""
    return header.identity or ("" if header.seed is not None else random_identity())


@dataclass(frozen=True, eq=False)
class OpenFile:
    """The groups of rows of an open file."""

    file: "pq.ParquetFile"
    name: str
    header: Header
    report_schema: ReportSchema

    def group(self, number: int) -> Reports:
        """Read one group of rows, checked against its digest.

        Raises:
            InputError: for a damaged file, or reports that are not those that the header was written for.
        """
        table = _read_group(self.file, number, self.name)
        if sorted(table.column_names) != sorted(self.report_schema.names):
            wanted, got = ", ".join(self.report_schema.names), ", ".join(table.column_names)
            raise InputError(f"reports must have the columns {wanted}, got {got} in {self.name}")
        columns = {
            column.name: from_arrow(column, table[column.name].combine_chunks(), self.name)
            for column in self.report_schema.columns
        }
        reports = Reports(self.header.task.parameters, columns)
        if group_digest(self.report_schema, reports) != self.header.groups[number]:
            raise InputError(f"the reports' digest must be that of the header, got changed reports in {self.name}")
        return reports

    def pieces(self) -> Iterator[Reports]:
        """Read all groups of rows, one after the other; errors as `group`."""
        return map(self.group, range(len(self.header.groups)))


def read_header(path: FilePath) -> Header:
    """Read the header of a file of reports; errors as `open_reports`."""
    with open_reports(Location.of(path)) as found:
        return found.header


def read_reports(path: FilePath) -> Iterator[Reports]:
    """Read the reports of a file, group of rows by group of rows; errors as `open_reports` and `OpenFile.group`."""
    with open_reports(Location.of(path)) as found:
        yield from found.pieces()


@contextmanager
def open_reports(location: Location) -> Iterator[OpenFile]:
    """Open a file of reports, with its header.

    Raises:
        InputError: for a file that is missing, cut off, of another kind, whose header was changed, or whose groups of
            rows are not those of the header.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    name = location.name
    if not location.is_address:
        require_readable(name)
    try:
        source = location.opened()
        file = pq.ParquetFile(source)
    except FileNotFoundError:
        raise InputError(f"file must exist, got {name}") from None
    except (OSError, ValueError, pa.ArrowException) as error:
        raise _unreadable(name, error) from None
    with source, file:
        metadata = file.metadata.metadata or {}
        if KEY not in metadata or TASK_KEY not in metadata:
            got = "none" if KEY not in metadata else "another header"
            raise InputError(f"reports must have a header of format {FORMAT}, got {got} in {name}")
        try:
            task, report_schema = _task(metadata[TASK_KEY])
        except InputError as error:
            raise InputError(f"{error} in the header of {name}") from None
        header = Header.from_json(metadata[KEY].decode("utf-8", errors="replace"), task, name)
        _require_groups(file.metadata, header, rows_of_group(report_schema), name)
        yield OpenFile(file, name, header, report_schema)


@lru_cache(maxsize=TASKS_KEPT)
def _task(text: bytes) -> tuple[Task, ReportSchema]:
    """Parse what a file says of its task."""
    try:
        body = json.loads(text.decode("utf-8", errors="replace"), object_pairs_hook=unique_keys)
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise InputError("task must be a JSON object, got another")
    task = Task.of_body(body)
    if task.body() != body:
        raise InputError("task must have the keys parameters and domain as REPORTS.md says, got others")
    return task, task_oracle(task).report_schema


def _require_groups(metadata: "pq.FileMetaData", header: Header, full: int, name: str) -> None:
    """Refuse a file whose rows are not those of the header, or not in groups of the size that the oracle states."""
    if metadata.num_rows != header.rows:
        raise InputError(f"{name} must have the {header.rows} rows of its header, got {metadata.num_rows}")
    wanted = -(-header.rows // full)
    if (metadata.num_row_groups, len(header.groups)) != (wanted, wanted):
        raise InputError(f"{name} must have {wanted} groups of {full} rows, got {metadata.num_row_groups}")
    for number in range(wanted - 1):
        if (rows := metadata.row_group(number).num_rows) != full:
            raise InputError(f"groups of rows must have {full} rows but the last, got {rows} in {name}")


def _read_group(file: "pq.ParquetFile", group: int, name: str) -> "pa.Table":
    import pyarrow as pa

    try:
        return file.read_row_group(group, use_threads=False)
    except (OSError, pa.ArrowException) as error:
        raise _unreadable(name, error) from None


def _unreadable(name: str, error: Exception) -> InputError:
    return InputError(
        f"reports must be a whole Parquet file of mechdesign local privatize, got {name} ({reason_of(error)})"
    )

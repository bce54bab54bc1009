"""Reports with byte strings in files: the same again, however they are cut; changed ones are found out."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mechdesign import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.collection.reports.report_columns import from_arrow, to_arrow
from mechdesign_catalog.collection.reports.report_files import (
    completed_header,
    read_header,
    read_reports,
    write_reports,
)
from mechdesign_catalog.collection.reports.report_header import Header
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.oracles import make_oracle
from mechdesign_catalog.oracles.ragged import Ragged
from mechdesign_catalog.oracles.reports import Reports, joined

ORACLE = make_oracle("hh", 64, Privacy(epsilon=1))
HEADER = Header(Task(ORACLE.parameters), seed=1)
STRINGS = ORACLE.wire.columns[1]
ROWS = [b"a", b"", b"bcd", b"ef", b"", b"ghijk"]


def reports_of(rows: list[bytes]) -> Reports:
    data = np.frombuffer(b"".join(rows), dtype=np.uint8) if any(rows) else np.zeros(0, dtype=np.uint8)
    column = Ragged(np.cumsum([0, *map(len, rows)]), data)
    return Reports(ORACLE.parameters, {"level": np.full(len(rows), 2, dtype=np.uint8), "report": column})


def rows_of(reports: Reports) -> list[bytes]:
    column = reports.columns["report"]
    assert isinstance(column, Ragged)
    return [column.data[a:b].tobytes() for a, b in pairwise(column.offsets.tolist())]


def digest(rows: list[bytes]) -> str:
    return completed_header(HEADER, reports_of(rows)).reports_digest


@pytest.mark.parametrize("cuts", [(), (1,), (2, 2, 5), (0, 6), (1, 2, 3, 4, 5)])
def test_byte_strings_come_back_however_they_are_cut(tmp_path: Path, cuts):
    whole, path = reports_of(ROWS), tmp_path / "r.parquet"
    ends = [0, *cuts, len(ROWS)]
    pieces = [whole[a:b] for a, b in pairwise(ends)]
    assert write_reports(path, HEADER, pieces) == 6
    assert read_header(path).reports_digest == digest(ROWS)
    again = joined(list(read_reports(path)))
    assert rows_of(again) == ROWS
    assert again.columns["level"].tolist() == [2] * 6


def test_no_bytes_at_all_come_back(tmp_path: Path):
    write_reports(tmp_path / "r.parquet", HEADER, [reports_of([b"", b""])])
    assert rows_of(joined(list(read_reports(tmp_path / "r.parquet")))) == [b"", b""]


def test_where_a_byte_string_ends_matters_to_the_digest():
    assert len({digest(rows) for rows in ([b"ab", b"c"], [b"a", b"bc"], [b"abc", b""], [b"ab", b"d"])}) == 4


def changed(path: Path, column: pa.Array) -> None:
    """The file with another column of reports, and the header as it was."""
    table = pq.read_table(path)
    with pq.ParquetFile(path) as file:
        metadata = file.metadata.metadata
    position = table.column_names.index("report")
    table = table.set_column(position, "report", column)
    pq.write_table(table.replace_schema_metadata(metadata), path)


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary()])
def test_files_of_either_binary_type_are_read(tmp_path: Path, kind):
    write_reports(path := tmp_path / "r.parquet", HEADER, [reports_of(ROWS)])
    changed(path, pa.array(ROWS, kind))
    assert rows_of(joined(list(read_reports(path)))) == ROWS


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pa.array([b"", b"a", *ROWS[2:]]), "the reports' digest must be that of the header, got changed reports in"),
        (pa.array([*ROWS[:-1], b"ghijl"]), "the reports' digest must be that of the header"),
        (pa.array([*ROWS[:-1], None]), "must not have missing cells, got some in column report of"),
        (pa.array(["a"] * 6), "must have byte strings, got string of .*r.parquet"),
        (pa.array([b"aa"] * 6, pa.binary(2)), r"must have byte strings, got fixed_size_binary\[2\] of"),
        (pa.array([1] * 6), "must have byte strings, got int64 of"),
    ],
)
def test_changed_byte_strings_are_found_out(tmp_path: Path, column: pa.Array, message: str):
    write_reports(path := tmp_path / "r.parquet", HEADER, [reports_of(ROWS)])
    changed(path, column)
    with pytest.raises(InputError, match=message):
        list(read_reports(path))


def test_a_header_without_all_rows_is_found_out(tmp_path: Path):
    write_reports(path := tmp_path / "r.parquet", HEADER, [reports_of(ROWS)])
    header, metadata = read_header(path), pq.ParquetFile(path).metadata.metadata
    table = pq.read_table(path).slice(0, 5)
    for told, message in ((header, "must have the 6 rows"), (replace(header, rows=5), "digest must be that")):
        pq.write_table(table.replace_schema_metadata({**metadata, b"mechdesign": told.to_json()}), path)
        with pytest.raises(InputError, match=message):
            list(read_reports(path))


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary()])
def test_a_slice_of_an_array_has_its_own_byte_strings(kind):
    column = from_arrow(STRINGS, pa.array(ROWS, kind).slice(2, 3), "r.parquet")
    assert rows_of(Reports({}, {"report": column})) == ROWS[2:5]
    assert to_arrow(STRINGS, column).to_pylist() == ROWS[2:5]

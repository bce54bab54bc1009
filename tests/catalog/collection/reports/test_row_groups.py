"""Groups of rows: of one size however reports come, each with its digest, in a file as in memory."""

import hashlib
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.collection.reports.batches import PrivateReports, ReportFile
from mechdesign_catalog.collection.reports.locations import Location
from mechdesign_catalog.collection.reports.report_files import open_reports, read_header, read_reports, write_reports
from mechdesign_catalog.collection.reports.report_header import Header
from mechdesign_catalog.collection.reports.row_groups import regrouped, rows_of_group
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.oracles import make_oracle
from mechdesign_catalog.oracles.reports import Reports, joined

ONE = Privacy(epsilon=1)
WIDE = make_oracle("oue", 100_000, ONE)
"""12,500 bytes a report: 256 rows in a group."""

ROWS = 600
FILES = [
    make_oracle("grr", 70_000, ONE),
    make_oracle("olh", 1000, ONE),
    make_oracle("hrr", 1000, ONE, t=3),
    make_oracle("dbitflip", 1000, ONE, d=5),
    make_oracle("hcms", 1000, ONE),
    make_oracle("hh", 64, ONE),
]


@pytest.fixture(scope="module")
def wide():
    return PrivateReports.of(Header(Task(WIDE.parameters), seed=1), WIDE.privatize(np.arange(ROWS), seeded_words(1)))


def same(one: Reports, other: Reports) -> bool:
    return one.parameters == other.parameters and all(
        np.array_equal(one.columns[name], other.columns[name]) for name in one.columns
    )


def test_groups_are_of_one_size_and_have_the_stated_digests(wide, tmp_path):
    """SHA-256 of the number of rows, 8 bytes, and of all bytes of the bits; over the groups, of these digests."""
    assert rows_of_group(WIDE.wire) == 256
    bits = wide.reports.arrays()["bits"]
    digests = [
        hashlib.sha256(len(part).to_bytes(8, "little") + part.tobytes()).digest()
        for part in (bits[:256], bits[256:512], bits[512:])
    ]
    assert wide.header.groups == tuple(digest.hex() for digest in digests)
    assert wide.header.reports_digest == hashlib.sha256(b"".join(digests)).hexdigest()
    wide.save(tmp_path / "r.parquet")
    assert read_header(tmp_path / "r.parquet") == wide.header
    found = pq.ParquetFile(tmp_path / "r.parquet").metadata
    assert [found.row_group(number).num_rows for number in range(found.num_row_groups)] == [256, 256, 88]


@pytest.mark.parametrize("cuts", [(1,), (256, 512), (255, 257, 511), (100, 200, 300, 400, 500), (0, 0, 600)])
def test_files_are_the_same_however_the_pieces_come(wide, tmp_path, cuts):
    ends = [0, *cuts, ROWS]
    pieces = [wide.reports[a:b] for a, b in pairwise(ends)]
    assert write_reports(path := tmp_path / "r.parquet", Header(Task(WIDE.parameters), seed=1), pieces) == ROWS
    assert read_header(path) == wide.header
    wide.save(tmp_path / "again.parquet")
    assert path.read_bytes() == (tmp_path / "again.parquet").read_bytes()


def test_single_groups_are_read_from_files_and_from_memory(wide, tmp_path):
    wide.save(path := tmp_path / "r.parquet")
    for batch in (ReportFile.at(path), wide):
        with batch.opened() as found:
            assert found.header == wide.header
            groups = [found.group(number) for number in (2, 0, 1)]
            assert list(map(len, groups)) == [88, 256, 256]
            assert same(joined([groups[1], groups[2], groups[0]]), wide.reports)
        assert list(map(len, batch.pieces())) == [256, 256, 88]


@pytest.mark.parametrize("oracle", FILES, ids=lambda oracle: oracle.name)
def test_columns_of_every_kind_come_back(oracle, tmp_path):
    reports = oracle.privatize(np.arange(200) % oracle.k, seeded_words(2))
    write_reports(path := tmp_path / "r.parquet", Header(Task(oracle.parameters)), [reports])
    found = joined(list(read_reports(path)))
    for name, column in reports.columns.items():
        again = found.columns[name]
        if isinstance(column, np.ndarray):
            assert again.dtype == column.dtype
            assert np.array_equal(again, column)
    assert oracle.wire.messages(found) == oracle.wire.messages(reports)


def rewritten(path, table, rows, **header):
    """The file with other rows or other groups, under its own header but for what is changed."""
    metadata = pq.ParquetFile(path).metadata.metadata
    changed = replace(read_header(path), **header).to_json()
    table = table.replace_schema_metadata({**metadata, b"mechdesign": changed})
    target = path.with_name("changed.parquet")
    pq.write_table(table, target, row_group_size=rows)
    return target


def test_groups_of_other_sizes_or_changed_rows_are_refused(wide, tmp_path):
    wide.save(path := tmp_path / "r.parquet")
    table, groups = pq.read_table(path), wide.header.groups
    assert len(list(read_reports(rewritten(path, table, 256)))) == 3
    for rows, message in ((600, "must have 3 groups of 256 rows, got 1"), (250, "must have 256 rows but the last")):
        with pytest.raises(InputError, match=message):
            read_header(rewritten(path, table, rows))
    with pytest.raises(InputError, match="must have 3 groups of 256 rows"):
        read_header(rewritten(path, table, 256, groups=groups[:2]))
    swapped = pa.concat_tables([table.slice(1, 1), table.slice(0, 1), table.slice(2)]).combine_chunks()
    target = rewritten(path, swapped, 256)
    with open_reports(Location.of(target)) as found:
        assert len(found.group(1)) == 256
        with pytest.raises(InputError, match=r"digest must be that of the header, got changed reports in .*changed"):
            found.group(0)
    with pytest.raises(InputError, match="must have the columns bits, got other in"):
        list(read_reports(rewritten(path, table.rename_columns(["other"]), 256)))
    with pytest.raises(InputError, match="must have the columns bits, got bits, bits in"):
        list(read_reports(rewritten(path, table.append_column(table.schema.field(0), table["bits"]), 256)))


def test_whole_numbers_in_wider_types_are_read(tmp_path):
    """A general tool may write whole numbers in types of its own; what counts are the numbers."""
    oracle = make_oracle("grr", 5, ONE)
    reports = oracle.privatize(np.arange(5), seeded_words(3))
    write_reports(path := tmp_path / "r.parquet", Header(Task(oracle.parameters)), [reports])
    wider = pa.table({"item": pa.array(reports.arrays()["item"].astype(np.int64))})
    assert same(joined(list(read_reports(rewritten(path, wider, 5)))), reports)
    for value in (300, -1):
        with pytest.raises(InputError, match=rf"item in 0\.\.4, got {value} in row 1 of .*changed.parquet"):
            list(read_reports(rewritten(path, pa.table({"item": pa.array([value, 1, 2, 3, 4])}), 5)))
    with pytest.raises(InputError, match="item must have whole numbers, got double of"):
        list(read_reports(rewritten(path, pa.table({"item": pa.array([0.5] * 5)}), 5)))


def test_reports_of_other_columns_are_not_written(tmp_path):
    oracle = make_oracle("grr", 5, ONE)
    with pytest.raises(InputError, match=r"item in 0\.\.4, got 5 in row 2"):
        PrivateReports.of(Header(Task(oracle.parameters)), Reports(oracle.parameters, {"item": np.array([0, 5])}))
    with pytest.raises(InputError, match="must have the columns item, got bits"):
        write_reports(
            tmp_path / "r.parquet", Header(Task(oracle.parameters)), [Reports(oracle.parameters, {"bits": np.ones(3)})]
        )
    assert not (tmp_path / "r.parquet").exists()


def test_pieces_without_rows_leave_nothing():
    assert list(regrouped([], 5)) == []
    empty = Reports({"oracle": "x"}, {"item": np.zeros(0, dtype=np.uint8)})
    assert list(regrouped([empty, empty], 5)) == []


@pytest.mark.parametrize(
    ("key", "was", "now", "message"),
    [
        (b"mechdesign", b'"rows": 5', b'"rows": 6', "the header's digest must be that of its content"),
        (b"mechdesign", b"reports/2", b"reports/1", "must be of format mechdesign-reports/2, got another header"),
        (b"mechdesign.task", b"epsilon=1", b"epsilon=2", "task must be the one of the file, got another digest"),
        (b"mechdesign.task", b"{", b"[", "task must be a JSON object, got another in the header of"),
    ],
    ids=["rows", "format", "task", "no task"],
)
def test_changed_headers_and_tasks_are_refused(tmp_path, key, was, now, message):
    oracle = make_oracle("grr", 5, ONE)
    write_reports(path := tmp_path / "r.parquet", Header(Task(oracle.parameters)), [oracle.privatize(np.arange(5))])
    metadata = pq.ParquetFile(path).metadata.metadata
    assert was in metadata[key]
    changed = {**metadata, key: metadata[key].replace(was, now, 1)}
    pq.write_table(pq.read_table(path).replace_schema_metadata(changed), path)
    with pytest.raises(InputError, match=message):
        read_header(path)

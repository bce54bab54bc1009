"""Files of reports: groups of rows, byte strings, headers and digests; the same again, and changed ones found out."""

import copy
import hashlib
import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tampered_reports import aggregated, set_at
from wording import refused

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.collection.clients.privatizing import privatize
from mechdesign_catalog.collection.reports.batches import PrivateReports, ReportFile
from mechdesign_catalog.collection.reports.locations import Location
from mechdesign_catalog.collection.reports.report_columns import from_arrow, to_arrow
from mechdesign_catalog.collection.reports.report_files import (
    completed_header,
    open_reports,
    read_header,
    read_reports,
    write_reports,
)
from mechdesign_catalog.collection.reports.report_header import Header
from mechdesign_catalog.collection.reports.row_groups import regrouped, rows_of_group
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.randomizers.reports.ragged import Ragged
from mechdesign_catalog.randomizers.reports.reports import Reports, joined
from mechdesign_catalog.systems import make_oracle

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
    assert rows_of_group(WIDE.report_schema) == 256
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


def test_columns_of_every_kind_come_back(tmp_path):
    for oracle in FILES:
        reports = oracle.privatize(np.arange(200) % oracle.k, seeded_words(2))
        write_reports(path := tmp_path / "r.parquet", Header(Task(oracle.parameters)), [reports])
        found = joined(list(read_reports(path)))
        for name, column in reports.columns.items():
            again = found.columns[name]
            if isinstance(column, np.ndarray):
                assert again.dtype == column.dtype
                assert np.array_equal(again, column)
        assert oracle.report_schema.messages(found) == oracle.report_schema.messages(reports)


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
    for rows in (600, 250):
        with refused(InputError):
            read_header(rewritten(path, table, rows))
    with refused(InputError):
        read_header(rewritten(path, table, 256, groups=groups[:2]))
    swapped = pa.concat_tables([table.slice(1, 1), table.slice(0, 1), table.slice(2)]).combine_chunks()
    target = rewritten(path, swapped, 256)
    with open_reports(Location.of(target)) as found:
        assert len(found.group(1)) == 256
        with refused(InputError):
            found.group(0)
    with refused(InputError):
        list(read_reports(rewritten(path, table.rename_columns(["other"]), 256)))
    with refused(InputError):
        list(read_reports(rewritten(path, table.append_column(table.schema.field(0), table["bits"]), 256)))


def test_whole_numbers_in_wider_types_are_read(tmp_path):
    """A general tool may write whole numbers in types of its own; what counts are the numbers."""
    oracle = make_oracle("grr", 5, ONE)
    reports = oracle.privatize(np.arange(5), seeded_words(3))
    write_reports(path := tmp_path / "r.parquet", Header(Task(oracle.parameters)), [reports])
    wider = pa.table({"item": pa.array(reports.arrays()["item"].astype(np.int64))})
    assert same(joined(list(read_reports(rewritten(path, wider, 5)))), reports)
    for value in (300, -1):
        with refused(InputError):
            list(read_reports(rewritten(path, pa.table({"item": pa.array([value, 1, 2, 3, 4])}), 5)))
    with refused(InputError):
        list(read_reports(rewritten(path, pa.table({"item": pa.array([0.5] * 5)}), 5)))


def test_reports_of_other_columns_are_not_written(tmp_path):
    oracle = make_oracle("grr", 5, ONE)
    with refused(InputError):
        PrivateReports.of(Header(Task(oracle.parameters)), Reports(oracle.parameters, {"item": np.array([0, 5])}))
    with refused(InputError):
        write_reports(
            tmp_path / "r.parquet", Header(Task(oracle.parameters)), [Reports(oracle.parameters, {"bits": np.ones(3)})]
        )
    assert not (tmp_path / "r.parquet").exists()


def test_pieces_without_rows_leave_nothing():
    assert list(regrouped([], 5)) == []
    empty = Reports({"oracle": "x"}, {"item": np.zeros(0, dtype=np.uint8)})
    assert list(regrouped([empty, empty], 5)) == []


def test_changed_headers_and_tasks_are_refused(tmp_path):
    for key, was, now in [
        (b"mechdesign", b'"rows": 5', b'"rows": 6'),
        (b"mechdesign", b"reports/2", b"reports/1"),
        (b"mechdesign.task", b"epsilon=1", b"epsilon=2"),
        (b"mechdesign.task", b"{", b"["),
    ]:
        oracle = make_oracle("grr", 5, ONE)
        write_reports(path := tmp_path / "r.parquet", Header(Task(oracle.parameters)), [oracle.privatize(np.arange(5))])
        metadata = pq.ParquetFile(path).metadata.metadata
        assert was in metadata[key]
        changed = {**metadata, key: metadata[key].replace(was, now, 1)}
        pq.write_table(pq.read_table(path).replace_schema_metadata(changed), path)
        with refused(InputError):
            read_header(path)


ORACLE = make_oracle("hh", 64, Privacy(epsilon=1))
HEADER = Header(Task(ORACLE.parameters), seed=1)
STRINGS = ORACLE.report_schema.columns[1]
STRINGS_SENT = [b"a", b"", b"bcd", b"ef", b"", b"ghijk"]


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


def changed(path: Path, column: pa.Array) -> None:
    """The file with another column of reports, and the header as it was."""
    table = pq.read_table(path)
    with pq.ParquetFile(path) as file:
        metadata = file.metadata.metadata
    position = table.column_names.index("report")
    table = table.set_column(position, "report", column)
    pq.write_table(table.replace_schema_metadata(metadata), path)


def test_files_of_either_binary_type_are_read(tmp_path: Path):
    for kind in [pa.binary(), pa.large_binary()]:
        write_reports(path := tmp_path / "r.parquet", HEADER, [reports_of(STRINGS_SENT)])
        changed(path, pa.array(STRINGS_SENT, kind))
        assert rows_of(joined(list(read_reports(path)))) == STRINGS_SENT


def test_changed_byte_strings_are_found_out(tmp_path: Path):
    for column in [
        pa.array([b"", b"a", *STRINGS_SENT[2:]]),
        pa.array([*STRINGS_SENT[:-1], b"ghijl"]),
        pa.array([*STRINGS_SENT[:-1], None]),
        pa.array(["a"] * 6),
        pa.array([b"aa"] * 6, pa.binary(2)),
        pa.array([1] * 6),
    ]:
        write_reports(path := tmp_path / "r.parquet", HEADER, [reports_of(STRINGS_SENT)])
        changed(path, column)
        with refused(InputError):
            list(read_reports(path))


def test_a_header_without_all_rows_is_found_out(tmp_path: Path):
    write_reports(path := tmp_path / "r.parquet", HEADER, [reports_of(STRINGS_SENT)])
    header, metadata = read_header(path), pq.ParquetFile(path).metadata.metadata
    table = pq.read_table(path).slice(0, 5)
    for told in (header, replace(header, rows=5)):
        pq.write_table(table.replace_schema_metadata({**metadata, b"mechdesign": told.to_json()}), path)
        with refused(InputError):
            list(read_reports(path))


def test_a_slice_of_an_array_has_its_own_byte_strings():
    for kind in [pa.binary(), pa.large_binary()]:
        column = from_arrow(STRINGS, pa.array(STRINGS_SENT, kind).slice(2, 3), "r.parquet")
        assert rows_of(Reports({}, {"report": column})) == STRINGS_SENT[2:5]
        assert to_arrow(STRINGS, column).to_pylist() == STRINGS_SENT[2:5]


DRAWN = privatize(["no"] * 5, "grr", epsilon=1, domain=["no", "yes"]).header
SEEDED = privatize(["no"] * 5, "grr", epsilon=1, domain=["no", "yes"], seed=1).header

ODD = {
    "another key": (DRAWN, {"more": 1}),
    "no identity": (DRAWN, {"identity": ""}),
    "identity and seed": (SEEDED, {"identity": "ab" * 16}),
}


def rewritten_header(header, values):
    """The header's text with other values and the digest that fits them."""
    body = {**json.loads(header.to_json()), **values}
    del body["sha256"]
    return json.dumps({**body, "sha256": hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()})


def test_what_the_format_forbids_is_refused():
    for label in ODD:
        header, values = ODD[label]
        assert Header.from_json(rewritten_header(header, {}), header.task, "a.parquet") == header
        with refused(InputError):
            Header.from_json(rewritten_header(header, values), header.task, "a.parquet")


@pytest.mark.parametrize("place", ["task.constants", "task.domain.more"])
def test_another_key_of_the_task_is_refused(tmp_path, monkeypatch, place):
    monkeypatch.chdir(tmp_path)
    batch = privatize(["no"] * 5, "grr", epsilon=1, domain=["no", "yes"])
    batch.save("good.parquet")
    good = {**json.loads(batch.header.to_json()), "task": batch.header.task.body()}
    assert aggregated(copy.deepcopy(good), lambda body: None) is None
    assert "task must have the keys parameters and domain" in aggregated(good, set_at(place, {}))
    assert Path("good.parquet").exists()


def escaped(text):
    """A text as REPORTS.md has it in digests, by hand."""
    short = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
    units = text.encode("utf-16-be")
    found = (chr(256 * high + low) for high, low in zip(units[::2], units[1::2], strict=True))
    return '"' + "".join(short.get(c) or (c if " " <= c <= "~" else f"\\u{ord(c):04x}") for c in found) + '"'


def test_texts_in_digests_are_in_ascii():
    name = 'a/~\x7f\x80\t\x01"\\é\U0001f600z'
    body = (
        f'{{"domain":{{"columns":[{escaped(name)}],"ordered":false,"sha256":""}},'
        '"format":"mechdesign-task/1","parameters":{"oracle":"smp"}}'
    )
    assert Task({"oracle": "smp"}, columns=(name,)).digest == hashlib.sha256(body.encode("ascii")).hexdigest()

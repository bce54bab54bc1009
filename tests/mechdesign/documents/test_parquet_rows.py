"""Parquet files are read as the CSV files of the same tables are."""

import csv
import io
from datetime import date
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wording import refused

from mechdesign import InputError, check_release, release_file
from mechdesign.documents.sources import open_table, taps
from mechdesign.releases.secret_key import InputDigest, input_hmac

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=5)


def read(path: Path) -> list[list[str]]:
    """Header and rows."""
    with open_table(path) as source:
        return [list(source.header), *map(list, source.rows)]


def test_cells_are_the_texts_of_the_values(tmp_path: Path) -> None:
    columns = {
        "name": pa.array(["a", None, "ä,b"]),
        "again": pa.array(["a", None, "a"]).dictionary_encode(),
        " bit ": pa.array([True, False, None]),
        "count": pa.array([7, None, -(2**62)]),
        "share": pa.array([0.5, 1.0, None]),
        "money": pa.array([Decimal("1.20"), None, Decimal("0.05")]),
        "day": pa.array([date(2026, 1, 2), None, None]),
    }
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    assert read(tmp_path / "t.parquet") == [
        ["name", "again", "bit", "count", "share", "money", "day"],
        ["a", "a", "True", "7", "0.5", "1.20", "2026-01-02"],
        ["", "", "False", "", "1", "", ""],
        ["ä,b", "a", "", str(-(2**62)), "", "0.05", ""],
    ]


@pytest.mark.slow
@given(rows=st.lists(st.tuples(TEXTS, st.integers(-(10**18), 10**18)), min_size=1, max_size=9))
def test_rows_are_those_of_the_csv(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, int]]) -> None:
    folder = tmp_path_factory.mktemp("rows")
    pq.write_table(pa.table({"a": [a for a, _ in rows], "b": [b for _, b in rows]}), folder / "t.parquet")
    text = io.StringIO()
    csv.writer(text).writerows([("a", "b"), *rows])
    (folder / "t.csv").write_bytes(text.getvalue().encode())
    assert read(folder / "t.parquet") == read(folder / "t.csv")


def test_many_batches_are_read_in_order_and_every_byte_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "t.PARQUET"
    pq.write_table(pa.table({"k": range(30_000)}), path, row_group_size=7_000)
    code, length = InputDigest(b"key"), []
    with open_table(path, taps(code, lambda data: length.append(len(data)))) as source:
        assert [int(row[0]) for row in source.rows] == list(range(30_000))
        assert source.position.read == source.total == sum(length) == path.stat().st_size
    assert code.result() == input_hmac(path, b"key")


def test_a_release_of_parquet_is_that_of_the_csv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    areas, poor = [f"area {k % 7}" for k in range(90)], [k % 3 == 0 for k in range(90)]
    pq.write_table(pa.table({"area": areas, "poor": poor}), "p.parquet")
    Path("p.csv").write_text("area,poor\n" + "".join(f"{a},{b}\n" for a, b in zip(areas, poor, strict=True)))
    for kind in ("csv", "parquet"):
        made = release_file(
            f"p.{kind}", f"o.{kind}.csv", record=f"r.{kind}.json", key="k", bit="poor", group="area", epsilon=1, seed=1
        )
        assert made.units == 90
        claims = check_release(f"r.{kind}.json", f"o.{kind}.csv", f"p.{kind}", "k")
        assert all(claim.true for claim in claims)
    assert Path("o.csv.csv").read_bytes() == Path("o.parquet.csv").read_bytes()


@pytest.mark.parametrize(
    "content",
    [b"area,poor\na,1\n", b""],
    ids=["csv", "empty"],
)
def test_another_file_is_refused_in_one_line(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "t.parquet").write_bytes(content)
    with refused(InputError) as caught:
        read(tmp_path / "t.parquet")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_cut_or_spoilt_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"k": [str(k) for k in range(5000)]}), path, compression="none")
    whole = path.read_bytes()
    for spoilt in (whole[:-9], whole[:4] + b"\xff" * 3000 + whole[3004:]):
        path.write_bytes(spoilt)
        with refused(InputError, about="file") as caught:
            read(path)
        assert "\n" not in str(caught.value)


def test_lists_in_cells_are_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"k": [[1], [2]]}), tmp_path / "t.parquet")
    with refused(InputError):
        read(tmp_path / "t.parquet")

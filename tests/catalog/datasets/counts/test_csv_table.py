from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechdesign import InputError
from mechdesign_catalog.datasets.counts import open_table


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(text):
        Path("t.csv").write_text(text)
        return Path("t.csv")

    return write


def test_consecutive_rows(table):
    data = open_table(table("town,sick\nA,1\nB, 0\nA,1 \nB,1\nC,0\n"), bit="sick", group_size=2)
    grouped = data.grouped(2)
    assert (grouped.source, grouped.counts.tolist(), grouped.dropped) == ("t.csv", [1, 2], 1)
    with pytest.raises(InputError, match=r"n must be 2 like the groups of t.csv, got n=3"):
        data.grouped(3)
    free = open_table(table("town,sick\nA,1\nB,0\nA,1\n"), bit="sick")
    assert (free.own_n, free.grouped(3).counts.tolist()) == (None, [2])


def test_groups_by_name_need_not_stand_together(table):
    data = open_table(table("sick,town\n1,B\n0,A\n1, B\n1,A\n"), bit="sick", group="town")
    assert (data.own_n, data.grouped(2).counts.tolist()) == (2, [2, 1])
    with pytest.raises(InputError, match=r"n must be 2 like the groups of t.csv, got n=4"):
        data.grouped(4)


@pytest.mark.slow
@given(data=st.data(), groups=st.integers(1, 6), size=st.integers(1, 6))
def test_groups_by_name_against_a_slow_count(tmp_path_factory, data, groups, size):
    names = data.draw(st.permutations([f"g{k}" for k in range(groups)] * size))
    bits = data.draw(st.lists(st.integers(0, 1), min_size=groups * size, max_size=groups * size))
    path = tmp_path_factory.mktemp("groups") / "t.csv"
    path.write_text("g,b\n" + "".join(f"{name},{bit}\n" for name, bit in zip(names, bits, strict=True)))
    slowly = [
        sum(bit for other, bit in zip(names, bits, strict=True) if other == name) for name in dict.fromkeys(names)
    ]
    assert open_table(path, bit="b", group="g").grouped(size).counts.tolist() == slowly


def test_counts_directly(table):
    assert open_table(table("count\n3\n0\n")).grouped(3).histogram == (1, 0, 0, 1)
    named = open_table(table("town,boys\nA,3\nB,1\n"), column="boys", group_size=4)
    assert (named.own_n, named.grouped(4).counts.tolist()) == (4, [3, 1])


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("b\n1\n2\n", {"bit": "b"}, "b must be 0 or 1, got another in row 2 of t.csv"),
        ("b\nyes\n", {"bit": "b"}, "b must be 0 or 1, got another in row 1"),
        ("b,c\n1,1\n,1\n", {"bit": "b"}, "b must be 0 or 1, got none in row 2"),
        ("b,c\n1,1\n0\n", {"bit": "b"}, "row 2 of t.csv must have 2 cells"),
        ("b\n", {"bit": "b"}, "at least one row, got none in t.csv"),
        ("b,g\n", {"bit": "b", "group": "g"}, "at least one row, got none in t.csv"),
        ("c\n", {}, "at least one row, got none in t.csv"),
        ("", {"bit": "b"}, "must have a header"),
        ("b\n1\n", {"bit": "x"}, "t.csv has no column 'x'"),
        ("b\n1\n", {"bit": "b", "group": "x"}, "has no column 'x'"),
        ("b,g\n1,A\n0,B\n1,A\n", {"bit": "b", "group": "g"}, "got 2 people in g A and 1 in g B of t.csv"),
        ("b,g\n1,A\n0,\n", {"bit": "b", "group": "g"}, "g must name a group, got none in row 2 of t.csv"),
        ("c\n1\n-2\n", {}, "count must be a whole number of at least 0, got another in row 2"),
        ("a,c\n1,2\n", {}, "bit or column must be given, got neither; the columns of t.csv are: a, c"),
        ("b\n1\n", {"bit": "b", "column": "b"}, "one of bit and column must be given, got bit=b and column=b"),
        ("b\n1\n", {"group": "b"}, "group goes with bit"),
        ("b\n1\n", {"bit": "b", "group": "b", "group_size": 2}, "group goes with bit and without group_size"),
        ("b\n1\n", {"bit": "b", "group_size": 0}, "n must be in 1..1000000, got n=0"),
    ],
)
def test_tables_that_do_not_fit(table, text, options, message):
    with pytest.raises(InputError, match=message.replace("(", "\\(")):
        open_table(table(text), **options)


def test_files_that_cannot_be_read(tmp_path):
    for path in (tmp_path, tmp_path / "gone.csv"):
        with pytest.raises(InputError, match="input must be a readable file, got"):
            open_table(path, bit="b")


def test_a_long_table(table):
    bits = np.random.default_rng(1).integers(0, 2, size=100_001)
    data = open_table(table("b\n" + "\n".join(map(str, bits)) + "\n"), bit="b")
    grouped = data.grouped(4)
    assert (grouped.groups, grouped.dropped) == (25_000, 1)
    assert grouped.counts.tolist() == bits[:-1].reshape(-1, 4).sum(axis=1).tolist()


FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}


@pytest.mark.parametrize("kind", FRAMES)
def test_tables_in_memory(kind):
    people = FRAMES[kind]({"home": ["a", "b", "a", "b"], "sick": [1, 0, 1, 1], "note": [None, "x", "y", "z"]})
    assert open_table(people, bit="sick", group="home").grouped(2).counts.tolist() == [2, 1]
    assert open_table(people, bit="sick", group_size=4).grouped(4).counts.tolist() == [3]
    yes = FRAMES[kind]({"sick": [True, False, True]})
    assert open_table(yes, bit="sick").grouped(3).counts.tolist() == [2]
    counts = FRAMES[kind]({"boys": [3, 0, 5]})
    assert open_table(counts).grouped(5).histogram == (1, 0, 0, 1, 0, 1)
    with pytest.raises(InputError, match="bit or column must be given, got neither; the columns of the table are: ho"):
        open_table(people)
    with pytest.raises(InputError, match="values must not be missing, got none in row 2 of column boys of the table"):
        open_table(FRAMES[kind]({"boys": [3, None]}), column="boys")
    with pytest.raises(InputError, match="sick must be 0 or 1, got another in row 1 of the table"):
        open_table(FRAMES[kind]({"sick": [2]}), bit="sick")


def test_what_is_no_table():
    with pytest.raises(InputError, match="table must be one of pandas, polars or pyarrow, in memory, got list"):
        open_table([1, 2])

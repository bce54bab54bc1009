"""Tables of people and counts, from files and from memory, and their groups."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wording import refused

from mechdesign import InputError
from mechdesign_catalog.datasets.counts import HISTOGRAMS, CountsTable, GroupedCounts, People, open_data, open_table


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
    with refused(InputError, about="n"):
        data.grouped(3)
    free = open_table(table("town,sick\nA,1\nB,0\nA,1\n"), bit="sick")
    assert (free.own_n, free.grouped(3).counts.tolist()) == (None, [2])


def test_groups_by_name_need_not_stand_together(table):
    data = open_table(table("sick,town\n1,B\n0,A\n1, B\n1,A\n"), bit="sick", group="town")
    assert (data.own_n, data.grouped(2).counts.tolist()) == (2, [2, 1])
    with refused(InputError, about="n"):
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


def test_tables_that_do_not_fit(table):
    for text, options in [
        ("b\n1\n2\n", {"bit": "b"}),
        ("b,c\n1,1\n,1\n", {"bit": "b"}),
        ("b,c\n1,1\n0\n", {"bit": "b"}),
        ("b\n", {"bit": "b"}),
        ("", {"bit": "b"}),
        ("b\n1\n", {"bit": "x"}),
        ("b,g\n1,A\n0,B\n1,A\n", {"bit": "b", "group": "g"}),
        ("b,g\n1,A\n0,\n", {"bit": "b", "group": "g"}),
        ("c\n1\n-2\n", {}),
        ("a,c\n1,2\n", {}),
        ("b\n1\n", {"bit": "b", "column": "b"}),
        ("b\n1\n", {"group": "b"}),
        ("b\n1\n", {"bit": "b", "group": "b", "group_size": 2}),
        ("b\n1\n", {"bit": "b", "group_size": 0}),
    ]:
        with refused(InputError):
            open_table(table(text), **options)


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
    with refused(InputError):
        open_table(people)
    with refused(InputError):
        open_table(FRAMES[kind]({"boys": [3, None]}), column="boys")
    with refused(InputError):
        open_table(FRAMES[kind]({"sick": [2]}), bit="sick")


@given(st.lists(st.booleans(), min_size=1, max_size=60), st.integers(1, 12))
def test_people_are_grouped_in_order(bits, n):
    people = People("them", np.array(bits))
    if len(bits) < n:
        with pytest.raises(InputError, match=f"n must be at most {len(bits)}, the number of people in them, got n={n}"):
            people.grouped(n)
        return
    slowly = [sum(bits[k : k + n]) for k in range(0, len(bits) - n + 1, n)]
    grouped = people.grouped(n)
    assert grouped.counts.tolist() == slowly
    assert grouped.counts.dtype == np.int64
    assert grouped.histogram == tuple(slowly.count(c) for c in range(n + 1))
    assert grouped.groups == len(slowly)
    assert grouped.people + grouped.dropped == len(bits)
    assert 0 <= grouped.dropped < n


def test_what_is_no_group_size():
    for n in [0, -1, 10**9]:
        with refused(InputError):
            People("them", np.ones(3, dtype=bool)).grouped(n)


def test_counts_of_no_group():
    for counts in [[], [0, 4], [-1]]:
        with refused(InputError):
            GroupedCounts("them", 3, np.array(counts, dtype=np.int64))


def test_the_published_totals():
    saxony, weldon = open_data("saxony").grouped(12), open_data(" WELDON").grouped(12)
    assert (saxony.groups, saxony.people, saxony.counts.sum()) == (6115, 73_380, 38_100)  # boys, a share of 0.5192
    assert (weldon.groups, weldon.people, weldon.counts.sum()) == (26306, 315_672, 106_602)  # a share of 0.3377


def test_every_histogram_comes_back():
    for data in HISTOGRAMS.values():
        assert len(data.groups) == data.n + 1 == data.own_n + 1
        assert data.grouped(data.n).histogram == data.groups == data.shuffled(3).histogram
        assert data.grouped(data.n).dropped == 0
        assert data.source
        assert data.licence
        with refused(InputError):
            data.grouped(8)


def test_shuffling_hides_the_order_and_is_repeated_by_a_seed():
    saxony = HISTOGRAMS["saxony"]
    first = saxony.shuffled(3).counts.tolist()
    assert first == saxony.shuffled(3).counts.tolist()
    assert first != saxony.shuffled().counts.tolist()
    assert first != sorted(first)


def test_counts_given_directly():
    table = CountsTable("towns.csv", np.array([3, 0, 3]))
    assert table.grouped(4).histogram == (1, 0, 0, 2, 0)
    with refused(InputError):
        table.grouped(2)
    with refused(InputError, about="n"):
        CountsTable("towns.csv", np.array([3]), own_n=5).grouped(4)

"""A domain of one's own, and a CSV column read against it."""

import hashlib

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechdesign import InputError
from mechdesign.counts import release
from mechdesign_catalog.datasets.items import Domain, column_counts, column_values, domain, read_domain
from mechdesign_catalog.datasets.items.domain import count_items, require_header

texts = st.text(min_size=1, max_size=8).filter(lambda text: text == text.strip() and len(text.splitlines()) == 1)


@pytest.mark.slow
@given(st.lists(texts, min_size=2, max_size=30, unique=True), st.data())
def test_encoding_is_undone_by_the_items(items, data):
    found = Domain(tuple(items))
    chosen = data.draw(st.lists(st.sampled_from(items), max_size=50))
    codes = found.encode([f" {text}\t" for text in chosen], "rows")
    assert codes.dtype == np.int64
    assert [found.items[code] for code in codes] == chosen


@pytest.mark.slow
@given(st.lists(texts, min_size=2, max_size=30, unique=True))
def test_a_domain_file_round_trips(items):
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "domain.txt"
        path.write_bytes("\n".join(items).encode())
        assert read_domain(path).items == tuple(items)


def test_the_digest_is_of_items_and_order(monkeypatch):
    items = ("Cork", "Gaillimh á", "Dublin")
    expected = hashlib.sha256("Cork\nGaillimh á\nDublin\n".encode()).hexdigest()
    assert Domain(items).digest == expected
    assert Domain(items[::-1]).digest != expected
    monkeypatch.setattr(domain, "CHUNK_ROWS", 2)
    assert Domain(items).digest == expected


def test_files_of_other_systems(tmp_path):
    path = tmp_path / "domain.txt"
    path.write_bytes("\ufeffCork \r\nGalway\r\n\r\n\r\n".encode())
    assert read_domain(path).items == ("Cork", "Galway")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a\nb\nc\nb\n", "got b in lines 2 and 4 of .*domain.txt"),
        (b"a\n\nb\n", "got a blank line 2 in .*domain.txt"),
        (b"a\n" + b"b" * 1_000_001, "items must have at most 1000000 letters, got more in line 2 of .*domain.txt"),
        (b"a\n", "at least 2 items, one a line, got 1 in .*domain.txt"),
        (b"\n\n", "at least 2 items, one a line, got 0 in"),
        (b"a\n\xff\xfe\n", "must be text in UTF-8, got .*domain.txt"),
    ],
)
def test_bad_domain_files(tmp_path, content, message):
    path = tmp_path / "domain.txt"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_domain(path)


def test_a_domain_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"domain must be a readable file, got .*none\.txt"):
        read_domain(tmp_path / "none.txt")


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (("a",), "at least 2 items, got 1"),
        (("a", "b", "a"), "must be distinct, got a twice"),
        (("a", ""), "without space around, got ''"),
        (("a", " b"), "without space around, got ' b'"),
        (("a", "b\nc"), "texts of one line"),
    ],
)
def test_bad_domains(items, message):
    with pytest.raises(InputError, match=message):
        Domain(items)


def test_values_outside_of_the_domain_are_named_with_their_row():
    found = Domain(("a", "b"))
    with pytest.raises(InputError, match=r"^values must be items of the domain, got another in row 12 of x.csv$"):
        found.encode(["a", "b", "secret", "d"], "x.csv", first_row=10)
    with pytest.raises(InputError, match=r"^values must be items of the domain, got a blank cell in row 1 of x.csv$"):
        found.encode([" "], "x.csv")
    assert ("a" in found, " b " in found, "c" in found, "" in found) == (True, True, False, False)


def test_a_column_in_chunks(tmp_path, monkeypatch):
    monkeypatch.setattr(domain, "CHUNK_ROWS", 3)
    path = tmp_path / "people.csv"
    rows = ["a", "b", "b", "c", '"b"', " a", "c"]
    path.write_text("id,city\n" + "".join(f"{i},{row}\n" for i, row in enumerate(rows)))
    found = Domain(("c", "b", "a", "unused"))
    parts = list(column_values(path, "city", found))
    assert [len(part) for part in parts] == [3, 3, 1]
    assert np.concatenate(parts).tolist() == [2, 1, 1, 0, 1, 2, 0]
    counts = column_counts(path, "city", found)
    assert (counts.counts.tolist(), counts.items, counts.name) == ([2, 3, 2, 0], found.items, "people.csv, city")
    with pytest.raises(InputError, match=r"got another in row 4 of .*people.csv"):
        list(column_values(path, "city", Domain(("a", "b"))))
    with pytest.raises(InputError, match="has no column 'town'"):
        list(column_values(path, "town", found))
    path.write_text("17,c\n18,b\n")  # no header: its first row is not shown
    with pytest.raises(InputError, match=r"^the first row of .*people.csv must be a header, got a value in it; if"):
        list(column_values(path, "city", found))
    assert [len(part) for part in column_values(path, "c", found)] == [1]  # the column's name, if one says so
    path.write_text("city\n")
    with pytest.raises(InputError, match="must have at least one row"):
        column_counts(path, "city", found)
    with pytest.raises(InputError, match="input must be a readable file"):
        column_counts(tmp_path / "none.csv", "city", found)
    assert release.CHUNK_ROWS > 3


@pytest.mark.parametrize(
    ("header", "names", "is_refused"),
    [
        (["a"], [None], True),
        (["id", "a"], ["id", None], True),
        (["id", "a"], ["id", "city"], True),
        (["city"], [None], False),
        (["a"], ["a"], False),
        (["a", "b"], ["a"], False),  # all that is looked for is found, whatever the other columns are called
        (["a", "city"], ["a", None], False),  # the user's column is called like an item, and one says so
        (["id", "town"], ["city"], False),  # another line says that there is no such column
    ],
)
def test_a_value_where_a_name_is_looked_for(header, names, is_refused):
    found = Domain(("a", "b"))
    if not is_refused:
        require_header(header, names, found.__contains__, "x.csv")
        return
    with pytest.raises(InputError, match=r"^the first row of x.csv must be a header, got a value in it; if [a-z ,-]*$"):
        require_header(header, names, found.__contains__, "x.csv")


@pytest.mark.parametrize("kind", [list, np.array, pd.Series, pl.Series])
def test_users_of_each_item_from_a_column(kind):
    found = count_items(kind(["Cork", "Galway", "Cork"]), ["Galway", "Cork", "Sligo"], "towns")
    assert (found.name, found.items, found.counts.tolist()) == ("towns", ("Galway", "Cork", "Sligo"), [1, 2, 0])
    with pytest.raises(InputError, match="values must be items of the domain, got another in row 2 of the values"):
        count_items(kind(["Cork", "Derry"]), ["Galway", "Cork"])

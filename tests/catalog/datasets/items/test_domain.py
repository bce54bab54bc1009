"""Domains and attributes: files, digests, columns of any library read against them, and what is refused."""

import decimal
import hashlib

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wording import refused

from mechdesign import InputError
from mechdesign.counts import release
from mechdesign_catalog.datasets.attributes import Attributes, as_attributes, read_attributes
from mechdesign_catalog.datasets.items import Domain, column_counts, domain, read_domain
from mechdesign_catalog.datasets.items.domain import count_items, require_header
from mechdesign_catalog.datasets.texts import FEW, CodedTexts, column_texts, many_texts

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


def test_bad_domain_files(tmp_path):
    for content in [
        b"a\nb\nc\nb\n",
        b"a\n\nb\n",
        b"a\n" + b"b" * 1_000_001,
        b"a\n",
        b"\n\n",
        b"a\n\xff\xfe\n",
    ]:
        path = tmp_path / "domain.txt"
        path.write_bytes(content)
        with refused(InputError):
            read_domain(path)


def test_bad_domains():
    for items in [
        ("a",),
        ("a", "b", "a"),
        ("a", ""),
        ("a", " b"),
        ("a", "b\nc"),
    ]:
        with refused(InputError):
            Domain(items)


def test_values_outside_of_the_domain_are_named_with_their_row():
    found = Domain(("a", "b"))
    with refused(InputError):
        found.encode(["a", "b", "secret", "d"], "x.csv", first_row=10)
    with refused(InputError):
        found.encode([" "], "x.csv")
    assert ("a" in found, " b " in found, "c" in found, "" in found) == (True, True, False, False)


def test_a_column_in_chunks(tmp_path, monkeypatch):
    monkeypatch.setattr(domain, "CHUNK_ROWS", 3)
    path = tmp_path / "people.csv"
    rows = ["a", "b", "b", "c", '"b"', " a", "c"]
    path.write_text("id,city\n" + "".join(f"{i},{row}\n" for i, row in enumerate(rows)))
    found = Domain(("c", "b", "a", "unused"))
    counts = column_counts(path, "city", found)
    assert (counts.counts.tolist(), counts.items, counts.name) == ([2, 3, 2, 0], found.items, "people.csv, city")
    with refused(InputError):
        column_counts(path, "city", Domain(("a", "b")))
    with refused(InputError):
        column_counts(path, "town", found)
    path.write_text("17,c\n18,b\n")  # no header: its first row is not shown
    with refused(InputError):
        column_counts(path, "city", found)
    assert column_counts(path, "c", found).counts.tolist() == [0, 1, 0, 0]  # the column's name, if one says so
    path.write_text("city\n")
    with refused(InputError):
        column_counts(path, "city", found)
    with refused(InputError, about="input"):
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
    with refused(InputError):
        require_header(header, names, found.__contains__, "x.csv")


def test_users_of_each_item_from_a_column():
    for kind in [list, np.array, pd.Series, pl.Series]:
        found = count_items(kind(["Cork", "Galway", "Cork"]), ["Galway", "Cork", "Sligo"], "towns")
        assert (found.name, found.items, found.counts.tolist()) == ("towns", ("Galway", "Cork", "Sligo"), [1, 2, 0])
        with refused(InputError):
            count_items(kind(["Cork", "Derry"]), ["Galway", "Cork"])


TRIPS = Attributes.of({"card": ["no", "yes"], "zone": ["north", "south", "west"], "tip": [0, 1]})


def test_a_file_comes_back_as_it_was_written(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(TRIPS.csv_bytes())
    assert path.read_text().splitlines()[:4] == ["column,item", "card,no", "card,yes", "zone,north"]
    for found in (read_attributes(path), as_attributes(path), as_attributes(str(path)), as_attributes(TRIPS)):
        assert found == TRIPS
        assert found.digest == TRIPS.digest


def test_rows_of_an_attribute_need_not_stand_together(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("item,note,column\nno,,card\n south ,x,zone\nyes,,card\nnorth,,zone\n")
    found = read_attributes(path)
    assert found == Attributes.of({"card": ["no", "yes"], "zone": ["south", "north"]})


def test_columns_are_encoded_in_the_order_of_the_attributes():
    values = TRIPS.encode([["yes", " no"], ["west ", "north"], ["0", "1"]], "x")
    assert values.tolist() == [[1, 2, 0], [0, 0, 1]]
    assert TRIPS.taken(["tip", "card"]).encode([["1"], ["no"]], "x").tolist() == [[1, 0]]


def test_digests_tell_names_orders_and_items_apart():
    others = [
        TRIPS,
        TRIPS.taken(["card", "tip", "zone"]),
        Attributes.of({"card": ["no", "yes"], "zone": ["north", "west", "south"], "tip": [0, 1]}),
        Attributes.of({"cards": ["no", "yes"], "zone": ["north", "south", "west"], "tip": [0, 1]}),
        Attributes.of({"card": ["no", "yes", "zone", "3"], "north": ["south", "west"], "tip": [0, 1]}),
        Attributes.of({"card": ["no", "yes"]}),
        Attributes.of({"card": ["no", "yes"], "zone": ["a", "b"]}),
        Attributes.of({"card": ["no", "yes", "zone", "a", "b"]}),
    ]
    assert len({found.digest for found in others}) == len(others)


def test_cells_have_the_last_attribute_changing_fastest():
    assert TRIPS.taken(["tip", "zone"]).cells()[:4] == [("0", "north"), ("0", "south"), ("0", "west"), ("1", "north")]


def test_other_values_are_named_by_row_and_attribute_only():
    for columns in [
        [["yes", "no"], ["north", "Rome"], ["0", "0"]],
        [["yes", ""], ["north", "north"], ["0", "0"]],
    ]:
        with refused(InputError) as caught:
            TRIPS.encode(columns, "t.csv", first_row=7)
        assert "Rome" not in str(caught.value)


BAD_FILES = {
    "one item": "column,item\na,0\na,1\nb,x\n",
    "twice": "column,item\na,0\na,0\n",
    "header": "name,item\na,0\n",
    "no rows": "column,item\n",
    "no name": "column,item\n,0\n,1\n",
    "comma": 'column,item\n"a,b",0\n"a,b",1\n',
    "blank item": "column,item\na,\na,0\n",
}


def test_bad_files_are_refused(tmp_path):
    for fault in BAD_FILES:
        text = BAD_FILES[fault]
        (tmp_path / "a.csv").write_text(text)
        with refused(InputError):
            read_attributes(tmp_path / "a.csv")


def test_names_are_looked_up():
    assert TRIPS.place(" zone ") == 1
    with refused(InputError):
        TRIPS.place("zones")
    with refused(InputError):
        TRIPS.taken(["tip", "tip"])
    with refused(InputError):
        Attributes((), ())
    many = Attributes.of({f"a{i}": (0, 1) for i in range(25)})
    assert many.listed.endswith("a19 and 5 more")


MANY = FEW // 3 + 1
TEXTS = ["Cork", "Galway ", "Cork"] * MANY
NUMBERS = [3, -1, 3] * MANY
TRUTHS = [True, False, True] * MANY
CODED = {
    "list": TEXTS,
    "tuple": tuple(NUMBERS),
    "truths": TRUTHS,
    "numpy texts": np.array(TEXTS),
    "numpy numbers": np.array(NUMBERS, dtype=np.int8),
    "numpy truths": np.array(TRUTHS),
    "pandas": pd.Series(TEXTS),
    "pandas objects": pd.Series(TEXTS, dtype=object),
    "pandas categories": pd.Series(TEXTS, dtype="category"),
    "pandas numbers": pd.Series(NUMBERS),
    "polars": pl.Series(TEXTS),
    "polars categories": pl.Series(TEXTS, dtype=pl.Categorical),
    "arrow": pa.array(TEXTS),
    "arrow chunks": pa.chunked_array([TEXTS[:5], TEXTS[5:]]),
    "arrow dictionary": pa.array(TEXTS).dictionary_encode(),
}
SPELLED = {
    "floats": [1.0, 2.5] * FEW,
    "numpy floats": np.array([1.0, 2.5] * FEW),
    "mixed": [1, "a", True] * FEW,
    "numbers and truths": [1, True] * FEW,
    "truths and numbers": [True, 1] * FEW,
    "numbers and floats": [1, 2.5] * FEW,
    "large": [2**70, 1] * FEW,
    "decimals": [decimal.Decimal("1.50")] * 2 * FEW,
    "range": range(2 * FEW),
    "bytes": [b"a"] * 2 * FEW,
    "none": [],
}


def test_many_are_the_same_texts():
    for kind in CODED:
        found, wanted = many_texts(CODED[kind], "x"), column_texts(CODED[kind], "x")
        assert isinstance(found, CodedTexts)
        assert len(found.texts) == 2
        assert (len(found), list(found), list(found[7:90]), found[4]) == (len(wanted), wanted, wanted[7:90], wanted[4])
        assert isinstance(many_texts(CODED[kind][:9], "x"), list)


def test_other_values_are_spelled_one_by_one():
    for kind in SPELLED:
        assert many_texts(SPELLED[kind], "x") == column_texts(SPELLED[kind], "x")


def test_a_missing_value_is_named_by_its_row():
    for column in [pd.Series([*TEXTS, None]), pl.Series([*NUMBERS, None]), [*TEXTS, None]]:
        with refused(InputError):
            many_texts(column, "x")


def test_what_is_no_column_is_refused():
    for column in [np.zeros((2000, 2)), "text", 5, pd.DataFrame({"a": TEXTS})]:
        with refused(InputError, about="x"):
            many_texts(column, "x")


def test_domains_take_coded_texts():
    domain = Domain(("Galway", "Cork"))
    found = domain.encode(many_texts(TEXTS, "x"), "x")
    assert found.tolist() == [1, 0, 1] * MANY
    with refused(InputError):
        domain.encode(many_texts([*TEXTS, "Derry"], "x"), "x", first_row=3)
    with refused(InputError):
        domain.encode(many_texts(["Cork", " ", *TEXTS], "x"), "x")

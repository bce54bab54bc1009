"""Attributes with their items: read, written, and users' columns taken against them."""

import pytest

from mechdesign import InputError
from mechdesign_catalog.datasets.attributes import Attributes, as_attributes, read_attributes

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


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ([["yes", "no"], ["north", "Rome"], ["0", "0"]], "got another in row 8 of t.csv, attribute zone$"),
        ([["yes", ""], ["north", "north"], ["0", "0"]], "got a blank cell in row 8 of t.csv, attribute card$"),
    ],
)
def test_other_values_are_named_by_row_and_attribute_only(columns, message):
    with pytest.raises(InputError, match=message) as caught:
        TRIPS.encode(columns, "t.csv", first_row=7)
    assert "Rome" not in str(caught.value)


BAD_FILES = {
    "one item": ("column,item\na,0\na,1\nb,x\n", "at least 2 items, got 1 for attribute b in .*a.csv"),
    "twice": ("column,item\na,0\na,0\n", "must be distinct, got 0 twice for attribute a in"),
    "header": ("name,item\na,0\n", ".*a.csv has no column 'column'"),
    "no rows": ("column,item\n", "must have a row for each item, got none in"),
    "no name": ("column,item\n,0\n,1\n", "names of attributes must be texts of one line without commas, got ''"),
    "comma": ('column,item\n"a,b",0\n"a,b",1\n', "without commas, got 'a,b'"),
    "blank item": ("column,item\na,\na,0\n", "without space around, got '' for attribute a"),
}


@pytest.mark.parametrize("fault", BAD_FILES)
def test_bad_files_are_refused(fault, tmp_path):
    text, message = BAD_FILES[fault]
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        read_attributes(tmp_path / "a.csv")


def test_a_file_must_be_there(tmp_path):
    with pytest.raises(InputError, match=r"domain must be a readable file, got .*none.csv"):
        read_attributes(tmp_path / "none.csv")


def test_names_are_looked_up():
    assert TRIPS.place(" zone ") == 1
    with pytest.raises(InputError, match="one of card, zone, tip, got zones; did you mean zone\\?"):
        TRIPS.place("zones")
    with pytest.raises(InputError, match="must be distinct, got tip twice"):
        TRIPS.taken(["tip", "tip"])
    with pytest.raises(InputError, match="a domain each, got 0 for 0"):
        Attributes((), ())
    many = Attributes.of({f"a{i}": (0, 1) for i in range(25)})
    assert many.listed.endswith("a19 and 5 more")

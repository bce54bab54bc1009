"""`mechdesign data` on users with several attributes: rows, and the public list of items."""

import json
from pathlib import Path

import numpy as np
import pytest
from wording import check_wording

from mechdesign_catalog.datasets.attributes import read_attributes
from mechdesign_catalog.datasets.items import open_item_table
from mechdesign_catalog.datasets.items.joint.registry import parse_joint_law


def test_rows_and_attributes_fit_together(mechdesign):
    seen = mechdesign(
        *("data", "ucb", "--columns", "dept,admit", "--output", "people.csv", "--domain-output", "attributes.csv")
    )
    assert seen.code == 0, seen.err
    check_wording(seen.err)
    attributes = read_attributes("attributes.csv")
    assert (attributes.names, attributes.sizes) == (("dept", "admit"), (6, 2))
    header, *rows = [line.split(",") for line in Path("people.csv").read_text().splitlines()]
    assert header == ["dept", "admit"]
    values = attributes.encode(list(zip(*rows, strict=True)), "people.csv")
    table = open_item_table("ucb")
    expected = table.values[:, [table.attributes.index(name) for name in header]]
    np.testing.assert_array_equal(values, expected)


def test_made_up_rows_are_a_table_without_being_asked(mechdesign):
    drawn = ("data", "taxi:d=3:strong=0.7", "--people", 300, "--seed", 5)
    seen = mechdesign(*drawn, "--output", "people.csv")
    assert seen.code == 0, seen.err
    table = open_item_table("taxi:d=3:strong=0.7", people=300, seed=5)
    lines = ["cc,toll,far", *(",".join("yes" if bit else "no" for bit in row) for row in table.values.tolist())]
    assert Path("people.csv").read_text() == "".join(f"{line}\n" for line in lines)
    assert "users 300 attributes 3" in " ".join(seen.out.split())
    assert seen.out.splitlines()[-1].split()[0] == "far"
    asked = mechdesign("data", "taxi:d=3:far", "--people", 300, "--seed", 5)
    assert "users of each item" in asked.out


def test_attributes_as_json(mechdesign):
    found = json.loads(mechdesign("data", "titanic", "--columns", "sex,survived", "--json").out)
    assert (found["data"], found["users"], found["about"]["name"]) == ("titanic", 2201, "titanic")
    assert found["attributes"] == [
        {"attribute": "sex", "items": ["male", "female"], "counts": [1731, 470]},
        {"attribute": "survived", "items": ["no", "yes"], "counts": [1490, 711]},
    ]


def test_many_items_are_shown_by_the_most_frequent(mechdesign):
    shown = " ".join(mechdesign("data", "hair-eye", "--columns", "sex,hair").out.split())
    assert "sex male 0.4713, female 0.5287" in shown
    nursery = mechdesign("data", "ucb", "--columns", "dept").out.split("shares of items")[1]
    assert " ".join(nursery.split()).startswith("dept A 0.2061, B 0.1293")


def test_all_attributes_are_taken_where_none_is_named(mechdesign):
    mechdesign("data", "hair-eye", "--domain-output", "attributes.csv")
    assert read_attributes("attributes.csv").names == ("hair", "eye", "sex")


@pytest.mark.parametrize(
    "arguments",
    [
        ("titanic", "--columns", "sex,agee"),
        ("titanic", "--columns", "sex,sex"),
        ("titanic", "--columns", "sex,"),
        ("saxony", "--columns", "sex"),
        ("titanic", "--columns", "sex", "--domain", "d.txt"),
        ("titanic", "--columns", "sex", "--n", 3),
        ("titanic", "--columns", "sex", "--seed", 3),
        ("taxi", "--k", 3),
        ("taxi:d=0",),
        ("taxi", "-o", "a.csv", "--domain-output", "a.csv"),
        ("taxi", "-o", "rows.txt"),
        ("--columns", "sex"),
        ("--input", "a.csv", "--columns", "sex", "--bit", "sex"),
        ("--input", "a.csv", "--columns", "sex", "--people", 3),
        ("--input", "a.csv", "--tables", 2),
        ("titanic", "--tables", 5),
        ("taxi:d=64", "--tables", 32),
        ("taxi:d=21", "--tables", 20, "--people", 5, "--seed", 1),
    ],
)
def test_what_does_not_go_with_tables_is_one_line_and_writes_nothing(mechdesign, arguments):
    seen = mechdesign("data", *arguments)
    assert (seen.code, seen.out, seen.err.count("\n")) == (2, "", 1)
    check_wording(seen.err)
    assert not list(Path().iterdir())


@pytest.mark.parametrize("name", ["taxi", "films", "skewed"])
def test_the_list_has_every_law_of_rows(mechdesign, name):
    entries = {entry["name"].split(",")[0]: entry for entry in json.loads(mechdesign("data", "--json").out)["sets"]}
    assert f"{len(parse_joint_law(name).attributes)} binary attributes" in entries[name]["size"]


PEOPLE = "name,sex,age,town\n" + "".join(
    f"p{i},{'mf'[i % 2]},{[9, 100, -3][i % 3]}, {['Cork', 'Athy'][i % 4 == 0]}\n" for i in range(12)
)


def test_a_file_of_ones_own_gives_items_in_order_and_true_tables(mechdesign):
    Path("people.csv").write_text(PEOPLE)
    seen = mechdesign(
        *("data", "--input", "people.csv", "--columns", "town,age", "--tables", 2, "--json"),
        *("--domain-output", "attributes.csv", "--output", "rows.csv"),
    )
    assert seen.code == 0, seen.err
    check_wording(seen.err)
    found = json.loads(seen.out)
    assert found["attributes"] == [
        {"attribute": "town", "items": ["Athy", "Cork"], "counts": [3, 9]},
        {"attribute": "age", "items": ["-3", "9", "100"], "counts": [4, 4, 4]},
    ]
    (table,) = found["tables"]
    shares = {tuple(cell["items"]): cell["share"] for cell in table["cells"]}
    assert table["attributes"] == ["town", "age"]
    assert shares == {(t, a): pytest.approx(1 / 12 if t == "Athy" else 1 / 4) for t, a in shares}
    assert list(shares)[:2] == [("Athy", "-3"), ("Athy", "9")]
    attributes = read_attributes("attributes.csv")
    assert (attributes.names, attributes.sizes) == (("town", "age"), (2, 3))
    assert Path("rows.csv").read_text().splitlines()[1] == "Athy,9"


def test_true_tables_on_the_screen(mechdesign):
    lines = mechdesign("data", "titanic", "--columns", "sex,survived", "--tables", 2).out.splitlines()
    assert lines[-5:-3] == ["sex, survived: true shares", "0.6197  male, no   "]


@pytest.mark.parametrize(
    "text",
    [
        "a,b\nx,1\n,2\n",
        "a,b\nx,1\nx,2\n",
        "a,b\n" + "".join(f"{i},1\n" for i in range(1001)),
        "a,b\n",
        "a,c\n1,2\n",
    ],
    ids=["blank", "one item", "too many", "no row", "no column"],
)
def test_a_file_that_is_no_table_is_one_line(mechdesign, text):
    Path("p.csv").write_text(text)
    seen = mechdesign("data", "--input", "p.csv", "--columns", "a,b", "--domain-output", "d.csv")
    assert (seen.code, seen.out, seen.err.count("\n")) == (2, "", 1)
    check_wording(seen.err)
    assert not Path("d.csv").exists()

"""`mechdesign data` on users with several attributes: rows, and the public list of items."""

import json
from pathlib import Path

import numpy as np
import pytest

from mechdesign_catalog.datasets.attributes import read_attributes
from mechdesign_catalog.datasets.items import open_item_table
from mechdesign_catalog.datasets.items.joint.registry import parse_joint_law


def test_rows_and_attributes_fit_together(mechdesign):
    seen = mechdesign(
        *("data", "ucb", "--columns", "dept,admit", "--output", "people.csv", "--domain-output", "attributes.csv")
    )
    assert seen.code == 0, seen.err
    assert "people.csv holds the true values: do not publish it" in seen.err
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
    ("arguments", "message"),
    [
        (
            ("titanic", "--columns", "sex,agee"),
            "attribute of titanic must be one of class, sex, age, survived, got agee",
        ),
        (("titanic", "--columns", "sex,sex"), "columns must be different attributes of titanic, got sex twice"),
        (("titanic", "--columns", "sex,"), "columns must be names with commas between them, got columns=sex,"),
        (("saxony", "--columns", "sex"), "data with several attributes must be one of titanic"),
        (("titanic", "--columns", "sex", "--domain", "d.txt"), "--columns goes with a set of several attributes"),
        (("titanic", "--columns", "sex", "--n", 3), "--n goes with counts of groups or items"),
        (("titanic", "--columns", "sex", "--seed", 3), "seed goes with taxi, films, skewed"),
        (("taxi", "--k", 3), "--k goes with counts of groups or items, got it with the attributes of taxi"),
        (("taxi:d=0",), "d must be in 1..64, got d=0"),
        (("taxi", "-o", "a.csv", "--domain-output", "a.csv"), "output and domain-output must be two files"),
        (("taxi", "-o", "rows.txt"), "output must end in .csv, got rows.txt"),
        (("--columns", "sex"), "data must have a name to show a set"),
        (("--input", "a.csv", "--columns", "sex"), "--input goes with counts of groups or items"),
    ],
)
def test_what_does_not_go_with_tables_is_one_line_and_writes_nothing(mechdesign, arguments, message):
    seen = mechdesign("data", *arguments)
    assert (seen.code, seen.out, seen.err.count("\n")) == (2, "", 1)
    assert message in seen.err
    assert not list(Path().iterdir())


@pytest.mark.parametrize("name", ["taxi", "films", "skewed"])
def test_the_list_has_every_law_of_rows(mechdesign, name):
    entries = {entry["name"].split(",")[0]: entry for entry in json.loads(mechdesign("data", "--json").out)["sets"]}
    assert f"{len(parse_joint_law(name).attributes)} binary attributes" in entries[name]["size"]

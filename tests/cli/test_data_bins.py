"""`mechdesign data --input F --bins B`: how many users of a file are in each bin, for trials."""

import json
from pathlib import Path

import numpy as np
import pytest
from wording import check_wording

AGES = [0, 17, 18, 18, 64, 119]


@pytest.fixture
def ages(mechdesign):
    Path("ages.csv").write_text("id,age,hours\n" + "".join(f"u{i},{age},{i}\n" for i, age in enumerate(AGES)))
    return mechdesign


def test_users_in_each_bin(ages):
    seen = ages("data", "--input", "ages.csv", "--column", "age", "--bins", "0:120:20", "--json")
    assert seen.code == 0, seen.err
    found = json.loads(seen.out)
    assert found["items"] == ["0..19", "20..39", "40..59", "60..79", "80..99", "100..119"]
    assert found["counts"] == np.histogram(AGES, bins=range(0, 121, 20))[0].tolist()
    assert (found["users"], found["about"]) == (6, None)


def test_long_files_are_read_in_pieces(ages, monkeypatch):
    monkeypatch.setattr("mechdesign_catalog.datasets.items.own_columns.CHUNK_ROWS", 4)
    found = json.loads(ages("data", "--input", "ages.csv", "--column", "age", "--bins", "0:120:20", "--json").out)
    assert found["counts"] == [4, 0, 0, 1, 0, 1]
    rows = json.loads(ages("data", "--input", "ages.csv", "--columns", "age", "--json").out)
    assert rows["attributes"] == [
        {"attribute": "age", "items": ["0", "17", "18", "64", "119"], "counts": [1, 1, 2, 1, 1]}
    ]
    refused = ages("data", "--input", "ages.csv", "--column", "age", "--bins", "0:100:20")
    check_wording(refused.err)


def test_two_columns_make_a_grid(ages):
    seen = ages(
        "data", "--input", "ages.csv", "--columns", "age,hours", "--bins", "0:120:60", "--bins", "0:6:3", "--json"
    )
    assert json.loads(seen.out)["counts"] == [3, 1, 0, 2]


def test_bins_on_the_screen(ages):
    assert "0..59    4  0.6667" in ages("data", "--input", "ages.csv", "--column", "age", "--bins", "0:120:60").out


def test_values_beyond_are_refused_unless_clipped(ages):
    options = ("data", "--input", "ages.csv", "--column", "age", "--bins", "10:70:30", "--json")
    seen = ages(*options)
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)
    assert json.loads(ages(*options, "--beyond", "clip").out)["counts"] == [4, 2]


@pytest.mark.parametrize(
    "arguments",
    [
        ("saxony", "--bins", "0:4:1"),
        ("--input", "ages.csv", "--bins", "0:4:1"),
        ("--input", "ages.csv", "--columns", "age,hours", "--bins", "0:4:1"),
        ("--input", "ages.csv", "--column", "age", "--bins", "0:4:1", "--n", 3),
        ("--input", "ages.csv", "--column", "age", "--bins", "0:4:1", "--bit", "age"),
        ("--input", "ages.csv", "--column", "age", "--beyond", "clip"),
        ("--input", "ages.csv", "--column", "age", "--bins", "0:2000000:1"),
        ("--bins", "0:4:1"),
    ],
    ids=["a set", "no column", "two columns", "n", "bit", "beyond", "many", "alone"],
)
def test_what_does_not_go_together_is_one_line(ages, arguments):
    seen = ages("data", *arguments)
    assert (seen.code, seen.out, seen.err.count("\n")) == (2, "", 1)
    check_wording(seen.err)

"""`mechdesign data` on sets of items."""

import json
from pathlib import Path

import pytest
from wording import check_wording

from mechdesign_catalog.datasets.items import item_entries, open_items


def test_the_list_has_the_items_after_the_groups(mechdesign):
    names = [entry["name"] for entry in json.loads(mechdesign("data", "--json").out)["sets"]]
    assert names[0] == "adult"
    assert names[-len(item_entries()) :] == [entry.name for entry in item_entries()]
    assert "not available: no copy was in reach" in " ".join(mechdesign("data").out.split())


def test_a_short_table(mechdesign):
    seen = mechdesign("data", "titanic:class")
    assert (seen.code, seen.err) == (0, "")
    assert seen.out.splitlines()[-5:] == [
        "users of each item",
        "1st   325  0.1477",
        "2nd   285  0.1295",
        "3rd   706  0.3208",
        "crew  885  0.4021",
    ]
    assert "users 2,201" in " ".join(seen.out.split())
    assert "items 32, 8 of them without a user" in " ".join(mechdesign("data", "titanic").out.split())


def test_the_most_frequent_of_many(mechdesign):
    seen = mechdesign("data", "commuting:county", "--seed", 1)
    assert seen.out == mechdesign("data", "commuting:county", "--seed", 1).out
    lines = seen.out.splitlines()
    assert lines[-11] == "most frequent items"
    counts = [int(line.split()[-2].replace(",", "")) for line in lines[-10:]]
    assert counts == sorted(counts, reverse=True)
    assert "items 1,085, 6 of them without a user" in " ".join(seen.out.split())


def test_items_as_json(mechdesign):
    found = json.loads(mechdesign("data", "ucb:dept", "--json").out)
    assert (found["data"], found["users"], found["k"], found["occupied"]) == ("ucb:dept", 4526, 6, 6)
    assert dict(zip(found["items"], found["counts"], strict=True)) == {
        **{"A": 933, "B": 585, "C": 918},
        **{"D": 792, "E": 584, "F": 714},
    }
    assert found["largest"][0] == {"item": "A", "count": 933}
    assert found["about"]["name"] == "ucb"
    made_up = json.loads(mechdesign("data", "normal", "--people", 50, "--seed", 2, "--json").out)
    assert (made_up["users"], made_up["k"], made_up["about"]) == (50, 32, None)
    many = json.loads(mechdesign("data", "cauchy:0.3", "--k", 100, "--people", 5000, "--seed", 2, "--json").out)
    assert (many["data"], many["users"], many["k"]) == ("cauchy:3/10", 5000, 100)
    assert sum(many["counts"][:30]) == pytest.approx(2500, abs=400)  # its median, but for the tails cut off


@pytest.mark.parametrize(
    "arguments",
    [
        ("titanc",),
        ("ms-fimu",),
        ("titanic", "--n", 3),
        ("titanic", "--target", "sex"),
        ("titanic", "--seed", 3),
        ("titanic", "--people", 3),
        ("titanic", "--k", 3),
        ("saxony", "--k", 3),
        ("--k", 3),
        ("cauchy:2",),
    ],
)
def test_what_does_not_go_with_items(mechdesign, arguments):
    seen = mechdesign("data", *arguments)
    assert (seen.code, seen.out, seen.err.count("\n")) == (2, "", 1)
    check_wording(seen.err)


def test_items_become_values_and_a_domain_for_privatize(mechdesign):
    seen = mechdesign("data", "titanic", "--output", "values.csv", "--domain", "cells.txt")
    assert seen.code == 0, seen.err
    check_wording(seen.err)
    assert len(Path("values.csv").read_text().splitlines()) == 2202
    assert len(Path("cells.txt").read_text().splitlines()) == 32
    made = mechdesign(
        *("local", "privatize", "--oracle", "grr", "--epsilon", 40, "--input", "values.csv", "--domain", "cells.txt"),
        *("-o", "r.parquet", "--seed", 1),
    )
    assert made.code == 0, made.err
    rows = json.loads(mechdesign("local", "aggregate", "r.parquet", "--json").out)["items"]
    counts = open_items("titanic").counts
    assert [round(2201 * row["frequency"]) for row in rows] == counts.tolist()


def test_values_and_domain_are_two_files_of_items(mechdesign):
    seen = mechdesign("data", "titanic", "-o", "same.csv", "--domain", "same.csv")
    assert seen.code == 2
    check_wording(seen.err)
    seen = mechdesign("data", "saxony", "--domain", "d.txt")
    assert seen.code == 2
    check_wording(seen.err)
    assert not list(Path().iterdir())

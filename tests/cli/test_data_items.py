"""`mechdesign data` on sets of items."""

import json
from pathlib import Path

import pytest

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
    ("arguments", "message"),
    [
        (("titanc",), "did you mean titanic?"),
        (("ms-fimu",), "got ms-fimu, of which no copy was in reach"),
        (("titanic", "--n", 3), "--n goes with counts of groups, got it with the items of titanic"),
        (("titanic", "--target", "sex"), "--target goes with counts of groups"),
        (("titanic", "--seed", 3), "--seed goes with what is random, got it with titanic"),
        (("titanic", "--people", 3), "people goes with normal"),
        (("titanic", "--k", 3), "k goes with normal"),
        (("saxony", "--k", 3), "--k goes with items, got it with counts of groups"),
        (("--k", 3), "data must have a name to show a set"),
        (("cauchy:2",), "P of cauchy:P must be in [0, 1], got P=2"),
    ],
)
def test_what_does_not_go_with_items(mechdesign, arguments, message):
    seen = mechdesign("data", *arguments)
    assert (seen.code, seen.out, seen.err.count("\n")) == (2, "", 1)
    assert message in seen.err


def test_items_become_values_and_a_domain_for_privatize(mechdesign):
    seen = mechdesign("data", "titanic", "--output", "values.csv", "--domain", "cells.txt")
    assert seen.code == 0, seen.err
    assert "values.csv holds the true values: do not publish it" in seen.err
    assert len(Path("values.csv").read_text().splitlines()) == 2202
    assert len(Path("cells.txt").read_text().splitlines()) == 32
    made = mechdesign(
        *("privatize", "--oracle", "grr", "--epsilon", 40, "--input", "values.csv", "--domain", "cells.txt"),
        *("-o", "r.parquet", "--seed", 1),
    )
    assert made.code == 0, made.err
    rows = json.loads(mechdesign("aggregate", "r.parquet", "--json").out)["items"]
    counts = open_items("titanic").counts
    assert [round(2201 * row["frequency"]) for row in rows] == counts.tolist()


def test_values_and_domain_are_two_files_of_items(mechdesign):
    seen = mechdesign("data", "titanic", "-o", "same.csv", "--domain", "same.csv")
    assert (seen.code, seen.err) == (2, "mechdesign: output and domain must be two files, got same.csv for both\n")
    seen = mechdesign("data", "saxony", "--domain", "d.txt")
    assert (seen.code, seen.err) == (2, "mechdesign: --domain goes with items, got it with counts of groups\n")
    assert not list(Path().iterdir())

"""`mechdesign data` on sets of items."""

import json

import pytest

from mechdesign_catalog.items import item_entries


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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("titanc",), "did you mean titanic?"),
        (("ms-fimu",), "got ms-fimu, of which no copy was in reach"),
        (("titanic", "--n", 3), "--n goes with counts of groups, got it with the items of titanic"),
        (("titanic", "-o", "x.csv"), "--output goes with counts of groups, got it with the items of titanic"),
        (("titanic", "--target", "sex"), "--target goes with counts of groups"),
        (("titanic", "--seed", 3), "--seed goes with what is random, got it with titanic"),
        (("titanic", "--people", 3), "people goes with normal"),
    ],
)
def test_what_does_not_go_with_items(mechdesign, arguments, message):
    seen = mechdesign("data", *arguments)
    assert (seen.code, seen.out, seen.err.count("\n")) == (2, "", 1)
    assert message in seen.err

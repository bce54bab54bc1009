"""`mechdesign local oracles --workload`: which oracle for which queries."""

import json
from pathlib import Path

import pytest
from wording import check_wording


def test_rows_of_ranges(mechdesign):
    seen = mechdesign(
        "local", "oracles", "--k", 64, "--epsilon", 1, "--users", 10_000, "--workload", "ranges", "--json"
    )
    assert (seen.code, seen.err) == (0, "")
    document = json.loads(seen.out)
    rows = {row["oracle"]: row for row in document["oracles"]}
    assert (document["workload"], document["queries"], document["k"], document["n"]) == ("ranges", 2080, 64, 10_000)
    assert {"flat:grr", "flat:oue", "flat:hrr", "haar", *(f"hh:b={b}" for b in (2, 4, 8, 16))} <= set(rows)
    assert document["best"] == "blocks"
    weighed = [name for name in rows if ":levels=" in name]
    assert weighed
    for name in weighed:
        assert name.endswith(":levels=ranges")
        assert rows[name]["average_variance"] < rows[name.removesuffix(":levels=ranges")]["average_variance"]
    averages = [row["average_variance"] for row in document["oracles"]]
    assert averages == pytest.approx(sorted(averages), rel=1e-9)
    assert document["best"] == document["oracles"][0]["oracle"]
    assert all(row["largest_is_exact"] for row in rows.values())
    assert all(row["largest_variance_bound"] == row["largest_variance"] for row in rows.values())
    assert all(row["largest_variance"] > row["average_variance"] > 0 for row in rows.values())
    assert rows["flat:oue"]["bits"] == 64


def test_rows_of_a_table(mechdesign):
    """Systems of two columns, with the sides of the grid."""
    asked = ["local", "oracles", "--k", 32, "--epsilon", 1, "--users", 10_000, "--workload", "grid:4,8", "--json"]
    names = [row["oracle"] for row in json.loads(mechdesign(*asked).out)["oracles"]]
    assert {"flat:oue", "hh:b=4", "haar", "hh2:b=2:sides=4x8", "haar2:sides=4x8"} <= set(names)
    assert "hh2:b=4:sides=4x8" not in names  # a side of 4 items is one level of a tree of 4
    assert names[0] == "blocks2:sides=4x8"
    without_k = [word for word in asked if word not in ("--k", 32)]
    assert mechdesign(*without_k).out == mechdesign(*asked).out


@pytest.mark.parametrize("given", [["--k", 31], ["--attributes", "4,8"], []])
def test_a_table_says_how_many_items_it_has(mechdesign, given):
    """Another number is refused, and a table without both sides."""
    workload = "grid:4,8" if given else "grid:4"
    seen = mechdesign("local", "oracles", "--epsilon", 1, "--workload", workload, *given)
    assert seen.code == 2
    check_wording(seen.err)


def test_a_table_of_one_row_is_items_in_a_row(mechdesign):
    asked = ["local", "oracles", "--k", 8, "--epsilon", 1, "--users", 10_000, "--json", "--workload"]
    rows, ranges = (json.loads(mechdesign(*asked, name).out)["oracles"] for name in ("grid:1,8", "ranges"))
    found = {row["oracle"]: row["average_variance"] for row in ranges}
    for row in rows:
        assert row["average_variance"] == pytest.approx(found[row["oracle"]], rel=1e-9)
    assert {"haar", "hh:b=2", "flat:oue"} <= {row["oracle"] for row in rows}


def test_more_items_than_the_memory_holds_are_refused(mechdesign, monkeypatch):
    monkeypatch.setattr("mechdesign_catalog.systems.memory_needs.memory_limit", lambda: 2_000_000)
    seen = mechdesign("local", "oracles", "--k", 65536, "--epsilon", 1, "--workload", "ranges")
    assert seen.code == 2
    check_wording(seen.err)


@pytest.mark.slow
def test_beyond_4096_items_the_largest_is_between_two_numbers(mechdesign):
    asked = ["local", "oracles", "--k", 4100, "--epsilon", 1, "--users", 10**6, "--workload", "ranges"]
    asked += ["--oracle", "warped-blocks"]
    rows = {row["oracle"]: row for row in json.loads(mechdesign(*asked, "--json").out)["oracles"]}
    estimated = {"warped-blocks"}
    for name in estimated:
        assert (rows[name]["largest_is_exact"], rows[name]["largest_variance_bound"]) == (False, None)
        assert rows[name]["times_bound"] is None
        assert 1 < rows[name]["times_bound_least"] < rows[name]["times_bound_most"] < 1.3
    for name, row in [pair for pair in rows.items() if pair[0] not in estimated]:
        assert row["times_bound_least"] is None
        assert row["largest_is_exact"] == (name.startswith("flat:") and name != "flat:hcms")
        assert row["largest_variance"] > row["average_variance"]
        assert name == "flat:hcms" or row["largest_variance_bound"] >= row["largest_variance"]
    table = mechdesign(*asked).out
    assert f">={rows['haar']['largest_variance']:.4g} " in table
    assert ">= : the largest that was found" in table
    assert ">=" not in next(line for line in table.splitlines() if line.startswith("flat:oue"))


@pytest.mark.slow
def test_rows_of_items_in_a_row_on_a_large_table(mechdesign):
    """Their averages are exact; the largest is one that was found, without a bound."""
    asked = ["local", "oracles", "--k", 2**8, "--epsilon", 1, "--users", 10**6, "--workload", "grid:16,16", "--json"]
    rows = {row["oracle"]: row for row in json.loads(mechdesign(*asked).out)["oracles"]}
    assert (rows["haar"]["largest_is_exact"], rows["haar"]["largest_variance_bound"]) == (False, None)
    assert rows["haar"]["largest_variance"] > rows["haar"]["average_variance"]
    assert rows["haar2:sides=16x16"]["average_variance"] < rows["haar"]["average_variance"] / 2


def test_a_file_of_queries(mechdesign):
    Path("w.csv").write_text("1,0,0\n1/2,1/2,0\n")
    document = json.loads(mechdesign("local", "oracles", "--k", 3, "--epsilon", 1, "--workload", "w.csv", "--json").out)
    assert document["workload"].startswith("w.csv@")
    assert document["queries"] == 2
    Path("w.csv").write_text("1,0,0\n")
    assert "answers to 1 query (w.csv@" in " ".join(
        mechdesign("local", "oracles", "--k", 3, "--epsilon", 1, "--workload", "w.csv").out.split()
    )


@pytest.mark.parametrize("width", [50, 80, 200])
def test_the_table_fits_the_terminal(mechdesign, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    seen = mechdesign("local", "oracles", "--k", 256, "--epsilon", 1.5, "--workload", "ranges")
    lines = seen.out.splitlines()
    assert max(map(len, lines)) <= width
    assert all(any(line.startswith(f"flat:{name}") for line in lines) for name in ("grr", "oue", "ss"))
    assert "best: " in seen.out
    heads, told = lines[2 if width < 80 else 1], " ".join(seen.out.split())
    hidden = {50: "standard error, time, largest, source", 80: "standard error, time", 200: None}[width]
    assert (f"left out: {hidden}; a wider terminal shows them, as --json does" in told) == (hidden is not None)
    assert ("left out" in told) == (hidden is not None)
    assert not any(f" {name} " in f"{heads} " for name in (hidden.split(", ") if hidden else ()))


def test_what_a_design_may_need_is_said(mechdesign):
    """The command is one that is understood, with the workload, the items and the privacy as they were asked for."""
    asked = ["local", "oracles", "--k", 16, "--alpha", "1/3", "--workload", "prefixes"]
    told = json.loads(mechdesign(*asked, "--json").out)["design"]
    assert 0.5 < told["least_share"] < 0.97
    assert told["command"] == "mechdesign local design --k 16 --workload prefixes --alpha 1/3"
    lines = " ".join(mechdesign(*asked).out.split())
    least = f"a design for this workload may cut the best one's variance to {told['least_share']} of it"
    assert lines.endswith(f"{least}, and none to less at equal shares: {told['command']}")


@pytest.mark.slow
def test_the_bound_is_said_with_how_many_times_it_each_oracle_is(mechdesign):
    asked = ["local", "oracles", "--k", 4100, "--epsilon", 1, "--workload", "prefixes", "--users", 1_000_000]
    told, text = json.loads(mechdesign(*asked, "--json").out), mechdesign(*asked).out
    bound = "bound: 3.127e-05; no local mechanism with one report a user, and unbiased answers linear in the counts of"
    assert f"{bound} reports, has a smaller average variance at equal shares" in " ".join(text.split())
    first, *others = told["oracles"]
    assert first["oracle"] == "warped-blocks"  # its average is estimated
    assert 1.01 < first["times_bound_least"] < first["times_bound_most"] < 1.05
    for row in others:
        assert row["times_bound"] == pytest.approx(row["average_variance"] / told["bound"], abs=1e-3)
        assert row["times_bound"] * told["bound"] >= row["average_variance"]
    assert "times bound" in text


def test_where_a_design_saves_little_none_is_named(mechdesign):
    for more in ("16 histogram", "200 prefixes", "8 ranges:8"):
        k, workload = more.split()
        asked = ["local", "oracles", "--epsilon", 1, "--k", k, "--workload", workload]
        assert "design" not in mechdesign(*asked).out
        if k != "16":
            assert json.loads(mechdesign(*asked, "--json").out)["design"] is None


def test_a_file_of_queries_and_tables_are_named_in_the_command_as_they_were(mechdesign):
    Path("my w.csv").write_text("1,0,0\n1/2,1/2,0\n")
    told = json.loads(mechdesign("local", "oracles", "--k", 3, "--epsilon", 1, "--workload", "my w.csv", "--json").out)[
        "design"
    ]
    assert told["command"] == "mechdesign local design --k 3 --workload 'my w.csv' --epsilon 1"
    asked = ["local", "oracles", "--attributes", "2,3", "--epsilon", 1, "--workload", "marginals:2", "--json"]
    told = json.loads(mechdesign(*asked).out)["design"]
    assert told["command"] == "mechdesign local design --attributes 2,3 --workload marginals:2 --epsilon 1"


BAD = {
    "another k": ["--workload", "grid:4,4"],
    "unknown": ["--workload", "rangs"],
    "too long": ["--workload", "ranges:25"],
    "no file": ["--workload", "w.csv"],
    "no users": ["--workload", "ranges", "--users", 0],
}


@pytest.mark.parametrize("name", BAD)
def test_bad_requests(mechdesign, name):
    arguments = BAD[name]
    seen = mechdesign("local", "oracles", "--k", 24, "--epsilon", 1, *arguments)
    assert (seen.code, seen.out, seen.err.count("\n")) == (2, "", 1)
    check_wording(seen.err)


def test_a_file_of_another_k(mechdesign):
    Path("w.csv").write_text("1,0,0\n")
    seen = mechdesign("local", "oracles", "--k", 4, "--epsilon", 1, "--workload", "w.csv")
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)

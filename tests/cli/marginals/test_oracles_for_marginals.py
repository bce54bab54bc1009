"""`mechdesign local oracles --workload marginals:K --attributes`: which oracle for which tables."""

import json

import pytest
from wording import check_wording

KEYS = {
    *("oracle", "average_variance", "largest_variance", "largest_is_exact", "largest_variance_bound", "standard_error"),
    "times_bound",
    *("about", "published"),
    *("bits", "mean_bits", "time_class", "epsilon", "alpha", "actual_alpha", "actual_epsilon", "memory_bytes", "fits"),
}
"""Those of a row for any other workload."""

ASKED = ("local", "oracles", "--epsilon", 1, "--users", 100_000)


def rows_of(mechdesign, *arguments):
    seen = mechdesign(*ASKED, *arguments, "--json")
    assert (seen.code, seen.err) == (0, "")
    return json.loads(seen.out)


@pytest.mark.slow
def test_rows_of_binary_attributes(mechdesign):
    document = rows_of(mechdesign, "--attributes", 8, "--workload", "marginals:2")
    assert document["workload"] == "marginals:2:2,2,2,2,2,2,2,2"
    assert (document["queries"], document["k"], document["n"]) == (112, 256, 100_000)
    assert document["attributes"] == [2] * 8
    rows = {(row["oracle"], row["post"]): row for row in document["oracles"]}
    names = {name.partition(":")[0] for name, _ in rows}
    assert {"inpht", "margps", "marght", "margrr", "calm", "inprr", "inpps", "inpolh", "inphtcms", "inpem"} <= names
    assert {*KEYS, "post", "answer_chance"} == set(document["oracles"][0])
    ranges = rows_of(mechdesign, "--k", 8, "--workload", "ranges")
    assert set(ranges["oracles"][0]) == KEYS | {"post", "times_bound_least", "times_bound_most"}
    assert document["best"] == document["oracles"][0]["oracle"]
    assert rows["margps:k=2", "raw"]["average_variance"] > 2 * rows["margps:k=2", "least-squares"]["average_variance"]
    assert rows["inprr:oue:k=2", "raw"]["bits"] == 256
    assert ("inpht:k=2", "raw") not in rows  # least squares is the same


def test_the_workload_may_name_the_attributes_too(mechdesign):
    asked = rows_of(mechdesign, "--attributes", "3,4,2", "--workload", "marginals:2")
    assert asked["attributes"] == [3, 4, 2]
    for same in (("--attributes", "3,4,2"), ("--k", 24)):
        assert rows_of(mechdesign, *same, "--workload", "marginals:2:3,4,2") == asked
    binary = rows_of(mechdesign, "--k", 16, "--workload", "marginals:2")
    assert binary == rows_of(mechdesign, "--attributes", 4, "--workload", "marginals:2")


@pytest.mark.parametrize("width", [80, 200])
def test_a_table_on_the_screen(mechdesign, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    seen = mechdesign(*ASKED, "--attributes", "3,4,2", "--workload", "marginals:1")
    assert (seen.code, seen.err) == (0, "")
    text = " ".join(seen.out.split())
    assert text.startswith("3 attributes with 3, 4, 2 items, each tuple as frequent, epsilon = 1, 100,000 users;")
    assert "9 cells of 3 tables (marginals:1)" in text
    assert "best: smp, standard error" in text
    asked = "where epsilon = 1 is asked for; it is NOT epsilon-LDP, and not called best"
    assert f"rs+fd:encoding=grr: whole tuples lose epsilon = 1.818 {asked}" in text
    assert text.count("it is NOT epsilon-LDP") == 3
    heading = next(line for line in seen.out.splitlines() if line.startswith("oracle")).split()
    assert heading[:4] == ["oracle", *(["source"] if width == 200 else []), "tables", "average", "times"][:4]
    assert ("time" in heading) == (width == 200)
    assert max(map(len, seen.out.splitlines())) <= width


@pytest.mark.slow
def test_oracles_that_may_leave_tables_without_reports_are_named(mechdesign):
    seen = mechdesign("local", "oracles", "--epsilon", 1, "--users", 60, "--attributes", 8, "--workload", "marginals:2")
    text = " ".join(seen.out.split())
    assert "too few users, with whom a part of the tables may get no report: margps:k=2, calm:k=2:size=2," in text
    assert "best: flat:ss" in text
    asked = (
        "local",
        "oracles",
        "--epsilon",
        1,
        "--users",
        60,
        "--attributes",
        ",".join(["3"] * 60),
        "--workload",
        "marginals:2",
    )
    assert "none of them has enough users; take fewer attributes, or a smaller K" in mechdesign(*asked).out
    document = json.loads(mechdesign(*asked, "--json").out)
    assert (document["best"], document["lean"]) == (None, None)


def test_oracles_beyond_the_memory_are_named_and_never_best(mechdesign):
    document = rows_of(mechdesign, "--attributes", 36, "--workload", "marginals:1")
    by_name = {row["oracle"]: row for row in document["oracles"]}
    assert not by_name["inprr:oue:k=1"]["fits"]
    assert by_name[document["best"]]["fits"]
    text = mechdesign(*ASKED, "--attributes", 36, "--workload", "marginals:1").out
    assert "inprr:oue:k=1" in text.split("too large for this machine's memory:")[1]


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--k", 4, "--attributes", 2),
        ("--attributes", 3),
        ("--attributes", 3, "--workload", "ranges"),
        ("--attributes", "3,x", "--workload", "marginals:1"),
        ("--attributes", "3,,2", "--workload", "marginals:1"),
        ("--attributes", "3,1", "--workload", "marginals:1"),
        ("--attributes", 0, "--workload", "marginals:1"),
        ("--attributes", 3, "--workload", "marginals:4"),
        ("--attributes", 3, "--workload", "marginals"),
        ("--attributes", "3,4", "--workload", "marginals:1:4,3"),
        ("--attributes", 60, "--workload", "marginals:4"),
        ("--attributes", 4, "--workload", "marginals:1", "--users", 1),
    ],
)
def test_what_is_no_question_is_refused_in_one_line(mechdesign, arguments):
    seen = mechdesign("local", "oracles", "--epsilon", 1, *map(str, arguments))
    assert (seen.code, seen.out, seen.err.count("\n")) == (2, "", 1)
    check_wording(seen.err)

"""`mechdesign local oracles`: which oracle for which domain."""

import csv
import json
import math
import re
from fractions import Fraction
from pathlib import Path

import pytest
from wording import check_wording

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.systems.registry import FLAT_ORACLES
from mechdesign_catalog.systems.tables.registry import parse_marginal_oracle


def test_all_are_listed_the_most_accurate_first(mechdesign):
    seen = mechdesign("local", "oracles", "--k", 24, "--epsilon", 1.5, "--users", 60000, "--json")
    assert seen.code == 0
    document = json.loads(seen.out)
    rows = {row["oracle"]: row for row in document["oracles"]}
    assert set(rows) == set(FLAT_ORACLES)
    variances = [row["variance"] for row in document["oracles"]]
    assert variances == pytest.approx(sorted(variances), rel=1e-9)
    e = math.exp(1.5)
    assert rows["grr"]["variance"] == pytest.approx((24 - 2 + e) / (60000 * (e - 1) ** 2), rel=1e-8)
    assert rows["oue"]["variance"] == pytest.approx(4 * e / (60000 * (e - 1) ** 2), rel=1e-8)
    assert rows["hrr"]["variance"] == pytest.approx((e + 1) ** 2 / (60000 * (e - 1) ** 2), rel=1e-8)
    assert rows["oue"]["standard_error"] == pytest.approx(math.sqrt(rows["oue"]["variance"]))
    assert (rows["grr"]["bits"], rows["oue"]["bits"]) == (5, 24)
    assert rows["oue"]["mean_bits"] == 24
    assert (document["best"], document["lean"]) == ("ss", "ss")
    assert all(row["actual_epsilon"] <= 1.5 for row in rows.values())


@pytest.mark.parametrize(
    ("k", "epsilon", "winner"),
    [(4, 1, "grr"), (10, 1, "ss:size=2"), (2000, 1, "ss"), (40, 4, "grr")],
)
def test_the_best(mechdesign, k, epsilon, winner):
    """GRR where subset selection would select one item, with which it is the same."""
    seen = mechdesign("local", "oracles", "--k", k, "--epsilon", epsilon)
    assert f"best: {winner}, standard error" in seen.out


def test_words_under_the_table(mechdesign):
    seen = mechdesign("local", "oracles", "--k", 3000, "--epsilon", 1)
    assert "nearly as good with the fewest bits: olh" in seen.out


def test_a_few_bits_less_are_not_praised(mechdesign):
    """Of 104 bits, one or two are no saving."""
    seen = mechdesign("local", "oracles", "--k", 64, "--epsilon", 1, "--workload", "ranges", "--json")
    found = json.loads(seen.out)
    bits = {row["oracle"]: row["bits"] for row in found["oracles"]}
    assert min(bits["hh:b=2:in=ss-hrr:levels=ranges"], bits["hh:b=8:in=ss-hrr:levels=ranges"]) > 50
    assert found["lean"] == found["best"] == "blocks"
    assert "fewest bits" not in mechdesign("local", "oracles", "--k", 64, "--epsilon", 1, "--workload", "ranges").out


def test_what_does_not_fit_is_not_recommended(mechdesign, monkeypatch):
    monkeypatch.setattr("mechdesign_catalog.systems.memory_needs.memory_limit", lambda: 60_000_000)
    seen = mechdesign("local", "oracles", "--k", 10**6, "--epsilon", 1)
    assert "too large for this machine's memory: " in seen.out
    assert "ss, " in seen.out.splitlines()[-1]
    assert "best: olh" in seen.out


@pytest.mark.parametrize("k", [99_999_999_999, 2**40])
def test_a_domain_that_no_oracle_fits(mechdesign, k):
    seen = mechdesign("local", "oracles", "--k", k, "--epsilon", 5)
    assert (seen.code, seen.err) == (0, "")
    assert seen.out.endswith("none of them fits this machine's memory; take a smaller domain\n")
    document = json.loads(mechdesign("local", "oracles", "--k", k, "--epsilon", 5, "--json").out)
    assert (document["best"], document["lean"]) == (None, None)
    assert not any(row["fits"] for row in document["oracles"])


@pytest.mark.parametrize("width", [50, 80, 200])
def test_the_table_fits_the_terminal(mechdesign, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    seen = mechdesign("local", "oracles", "--k", 24, "--epsilon", 1.5)
    assert max(map(len, seen.out.splitlines())) <= width
    assert all(any(line.startswith(name) for line in seen.out.splitlines()) for name in FLAT_ORACLES)


def test_alpha_instead_of_epsilon(mechdesign):
    one = json.loads(mechdesign("local", "oracles", "--k", 5, "--alpha", "1/3", "--json").out)
    assert one["oracles"][0]["epsilon"] == pytest.approx(math.log(3))


BAD = {
    "one item": ["--k", 1, "--epsilon", 1],
    "no k": ["--epsilon", 1],
    "nan": ["--k", 5, "--epsilon", "nan"],
    "zero": ["--k", 5, "--epsilon", "0"],
    "infinite": ["--k", 5, "--epsilon", "inf"],
    "no users": ["--k", 5, "--epsilon", "1", "--users", 0],
    "neither": ["--k", 5],
}


@pytest.mark.parametrize("name", BAD)
def test_bad_requests(mechdesign, name):
    arguments = BAD[name]
    seen = mechdesign("local", "oracles", *arguments)
    assert (seen.code, seen.out, seen.err.count("\n")) == (2, "", 1)
    check_wording(seen.err)


def test_the_table_is_written_as_asked(mechdesign):
    seen = mechdesign("local", "oracles", "--k", 8, "--epsilon", 1, "--output", "o.csv", "--output", "o.json", "--json")
    assert seen.code == 0, seen.err
    assert Path("o.json").read_text() == seen.out
    rows = list(csv.DictReader(Path("o.csv").read_text().splitlines()))
    assert [row["oracle"] for row in rows] == [row["oracle"] for row in json.loads(seen.out)["oracles"]]
    assert float(rows[0]["variance"]) == json.loads(seen.out)["oracles"][0]["variance"]
    refused = mechdesign("local", "oracles", "--k", 8, "--epsilon", 1, "--output", "o.txt")
    assert refused.code == 2
    check_wording(refused.err)


def test_each_row_says_what_a_person_sends(mechdesign):
    rows = json.loads(mechdesign("local", "oracles", "--k", 8, "--epsilon", 1, "--json").out)["oracles"]
    about = {row["oracle"]: row["about"] for row in rows}
    assert about["grr"] == "An item: the own one with p, each other one with `alpha p`."
    assert len(set(about.values())) == len(rows), f"first lines of docstrings of oracles must be different: {about}"


def test_numbers_may_be_written_short(mechdesign):
    short = mechdesign("local", "oracles", "--k", "1e3", "--epsilon", 1, "--users", "2.5e6", "--json")
    assert short.out == mechdesign("local", "oracles", "--k", 1000, "--epsilon", 1, "--users", 2_500_000, "--json").out
    for text in ("1e-3", "1.5", "2.55e1", "1e99", "e5"):
        refused = mechdesign("local", "oracles", "--k", 8, "--epsilon", 1, "--users", text)
        assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)


def test_a_plan_on_paper_is_shown_where_it_is_long(mechdesign):
    seen = mechdesign("local", "oracles", "--k", "1e6", "--epsilon", 1, "--users", "1e9")
    assert seen.code == 0
    words, _, table = seen.out.partition("\na plan on paper, by constants of ")
    assert "best: ss" in words
    lines = [[word for word in line.split() if word not in ("paper", "own")] for line in table.splitlines()]
    rows = {name: words for name, *words in lines if name in FLAT_ORACLES}
    assert rows["oue"][:2] == ["125", "TB"]
    assert int(rows["oue"][-1]) > 10 > int(rows["hrr"][-1])
    assert "on paper" not in mechdesign("local", "oracles", "--k", 1000, "--epsilon", 1, "--users", "1e6").out
    row = json.loads(mechdesign("local", "oracles", "--k", 4, "--epsilon", 1, "--json").out)["oracles"][0]
    assert "paper" in row["planned_by"]


def test_liars_have_a_column_and_a_line(mechdesign):
    seen = mechdesign("local", "oracles", "--k", 4, "--alpha", "1/2", "--liars", "1/100")
    assert re.search(r"^grr +(?:paper +)?0\.04 ", seen.out, re.MULTILINE)
    assert "how far 0.01 of all users move an item's share" in seen.out.replace("\n", " ")
    rows = json.loads(mechdesign("local", "oracles", "--k", 4, "--alpha", "1/2", "--liars", 0.01, "--json").out)[
        "oracles"
    ]
    assert next(row["worst_bias"] for row in rows if row["oracle"] == "grr") == 0.04


def test_liars_move_the_answers_of_a_workload(mechdesign):
    asked = ["local", "oracles", "--k", 8, "--alpha", "1/2", "--workload", "prefixes", "--liars"]
    seen = mechdesign(*asked, "1/100")
    assert re.search(r"^flat:grr +paper +0\.08 ", seen.out, re.MULTILINE)
    assert re.search(r"^flat:olh +paper +<=", seen.out, re.MULTILINE)
    words = " ".join(seen.out.split())
    assert "move an answer by reports of their choice, where users are many; least for" in words
    assert "<= : an upper bound" in words
    rows = {row["oracle"]: row for row in json.loads(mechdesign(*asked, 0.01, "--json").out)["oracles"]}
    assert rows["flat:grr"]["worst_bias"] == pytest.approx(0.08)
    assert [rows[name]["worst_bias_is_exact"] for name in ("flat:grr", "flat:olh", "haar")] == [True, False, True]
    assert rows["haar"]["worst_bias"] > 0.01


def test_liars_are_not_computed_for_too_many_queries(mechdesign):
    seen = mechdesign("local", "oracles", "--k", 256, "--epsilon", 1, "--workload", "ranges", "--liars", 0.01)
    assert "worst bias: of at most 2,097,152 queries times items; take a smaller domain" in " ".join(seen.out.split())


def test_liars_move_the_cells_of_tables(mechdesign):
    """As the methods of the systems have it: each row by its own estimator, with the table that is moved furthest."""
    asked = ["local", "oracles", "--attributes", "2,3", "--alpha", "1/2", "--workload", "marginals:2", "--liars"]
    words = " ".join(mechdesign(*asked, "1/100").out.split())
    assert "move a cell of a table by reports of their choice, where users are many; least for" in words
    assert ", most in the table of attributes 1, 2" in words
    document = json.loads(mechdesign(*asked, 0.01, "--json").out)
    rows = {(row["oracle"], row["post"]): row for row in document["oracles"]}
    oracle = parse_marginal_oracle("inpht", (2, 3), Privacy(alpha="1/2"))
    raw, agreeing = rows["inpht:k=2", "raw"], rows["inpht:k=2", "least-squares"]
    assert raw["worst_bias"] == float(oracle.worst_bias(Fraction(1, 100)).value)
    assert (raw["worst_bias_is_exact"], agreeing["worst_bias_is_exact"]) == (True, False)
    assert agreeing["worst_bias"] == float(oracle.least_squares.worst_bias((0, 1), Fraction(1, 100)).value)
    assert {row["worst_bias_attributes"] for row in rows.values()} == {"1,2", None}
    assert rows["flat:ss", None]["worst_bias"] > 0.01
    asked = [
        "local",
        "oracles",
        "--attributes",
        "2,5",
        "--epsilon",
        1,
        "--workload",
        "marginals:1",
        "--liars",
        "0.01",
        "--json",
    ]
    one = json.loads(mechdesign(*asked).out)
    assert next(row for row in one["oracles"] if row["oracle"] == "spl")["worst_bias_attributes"] == "2"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--liars", "1"],
        ["--liars", "some"],
        ["--liars", "2", "--workload", "ranges"],
    ],
    ids=["all", "no number", "of a workload"],
)
def test_liars_that_cannot_be(mechdesign, arguments):
    seen = mechdesign("local", "oracles", "--k", 8, "--epsilon", 1, *arguments)
    assert (seen.code, seen.out, seen.err.count("\n")) == (2, "", 1)
    check_wording(seen.err)

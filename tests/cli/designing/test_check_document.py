"""The JSON document of `mechdesign check`: kinds of files, the report's words, and what a repair cost."""

import json
import math
import re
from fractions import Fraction
from pathlib import Path

import pytest
from wording import check_wording

LEAKY = "1,0.5,0\n0,0.5,0\n0,0,1\n"


@pytest.mark.parametrize(
    ("name", "text", "outputs", "inputs"),
    [
        ("square.csv", "0.6,0.4\n0.4,0.6\n", 2, 2),
        ("tall.json", '[["1/2", "1/4"], ["1/4", "1/4"], ["1/4", "1/2"]]', 3, 2),
    ],
    ids=["square", "tall"],
)
def test_a_matrix_and_its_shape(mechdesign, name, text, outputs, inputs):
    Path(name).write_text(text)
    found = json.loads(mechdesign("check", name, "--json").out)
    assert (found["kind"], found["outputs"], found["inputs"]) == ("matrix", outputs, inputs)
    assert (found["passed"], found["claims"], found["repair"]) == (True, [], None)


def test_the_facts_are_the_words_of_the_report(mechdesign, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    Path("rows.csv").write_text("0.75,0.25\n0.5,0.5\n")
    lines = [line for line in mechdesign("check", "rows.csv").out.splitlines() if line.strip()]
    found = json.loads(mechdesign("check", "rows.csv", "--json").out)
    verdict = [["", one["text"]] for one in found["headline"]]
    within = [*verdict, ["", found["within"]["title"]], *found["within"]["facts"], ["", "Exactly as it is written:"]]
    shown = [" ".join(f"{label} {text}".split()) for label, text in [*within, *found["facts"]]]
    assert shown == [" ".join(line.split()) for line in lines]
    assert "the rows do: use --row-stochastic" in dict(found["facts"])["columns"]


@pytest.mark.parametrize(
    ("last", "words"), [("0.333", "the rows do, but for rounding: use --row-stochastic"), ("0.339", None)]
)
def test_rounded_rows_are_recognised(mechdesign, last, words):
    Path("t.csv").write_text(f"0.5,0.3,0.2\n0.333,0.333,{last}\n0.1,0.2,0.7\n")
    text = dict(json.loads(mechdesign("check", "t.csv", "--json").out)["facts"])["columns"]
    assert text.startswith("3 of 3 do not sum to 1")
    assert ("--row-stochastic" in text) == (words is not None)
    assert words is None or words in text


@pytest.mark.parametrize("separator", [" ", "\t", ";", " ; "])
def test_other_separators_are_hinted_at(mechdesign, separator):
    rows = "\n".join(separator.join(("6.666e-01", "3.333e-01")[::step]) for step in (1, -1))
    Path("s.csv").write_text(f"{rows}\n")
    seen = mechdesign("check", "s.csv")
    assert seen.code == 2
    check_wording(seen.err)


def test_a_word_is_no_row_of_numbers(mechdesign):
    Path("s.csv").write_text("a b\n1 2\n")
    assert "commas" not in mechdesign("check", "s.csv").err


def test_the_loss_near_rounded_entries_is_reached_by_some_matrix(mechdesign):
    """The least ratio within the digits is 0.33335/0.66665, and the loss that is printed is rounded up."""
    Path("f.csv").write_text("0.6667,0.3333\n0.3333,0.6667\n")
    seen = dict(json.loads(mechdesign("check", "f.csv", "--json").out)["within"]["facts"])["epsilon"]
    least = math.log(0.66665 / 0.33335)
    assert seen.startswith("as small as 0.69307")
    assert least <= float(seen.removeprefix("as small as ")) < least + 1e-5


def test_floats_get_two_verdicts_and_the_exact_one_decides(mechdesign):
    mechdesign("solve", "--n", 8, "--alpha", "0.9", "--loss", "L1", "-o", "b.csv")
    seen = mechdesign("check", "b.csv", "--alpha", "0.9", "--loss", "L1")
    first, exact = seen.out.split("Exactly as it is written:")
    assert seen.code == 1
    assert "yes    alpha-DP with alpha = 0.9" in first
    assert "all can sum to exactly 1" in first
    assert "FALSE  alpha-DP with alpha = 0.9" in exact
    assert "proved optimum 2.12351239766; this score is" in " ".join(exact.split())
    assert "is larger than that of GM at alpha = 0.9 (alpha is 7.2e-15 % too small)" in " ".join(exact.split())
    near = mechdesign("check", "b.csv", "--alpha", "0.9", "--tolerance", "1e-12")
    first, exact = near.out.split("Exactly as it is written:")
    assert near.code == 0
    assert "true   alpha-DP with alpha = 0.9" in first
    assert "FALSE" not in near.out
    found = json.loads(mechdesign("check", "b.csv", "--alpha", "0.9", "--json").out)
    assert (found["passed"], found["within"]["passed"], found["within"]["tolerance"]) == (False, True, None)
    mechdesign("solve", "--n", 8, "--alpha", "0.9", "--loss", "L1", "-o", "b.json")
    assert json.loads(mechdesign("check", "b.json", "--json").out)["within"] is None


def test_an_infinite_epsilon_is_named(mechdesign):
    Path("zero.csv").write_text("1,1/2\n0,1/2\n")
    assert "from GM  no: its epsilon is infinite" in mechdesign("check", "zero.csv", "--alpha", "0.9").out


def test_a_loss_is_for_a_comparison_or_a_repair(mechdesign):
    Path("leaky.csv").write_text(LEAKY)
    seen = mechdesign("check", "leaky.csv", "--loss", "L1")
    assert seen.code == 2
    check_wording(seen.err)


def test_a_design_document_and_a_false_claim(mechdesign):
    mechdesign("solve", "--n", 3, "--alpha", "0.9", "-o", "d.json")
    found = json.loads(mechdesign("check", "d.json", "--json").out)
    assert (found["kind"], found["passed"]) == ("design", True)
    Path("d.json").write_text(Path("d.json").read_text().replace('"status": "exact"', '"status": "certified"'))
    seen = mechdesign("check", "d.json", "--json")
    found = json.loads(seen.out)
    assert (seen.code, found["passed"]) == (1, False)
    assert [claim["true"] for claim in found["claims"]].count(False) == 1


def test_what_a_repair_cost(mechdesign):
    Path("leaky.csv").write_text(LEAKY)
    seen = mechdesign(
        *("check", "leaky.csv", "--alpha", "0.9", "--props", "WH", "--loss", "L1", "--repair", "ok.json", "--json")
    )
    found = json.loads(seen.out)
    assert (seen.code, found["passed"]) == (0, False)
    repair, document = found["repair"], json.loads(Path("ok.json").read_text())
    assert repair["before"]["exact"] == "1/6"
    assert repair["score"] == document["score"]
    assert Fraction(repair["lower_bound"]["exact"]) <= Fraction(repair["score"]["exact"])
    assert repair["how"] == document["how"] == "integer repair"
    assert 0 < repair["largest_change"] < 1
    check_wording(seen.err)
    assert repair["text"].startswith("repaired for L1: score 0.166666667 -> ")


@pytest.mark.parametrize("alpha", ["1/3", "3/7", "5/8", "7/9"])
def test_stated_scores_are_never_below_and_bounds_never_above(mechdesign, alpha):
    Path("m.csv").write_text("3/4,1/4,1/7\n1/8,1/2,1/7\n1/8,1/4,5/7\n")
    seen = mechdesign("check", "m.csv", "--alpha", alpha, "--loss", "L1", "--json").out
    seen = json.loads(seen)
    shown = dict(seen["facts"])
    for name, text in re.findall(r"(\S+) ([0-9.]+)(?:,|$)", shown["scores"]):
        exact = Fraction(seen["scores"][name]["exact"])
        assert exact <= Fraction(text) < exact + Fraction(1, 10**6)
    optimum = seen["optimum"]
    score, bound = Fraction(optimum["score"]["exact"]), Fraction(optimum["lower_bound"]["exact"])
    told, far, where = re.search(
        r"(?:optimum|bound) (\S+); this score is (\S+) (above|below) it", optimum["text"]
    ).groups()
    assert Fraction(99, 100) * bound < Fraction(told) <= bound
    assert Fraction(far) >= score - bound if where == "above" else Fraction(far) <= bound - score
    repaired = json.loads(mechdesign("check", "m.csv", "--alpha", alpha, "--repair", "r.json", "--json").out)["repair"]
    before, after, gap = re.search(r"score (\S+) -> (\S+) .* optimum (\S+)$", repaired["text"]).groups()
    exact = [Fraction(repaired[name]["exact"]) for name in ("before", "score", "lower_bound")]
    assert Fraction(before) >= exact[0]
    assert Fraction(after) >= exact[1]
    assert Fraction(gap) >= exact[1] - exact[2]


def test_a_record_says_what_it_is_of(mechdesign):
    mechdesign("solve", "--n", 12, "--alpha", "0.9", "-o", "m.json")
    release = ("release", "--data", "saxony", "--mechanism", "m.json", "-o", "r.csv", "--record", "r.json", "--seed", 1)
    assert mechdesign(*release).code == 0
    found = json.loads(mechdesign("check", "r.json", "--json").out)
    assert (found["kind"], found["passed"], found["simulation"]) == ("release", True, True)
    facts = dict(found["facts"])
    assert facts["record"].startswith("r.json: 6115 groups of 73380 units in all")
    assert "SIMULATION" in facts["noise"]
    Path("r.csv").write_text(Path("r.csv").read_text() + "1\n")
    seen = mechdesign("check", "r.csv", "--record", "r.json", "--json")
    assert (seen.code, json.loads(seen.out)["passed"]) == (1, False)

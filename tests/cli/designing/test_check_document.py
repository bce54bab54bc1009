"""The JSON document of `mechdesign check`: kinds of files, the report's words, and what a repair cost."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

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
    facts = json.loads(mechdesign("check", "rows.csv", "--json").out)["facts"]
    assert [" ".join(f"{label} {text}".split()) for label, text in facts] == [" ".join(line.split()) for line in lines]
    assert "use --row-stochastic" in dict(facts)["columns"]


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
    assert repair["text"] in seen.err


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

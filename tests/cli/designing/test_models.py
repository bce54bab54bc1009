"""Models, worst case and methods from the command line."""

import json
import re
from pathlib import Path

import pytest
from wording import check_wording

from mechdesign.methods.registry import METHODS

LDP = ["solve", "--model", "ldp", "--k", "4", "--alpha", "0.5"]
LLDP = ["solve", "--model", "lldp", "--k", "5", "--alpha", "0.5"]
METRIC = ["solve", "--model", "metric", "--alpha", "0.5"]
COUNT = ["solve", "--n", "4", "--alpha", "0.9"]

FILES = {
    "d.csv": "0,1,3\n1,0,2\n3,2,0\n",
    "wide.csv": "0,1,2\n1,0,2\n",
    "lopsided.csv": "0,1\n2,0\n",
    "negative.csv": "0,-1\n-1,0\n",
    "diagonal.csv": "1,1\n1,0\n",
    "triangle.csv": "0,1,4\n1,0,2\n4,2,0\n",
    "nan.csv": "0,nan\nnan,0\n",
    "empty.csv": "",
    "same.csv": "0,0\n0,0\n",
}


@pytest.fixture(autouse=True)
def workshop(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "model", "score"),
    [
        (LDP, {"model": "ldp", "k": 4}, "4/5"),
        (["solve", "--model", "lldp", "--k", "8", "--radius", "2", "--alpha", "0.6"], {"radius": 2}, "825/977"),
        ([*METRIC, "--distances", "d.csv", "--loss", "d.csv"], {"model": "metric", "k": 3, "unit": "1"}, None),
        ([*COUNT, "--aggregate", "worst", "--props", "WH"], {"aggregate": "worst", "prior": None}, None),
        ([*COUNT, "--props", "OS:0.95,WH"], {"properties": ["WH", "OS:19/20"]}, None),
    ],
)
def test_documents_of_every_kind(mechdesign, arguments, model, score):
    seen = mechdesign(*arguments, "--json", "-o", "d.json", "-o", "d.csv.npz", "--plot", "d.png")
    assert seen.code == 0, seen.err
    document = json.loads(seen.out)
    assert model.items() <= document["problem"].items()
    assert score is None or document["score"]["exact"] == score
    assert Path("d.png").read_bytes().startswith(b"\x89PNG")
    for name in ("d.json", "d.csv.npz"):
        checked = mechdesign("check", name, "--json")
        assert checked.code == 0, checked.out
        found = json.loads(checked.out)
        assert all(claim["true"] for claim in found["claims"])
        assert found["model"] == document["problem"]["model"]


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        (("problem", "k"), 5),
        (("problem", "radius"), 3),
        (("problem", "model"), "ldp"),
        (("problem", "aggregate"), "worst"),
        (("dual", "prices"), ["0"] * 8),
        (("dual", "denominator"), "1"),
    ],
)
def test_a_tampered_band_is_caught(mechdesign, keys, value):
    mechdesign("solve", "--model", "lldp", "--k", "8", "--radius", "2", "--alpha", "0.6", "-o", "d.json")
    document = json.loads(Path("d.json").read_text())
    document[keys[0]][keys[1]] = value
    Path("t.json").write_text(json.dumps(document))
    seen = mechdesign("check", "t.json")
    assert seen.code in (1, 2)
    assert "FALSE" in seen.out or seen.err


def test_a_tampered_metric_and_a_tampered_worst_case_are_caught(mechdesign):
    mechdesign(*METRIC, "--distances", "d.csv", "-o", "m.json")
    mechdesign(*COUNT, "--aggregate", "worst", "--loss", "L1", "-o", "w.json")
    metric, worst = (json.loads(Path(name).read_text()) for name in ("m.json", "w.json"))
    metric["problem"]["distances"] = [["0", "1", "2"], ["1", "0", "1"], ["2", "1", "0"]]
    worst["dual"]["prior"][0] = "1"
    for name, document in (("m.json", metric), ("w.json", worst)):
        Path(name).write_text(json.dumps(document))
        seen = mechdesign("check", name)
        assert (seen.code, "FALSE" in seen.out) == (1, True)
    assert "the proof is invalid: the prior is not a probability vector" in " ".join(seen.out.split())


BAD = [
    [*LDP, "--n", "4"],
    ["solve", "--model", "ldp", "--alpha", "0.5"],
    ["solve", "--model", "ldp", "--k", "1", "--alpha", "0.5"],
    ["solve", "--model", "ldp", "--k", "x", "--alpha", "0.5"],
    LLDP,
    [*LDP, "--radius", "2"],
    ["solve", "--model", "lldp", "--k", "5", "--radius", "5", "--alpha", "0.5"],
    ["solve", "--model", "lldp", "--k", "5", "--radius", "0", "--alpha", "0.5"],
    [*COUNT, "--k", "4"],
    [*COUNT, "--model", "count", "--k", "4"],
    ["solve", "--model", "xyz", "--n", "4", "--alpha", "0.5"],
    METRIC,
    [*METRIC, "--distances", "none.csv"],
    [*METRIC, "--distances", "empty.csv"],
    [*METRIC, "--distances", "nan.csv"],
    [*METRIC, "--distances", "wide.csv"],
    [*METRIC, "--distances", "lopsided.csv"],
    [*METRIC, "--distances", "negative.csv"],
    [*METRIC, "--distances", "diagonal.csv"],
    [*METRIC, "--distances", "triangle.csv"],
    [*METRIC, "--distances", "same.csv"],
    [*METRIC, "--distances", "d.csv", "--unit", "2"],
    [*COUNT, "--aggregate", "worst", "--prior", "uniform"],
    [*COUNT, "--aggregate", "mean"],
    [*COUNT, "--props", "OS:0"],
    [*COUNT, "--props", "OS:1.5"],
    [*COUNT, "--props", "OS:x"],
    [*COUNT, "--props", "CM", "--method", "column-generation"],
    [*COUNT, "--method", "simplex"],
    ["solve", "--n", "4000", "--alpha", "0.9", "--props", "CM", "--loss", "L3"],
    ["solve", "--k", "4", "--n", "4", "--alpha", "0.5"],
    ["solve", "--n", "4", "--alpha", "0.5", "--unit", "1"],
    ["check", "m.csv", "--model", "lldp"],
    ["catalog", "GRR", "--n", "4", "--alpha", "0.5"],
    ["catalog", "GM", "--k", "4", "--alpha", "0.5"],
]


@pytest.mark.parametrize("arguments", BAD)
def test_bad_input_is_one_line_and_nothing_is_written(mechdesign, arguments):
    Path("m.csv").write_text("0.5,0.5\n0.5,0.5\n")
    before = set(Path().iterdir())
    target = ["-o", "out.json"] if arguments[0] != "check" else []
    seen = mechdesign(*arguments, *target)
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)
    assert seen.err.count("\n") == 1
    assert set(Path().iterdir()) == before


@pytest.mark.slow
def test_the_model_follows_from_its_own_option(mechdesign):
    Path("d.csv").write_text("0,1,2\n1,0,1\n2,1,0\n")
    Path("m.csv").write_text("1/2,1/4,1/4\n1/4,1/2,1/4\n1/4,1/4,1/2\n")
    stated = {
        ("--k", 4): ("--model", "ldp"),
        ("--k", 4, "--radius", 2): ("--model", "lldp"),
        ("--distances", "d.csv"): ("--model", "metric"),
        ("--n", 4): ("--model", "count"),
    }
    for options, model in stated.items():
        ask = ("solve", *options, "--alpha", "1/2", "--json")
        problems = [json.loads(mechdesign(*ask, *more).out)["problem"] for more in ((), model)]
        assert problems[0] == problems[1]
        assert problems[0]["model"] == model[1]
    assert json.loads(mechdesign("check", "m.csv", "--radius", 1, "--json").out)["model"] == "lldp"
    assert mechdesign("sweep", "--k", "2:4", "--epsilon", 1, "-o", "s.csv").code == 0
    assert "ldp" in Path("s.csv").read_text().splitlines()[1]


def test_explain_says_what_is_tried_and_why(mechdesign):
    seen = mechdesign(*COUNT, "--props", "WH", "--explain", "--json")
    lines = seen.err.splitlines()
    assert json.loads(seen.out)["status"] == "exact"
    assert lines[0].startswith("1. closed-form")
    assert lines[1].startswith("4. column-generation")
    assert "can: rows on a path" in lines[1]
    assert lines[2].startswith("3. split-and-cut")
    assert lines[5].startswith("   full")
    assert "tried in this order: closed-form, symmetric, split-and-cut, column-generation" in lines[6]


def test_explain_says_why_auto_leaves_a_method_out(mechdesign):
    seen = mechdesign("solve", "--n", "30", "--alpha", "0.5", "--props", "WH", "--prior", "binomial:1/20", "--explain")
    check_wording(seen.err)


def test_help_names_every_method(mechdesign):
    words = set(re.findall(r"[\w-]+", mechdesign("solve", "--help").out))
    assert {method.name for method in METHODS} <= words


def test_a_plain_matrix_in_its_model(mechdesign):
    Path("grr.csv").write_text("1/2,1/4,1/4\n1/4,1/2,1/4\n1/4,1/4,1/2\n")
    seen = mechdesign("check", "grr.csv", "--model", "ldp", "--alpha", "0.5")
    assert (seen.code, "any two inputs" in " ".join(seen.out.split())) == (0, True)
    seen = mechdesign("check", "grr.csv", "--model", "metric", "--distances", "d.csv", "--alpha", "0.5", "--json")
    assert seen.code == 0
    assert json.loads(seen.out)["model"] == "metric"
    assert mechdesign("check", "grr.csv", "--model", "metric", "--distances", "d.csv", "--alpha", "0.6").code == 1
    seen = mechdesign("check", "grr.csv", "--model", "ldp", "--alpha", "0.6", "--repair", "r.json")
    assert seen.code == 0
    assert json.loads(Path("r.json").read_text())["problem"]["model"] == "ldp"
    assert mechdesign("check", "r.json").code == 0


def test_epsilon_of_a_metric_is_for_each_1_of_distance(mechdesign):
    Path("five.csv").write_text("0,5,10\n5,0,5\n10,5,0\n")
    for name, alpha in (("five.csv", 0.9), ("d.csv", 0.5)):
        mechdesign("solve", "--model", "metric", "--distances", name, "--alpha", alpha, "-o", "m.json")
        found = json.loads(mechdesign("check", "m.json", "--json").out)
        stated = json.loads(Path("m.json").read_text())["problem"]["epsilon"]
        assert found["epsilon"] == pytest.approx(stated, rel=1e-9)
        assert found["alpha"] in (None, "1/2")
        assert "for each 1 of distance" in " ".join(mechdesign("check", "m.json").out.split())


@pytest.mark.parametrize(("key", "value"), [("k", 77), ("k", True), ("prior", None), ("aggregate", "worst")])
def test_what_a_metric_document_says_of_itself_must_agree(mechdesign, key, value):
    mechdesign(*METRIC, "--distances", "d.csv", "-o", "m.json")
    document = json.loads(Path("m.json").read_text())
    document["problem"][key] = value
    Path("m.json").write_text(json.dumps(document))
    assert mechdesign("check", "m.json").code == 2


def test_nothing_that_is_read_is_replaced(mechdesign):
    for arguments in (
        [*METRIC, "--distances", "d.csv", "-o", "d.csv"],
        ["solve", "--n", "2", "--alpha", "0.5", "--loss", "d.csv", "-o", "d.csv"],
    ):
        seen = mechdesign(*arguments)
        assert seen.code == 2
        check_wording(seen.err)
    for arguments in (
        ["landscape", "--n", "2", "--alpha", "0.5", "--loss", "d.csv", "--output", "d.csv"],
        ["sweep", "--n", "2", "--alpha", "0.5", "--loss", "L0,d.csv", "--output", "d.csv", "--overwrite"],
    ):
        seen = mechdesign(*arguments)
        assert seen.code == 2
        check_wording(seen.err)
    assert Path("d.csv").read_text() == FILES["d.csv"]
    mechdesign(*COUNT, "--aggregate", "worst", "--loss", "L1", "-o", "w.json")
    assert mechdesign("check", "w.json", "--alpha", "0.9", "--repair", "w.json").code == 2
    assert mechdesign("check", "w.json", "--alpha", "0.95", "--loss", "L1", "--repair", "r.json").code == 0
    assert json.loads(Path("r.json").read_text())["problem"]["aggregate"] == "worst"


def test_a_local_design_is_not_for_counts(mechdesign):
    mechdesign(*LDP, "-o", "ldp.json")
    Path("in.csv").write_text("c\n1\n2\n")
    seen = mechdesign("release", "--input", "in.csv", "--column", "c", "--mechanism", "ldp.json", "--output", "o.csv")
    assert (seen.code, Path("o.csv").exists()) == (2, False)
    check_wording(seen.err)


def test_the_shelf_has_the_local_model(mechdesign):
    seen = mechdesign("catalog", "GRR", "--k", "4", "--alpha", "0.5")
    assert (seen.code, "4/5 = 0.800000" in seen.out) == (0, True)
    check_wording(seen.err)


def test_landscapes_and_sweeps_of_local_models(mechdesign):
    seen = mechdesign("landscape", "--model", "ldp", "--k", "4", "--alpha", "0.5", "--json")
    assert len(json.loads(seen.out)["classes"]) == 1
    seen = mechdesign("landscape", "--n", "4", "--alpha", "0.9", "--aggregate", "worst", "--json")
    assert len(json.loads(seen.out)["classes"]) == 1
    seen = mechdesign(
        "sweep", "--model", "lldp", "--k", "4:6", "--radius", "2", "--alpha", "0.5", "--output", "s.csv", "--jobs", "1"
    )
    assert seen.code == 0, seen.err
    rows = Path("s.csv").read_text().splitlines()
    assert [row.split(",")[:4] for row in rows[1:]] == [["lldp", "", str(k), "2"] for k in (4, 5, 6)]
    for arguments in (
        ["--model", "ldp", "--n", "4"],
        ["--model", "lldp", "--k", "4"],
        ["--model", "metric", "--k", "4"],
        [],
    ):
        seen = mechdesign("sweep", "--alpha", "0.5", "--output", "t.csv", *arguments)
        assert (seen.code, Path("t.csv").exists()) == (2, False)
        check_wording(seen.err)

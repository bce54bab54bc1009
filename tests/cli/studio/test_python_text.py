"""Python of the studio's steps: each piece is run, and gives what the command gives."""

import json
from pathlib import Path

import pytest
from snippet_cases import Case, Step, require_same, rows_of, run_python, stated_rows, words_of, write_inputs

from mechdesign_cli.app import COMMAND_LINE, run
from mechdesign_cli.studio.python_text import python_text

WM = ("solve", (), {"n": "4", "alpha": "0.9", "props": "WH,CM", "output": ["wm.json"]})


def fractions_of(name):
    return lambda space: str(space[name].score)


def exact(document):
    return document["score"]["exact"]


CASES = {
    "solve": Case([WM], fractions_of("result"), exact),
    "solve-law": Case(
        [
            (
                "solve",
                (),
                {
                    **{"n": "20", "alpha": "4/5", "props": "WH,CM", "method": "layer"},
                    **{"output": ["law.json", "law.csv"], "plot": "law.svg"},
                },
            )
        ],
        lambda space: str(space["law"].score(20)[0]),
        lambda document: document["score"]["exact"],
    ),
    "solve-epsilon-worst": Case(
        [("solve", (), {"n": "3", "epsilon": "0.5", "loss": "L1", "aggregate": "worst", "method": "full"})],
        fractions_of("result"),
        exact,
    ),
    "solve-ldp": Case(
        [("solve", (), {"model": "ldp", "k": "4", "alpha": "1/2", "prior": "weights:1,2,3,4"})],
        fractions_of("result"),
        exact,
    ),
    "solve-items": Case([("solve", (), {"k": "4", "alpha": "1/2"})], fractions_of("result"), exact),
    "solve-law-worst": Case(
        [("solve", (), {"n": "5e3", "alpha": "4/5", "aggregate": "worst"})],
        lambda space: round(float(space["law"].score(5000)[0]), 9),
        lambda document: round(document["score"]["value"], 9),
    ),
    "solve-lldp": Case(
        [("solve", (), {"model": "lldp", "k": "5", "radius": "2", "alpha": "1/2", "exact": True})],
        fractions_of("result"),
        exact,
    ),
    "solve-metric": Case(
        [("solve", (), {"model": "metric", "distances": "km.csv", "unit": "1", "alpha": "1/2", "loss": "L1"})],
        fractions_of("result"),
        exact,
    ),
    "solve-files": Case(
        [("solve", (), {"n": "2", "alpha": "1/2", "loss": "loss.csv", "prior": "prior.txt"})],
        fractions_of("result"),
        exact,
    ),
    "report": Case(
        [WM, ("report", ("wm.json",), {"prices": True, "data": "binomial:1/3", "seed": "1", "repetitions": "2"})],
        lambda space: json.loads(json.dumps(space["report"].entries()))["errors"]["rows"],
        lambda document: document["errors"]["rows"],
    ),
    "report-law": Case(
        [
            ("solve", (), {"n": "any", "alpha": "4/5", "props": "WH,CM", "output": ["law.json"]}),
            ("report", ("law.json",), {"n": "20", "output": ["20.csv"]}),
        ],
        lambda space: str(space["report"].design.score),
        exact,
    ),
    "check-document": Case(
        [WM, ("check", ("wm.json",), {"alpha": "0.9", "props": "WH"})],
        lambda space: [[claim.claim, claim.true] for claim in space["result"].claims],
        lambda document: [[claim["claim"], claim["true"]] for claim in document["claims"]],
    ),
    "check-rows-as-ldp": Case(
        [("check", ("rows.csv",), {"row-stochastic": True, "model": "ldp", "epsilon": "3"})],
        lambda space: (space["result"].epsilon, space["result"].column_sums_exact),
        lambda document: (document["epsilon"], document["column_sums_exact"]),
    ),
    "check-repair": Case(
        [("check", ("bad.csv",), {"alpha": "1/2", "props": "WH", "loss": "L1", "repair": "mended.json"})],
        lambda space: str(space["result"].column_sums_exact),
        lambda document: str(document["column_sums_exact"]),
    ),
    "noise-table": Case(
        [
            (
                "table design",
                (),
                {"noise": "3", "variance": "2", "block": "1", "guarantee": ["1:0.1@1"], "output": ["t.json"]},
            ),
            ("check", ("t.json",), {"curve": "0.5,1"}),
        ],
        lambda space: [[one.start, str(one.delta)] for one in space["curve"].points(space["epsilons"])],
        lambda document: [[one["start"], one["delta"]["exact"]] for one in document["curve"]],
    ),
    "formula of every size": Case(
        [("formula", (), {"n": "any", "props": "CM", "at": ["3/5"]})],
        lambda space: str(space["result"].gain("3/5")),
        lambda document: document["at"][0]["g"]["exact"],
    ),
    "landscape": Case(
        [("landscape", (), {"n": "4", "alpha": "0.9"})],
        lambda space: [str(group.score) for group in space["result"].classes],
        lambda document: [group["score"]["exact"] for group in document["classes"]],
    ),
    "catalog": Case(
        [("catalog", ("GM",), {"n": "4", "alpha": "0.9", "output": ["gm.csv"]})], fractions_of("result"), exact
    ),
    "compare": Case(
        [
            WM,
            (
                "compare",
                (),
                {"data": "binomial:1/3", "n": "4", "alpha": "0.9", "mechanisms": "GM;wm.json", "seed": "3"},
            ),
        ],
        rows_of,
        stated_rows,
    ),
    "compare-file": Case(
        [
            (
                "compare",
                (),
                {"input": "people.csv", "bit": "yes", "group": "town", "n": "20", "alpha": "0.9", "seed": "3"},
            )
        ],
        rows_of,
        stated_rows,
    ),
    "simulate": Case(
        [WM, ("simulate", (), {"data": "binomial:1/3", "people": "400", "mechanism": "wm.json", "seed": "3"})],
        lambda space: [list(space["simulation"].true_histogram), list(space["simulation"].histogram)],
        lambda document: [document["true"], document["simulated"]],
    ),
    "simulate-file": Case(
        [
            ("solve", (), {"n": "20", "alpha": "0.9", "output": ["m.json"]}),
            (
                "simulate",
                (),
                {"input": "people.csv", "bit": "yes", "group": "town", "mechanism": "m.json", "output": "s.csv"},
            ),
            ("estimate", ("s.csv",), {"mechanism": "m.json", "column": "simulated"}),
        ],
        lambda space: list(space["result"].counts),
        lambda document: document["counts"],
    ),
    "estimate": Case(
        [
            WM,
            ("estimate", ("released.csv",), {"mechanism": "wm.json", "posterior": "2", "prior": "estimated"}),
        ],
        lambda space: (
            space["result"].mean.value if hasattr(space["result"].mean, "value") else float(space["result"].mean)
        ),
        lambda document: document["mean"] if not isinstance(document["mean"], dict) else document["mean"]["value"],
    ),
    "data": Case(
        [("data", ("saxony",), {})],
        lambda space: list(space["groups"].histogram),
        lambda document: document["histogram"],
    ),
    "data-attributes": Case(
        [("data", ("titanic",), {"columns": "sex,class", "tables": "1", "domain-output": "items.csv"})],
        lambda space: [list(space["table"].attributes), space["table"].users],
        lambda document: [[one["attribute"] for one in document["attributes"]], document["users"]],
    ),
    "data-items": Case(
        [("data", ("cauchy:0.3",), {"k": "8", "people": "100", "seed": "1"})],
        lambda space: space["counts"].users,
        lambda document: document["users"],
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_python_gives_what_the_command_gives(mechdesign, monkeypatch, tmp_path, capsys, name):
    require_same(CASES[name], mechdesign, monkeypatch, tmp_path)
    capsys.readouterr()


@pytest.mark.slow
def test_pictures_and_pages_are_written_too(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    steps = [
        Step(*WM),
        Step("report", ("wm.json",), {"output": ["wm.html", "wm.npz", "wm.svg"], "page": "board.html"}),
        Step("landscape", (), {"n": "4", "alpha": "0.9", "plot": "lattice.png", "output": ["lattice.csv"]}),
    ]
    text = python_text(steps, COMMAND_LINE)
    run_python(text)
    assert {path.name for path in tmp_path.iterdir()} == {
        "wm.json",
        "wm.html",
        "wm.npz",
        "wm.svg",
        "board.html",
        "lattice.png",
    }
    assert "What each property costs" in Path("wm.html").read_text()
    assert "# lattice.csv is written by `mechdesign landscape` alone" in text
    capsys.readouterr()


def test_a_release_in_python_is_the_same_release(mechdesign, capsys):
    write_inputs()
    options = {"input": "people.csv", "bit": "yes", "group": "town", "alpha": "1/2", "unit": "child"}
    step = Step("release", (), {**options, "output": "r.csv", "record": "r.json", "key": "secret.key"})
    assert mechdesign(*words_of(step)).code == 0
    before = Path("r.csv").read_bytes()
    record = run_python(python_text([step], COMMAND_LINE))["record"]
    assert record.unit == "child"
    assert Path("r.csv").read_bytes() == before  # it was there, so nothing was drawn
    assert record.output_digest in Path("r.json").read_text()
    capsys.readouterr()


@pytest.mark.parametrize(
    "step",
    [
        Step("sweep", (), {"n": "1:3"}),
        Step("solve", (), {"n": "3", "alpha": "0.9", "unknown": "1"}),
        Step("check", ("wm.json",), {"alpha": "0.9", "repair": "mended.json"}),
        Step("local privatize", (), {"input": "people.csv", "oracle": "grr", "epsilon": "1", "output": "r.parquet"}),
        Step("local marginals", ("r.parquet",), {"plot": "e.png"}),
        Step("local dependence", ("r.parquet",), {"fdr": "0.1"}),
        Step("simulate", (), {"data": "saxony", "mechanism": "law.json", "n": "4"}),
        Step("estimate", ("released.csv",), {"record": "r.json", "by-group": True}),
        Step(
            "release", (), {"input": "people.csv", "bit": "yes", "group": "town", "mechanism": "GM", "output": "r.csv"}
        ),
        Step("release", (), {"data": "saxony", "alpha": "0.9", "output": "r.csv"}),
        Step("data", (), {"output": "bits.csv"}),
        Step("data", ("cauchy:0.3",), {"bit": "yes"}),
        Step("solve", (), {"n": "2) or print(1", "alpha": "0.9"}),
        Step("solve", (), {"n": "5000", "alpha": "0.9", "plan": True}),
        Step("solve", (), {"n": "5000", "alpha": "0.9", "exact": True}),
        Step("local design", (), {"k": "3", "alpha": "0.9", "workload": "prefixes", "model": "lldp"}),
        Step("catalog", ("SPL",), {"domains": "3,4", "epsilon": "1"}),
        Step("solve", (), {"model": "ldp", "k": "2);print(1", "alpha": "0.9"}),
        Step("local aggregate", ("r.parquet",), {"confidence": "0.5);print(1", "output": "e.csv"}),
    ],
    ids=[
        "command",
        "option",
        "repair",
        "column",
        "picture",
        "tree",
        "size of a law",
        "table of groups",
        "mechanism by its name",
        "counts of a set",
        "no set",
        "no groups",
        "no number of people",
        "a plan",
        "no law",
        "a workload of other neighbours",
        "several attributes",
        "no number of items",
        "no level",
    ],
)
def test_what_has_no_counterpart_gives_no_python(step):
    assert python_text([step], COMMAND_LINE) is None


def test_values_stand_as_they_were_given_and_usual_ones_are_left_out():
    text = python_text(
        [Step("solve", (), {"n": "8", "alpha": "0.9", "props": "none", "loss": "L0", "json": True})], COMMAND_LINE
    )
    assert "DesignProblem(n=8, alpha='0.9')" in text
    text = python_text(
        [Step("data", (), {"input": "people.csv", "group": "town", "output": "groups.csv"})], COMMAND_LINE
    )
    assert "open_table('people.csv', group='town')" in text
    assert "# groups.csv is written by `mechdesign data` alone" in text
    text = python_text([Step("check", ("t.json",), {"epsilon": "1", "delta": "0.1", "start": "large"})], COMMAND_LINE)
    assert "print(curve.claim('1', '0.1', 'large'))" in text
    text = python_text([Step("table export", ("t.json",), {"for": "sas", "output": "sas.csv"})], COMMAND_LINE)
    assert text == "# sas.csv is written by `mechdesign table export t.json --for sas` alone\n"
    hostile = "'); import os; print('"
    text = python_text([Step("report", (hostile,), {})], COMMAND_LINE)
    assert repr(hostile) in text


def test_the_check_of_a_document_is_of_what_it_says_it_is(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["solve", "--n", "any", "--alpha", "3/4", "--props", "WH", "--output", "law.json"]) == 0
    text = python_text([Step("check", ("law.json",))], COMMAND_LINE)
    capsys.readouterr()
    exec(text, {})
    said = capsys.readouterr().out.splitlines()
    assert said
    assert all(line.startswith("True ") for line in said)
    for name, called in {
        "workload/2": "audit('x.json')",
        "noise-table/1": "audit_curve('x.json')",
        "release/4": "check_release('x.json')",
        "table-release/1": "check_table_release('x.json')",
        "design/2": "read_matrix('x.json')",
    }.items():
        Path("x.json").write_text(json.dumps({"format": f"mechdesign-{name}"}))
        assert called in python_text([Step("check", ("x.json",))], COMMAND_LINE)
    Path("x.json").write_text('{"format": "mechdesign-formula/1"}')
    assert python_text([Step("check", ("x.json",))], COMMAND_LINE) is None

"""Python of the studio's steps: each piece is run, and gives what the command gives."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from mechdesign_cli.studio.python_text import python_text

WM = ("solve", (), {"n": "4", "alpha": "0.9", "props": "WH,CM", "output": ["wm.json"]})
DISTANCES = "0,1,3\n1,0,2\n3,2,0\n"


@dataclass(frozen=True)
class Step:
    command: str
    arguments: tuple = ()
    options: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """Steps, and how what the Python found and what the last command's JSON says are compared."""

    steps: list
    found: Callable
    stated: Callable


def fractions_of(name):
    return lambda space: str(space[name].score)


def exact(document):
    return document["score"]["exact"]


def rows_of(space):
    return json.loads(json.dumps(space["rows"].entries()))


def stated_rows(document):
    return document["rows"]


CASES = {
    "solve": Case([WM], fractions_of("found"), exact),
    "solve-epsilon-worst": Case(
        [("solve", (), {"n": "3", "epsilon": "0.5", "loss": "L1", "aggregate": "worst", "method": "full"})],
        fractions_of("found"),
        exact,
    ),
    "solve-ldp": Case(
        [("solve", (), {"model": "ldp", "k": "4", "alpha": "1/2", "prior": "weights:1,2,3,4"})],
        fractions_of("found"),
        exact,
    ),
    "solve-lldp": Case(
        [("solve", (), {"model": "lldp", "k": "5", "radius": "2", "alpha": "1/2", "exact": True})],
        fractions_of("found"),
        exact,
    ),
    "solve-metric": Case(
        [("solve", (), {"model": "metric", "distances": "km.csv", "unit": "1", "alpha": "1/2", "loss": "L1"})],
        fractions_of("found"),
        exact,
    ),
    "solve-files": Case(
        [("solve", (), {"n": "2", "alpha": "1/2", "loss": "loss.csv", "prior": "prior.txt"})],
        fractions_of("found"),
        exact,
    ),
    "report": Case(
        [WM, ("report", ("wm.json",), {"prices": True, "data": "binomial:1/3", "seed": "1", "repetitions": "2"})],
        lambda space: json.loads(json.dumps(space["found"].entries()))["errors"]["rows"],
        lambda document: document["errors"]["rows"],
    ),
    "check-document": Case(
        [WM, ("check", ("wm.json",), {"alpha": "0.9", "props": "WH"})],
        lambda space: [[claim.claim, claim.true] for claim in space["found"].claims],
        lambda document: [[claim["claim"], claim["true"]] for claim in document["claims"]],
    ),
    "check-rows-as-ldp": Case(
        [("check", ("rows.csv",), {"row-stochastic": True, "model": "ldp", "epsilon": "3"})],
        lambda space: (space["found"].epsilon, space["found"].column_sums_exact),
        lambda document: (document["epsilon"], document["column_sums_exact"]),
    ),
    "check-repair": Case(
        [("check", ("bad.csv",), {"alpha": "1/2", "props": "WH", "loss": "L1", "repair": "mended.json"})],
        lambda space: str(space["found"].column_sums_exact),
        lambda document: str(document["column_sums_exact"]),
    ),
    "landscape": Case(
        [("landscape", (), {"n": "4", "alpha": "0.9"})],
        lambda space: [str(group.score) for group in space["found"].classes],
        lambda document: [group["score"]["exact"] for group in document["classes"]],
    ),
    "catalog": Case(
        [("catalog", ("GM",), {"n": "4", "alpha": "0.9", "output": ["gm.csv"]})], fractions_of("found"), exact
    ),
    "compare": Case(
        [
            WM,
            (
                "compare",
                (),
                {"data": "binomial:1/3", "n": "4", "alpha": "0.9", "mechanisms": "GM,wm.json", "seed": "3"},
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
    "estimate": Case(
        [
            WM,
            ("estimate", ("released.csv",), {"mechanism": "wm.json", "posterior": "2", "prior": "estimated"}),
        ],
        lambda space: (
            space["found"].mean.value if hasattr(space["found"].mean, "value") else float(space["found"].mean)
        ),
        lambda document: document["mean"] if not isinstance(document["mean"], dict) else document["mean"]["value"],
    ),
    "data": Case(
        [("data", ("saxony",), {})],
        lambda space: list(space["found"].histogram),
        lambda document: document["histogram"],
    ),
    "data-items": Case(
        [("data", ("cauchy:0.3",), {"k": "8", "people": "100", "seed": "1"})],
        lambda space: space["found"].users,
        lambda document: document["users"],
    ),
    "oracles": Case(
        [("oracles", (), {"k": "24", "epsilon": "1.5", "n": "60000"})],
        lambda space: json.loads(json.dumps([standing.entry() for standing in space["found"]])),
        lambda document: document["oracles"],
    ),
    "oracles-workload": Case(
        [("oracles", (), {"k": "32", "alpha": "1/3", "workload": "ranges"})],
        lambda space: json.loads(json.dumps([standing.entry() for standing in space["found"]])),
        lambda document: document["oracles"],
    ),
    "compare-oracles": Case(
        [
            (
                "compare-oracles",
                (),
                {"data": "zipf:1.2", "k": "8", "people": "200", "epsilon": "1,2", "oracles": "grr,oue", "seed": "2"},
            )
        ],
        rows_of,
        stated_rows,
    ),
    "compare-oracles-file": Case(
        [
            (
                "compare-oracles",
                (),
                {
                    "input": "people.csv",
                    "column": "town",
                    "domain": "towns.txt",
                    "epsilon": "1",
                    "oracles": "grr",
                    "seed": "2",
                },
            )
        ],
        rows_of,
        stated_rows,
    ),
    "collect": Case(
        [
            (
                "privatize",
                (),
                {
                    "input": "people.csv",
                    "column": "town",
                    "domain": "towns.txt",
                    "oracle": "olh",
                    "epsilon": "1",
                    "seed": "5",
                    "output": "r.parquet",
                },
            ),
            ("aggregate", ("r.parquet",), {"output": "e.csv", "post": "base-pos"}),
        ],
        lambda space: Path("e.csv").read_text(),
        None,
    ),
    "collect-ranges": Case(
        [
            (
                "privatize",
                (),
                {
                    "input": "people.csv",
                    "column": "age",
                    "bins": ["0:80:10"],
                    "beyond": "clip",
                    "oracle": "hh:b=2",
                    "epsilon": "1",
                    "seed": "5",
                    "output": "r.parquet",
                },
            ),
            ("aggregate", ("r.parquet",), {"quantiles": "0.5,0.75", "quantiles-output": "q.csv", "simultaneous": True}),
        ],
        lambda space: Path("q.csv").read_text(),
        None,
    ),
    "collect-tables": Case(
        [
            (
                "privatize",
                (),
                {
                    "input": "people.csv",
                    "columns": "town,yes",
                    "domain": "attributes.csv",
                    "oracle": "inpht:k=2",
                    "epsilon": "1",
                    "seed": "5",
                    "output": "r.parquet",
                },
            ),
            ("aggregate", ("r.parquet",), {"marginal": "town,yes", "output": "m.csv", "confidence": "0.9"}),
        ],
        lambda space: Path("m.csv").read_text(),
        None,
    ),
}


def write_inputs():
    Path("km.csv").write_text(DISTANCES)
    Path("loss.csv").write_text("0,1,5\n1/2,0,1/2\n5,1,0\n")
    Path("prior.txt").write_text("0.5\n0.25\n0.25\n")
    Path("rows.csv").write_text("0.5,0.25,0.25\n0.25,0.5,0.25\n0.125,0.375,0.5\n")
    Path("bad.csv").write_text("0.9,0.1,0.1\n0.05,0.8,0.1\n0.05,0.1,0.8001\n")
    Path("released.csv").write_text("town,released\n" + "a,1\nb,2\nc,3\n" * 9)
    rows = "".join(f"{'abc'[k % 3]},{k % 2},{k % 70}\n" for k in range(60))
    Path("people.csv").write_text(f"town,yes,age\n{rows}")
    Path("towns.txt").write_text("a\nb\nc\n")
    Path("attributes.csv").write_text("column,item\ntown,a\ntown,b\ntown,c\nyes,0\nyes,1\n")


def words_of(step):
    words = [step.command]
    for name, value in step.options.items():
        for one in value if isinstance(value, list) else [value]:
            words += [f"--{name}"] if one is True else [f"--{name}", one]
    return [*words, *step.arguments]


def run_python(text):
    space = {}
    exec(compile(text, "snippet", "exec"), space)
    return space


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_python_gives_what_the_command_gives(mechdesign, monkeypatch, tmp_path, capsys, name):
    case = CASES[name]
    steps = [Step(*step) for step in case.steps]
    for folder in ("command", "python"):
        (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path / "command")
    write_inputs()
    for step in steps[:-1]:
        assert mechdesign(*words_of(step)).code == 0
    wants_json = () if steps[-1].command == "privatize" else ("--json",)
    seen = mechdesign(*words_of(steps[-1]), *wants_json)
    assert seen.code in (0, 1), seen.err
    assert seen.out, seen.err
    stated = case.stated(json.loads(seen.out)) if case.stated else case.found({})
    written = {path.name for path in Path.cwd().iterdir()}
    monkeypatch.chdir(tmp_path / "python")
    write_inputs()
    text = python_text(steps)
    assert text is not None
    assert case.found(run_python(text)) == stated
    assert {path.name for path in Path.cwd().iterdir()} == written
    capsys.readouterr()


@pytest.mark.slow
def test_pictures_and_pages_are_written_too(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    steps = [
        Step(*WM),
        Step("report", ("wm.json",), {"output": ["wm.html", "wm.npz", "wm.svg"]}),
        Step("landscape", (), {"n": "4", "alpha": "0.9", "plot": "lattice.png", "output": ["lattice.csv"]}),
    ]
    text = python_text(steps)
    run_python(text)
    assert {path.name for path in tmp_path.iterdir()} == {"wm.json", "wm.html", "wm.npz", "wm.svg", "lattice.png"}
    assert "What each property costs" in Path("wm.html").read_text()
    assert "# lattice.csv is written by `mechdesign landscape` alone" in text
    capsys.readouterr()


@pytest.mark.parametrize(
    "step",
    [
        Step("sweep", (), {"n": "1:3"}),
        Step("solve", (), {"n": "3", "alpha": "0.9", "unknown": "1"}),
        Step("check", ("wm.json",), {"alpha": "0.9", "repair": "mended.json"}),
        Step("privatize", (), {"input": "people.csv", "oracle": "grr", "epsilon": "1", "output": "r.parquet"}),
        Step("aggregate", ("r.parquet",), {"plot": "e.png"}),
        Step("aggregate", ("r.parquet",), {"tree": "tree.png"}),
        Step("oracles", (), {"attributes": "3,4", "epsilon": "1", "workload": "marginals:2"}),
    ],
    ids=["command", "option", "repair", "column", "picture", "tree", "attributes"],
)
def test_what_has_no_counterpart_gives_no_python(step):
    assert python_text([step]) is None


def test_values_stand_as_they_were_given_and_usual_ones_are_left_out():
    text = python_text([Step("solve", (), {"n": "8", "alpha": "0.9", "props": "none", "loss": "L0", "json": True})])
    assert "DesignProblem(n=8, alpha='0.9')" in text
    hostile = "'); import os; print('"
    text = python_text([Step("report", (hostile,), {})])
    assert repr(hostile) in text

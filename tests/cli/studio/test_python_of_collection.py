"""Python of steps that collect under local privacy, or look at the data of a trial: it gives what the commands give."""

import json
from pathlib import Path

import pytest
from snippet_cases import Case, require_same, rows_of, stated_rows

from mechdesign_cli.app import COMMAND_LINE
from mechdesign_cli.studio.python_text import python_text
from mechdesign_cli.studio.steps import Step

CASES = {
    "oracles": Case(
        [("local oracles", (), {"k": "24", "epsilon": "1.5", "users": "6e4", "liars": "0.01"})],
        lambda space: json.loads(json.dumps([standing.entry() for standing in space["standings"]])),
        lambda document: document["oracles"],
    ),
    "oracles-workload": Case(
        [("local oracles", (), {"k": "8", "alpha": "1/3", "workload": "ranges", "liars": "1/50"})],
        lambda space: json.loads(json.dumps([standing.entry() for standing in space["standings"]])),
        lambda document: document["oracles"],
    ),
    "oracles-tables": Case(
        [("local oracles", (), {"attributes": "3,4", "epsilon": "1", "workload": "marginals:2", "users": "5000"})],
        lambda space: json.loads(json.dumps([standing.entry() for standing in space["standings"]])),
        lambda document: document["oracles"],
    ),
    "data-bins": Case(
        [("data", (), {"input": "people.csv", "column": "age", "bins": ["10:70:10"], "beyond": "clip"})],
        lambda space: space["counts"].counts.tolist(),
        lambda document: document["counts"],
    ),
    "data-own-table": Case(
        [("data", (), {"input": "people.csv", "columns": "town,yes", "tables": "2", "domain-output": "found.csv"})],
        lambda space: ([list(items) for items in space["table"].domains], Path("found.csv").read_text()),
        lambda document: ([one["items"] for one in document["attributes"]], Path("found.csv").read_text()),
    ),
    "compare-oracles": Case(
        [
            (
                "local compare",
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
                "local compare",
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
                "local privatize",
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
            ("local aggregate", ("r.parquet",), {"output": "e.csv", "post": "base-pos"}),
        ],
        lambda space: Path("e.csv").read_text(),
        None,
    ),
    "collect-by-task": Case(
        [
            ("local task new", (), {"oracle": "oue", "epsilon": "1", "domain": "towns.txt", "output": "t.json"}),
            ("local task show", ("t.json",), {}),
            (
                "local privatize",
                (),
                {"input": "people.csv", "column": "town", "task": "t.json", "seed": "5", "output": "r.parquet"},
            ),
            (
                "local aggregate",
                ("r.parquet",),
                {"task": "t.json", "drop-invalid": True, "state": "r.state", "output": "e.csv"},
            ),
        ],
        lambda space: [Path(name).read_bytes() for name in ("e.csv", "t.json", "r.state")],
        None,
    ),
    "collect-messages": Case(
        [
            ("local task new", (), {"oracle": "grr", "alpha": "1/4", "k": "3", "output": "t.json"}),
            ("local task receive", ("messages.txt",), {"task": "t.json", "output": "r.parquet", "batch": "monday"}),
            ("local aggregate", ("r.parquet",), {"output": "e.csv"}),
        ],
        lambda space: Path("e.csv").read_text(),
        None,
    ),
    "collect-sums": Case(
        [
            ("local task new", (), {"oracle": "grr", "alpha": "1/4", "k": "3", "output": "t.json"}),
            ("local aggregate", (), {"sums": "sums.csv", "users": "1e2", "task": "t.json", "output": "e.csv"}),
        ],
        lambda space: Path("e.csv").read_text(),
        None,
    ),
    "collect-ranges": Case(
        [
            (
                "local privatize",
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
            (
                "local ranges",
                ("r.parquet",),
                {"quantiles": "0.5,0.75", "quantiles-output": "q.csv", "simultaneous": True},
            ),
        ],
        lambda space: Path("q.csv").read_text(),
        None,
    ),
    "collect-answers": Case(
        [
            (
                "local privatize",
                (),
                {
                    "input": "people.csv",
                    "column": "age",
                    "bins": ["0:80:10"],
                    "oracle": "haar",
                    "epsilon": "2",
                    "seed": "5",
                    "output": "r.parquet",
                },
            ),
            ("local ranges", ("r.parquet",), {"plot": "shares.png", "output": "shares.csv"}),
            (
                "local ranges",
                ("r.parquet",),
                {"ranges": "ranges.csv", "output": "a.csv", "plot": "cdf.png", "quantiles": "0.5", "confidence": "0.9"},
            ),
        ],
        lambda space: [Path(name).read_bytes() for name in ("a.csv", "cdf.png", "shares.csv", "shares.png")],
        None,
    ),
    "collect-mean": Case(
        [
            (
                "local privatize",
                (),
                {
                    "input": "people.csv",
                    "column": "age",
                    "maximum": "70",
                    "oracle": "onebitmean",
                    "epsilon": "2",
                    "seed": "5",
                    "output": "r.parquet",
                },
            ),
            ("local aggregate", ("r.parquet",), {"output": "mean.csv"}),
        ],
        lambda space: Path("mean.csv").read_text(),
        None,
    ),
    "collect-dependence": Case(
        [
            (
                "local privatize",
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
            (
                "local dependence",
                ("r.parquet",),
                {
                    "association": ["pairs.csv", "pairs.png"],
                    "tree": "tree.png",
                    "post": "priview",
                },
            ),
        ],
        lambda space: Path("pairs.csv").read_text(),
        None,
    ),
    "collect-tables": Case(
        [
            (
                "local privatize",
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
            ("local marginals", ("r.parquet",), {"marginal": "town,yes", "output": "m.csv", "confidence": "0.9"}),
        ],
        lambda space: Path("m.csv").read_text(),
        None,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_python_gives_what_the_command_gives(mechdesign, monkeypatch, tmp_path, capsys, name):
    require_same(CASES[name], mechdesign, monkeypatch, tmp_path)
    capsys.readouterr()


def test_python_draws_the_function_of_items_in_order_and_the_shares_of_others():
    step = Step("local aggregate", ("local", "aggregate", "r.parquet", "--plot", "r.png"))
    text = python_text([step], COMMAND_LINE)
    assert "plot = plot_distribution if estimate.ordered and estimate.is_unbiased else plot_frequencies" in text

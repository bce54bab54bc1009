"""Python of steps that design reports for queries, and collect with a design: the files are those of the commands."""

import json
from pathlib import Path

import pytest
from snippet_cases import Case, require_same

ASKED = {"k": "4", "epsilon": "1", "workload": "prefixes", "aggregate": "expected"}


def design_in_file(space):
    """The document that was written last, without the seconds that it took."""
    found = json.loads(Path("d.json").read_text())
    return {key: value for key, value in found.items() if key != "seconds"}


CASES = {
    "files": [("local design", (), {**ASKED, "gap": "1e-4", "output": ["d.json"], "plot": "d.png", "summary": True})],
    "levels": [("local design", (), {**ASKED, "method": "levels", "workload": "ranges", "output": ["d.json"]})],
    "worst item": [("local design", (), {**ASKED, "aggregate": "worst", "output": ["d.json"]})],
    "few reports": [("local design", (), {**ASKED, "outputs": "5", "time-limit": "600", "output": ["d.json"]})],
    "attributes": [
        ("local design", (), {"attributes": "3", "alpha": "1/3", "workload": "marginals:2", "output": ["d.json"]}),
    ],
    "unequal attributes": [
        ("local design", (), {"attributes": "3,2", "alpha": "1/3", "workload": "marginals:1", "output": ["d.json"]}),
    ],
    "queries of a file": [
        ("local design", (), {"k": "3", "alpha": "1/2", "workload": "rows.csv", "output": ["d.json"]}),
    ],
    "going on": [
        ("local design", (), {**ASKED, "gap": "1e-2", "output": ["begun.json"]}),
        ("local design", (), {**ASKED, "start": "begun.json", "output": ["d.json"]}),
    ],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_python_writes_the_design_that_the_command_writes(mechdesign, monkeypatch, tmp_path, capsys, name):
    require_same(Case(CASES[name], design_in_file, None), mechdesign, monkeypatch, tmp_path)
    capsys.readouterr()


@pytest.mark.slow
def test_python_answers_the_queries_of_a_design(mechdesign, monkeypatch, tmp_path, capsys):
    reports = {"input": "people.csv", "column": "town", "domain": "towns.txt", "oracle": "d.json", "seed": "5"}
    steps = [
        ("local design", (), {**ASKED, "k": "3", "output": ["d.json"]}),
        ("local privatize", (), {**reports, "output": "r.parquet"}),
        ("local aggregate", ("r.parquet",), {"output": "e.csv", "state": "r.state", "confidence": "0.9"}),
    ]
    case = Case(steps, lambda space: Path("e.csv").read_text(), None)
    require_same(case, mechdesign, monkeypatch, tmp_path)
    assert (tmp_path / "python" / "e.csv").read_text().startswith("first,last,share,")
    capsys.readouterr()

"""Designs for workloads as the engine makes them are proved by both checkers, and refused after any change."""

import json

import pytest
from two_checkers import FALSE, PROVED, by_engine, by_program

from mechdesign import WorkloadProblem, design_workload, export, parse_workload, read_design
from mechdesign.workloads.matrix import MatrixWorkload

QUERIES = MatrixWorkload.of([["1", "1", "0", "0", "0"], ["0", "1/2", "1/2", "1/2", "-1"]], "questions")
PROBLEMS = {
    "prefixes": WorkloadProblem(parse_workload("prefixes", 6), epsilon=1),
    "worst": WorkloadProblem(parse_workload("ranges:3", 6), alpha="1/3", aggregate="worst"),
    "merged": WorkloadProblem(QUERIES, alpha="2/5"),
    "merged worst": WorkloadProblem(QUERIES, epsilon=2, aggregate="worst"),
    "histogram": WorkloadProblem(parse_workload("histogram", 9), epsilon="1/2", aggregate="worst"),
    "marginals": WorkloadProblem(parse_workload("marginals:2:2,2,2", 8), epsilon=1),
    "grid": WorkloadProblem(parse_workload("grid:2,3", 6), epsilon=1),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    for name, problem in PROBLEMS.items():
        export(design_workload(problem), folder / f"{name}.json")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("name", PROBLEMS)
def test_designs_are_proved_and_read_back_by_both(name, files):
    path = files / f"{name}.json"
    assert by_program(path) == by_engine(path) == PROVED
    found = read_design(path)
    assert found.problem == PROBLEMS[name]
    export(found, files / "again.json")
    first, again = (json.loads(file.read_text()) for file in (path, files / "again.json"))
    assert first == again


def raised(value, by=1):
    """A text of digits with a larger number."""
    return str(int(value) + by)


CHANGES = {
    "weight": lambda data: data["weights"].__setitem__(0, raised(data["weights"][0])),
    "row": lambda data: data["rows"].__setitem__(0, data["rows"][0].translate({48: 49, 49: 48})),
    "one bit": lambda data: data["rows"].__setitem__(-1, data["rows"][-1][:-1] + "10"[int(data["rows"][-1][-1])]),
    "price": lambda data: data["certificate"]["prices"].__setitem__(0, raised(data["certificate"]["prices"][0], -1)),
    "scale": lambda data: data["certificate"].__setitem__("scale", raised(data["certificate"]["scale"])),
    "alpha": lambda data: data["problem"].__setitem__("alpha", "1/7"),
    "bound": lambda data: data["variance"]["lower"].__setitem__("exact", data["variance"]["lower"]["exact"] + "1"),
    "variance": lambda data: data["variance"]["upper"].__setitem__("value", data["variance"]["lower"]["value"] * 0.99),
    "gap": lambda data: data.__setitem__("gap", -1e-9),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["prefixes", "merged worst", "histogram", "marginals"])
@pytest.mark.parametrize("change", CHANGES)
def test_no_change_gets_through(change, name, files, tmp_path):
    data = json.loads((files / f"{name}.json").read_text())
    CHANGES[change](data)
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(data))
    verdict = by_program(path)
    assert by_engine(path) == verdict != PROVED
    assert change in ("row", "one bit") or verdict == FALSE  # a row that is there already makes no document

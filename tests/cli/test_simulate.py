"""`mechdesign simulate` as a user runs it: seeded counts beside the true ones, never taken for a release."""

import csv
import json
from collections import Counter
from pathlib import Path

import pytest
from wording import check_wording

SAXONY = ("simulate", "--data", "saxony", "--mechanism", "m.json")


@pytest.fixture
def design(mechdesign):
    assert mechdesign("solve", "--n", 12, "--alpha", "0.7", "--props", "WH,CM", "-o", "m.json").code == 0
    return mechdesign


def pairs(name):
    rows = list(csv.DictReader(Path(name).read_text().splitlines()))
    assert set(rows[0]) == {"true", "simulated"}
    return [(int(row["true"]), int(row["simulated"])) for row in rows]


def test_the_document_is_what_the_file_says(design):
    seen = design(*SAXONY, "--json", "-o", "s.csv")
    assert seen.code == 0
    check_wording(seen.err)
    found, drawn = json.loads(seen.out), pairs("s.csv")
    assert (found["simulation"], found["seed"], found["n"], found["groups"]) == (True, 1, 12, 6115)
    assert len(drawn) == 6115
    for place, name in enumerate(("true", "simulated")):
        tally = Counter(pair[place] for pair in drawn)
        assert found[name] == [tally[count] for count in range(13)]
        assert found["mean"][name] == pytest.approx(sum(pair[place] for pair in drawn) / 6115)
    tally = Counter(simulated - true for true, simulated in drawn)
    assert found["errors"] == [tally[error] for error in range(-12, 13)]
    assert "SIMULATION" in found["warning"]


def test_what_is_expected_is_the_matrix_times_the_counts(design):
    found = json.loads(design(*SAXONY, "--json").out)
    document = json.loads(Path("m.json").read_text())
    true, below = found["true"], int(document["denominator"])
    matrix = [[int(weight) / below for weight in row] for row in document["weights"]]
    assert found["expected"] == pytest.approx([sum(p * h for p, h in zip(row, true, strict=True)) for row in matrix])
    for error, expected in zip(range(-12, 13), found["expected_errors"], strict=True):
        inside = [j for j in range(13) if 0 <= j + error <= 12]
        assert expected == pytest.approx(sum(matrix[j + error][j] * true[j] for j in inside))
    assert found["alpha"] == "7/10"
    distance = sum((s - e) ** 2 / e for s, e in zip(found["simulated"], found["expected"], strict=True))
    assert distance < 40  # chi squared of 12 degrees: beyond it one seed in ten thousand


def test_the_seed_decides(design):
    outputs = [design(*SAXONY, "--json", "--seed", seed).out for seed in (1, 1, 2)]
    assert outputs[0] == outputs[1] != outputs[2]
    assert json.loads(outputs[0])["true"] == json.loads(outputs[2])["true"]


def test_the_report_says_that_it_is_none(design, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    seen = design(*SAXONY)
    text = " ".join(seen.out.split())
    assert (seen.code, seen.err) == (0, "")
    assert "a SIMULATION, which protects nobody" in text
    assert "released" not in text
    assert max(map(len, seen.out.splitlines())) <= 80


def test_estimate_reads_it_and_a_release_has_another_column(design):
    design(*SAXONY, "-o", "s.csv")
    seen = design("estimate", "s.csv", "--mechanism", "m.json", "--column", "simulated", "--json")
    assert json.loads(seen.out)["groups"] == 6115
    assert design("estimate", "s.csv", "--mechanism", "m.json").code == 2


def test_own_rows_of_people(design):
    Path("people.csv").write_text("home,sick\nA,1\nB,0\nA,1\nB,0\nC,1\n")
    design("solve", "--n", 2, "--alpha", "0.5", "-o", "two.json")
    seen = design("simulate", "--input", "people.csv", "--bit", "sick", "--mechanism", "two.json", "--json")
    assert json.loads(seen.out)["true"] == [0, 2, 0]
    check_wording(seen.err)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--data", "saxony", "--mechanism", "two.json"),
        ("--mechanism", "m.json"),
        ("--data", "saxony", "--mechanism", "none.json"),
        ("--data", "saxony", "--mechanism", "m.json", "--seed", "-1"),
        ("--data", "saxony", "--mechanism", "m.json", "-o", "s.json"),
        ("--data", "saxony", "--mechanism", "m.json", "-o", "m.json"),
        ("--data", "saxony"),
    ],
    ids=["another n", "no data", "no file", "seed", "ending", "source", "no mechanism"],
)
def test_bad_input_is_one_line(design, arguments):
    design("solve", "--n", 2, "--alpha", "0.5", "-o", "two.json")
    seen = design("simulate", *arguments)
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)
    assert seen.err.count("\n") == 1

"""`mechdesign landscape` as a user runs it."""

import csv
import itertools
import json
import os
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from wording import check_wording

from mechdesign.sweeps.landscape import landscape

BASE = ["landscape", "--n", "8", "--alpha", "0.9"]
NAMES = ("WH", "RH", "RM", "CH", "CM", "F", "S")
EVERY = [list(subset) for size in range(8) for subset in itertools.combinations(NAMES, size)]


def test_the_json_contract(mechdesign):
    seen = mechdesign(*BASE, "--json")
    assert (seen.code, seen.err) == (0, "")
    classes = json.loads(seen.out)["classes"]
    exact = ["18/19", "227147/236196", "114025/118098", "278559/287608"]
    assert [group["score"]["exact"] for group in classes] == exact
    assert [group["score"]["value"] for group in classes] == pytest.approx([18 / 19, 0.961689, 0.965512, 0.968537])
    assert [group["name"] for group in classes] == ["GM", "WH", "WM", "EM"]
    assert classes[0]["subsets"] == [
        [],
        ["RH"],
        ["RM"],
        ["S"],
        ["RH", "RM"],
        ["RH", "S"],
        ["RM", "S"],
        ["RH", "RM", "S"],
    ]
    listed = [subset for group in classes for subset in group["subsets"]]
    assert sorted(listed) == sorted(EVERY)
    assert ["WH", "CM"] in classes[2]["subsets"]


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["L0", "L1"])
@pytest.mark.parametrize("width", [40, 80, 200])
def test_the_report_fits_the_terminal_and_says_what_was_found(mechdesign, monkeypatch, loss, width):
    monkeypatch.setenv("COLUMNS", str(width))
    seen = mechdesign(*BASE, "--loss", loss)
    assert (seen.code, seen.err) == (0, "")
    assert max(len(line) for line in seen.out.splitlines()) <= width
    if width < 80:
        assert "114025/118098" not in seen.out
        assert "20/9" not in seen.out
        assert ("0.965512" if loss == "L0" else "2.513498") in seen.out
        return
    assert ("name" in seen.out) == (loss == "L0")
    rows = [line.split() for line in seen.out.splitlines() if line.split() and line.split()[0].isdigit()]
    assert [row[0] for row in rows] == [str(number + 1) for number in range(4 if loss == "L0" else 10)]
    if loss == "L0":
        assert rows[2] == ["3", "WM", "0.965512", "114025/118098", "48", "CH", "RM,CM"]
        assert "4, every score exact" in seen.out
        assert "of 18 closed subsets" in seen.out
    else:
        assert rows[1] == ["2", "2.222223", "20/9", "6", "RH", "RM"]
        assert "/6232950000000" in seen.out


def test_a_price_for_symmetry_is_reported(mechdesign):
    seen = mechdesign("landscape", "--n", 4, "--alpha", "0.7", "--prior", "binomial:1/5")
    assert seen.code == 0
    assert "S has a price" in seen.out
    assert "of 36 closed subsets" in seen.out


@pytest.mark.slow
def test_a_score_that_is_not_proved_is_shown_as_bounds(mechdesign, monkeypatch):
    def unsure(problem, **_):
        found = landscape(problem)
        weak = replace(found.classes[1], lower_bound=Fraction(24, 25))
        return replace(found, classes=(found.classes[0], weak, *found.classes[2:]))

    monkeypatch.setattr("mechdesign_cli.commands.counts.landscape.all_classes", unsure)
    seen = mechdesign(*BASE, "--plot", "l.svg", "-o", "l.csv")
    assert "4, 1 of them within bounds only; neighbours may be equal" in seen.out
    rows = [line.split() for line in seen.out.splitlines()]
    at = next(k for k, row in enumerate(rows) if row[:1] == ["2"])
    assert rows[at][2:7] == ["0.961689", "upper", "bound;", "lower", "bound"]
    assert rows[at + 1] == ["0.96"]
    assert "certified" in Path("l.csv").read_text()
    assert "not proved equal to another" in Path("l.svg").read_text()
    assert json.loads(mechdesign(*BASE, "--json").out)["classes"][1]["status"] == "certified"


def test_long_scores_are_left_to_the_document(mechdesign):
    assert "digits: see --json" in mechdesign("landscape", "--n", 4, "--epsilon", "0.1", "--loss", "L2").out


@pytest.mark.slow
def test_files(mechdesign):
    seen = mechdesign(*BASE, "--loss", "L1", "-o", "l.csv", "-o", "l.json", "--plot", "l.svg", "--json")
    assert seen.code == 0
    assert seen.err.splitlines() == ["wrote l.csv", "wrote l.json", "wrote l.svg"]
    assert Path("l.json").read_text() == seen.out
    assert Path("l.svg").read_text().startswith("<?xml")
    rows = list(csv.DictReader(Path("l.csv").read_text().splitlines()))
    assert len(rows) == 128
    assert rows[0] == {
        "subset": "none",
        "score": "2.123512397660819",
        "exact": "18156031/8550000",
        "status": "exact",
        "class": "1",
        "name": "",
    }
    at = {row["subset"]: row for row in rows}
    for row in (at["none"], at["WH,CM"], at["WH,RH,RM,CH,CM,F,S"]):  # a subset can be handed back to solve
        solved = json.loads(mechdesign("solve", *BASE[1:], "--loss", "L1", "--props", row["subset"], "--json").out)
        assert solved["score"]["exact"] == row["exact"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["landscape", "--n", "4"],
        ["landscape", "--alpha", "0.9"],
        ["landscape", "--n", "4", "--alpha", "1.7"],
        ["landscape", "--n", "0", "--alpha", "0.9"],
        [*BASE, "--loss", "M1"],
        [*BASE, "--prior", "missing.txt"],
        [*BASE, "--props", "WH"],
        [*BASE, "--time-limit", "0"],
        [*BASE, "-o", "l.npz"],
        [*BASE, "-o", "no/l.csv"],
        [*BASE, "-o", "l.csv", "--plot", "l.gif"],
    ],
    ids=lambda value: " ".join(value)[:60],
)
def test_bad_input_is_one_line_and_nothing_is_written(mechdesign, arguments):
    seen = mechdesign(*arguments)
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)
    assert seen.err.count("\n") == 1
    assert seen.err.startswith("mechdesign: ")
    assert os.listdir() == []


def test_the_time_limit_covers_all_solves(mechdesign):
    seen = mechdesign("landscape", "--n", 128, "--alpha", "0.9", "--time-limit", "1e-6", "-o", "l.csv")
    assert (seen.code, seen.out) == (1, "")
    check_wording(seen.err)
    assert os.listdir() == []


def test_bad_files_are_found_out_before_the_work(mechdesign):
    slow = ["landscape", "--n", "128", "--alpha", "0.9", "--time-limit", "1e-6"]
    assert mechdesign(*slow, "-o", "no/l.csv").code == 2
    assert mechdesign(*slow, "--plot", "no/l.png").code == 2


def test_any_n_tells_the_formula_of_each_class_and_what_has_no_law(mechdesign):
    result = mechdesign("landscape", "--n", "any", "--alpha", "1/2", "--loss", "L1", "-o", "l.csv", "-o", "l.json")
    assert result.code == 0
    told = " ".join(result.out.split())
    assert "4/3 - (8/3)/(n+1)" in told
    assert "64 of 128 subsets have no score F: loss of a law for every n must be L0 where F is asked" in told
    rows = list(csv.DictReader(Path("l.csv").read_text().splitlines()))
    assert len(rows) == 128
    assert {row["excess"] for row in rows if "F" not in row["subset"]} == {"-8/3"}
    assert all(row["score"] == "" for row in rows if "F" in row["subset"])
    assert json.loads(Path("l.json").read_text())["format"] == "mechdesign-law-landscape/1"


@pytest.mark.parametrize(
    "arguments",
    [
        ("--prior", "binomial:1/2"),
        ("--matrices",),
        ("--loss", "L3"),
    ],
)
def test_what_no_law_serves_is_refused_with_any_n(mechdesign, arguments):
    result = mechdesign("landscape", "--n", "any", "--alpha", "1/2", *arguments, "-o", "l.csv")
    assert (result.code, result.out) == (2, "")
    check_wording(result.err)
    assert not Path("l.csv").exists()


def test_every_row_of_the_file_has_as_many_cells_where_subsets_have_no_score(mechdesign):
    mechdesign("landscape", "--n", "any", "--alpha", "0.8", "--loss", "L1", "--output", "a.csv")
    header, *rows = list(csv.reader(Path("a.csv").read_text().splitlines()))
    assert header == ["subset", "score", "excess", "slope", "from", "class", "name"]
    assert {len(row) for row in rows} == {len(header)}
    without = [row for row in rows if not any(row[1:])]
    assert len(rows) == 128
    assert [row for row in without if "F" in row[0].split(",")] == without != []

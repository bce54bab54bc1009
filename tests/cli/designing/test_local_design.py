"""`local design`: options that do not go together, files and documents, a gap that is not reached."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from wording import check_wording

from mechdesign import WorkloadProblem, parse_workload
from mechdesign.methods.row_designs.floor import variance_floor
from mechdesign.workloads.ordered import Histogram

DESIGN = ("local", "design", "--k", 4, "--epsilon", 1, "--workload")

REFUSED: dict[str, tuple[object, ...]] = {
    "properties": (*DESIGN, "prefixes", "--props", "WH"),
    "loss": (*DESIGN, "prefixes", "--loss", "L1"),
    "group_size": (*DESIGN, "prefixes", "--n", 4),
    "no_workload": DESIGN[:-1],
    "no_items": ("local", "design", "--epsilon", 1, "--workload", "prefixes"),
    "both": (*DESIGN, "marginals:1", "--attributes", 2),
    "gap_alone": ("solve", "--n", 4, "--epsilon", 1, "--gap", "1e-3"),
    "workload": ("solve", "--k", 4, "--epsilon", 1, "--workload", "ranges"),
    "gap": (*DESIGN, "prefixes", "--gap", "2"),
    "gap_nan": (*DESIGN, "prefixes", "--gap", "nan"),
    "few_outputs": (*DESIGN, "prefixes", "--outputs", 3),
    "known": (*DESIGN, "ranges:4"),
    "unknown": (*DESIGN, "prefixs"),
    "no_start": (*DESIGN, "prefixes", "--start", "gone.json"),
    "suffix": (*DESIGN, "prefixes", "--output", "x.vipr"),
    "huge_epsilon": (*DESIGN[:4], "--epsilon", "1e9", "--workload", "prefixes"),
    "tiny_epsilon": (*DESIGN[:4], "--epsilon", "1e-9", "--workload", "prefixes"),
    "epsilon_beyond_floats": (*DESIGN[:4], "--epsilon", "60", "--workload", "prefixes"),
    "too_many_items": ("local", "design", "--k", 300, "--epsilon", 1, "--workload", "prefixes", "--method", "rows"),
    "more_than_a_design_has": ("local", "design", "--k", 65_536, "--epsilon", 1, "--workload", "histogram", "--plan"),
    "more_than_rows_serve": ("local", "design", "--k", 65_536, "--epsilon", 1, "--workload", "ranges", "--gap", "1e-3"),
    "method": (*DESIGN, "ranges", "--method", "level"),
    "levels_of_items": (*DESIGN, "histogram", "--method", "levels"),
    "levels_of_the_worst": (*DESIGN, "ranges", "--method", "levels", "--aggregate", "worst"),
    "levels_of_few": ("local", "design", "--k", 3, "--epsilon", 1, "--workload", "ranges", "--method", "levels"),
    "levels_with_a_gap": (*DESIGN, "ranges", "--method", "levels", "--gap", "1e-3"),
    "levels_as_a_matrix": (*DESIGN, "ranges", "--method", "levels", "--output", "x.csv"),
    "summary": (*DESIGN, "prefixes", "--summary"),
    "plan": (*DESIGN, "prefixes", "--plan", "--output", "x.json"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_go_together_is_one_line_and_exit_code_2(mechdesign, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    command = REFUSED[name]
    seen = mechdesign(*command)
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)
    assert seen.err.count("\n") == 1 or "Usage" in seen.err
    assert list(tmp_path.iterdir()) == []


MATRICES = {
    "nan": "nan,1,0,0\n",
    "no_rows": "",
    "zeros": "0,0,0,0\n",
    "other_k": "1,0,0\n",
    "words": "a,b,c,d\n",
    "known": "1,1,1,1\n",
}


@pytest.mark.parametrize("name", MATRICES)
def test_a_matrix_that_is_none_is_refused(mechdesign, tmp_path, name):
    text = MATRICES[name]
    path = tmp_path / "queries.csv"
    path.write_text(text, encoding="utf-8")
    seen = mechdesign(*DESIGN, path)
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)


def test_a_plan_says_the_floor_and_designs_nothing(mechdesign):
    seen = mechdesign(*DESIGN, "ranges:2", "--plan", "--json")
    found = json.loads(seen.out)
    assert (seen.code, found["groups"], found["rank"]) == (0, 4, 3)
    assert 0 < found["floor"] < 20
    assert "floor" in mechdesign(*DESIGN, "ranges:2", "--plan").out


def test_the_floor_is_rounded_down_and_told_of_equally_frequent_items(mechdesign):
    for alpha in ("2/9", "3/10", "4/11"):
        options = ("local", "design", "--k", 3, "--alpha", alpha, "--workload", "histogram", "--plan")
        exact = variance_floor(WorkloadProblem(Histogram(3), alpha=alpha))
        found = json.loads(mechdesign(*options, "--json").out)["floor"]
        assert Fraction(repr(found)) <= exact <= Fraction(repr(found)) * (1 + Fraction(1, 10**15))
        assert exact < Fraction(repr(float(exact)))
        assert "/ n or more, found without a search" in " ".join(mechdesign(*options).out.split())


def test_a_closed_bound_at_or_below_zero_is_not_shown(mechdesign, tmp_path):
    path = tmp_path / "queries.csv"
    path.write_text("2,1,-1,1,3\n", encoding="utf-8")
    options = ("local", "design", "--k", 5, "--epsilon", "2.5", "--workload", path)
    assert variance_floor(WorkloadProblem(parse_workload(str(path), 5), epsilon="2.5")) < 0
    for seen in (mechdesign(*options, "--plan"), mechdesign(*options)):
        assert seen.code == 0
        assert "floor" not in seen.out + seen.err
    assert json.loads(mechdesign(*options, "--plan", "--json").out)["floor"] is None


def test_the_document_is_that_of_the_file_and_the_summary_of_both(mechdesign, tmp_path):
    path = tmp_path / "prefix4.json"
    seen = mechdesign(*DESIGN, "prefixes", "--output", path, "--json")
    assert seen.code == 0
    document, kept = json.loads(seen.out), json.loads(path.read_text(encoding="utf-8"))
    assert document == kept
    assert "variance" not in seen.err
    summary = json.loads(mechdesign(*DESIGN, "prefixes", "--json", "--summary").out)
    assert summary["variance"] == document["variance"]
    assert summary["outputs"] == len(document["rows"])
    assert all(place["ratio"] > 1 - 1e-9 for place in summary["oracles"])
    assert mechdesign("check", path).code == 0


def test_the_report_names_what_is_proved_and_each_oracle(mechdesign):
    seen = mechdesign(*DESIGN, "prefixes")
    assert seen.code == 0
    for word in (
        "variance",
        "bound",
        "answers has less at equally frequent items",
        "every unbiased estimate",
        "all 2^4 rows",
        "flat:grr",
        "times",
    ):
        assert word in " ".join(seen.out.split())


def test_tables_of_attributes_and_the_worst_item(mechdesign):
    options = ("local", "design", "--attributes", 2, "--epsilon", 1, "--workload", "marginals:1", "--json", "--summary")
    mean, worst = (json.loads(mechdesign(*options, "--aggregate", aim).out) for aim in ("expected", "worst"))
    assert mean["problem"]["workload"] == "marginals:1:2,2"
    assert worst["variance"]["upper"]["value"] == pytest.approx(mean["variance"]["upper"]["value"], rel=1e-6)


def test_a_variance_is_told_for_n_users_and_as_the_standard_error_of_an_answer(mechdesign):
    seen = " ".join(mechdesign("local", "design", "--k", 2, "--alpha", "1/2", "--workload", "histogram").out.split())
    assert "variance 4 / n for n users (items equally frequent; sum of 2 answers)" in seen
    assert "error standard error 1.415 / sqrt(n) an answer (root mean square)" in seen
    assert "2 different ones, 1 bit each" in seen


def test_the_bound_of_few_reports_is_said_to_be_that_of_any_number(mechdesign):
    seen = " ".join(mechdesign(*DESIGN, "prefixes", "--outputs", 4).out.split())
    assert "with any number of different reports)" in seen
    assert "with any number" not in mechdesign(*DESIGN, "prefixes").out


@pytest.mark.slow
def test_a_gap_that_is_not_reached_says_both_bounds_and_can_be_gone_on_from(mechdesign):
    path, better = Path("few.json"), Path("more.json")
    few = mechdesign(
        "local",
        "design",
        "--k",
        5,
        "--epsilon",
        1,
        "--workload",
        "ranges",
        "--gap",
        "1e-40",
        "--time-limit",
        1,
        "--output",
        path,
    )
    assert few.code == 1
    check_wording(few.err)
    assert Path(path).exists()
    seen = mechdesign(
        *("local", "design", "--k", 5, "--epsilon", 1, "--workload", "ranges", "--start", path, "--output", better)
    )
    assert seen.code == 0
    values = [json.loads(p.read_text(encoding="utf-8"))["variance"]["upper"]["value"] for p in (path, better)]
    assert values[1] <= values[0]

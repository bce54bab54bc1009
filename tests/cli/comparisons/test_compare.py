"""`mechdesign compare`, as a caller sees it."""

import csv
import json
from pathlib import Path

import pytest
from wording import check_wording

COMPARE = ("compare", "--data", "saxony", "--alpha", "0.9", "--repetitions", "3", "--seed", "1")
SIGMAS = 5


def test_json_has_one_row_for_each_mechanism_metric_and_setting(mechdesign):
    seen = mechdesign(*COMPARE, "--mechanisms", "GM;UM", "--metric", "error-rate,L0:1,rmse", "--json")
    assert (seen.code, seen.err) == (0, "")
    document = json.loads(seen.out)
    rows = document["rows"]
    assert [(row["mechanism"], row["metric"]) for row in rows] == [
        (name, metric) for name in ("GM", "UM") for metric in ("error-rate", "L0:1", "rmse")
    ]
    assert {(row["n"], row["alpha"], row["groups"], row["repetitions"]) for row in rows} == {(12, "9/10", 6115, 3)}
    assert rows[3]["expected"] == pytest.approx(12 / 13, rel=1e-15)  # uniform guessing, not rescaled
    assert all(abs(row["mean"] - row["expected"]) < SIGMAS * 0.05 for row in rows)
    assert all(row["standard_error"] > 0 for row in rows)
    (data,) = document["data"]
    assert (data["source"], data["people"], data["dropped"], document["seed"]) == ("saxony", 6115 * 12, 0, 1)


def test_a_seed_repeats_everything(mechdesign):
    arguments = ("compare", "--data", "binomial:0.3", "--n", "4", "--alpha", "0.9", "--people", "400", "--json")
    once, again, other = (mechdesign(*arguments, "--seed", seed).out for seed in (7, 7, 8))
    assert once == again != other


def test_the_table_for_people(mechdesign, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    seen = mechdesign(*COMPARE, "--mechanisms", "GM;design:WH,CM:L1", "--metric", "error-rate", "--alpha", "0.5,0.9")
    assert seen.code == 0
    assert "saxony: 6,115 groups of n = 12" in seen.out
    assert "design:WH,CM:L1  0.9" in seen.out
    assert max(map(len, seen.out.splitlines())) <= 80


def test_epsilon_is_shown_where_epsilon_was_asked(mechdesign):
    arguments = ("compare", "--data", "saxony", "--repetitions", "2", "--mechanisms", "GM", "--metric", "bias")
    seen = mechdesign(*arguments, "--epsilon", "0.1,0.5")
    header, *lines = (line.split() for line in seen.out.splitlines()[1:4])
    assert header[2] == "epsilon"
    assert [line[-4] for line in lines] == ["0.1", "0.5"]
    assert "epsilon = 0.1" in mechdesign(*arguments, "--epsilon", "0.1").out
    rows = json.loads(mechdesign(*arguments, "--epsilon", "0.5", "--json").out)["rows"]
    assert rows[0]["epsilon"] == pytest.approx(0.5)


def test_files_and_pictures_all_or_none(mechdesign):
    common = (*COMPARE, "--mechanisms", "EM;UM", "--metric", "bias")
    seen = mechdesign(*common, "-o", "t.csv", "-o", "t.json", "--plot", "t.svg")
    assert seen.code == 0
    table = list(csv.DictReader(Path("t.csv").read_text().splitlines()))
    assert [row["mechanism"] for row in table] == ["EM", "UM"]
    assert json.loads(Path("t.json").read_text())["rows"][0]["expected"] == float(table[0]["expected"])
    assert "<svg" in Path("t.svg").read_text()
    assert mechdesign(*common, "-o", "u.csv", "--plot", "no/t.svg").code == 2
    assert not Path("u.csv").exists()


def test_a_list_of_sizes_and_a_dropped_group_is_said(mechdesign):
    seen = mechdesign(
        *("compare", "--data", "uniform", "--people", "103", "--n", "2:6:2", "--alpha", "0.9", "--repetitions", "1"),
        *("--mechanisms", "GM", "--metric", "bias", "--json", "--seed", "1"),
    )
    assert seen.code == 0
    assert [row["n"] for row in json.loads(seen.out)["rows"]] == [2, 4, 6]
    assert seen.err.count("left out") == 3
    assert json.loads(seen.out)["rows"][0]["standard_error"] is None


def test_your_own_people_and_mechanisms(mechdesign):
    Path("people.csv").write_text("sick,home\n" + "1,a\n0,a\n0,b\n1,b\n1,c\n1,c\n")
    assert mechdesign("solve", "--n", "2", "--alpha", "0.5", "-o", "gm.json").code == 0
    common = ("compare", "--input", "people.csv", "--bit", "sick", "--metric", "error-rate", "--json", "--seed", "1")
    seen = mechdesign(*common, "--group", "home", "--mechanisms", "gm.json")
    assert seen.code == 0
    (row,) = json.loads(seen.out)["rows"]
    assert (row["n"], row["alpha"], row["groups"]) == (2, "1/2", 3)
    assert row["expected"] == pytest.approx((2 * 2 / 3 + 1 / 3) / 3)  # GM: right with 1/3 at 1, with 2/3 at 2
    assert mechdesign(*common, "--group-size", "2", "--mechanisms", "GM;gm.json", "--alpha", "0.9").code == 0


def test_a_file_of_another_alpha_is_compared_with_a_warning(mechdesign):
    for alpha in ("0.5", "0.9"):
        assert mechdesign("solve", "--n", "12", "--alpha", alpha, "-o", f"m{alpha}.json").code == 0
    common = ("compare", "--data", "saxony", "--metric", "bias", "--repetitions", "1", "--json")
    seen = mechdesign(*common, "--alpha", "0.9", "--mechanisms", "GM;m0.5.json")
    assert seen.code == 0
    check_wording(seen.err)
    seen = mechdesign(*common, "--epsilon", "0.7", "--mechanisms", "GM;m0.5.json")
    check_wording(seen.err)
    seen = mechdesign(*common, "--mechanisms", "m0.5.json;m0.9.json")
    check_wording(seen.err)
    assert mechdesign(*common, "--alpha", "0.5,0.9", "--mechanisms", "GM;m0.5.json").err == ""
    assert mechdesign(*common, "--mechanisms", "m0.5.json").err == ""


def test_names_of_files_may_have_commas(mechdesign):
    assert mechdesign("solve", "--n", "12", "--alpha", "0.9", "-o", "GM, ours,v2.json").code == 0
    seen = mechdesign(*COMPARE, "--mechanisms", "UM;GM, ours,v2.json;EM", "--metric", "bias", "--json")
    assert [row["mechanism"] for row in json.loads(seen.out)["rows"]] == ["UM", "GM, ours,v2.json", "EM"]


BAD = [
    ["--data", "adlt"],
    ["--data", "saxony", "--target", "income"],
    ["--data", "saxony", "--mechanisms", "WW"],
    ["--data", "saxony", "--mechanisms", "GM,WM"],
    ["--data", "saxony", "--metric", "rsme"],
    ["--data", "saxony", "--n", "8"],
    ["--data", "saxony", "--mechanisms", "m.json"],
    ["--data", "saxony", "--repetitions", "0"],
    ["--data", "saxony", "--repetitions", "x"],
    ["--data", "saxony", "--repetitions", "999999999"],
    ["--data", "saxony", "-o", "t.npz"],
    ["--data", "saxony", "-o", "t.txt"],
    ["--data", "saxony", "--mechanisms", "m.json", "-o", "m.json"],
    ["--data", "uniform"],
    ["--data", "uniform", "--n", "20000"],
    ["--data", "uniform", "--n", "8:2"],
    ["--input", "bits.csv", "--bit", "b", "--n", "2"],
    ["--input", "bits.csv"],
    ["--data", "saxony", "--input", "bits.csv"],
    ["--data", "saxony", "--loss", "L-1"],
    ["--data", "saxony", "--seed", "-1"],
    ["--data", "saxony", "--plot", "t.svg", "--metric", "error-rate,L0:1", "-o", "t.svg"],
]


@pytest.mark.slow
@pytest.mark.parametrize("arguments", BAD, ids=lambda value: " ".join(value)[:60])
def test_bad_input_is_one_line_and_nothing_is_written(mechdesign, arguments):
    assert mechdesign("solve", "--n", "4", "--alpha", "0.9", "-o", "m.json").code == 0
    Path("bits.csv").write_text("b\n1\n2\n")
    before = sorted(Path().iterdir())
    seen = mechdesign("compare", "--alpha", "0.9", *arguments)
    assert (seen.code, seen.out, seen.err.count("\n")) == (2, "", 1)
    check_wording(seen.err)
    assert sorted(Path().iterdir()) == before


def test_no_alpha_where_one_is_needed(mechdesign):
    seen = mechdesign("compare", "--data", "saxony")
    assert seen.code == 2
    check_wording(seen.err)


def test_files_of_every_kind_also_of_names_with_commas(mechdesign):
    assert mechdesign("solve", "--n", 4, "--alpha", "0.9", "-o", "wm.json", "-o", "wm.npz", "-o", "a,b.json").code == 0
    names = "GM;wm.npz;a,b.json;wm.json;design:WH,CM:L1"
    data = ("--data", "constant:1", "--people", 40, "--n", 4, "--metric", "rmse", "--repetitions", 1)
    seen = mechdesign("compare", *data, "--alpha", "0.8", "--mechanisms", names)
    assert seen.code == 0
    assert all(f" {name} " in seen.out for name in ("GM", "wm.npz", "a,b.json", "wm.json", "design:WH,CM:L1"))
    check_wording(seen.err)

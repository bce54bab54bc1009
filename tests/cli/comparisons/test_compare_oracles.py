"""`mechdesign local compare`: local oracles side by side on items."""

import csv
import json
import math
from pathlib import Path

import pytest
from wording import check_wording

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.datasets.items import open_items
from mechdesign_catalog.systems import make_oracle

ORACLES = ["local", "compare"]


@pytest.mark.slow
def test_rows_of_every_oracle_epsilon_and_metric(mechdesign):
    seen = mechdesign(
        *(*ORACLES, "--data", "titanic", "--epsilon", "1:2:0.5", "--oracles", "grr,oue,ss", "--seed", 1),
        *("--metric", "rmse,max,tv,rank10", "--repetitions", 3, "--json", "-o", "t.csv", "--plot", "t.png"),
    )
    assert seen.code == 0, seen.err
    document = json.loads(seen.out)
    rows = document["rows"]
    assert document["data"] == {"source": "titanic", "k": 32, "users": 2201}
    assert [(row["epsilon"], row["oracle"], row["metric"]) for row in rows] == [
        (epsilon, oracle, metric)
        for epsilon in (1.0, 1.5, 2.0)
        for oracle in ("grr", "oue", "ss")
        for metric in ("rmse", "max", "tv", "rank10")
    ]
    assert {row["repetitions"] for row in rows} == {3}
    assert all(row["standard_error"] > 0 for row in rows if row["metric"] != "rank10")
    assert Path("t.png").read_bytes().startswith(b"\x89PNG")
    written = list(csv.DictReader(Path("t.csv").read_text().splitlines()))
    assert [float(row["mean"]) for row in written] == [row["mean"] for row in rows]


@pytest.mark.slow
@pytest.mark.parametrize("simulate", ["reports", "aggregate"])
def test_simulated_rmse_is_the_expected_one(mechdesign, simulate):
    seen = mechdesign(
        *(*ORACLES, "--data", "hair-eye", "--epsilon", 2, "--oracles", "grr,sue,oue", "--metric", "rmse,mse"),
        *("--repetitions", 300, "--seed", 5, "--simulate", simulate, "--json"),
    )
    rows = json.loads(seen.out)["rows"]
    data = open_items("hair-eye")
    for row in rows:
        oracle = make_oracle(row["oracle"], data.k, Privacy(epsilon=2))
        square = oracle.variance(data.frequencies, data.users).mean()
        assert row["expected"] == pytest.approx(square if row["metric"] == "mse" else math.sqrt(square))
        if row["metric"] == "mse":
            assert abs(row["mean"] - row["expected"]) <= 4 * row["standard_error"]


def test_a_seed_repeats_and_no_seed_does_not(mechdesign):
    command = [*ORACLES, "--data", "ucb", "--epsilon", 1, "--oracles", "grr", "--metric", "tv", "--json"]
    seeded = [mechdesign(*command, "--seed", 7).out for _ in range(2)]
    free = [mechdesign(*command).out for _ in range(2)]
    assert seeded[0] == seeded[1]
    assert free[0] != free[1]


def test_post_processing_is_only_done_when_asked(mechdesign):
    command = [*ORACLES, "--data", "titanic", "--epsilon", 1, "--oracles", "grr", "--metric", "zeroed,tv", "--seed", 3]
    raw, cut = (json.loads(mechdesign(*command, *more, "--json").out)["rows"] for more in ([], ["--post", "norm-sub"]))
    assert raw[0]["mean"] == 0
    assert cut[0]["mean"] > 5
    assert cut[1]["mean"] < raw[1]["mean"]


def test_own_column(mechdesign):
    Path("v.csv").write_text("city\n" + "a\nb\nb\n" * 50)
    Path("d.txt").write_text("a\nb\nc\n")
    seen = mechdesign(
        *(*ORACLES, "--input", "v.csv", "--column", "city", "--domain", "d.txt", "--epsilon", 3, "--json"),
    )
    assert seen.code == 0, seen.err
    assert json.loads(seen.out)["data"] == {"source": "v.csv, city", "k": 3, "users": 150}


@pytest.mark.slow
@pytest.mark.parametrize("width", [80, 200])
def test_tables_fit_the_terminal(mechdesign, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    seen = mechdesign(
        *(*ORACLES, "--data", "titanic:class", "--epsilon", "1,2", "--oracles", "grr,sue,oue,rappor,ss,dbitflip:d=2"),
        *("--metric", "rmse,max"),
    )
    assert seen.code == 0, seen.err
    lines = seen.out.splitlines()
    assert max(map(len, lines)) <= width
    for oracle in ("grr", "sue", "oue", "rappor", "ss", "dbitflip:d=2"):
        assert any(oracle in line.split() for line in lines)


BAD = {
    "no epsilon": [],
    "epsilon 0": ["--epsilon", "0"],
    "unknown oracle": ["--epsilon", "1", "--oracles", "grr,olb"],
    "unknown metric": ["--epsilon", "1", "--metric", "rmsee"],
    "unknown post": ["--epsilon", "1", "--post", "norms"],
    "no law": ["--epsilon", "1", "--oracles", "ss", "--simulate", "aggregate"],
    "unknown simulation": ["--epsilon", "1", "--simulate", "fast"],
    "d beyond k": ["--epsilon", "1", "--oracles", "dbitflip:d=33"],
    "no repetition": ["--epsilon", "1", "--repetitions", "0"],
    "too many": ["--epsilon", "1", "--repetitions", "100000000"],
    "mechanisms": ["--epsilon", "1", "--mechanisms", "GM"],
    "n": ["--epsilon", "1", "--n", "8"],
    "domain without input": ["--epsilon", "1", "--domain", "d.txt"],
    "empty oracles": ["--epsilon", "1", "--oracles", ""],
    "suffix": ["--epsilon", "1", "-o", "t.txt"],
}


@pytest.mark.parametrize("name", BAD)
def test_bad_requests(mechdesign, name):
    arguments = BAD[name]
    seen = mechdesign(*ORACLES, "--data", "titanic", *arguments)
    assert (seen.code, seen.out, seen.err.count("\n")) == (2, "", 1), seen.err
    check_wording(seen.err)
    assert not list(Path().iterdir())


def test_items_are_compared_by_the_other_command(mechdesign):
    seen = mechdesign("compare", "--data", "titanic", "--alpha", "0.9")
    assert seen.code == 2
    check_wording(seen.err)


@pytest.mark.slow
def test_rows_of_bits_that_nobody_waits_for(mechdesign):
    """Ten million items and 2.75 million users: refused at once for reports, not for sums."""
    asked = [*ORACLES, "--data", "commuting:ed", "--seed", 1, "--epsilon", 1, "--oracles", "oue", "--metric", "rmse"]
    seen = mechdesign(*asked, "--repetitions", 1)
    assert (seen.code, seen.err.count("\n")) == (2, 1)
    check_wording(seen.err)
    assert mechdesign(*asked, "--repetitions", 1, "--simulate", "aggregate").code == 0


def test_a_mean_is_no_frequency(mechdesign):
    seen = mechdesign(*ORACLES, "--data", "titanic", "--epsilon", 1, "--oracles", "grr,onebitmean")
    assert seen.code == 2
    check_wording(seen.err)


@pytest.mark.parametrize("option", ["--model", "--oracles", "--domain", "--k", "--simulate", "--post"])
def test_an_option_of_the_other_comparison_names_it(mechdesign, option):
    seen = mechdesign("compare", "--data", "titanic", "--alpha", "0.9", option, "ldp")
    assert (seen.code, seen.out, seen.err.count("\n")) == (2, "", 1)
    check_wording(seen.err)


OVER_AN_ORACLE = {
    "listed": "local oracles --k 3 --epsilon 1 --workload prefixes --oracle design.json -o design.json",
    "compared": "local compare --data titanic --epsilon 1 --workload prefixes --oracles design.json -o design.json",
    "a task": "local task new --oracle design.json --k 3 -o design.json",
}


@pytest.mark.parametrize("name", OVER_AN_ORACLE)
def test_nothing_is_written_over_the_file_of_an_oracle(mechdesign, name):
    design = ("local", "design", "--k", 3, "--epsilon", 1, "--workload", "prefixes", "-o", "design.json")
    assert mechdesign(*design).code == 0
    before = Path("design.json").read_bytes()
    seen = mechdesign(*OVER_AN_ORACLE[name].split())
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)
    assert Path("design.json").read_bytes() == before

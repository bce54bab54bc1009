"""`mechdesign local compare --workload`: answers to queries, expected and simulated."""

import json
import math
from pathlib import Path

import pytest
from wording import check_wording

from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.ordered import Ranges
from mechdesign_catalog.datasets.items import open_items
from mechdesign_catalog.decoders.decoder import Decoder
from mechdesign_catalog.systems import parse_oracle

ASKED = ["local", "compare", "--data", "cauchy", "--k", 24, "--people", 3000, "--seed", 3, "--epsilon", 2]


@pytest.mark.slow
@pytest.mark.parametrize("simulate", ["reports", "aggregate"])
def test_simulated_errors_of_ranges_are_the_expected_ones(mechdesign, simulate):
    names = ("flat:grr", "flat:oue", "hh:b=4", "hh:b=3:estimate=raw", "haar", "laplace")
    seen = mechdesign(
        *(*ASKED, "--oracles", ",".join(names), "--workload", "ranges", "--metric", "mse,rmse,max,heavy10"),
        *("--repetitions", 200, "--simulate", simulate, "--json"),
    )
    assert seen.code == 0, seen.err
    rows = {(row["oracle"], row["metric"]): row for row in json.loads(seen.out)["rows"]}
    data, queries = open_items("cauchy", k=24, people=3000, seed=3), Ranges(24).queries()
    for name in names:
        mse, rmse = rows[name, "mse"], rows[name, "rmse"]
        if name == "laplace":
            expected = 8 / 4 * queries.sums.mean() / data.users**2
        else:
            oracle = parse_oracle(name, 24, Privacy(epsilon=2))
            expected = Decoder(oracle).variance(queries, data.frequencies, data.users).mean()
        assert mse["expected"] == pytest.approx(expected)
        assert rmse["expected"] == pytest.approx(math.sqrt(expected))
        assert abs(mse["mean"] - mse["expected"]) <= 4 * mse["standard_error"]
        assert rows[name, "max"]["mean"] > rmse["mean"]
        assert rows[name, "heavy10"]["expected"] is None
        assert (mse["workload"], mse["queries"], mse["queries_looked_at"]) == ("ranges", 300, 300)


@pytest.mark.slow
def test_sums_of_many_users_of_many_items(mechdesign):
    """The error of all ranges, most of which nobody looks at, against the exact variances of a sample."""
    asked = (
        *("local", "compare", "--data", "cauchy", "--k", 2**12, "--people", 2**18, "--seed", 3, "--epsilon", 1),
        *("--oracles", "hh:b=4,haar", "--workload", "ranges", "--metric", "mse,max", "--simulate", "aggregate"),
    )
    for row in json.loads(mechdesign(*asked, "--repetitions", 20, "--json").out)["rows"]:
        assert (row["queries"], row["queries_looked_at"]) == (8_390_656, 65_536)
        if row["metric"] == "mse":
            assert abs(row["mean"] - row["expected"]) <= 4 * row["standard_error"]
    shown = mechdesign(*asked, "--repetitions", 1).out
    assert "answers to 8,390,656 queries (ranges)" in shown
    assert "are of a sample of 65,536 queries" in shown


@pytest.mark.slow
def test_the_oracles_of_a_workload(mechdesign):
    """Those that are compared unless others are named; a table has systems of two columns."""
    seen = mechdesign(*ASKED, "--workload", "prefixes", "--repetitions", 1, "--json")
    assert [(row["oracle"], row["metric"]) for row in json.loads(seen.out)["rows"]] == [
        (oracle, metric) for oracle in ("flat:oue", "hh:b=4", "haar") for metric in ("rmse", "max")
    ]
    table = mechdesign(
        *(*ASKED, "--workload", "grid:4,6", "--oracles", "haar2:sides=4x6,hh2:b=2:sides=4x6,privelet"),
        *("--metric", "mse", "--repetitions", 300, "--simulate", "aggregate", "--json"),
    )
    for row in json.loads(table.out)["rows"]:
        assert abs(row["mean"] - row["expected"]) <= 4 * row["standard_error"], row


def test_the_grid_gives_the_sides_of_systems_on_tables(mechdesign):
    asked = (*ASKED, "--workload", "grid:4,6", "--metric", "mse", "--repetitions", 1, "--json", "--oracles")
    short, full = (
        json.loads(mechdesign(*asked, names).out)["rows"]
        for names in ("hh2:b=2,haar2", "hh2:b=2:sides=4x6,haar2:sides=4x6")
    )
    assert [row["oracle"] for row in short] == ["hh2:b=2", "haar2"]
    assert [(row["expected"], row["mean"]) for row in short] == [(row["expected"], row["mean"]) for row in full]


def test_what_is_compared_and_told(mechdesign):
    seen = mechdesign(
        *(*ASKED, "--oracles", "oue,grr", "--workload", "grid:4,6", "--repetitions", 2, "--plot", "w.png"),
        *("--metric", "rmse,max,bits", "--output", "w.csv"),
    )
    assert seen.code == 0, seen.err
    assert "cauchy: 3,000 users, 24 items; answers to 210 queries (grid:4,6)" in seen.out
    assert Path("w.png").read_bytes().startswith(b"\x89PNG")
    assert "workload,queries,queries_looked_at" in Path("w.csv").read_text().splitlines()[0]
    plain = json.loads(mechdesign(*ASKED, "--oracles", "oue", "--repetitions", 1, "--json").out)
    assert all("workload" not in row for row in plain["rows"])


BAD = {
    "another k": ["--workload", "grid:4,5"],
    "a metric of items": ["--workload", "ranges", "--metric", "tv"],
    "a metric of workloads": ["--metric", "heavy10"],
    "nothing heavy": ["--workload", "histogram", "--metric", "heavy90"],
    "unknown": ["--workload", "rang"],
    "over the workload": ["--workload", "w.csv", "--output", "w.csv"],
}


@pytest.mark.parametrize("name", BAD)
def test_bad_requests(mechdesign, name):
    Path("w.csv").write_text(",".join(["1"] * 24) + "\n")
    arguments = BAD[name]
    seen = mechdesign(*ASKED, "--oracles", "oue", *arguments)
    assert (seen.code, seen.out, seen.err.count("\n")) == (2, "", 1), seen.err
    check_wording(seen.err)
    assert Path("w.csv").read_text() == ",".join(["1"] * 24) + "\n"

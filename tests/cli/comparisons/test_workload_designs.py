"""Files of designs for workloads stand beside other oracles: in the list for a workload, and in simulations."""

import json
from pathlib import Path

import pytest
from command_line import make_runner
from row_documents import all_subsets, document
from wording import check_wording

RANGES = ["1001", "1000", "0001", "0110", "0111", "1110"]


@pytest.fixture
def mechdesign(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    designs = {
        "prefixes": document("prefixes", 4, "1/3", all_subsets(4, 1, 2)),
        "ranges": document("ranges:3", 4, "1/2", RANGES),
        "cells": document("marginals:1:2,2", 4, "1/2", ["1100", "0011", "1010", "0101"]),
        "items": document("histogram", 4, "1/3", all_subsets(4, 1)),
    }
    for name, body in designs.items():
        Path(f"{name}.json").write_text(json.dumps(body))
    return make_runner(capsys)


def listed(mechdesign, *arguments):
    seen = mechdesign("local", "oracles", *arguments, "--users", 1000, "--json")
    assert seen.code == 0
    return {row["oracle"]: row for row in json.loads(seen.out)["oracles"]}


@pytest.mark.slow
def test_a_design_is_listed_with_the_variance_of_its_document(mechdesign):
    """The document's is for each user, summed over the queries."""
    rows = listed(mechdesign, "--k", 4, "--alpha", "1/3", "--workload", "prefixes", "--oracle", "prefixes.json")
    stated = json.loads(Path("prefixes.json").read_text())["inputs"]["mean"]
    assert rows["prefixes.json"]["average_variance"] == pytest.approx(stated / 4 / 1000, rel=1e-9)
    assert rows["prefixes.json"]["bits"] == 4
    rows = listed(
        mechdesign, "--attributes", "2", "--alpha", "1/2", "--workload", "marginals:1", "--oracle", "cells.json"
    )
    stated = json.loads(Path("cells.json").read_text())["inputs"]["mean"]
    assert rows["cells.json"]["average_variance"] == pytest.approx(stated / 4 / 1000, rel=1e-9)


def test_liars_move_its_answers_as_far_as_those_of_the_same_mechanism(mechdesign):
    """Rows of single items are randomised response."""
    arguments = ("--k", 4, "--alpha", "1/3", "--workload", "ranges", "--liars", "0.02", "--oracle", "items.json")
    rows = listed(mechdesign, *arguments)
    for key in ("average_variance", "largest_variance", "worst_bias", "actual_epsilon"):
        assert rows["items.json"][key] == pytest.approx(rows["flat:grr"][key], rel=1e-9)
    assert rows["items.json"]["worst_bias_is_exact"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--workload", "histogram", "--oracle", "ranges.json"),
        ("--oracle", "ranges.json"),
        ("--workload", "ranges:3", "--oracle", "absent.json"),
        ("--workload", "ranges:3", "--oracle", "prefixes.json"),
    ],
    ids=["queries that are not told", "no workload", "no file", "a larger loss"],
)
def test_designs_that_do_not_serve_are_refused(mechdesign, arguments):
    seen = mechdesign("local", "oracles", "--k", 4, "--alpha", "1/2", *arguments)
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)


def compared(mechdesign, *arguments):
    base = ("local", "compare", "--data", "titanic:class", "--alpha", "1/2", "--repetitions", 40, "--seed", 5)
    return mechdesign(*base, *arguments)


@pytest.mark.slow
@pytest.mark.parametrize("simulate", ["reports", "aggregate"])
def test_simulated_errors_are_those_that_are_expected(mechdesign, simulate):
    """Of a design that tells no single item: its own queries are compared, and nothing that needs items."""
    seen = compared(
        mechdesign, "--oracles", "flat:grr,ranges.json", "--workload", "ranges:3", "--metric", "rmse", "--json",
        "--simulate", simulate,
    )  # fmt: skip
    assert seen.code == 0
    rows = {row["oracle"]: row for row in json.loads(seen.out)["rows"]}
    for row in rows.values():
        assert abs(row["mean"] - row["expected"]) <= 4 * row["standard_error"] + 0.1 * row["expected"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--metric", "rmse"),
        ("--workload", "ranges:3", "--post", "norm-sub"),
        ("--workload", "prefixes"),
    ],
    ids=["items", "post-processing", "other queries"],
)
def test_comparisons_of_what_is_not_told_are_refused_before_a_report_is_made(mechdesign, arguments):
    seen = compared(mechdesign, "--oracles", "ranges.json", *arguments)
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)

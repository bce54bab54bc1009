"""`--oracle best`: what is written into task and reports is the oracle's own name."""

import json

import pytest
from wording import check_wording

from mechdesign import Privacy
from mechdesign_catalog import best_oracle, read_task
from mechdesign_catalog.systems.registry import parse_oracle

BEST = ("--oracle", "best", "--epsilon", 1)


@pytest.fixture
def ages(tmp_path):
    file = tmp_path / "ages.csv"
    file.write_text("age\n" + "".join(f"{value % 12}\n" for value in range(40)))
    return file


def test_task_and_reports_name_the_chosen_oracle(mechdesign, tmp_path, ages):
    task, reports = tmp_path / "task.json", tmp_path / "r.parquet"
    seen = mechdesign("local", "task", "new", *BEST, "--workload", "prefixes", "--bins", "0:12:1", "--output", task)
    assert seen.code == 0
    name = best_oracle("prefixes", epsilon=1, bins="0:12:1")
    assert f"best for prefixes by 10,000 users: {name}\n" in seen.err
    expected = parse_oracle(name, 12, Privacy(epsilon=1))
    assert read_task(task).parameters == expected.parameters
    asked = ("--workload", "prefixes", "--input", ages, "--bins", "0:12:1")
    made = mechdesign("local", "privatize", *BEST, *asked, "-o", reports, "--json")
    assert json.loads(made.out)["parameters"] == json.loads(json.dumps(expected.parameters, default=str))


REFUSED = {
    "no workload": (*BEST, "--bins", "0:12:1"),
    "another oracle": ("--oracle", "olh", "--epsilon", 1, "--workload", "ranges", "--bins", "0:12:1"),
    "no privacy": ("--oracle", "best", "--workload", "ranges", "--bins", "0:12:1"),
    "no items": (*BEST, "--workload", "ranges"),
    "an order beside bins": (*BEST, "--workload", "prefixes", "--bins", "0:12:1", "--ordered"),
    "no such queries": (*BEST, "--workload", "rnges", "--bins", "0:12:1"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_go_together(mechdesign, tmp_path, ages, name):
    output = tmp_path / "r.parquet"
    seen = mechdesign("local", "privatize", *REFUSED[name], "--input", ages, "-o", output)
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)
    assert seen.err.count("\n") == 1
    assert not output.exists()

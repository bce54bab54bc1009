"""What is known before a design is made, and its summary after: solve --plan and solve --json --summary."""

import json
from pathlib import Path

import pytest
from wording import check_wording

SOLVE = ("solve", "--n", 8, "--alpha", "0.9", "--props")


def plan(mechdesign, props, *options):
    seen = mechdesign(*SOLVE, props, "--plan", "--json", *options)
    assert (seen.code, seen.err) == (0, "")
    return json.loads(seen.out)


def test_a_plan_names_methods_in_order_and_their_work(mechdesign):
    found = plan(mechdesign, "F", "--loss", "L1")
    places = {method["name"]: method["place"] for method in found["methods"]}
    assert [name for name, place in sorted(places.items(), key=lambda item: item[1] or 9) if place] == found["order"]
    by_name = {method["name"]: method for method in found["methods"]}
    assert by_name["closed-form"]["estimate"] is None
    assert by_name["full"]["estimate"]["variables"] == 81
    assert found["problem"]["loss"] == "L1"
    low, high = found["seconds"]
    assert 0 < low <= high < 1


def test_estimates_grow_with_the_problem(mechdesign):
    def seconds(n, *options):
        arguments = ("solve", "--n", n, "--alpha", "0.9", "--loss", "L1", *options, "--plan", "--json")
        return json.loads(mechdesign(*arguments).out)["seconds"][1]

    assert seconds(16, "--props", "CM") < seconds(64, "--props", "CM") < 0.5 < seconds(256, "--props", "CM")
    assert seconds(256, "--props", "CM") < seconds(256, "--props", "F,CM")  # rows that share an entry take more steps


def test_a_plan_says_what_follows_and_from_what(mechdesign):
    assert plan(mechdesign, "none")["implied"] == {}
    found = plan(mechdesign, "WH,CM,F")
    assert found["implied"] == {"WH": ["CM"], "RH": ["CM", "F"], "CH": ["CM"], "FE": ["F"]}
    assert (found["clash"], found["infeasible"]) == ([], None)


def test_a_plan_says_what_clashes(mechdesign):
    found = plan(mechdesign, "WH:5/4,RM,OS:99/100")
    assert found["clash"] == ["WH:5/4", "OS:99/100"]
    assert found["infeasible"].endswith("it clashes with OS:99/100")
    assert plan(mechdesign, "WH:2,CM")["clash"] == ["WH:2"]


def test_the_plan_in_words(mechdesign):
    seen = mechdesign(*SOLVE, "CM,WH", "--plan")
    assert seen.code == 0
    assert "CH follows from CM" in seen.out
    assert "seconds, estimated: " in seen.out
    assert "1. closed-form" in seen.out
    refused = mechdesign(*SOLVE, "WH:2", "--plan")
    assert refused.code == 1
    check_wording(refused.err)


def test_a_summary_is_the_report_of_the_same_design(mechdesign):
    document = json.loads(mechdesign(*SOLVE, "WH,CM", "--json").out)
    seen = mechdesign(*SOLVE, "WH,CM", "--json", "--summary", "-o", "wm.json")
    summary, report = json.loads(seen.out), json.loads(mechdesign("report", "wm.json", "--json").out)
    for key in ("problem", "score", "lower_bound", "status", "method", "how"):
        assert summary[key] == document[key]
    for key in ("words", "landmarks", "properties"):
        assert summary[key] == report[key]
    assert not {"weights", "denominator", "dual"} & set(summary)
    assert json.loads(Path("wm.json").read_text())["weights"] == document["weights"]


@pytest.mark.parametrize(
    "options",
    [
        ["--summary"],
        ["--plan", "-o", "wm.json"],
        ["--plan", "--plot", "wm.svg"],
        ["--plan", "--json", "--summary"],
    ],
    ids=["summary-alone", "plan-output", "plan-plot", "plan-summary"],
)
def test_options_that_do_not_go_together(mechdesign, options):
    seen = mechdesign(*SOLVE, "none", *options)
    assert seen.code == 2
    check_wording(seen.err)
    assert not Path("wm.json").exists()

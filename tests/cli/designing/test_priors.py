"""Priors as the command line takes them: by name, by whole weights, by a file."""

import json
from pathlib import Path

from wording import check_wording

SOLVE = ("solve", "--n", 2, "--alpha", "0.5", "--props", "WH", "--loss", "L1")


def test_whole_weights_travel_in_the_document_and_are_proved(mechdesign):
    seen = mechdesign(*SOLVE, "--prior", "weights:3,2,1", "--json", "-o", "d.json")
    assert seen.code == 0, seen.err
    problem = json.loads(seen.out)["problem"]
    assert (problem["prior"], problem["prior_weights"]) == ("weights", ["1/2", "1/3", "1/6"])
    assert mechdesign("check", "d.json").code == 0


def test_whole_weights_design_what_the_same_file_does(mechdesign):
    Path("weights.csv").write_text("0.5\n0.3\n0.2\n")
    by_file = json.loads(mechdesign(*SOLVE, "--prior", "weights.csv", "--json").out)
    by_text = json.loads(mechdesign(*SOLVE, "--prior", "weights:5,3,2", "--json").out)
    for key in ("problem", "weights", "denominator", "score"):
        assert by_text[key] == by_file[key]


def test_a_weight_for_each_input(mechdesign):
    seen = mechdesign(*SOLVE, "--prior", "weights:1,2")
    assert seen.code == 2
    check_wording(seen.err)
    assert mechdesign("landscape", "--n", 2, "--alpha", "0.5", "--prior", "weights:1,2,x").code == 2


def test_a_posterior_under_whole_weights(mechdesign):
    mechdesign(*SOLVE, "-o", "d.json")
    Path("released.csv").write_text("released\n0\n1\n2\n1\n")
    arguments = ("estimate", "released.csv", "--mechanism", "d.json", "--posterior", 1, "--json", "--prior")
    by_text = json.loads(mechdesign(*arguments, "weights:2,2,2").out)["posterior"]["distribution"]
    assert by_text == json.loads(mechdesign(*arguments, "uniform").out)["posterior"]["distribution"]
    assert by_text != json.loads(mechdesign(*arguments, "weights:2,2,1").out)["posterior"]["distribution"]

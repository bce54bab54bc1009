"""`mechdesign catalog SPL`, `SMP`, `RS+FD`: what is claimed and what is true."""

import json

import pytest
from wording import check_wording


def test_they_are_in_the_list(mechdesign):
    listed = " ".join(mechdesign("catalog").out.split())
    assert "RS+FD random sampling plus fake data" in listed
    assert "NOT epsilon-LDP" in listed
    names = [row["name"] for row in json.loads(mechdesign("catalog", "--json").out)["mechanisms"]]
    assert names == ["GM", "EM", "UM", "RR", "EXP", "GRR", "SPL", "SMP", "RS+FD"]


@pytest.mark.parametrize("name", ["RS+FD", "rsfd"])
def test_rsfd_shows_three_losses_and_warns(mechdesign, name):
    seen = mechdesign("catalog", name, "--domains", "3,4", "--epsilon", "1")
    assert seen.code == 0
    lines = [line.split() for line in seen.out.splitlines()]
    assert ["GRR", "1", "1.48989", "1.04422", "1.48989", "grr", "all", "12"] in lines
    assert ["OUE-z", "1", "1.48989", "1", "1.48989", "oue-z", "all", "128"] in lines
    assert any(line[:1] == ["ADP"] for line in lines)
    check_wording(seen.err)


def test_json(mechdesign):
    seen = mechdesign("catalog", "RS+FD", "--domains", "2, 3,2", "--epsilon", "1.0986122886681098", "--json")
    found = json.loads(seen.out)
    assert (seen.code, seen.err) == (0, "")
    assert (found["name"], found["domains"]) == ("RS+FD", [2, 3, 2])
    grr, unary, _ = found["rows"]
    assert grr["one_attribute"]["loss"] == pytest.approx(1.224, abs=5e-4)
    assert not grr["one_attribute"]["claim_holds"]
    assert unary["one_attribute"]["claim_holds"]
    assert grr["whole_tuple"]["loss"] == pytest.approx(grr["amplified"], abs=1e-6)
    assert "/" in grr["whole_tuple"]["alpha"]
    assert "NOT" in found["advice"]


def test_spl_and_smp_hold(mechdesign):
    for name, one in (("spl", "0.5"), ("smp", "1")):
        seen = mechdesign("catalog", name, "--domains", "3,90", "--epsilon", "1")
        row = seen.out.splitlines()[-1].split()
        assert row[:5] == [name.upper(), "1", "-", one, "1"]
        assert row[5:] == ["grr,", "oue", "none"]
        check_wording(seen.err)


@pytest.mark.parametrize(
    "arguments",
    [
        ["RS+FD", "--epsilon", "1"],
        ["SPL", "--domains", "3,4"],
        ["SPL", "--domains", "3,x", "--epsilon", "1"],
        ["SPL", "--domains", "", "--epsilon", "1"],
        ["SMP", "--domains", "3,1", "--epsilon", "1"],
        ["SMP", "--domains", "3,4", "--epsilon", "0"],
        ["SMP", "--domains", "3,4", "--epsilon", "1", "--alpha", "0.5"],
        ["SMP", "--domains", "3,4", "--epsilon", "1", "--n", "0"],
        ["SMP", "--domains", "3,4", "--epsilon", "1", "-o", "x.csv"],
        ["SMP", "--domains", ",".join(["2"] * 1001), "--epsilon", "1"],
        ["GM", "--n", "4", "--domains", "3,4", "--alpha", "0.9"],
        ["--domains", "3,4"],
        ["RS+F", "--domains", "3,4", "--epsilon", "1"],
    ],
)
def test_bad_input_is_one_line(mechdesign, arguments):
    seen = mechdesign("catalog", *arguments)
    assert (seen.code, seen.out) == (2, "")
    assert len(seen.err.strip().splitlines()) == 1
    check_wording(seen.err)

"""A design that is used at a larger epsilon says what it has; negative shares are explained where they are shown."""

from pathlib import Path

import pytest


@pytest.fixture
def collected(mechdesign):
    assert mechdesign("solve", "--k", 4, "--epsilon", 1, "--workload", "prefixes", "-q", "-o", "d.json").code == 0
    Path("items.txt").write_text("a\nb\nc\nd\n")
    Path("v.csv").write_text("x\n" + "a\n" * 40)
    return ("--input", "v.csv", "--column", "x", "--domain", "items.txt", "--ordered")


def test_a_design_says_the_epsilon_that_it_has(mechdesign, collected):
    said = "the design was made for epsilon = 1, and reports spend that; the 2 asked for would allow a design with less"
    made = mechdesign("privatize", "--oracle", "d.json", "--epsilon", 2, *collected, "-o", "r.parquet")
    assert (made.code, said in made.err) == (0, True)
    for options in ((), ("--epsilon", 1)):
        same = mechdesign("privatize", "--oracle", "d.json", *options, *collected, "-o", "s.parquet", "--replace")
        assert (same.code, "the design was made for" in same.err) == (0, False)
    task = ("task", "new", "--oracle", "d.json", "--domain", "items.txt", "--ordered", "-o", "t.json")
    assert said in mechdesign(*task, "--epsilon", 2).err
    assert mechdesign("privatize", "--oracle", "d.json", "--epsilon", "0.5", *collected, "-o", "u.parquet").code == 2


def test_negative_shares_are_explained(mechdesign, collected):
    note = "negative: noise around a share near 0; see --post"
    made = mechdesign("privatize", "--oracle", "grr", "--epsilon", 1, *collected, "--seed", 3, "-o", "r.parquet")
    assert made.code == 0
    plain = mechdesign("aggregate", "r.parquet").out
    assert "-0." in plain
    assert note in plain
    assert note not in mechdesign("aggregate", "r.parquet", "--post", "norm-sub").out

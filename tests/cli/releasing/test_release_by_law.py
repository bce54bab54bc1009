"""The commands on a release by a law: what it would take, its check, and estimates from it."""

from pathlib import Path

import pytest


@pytest.mark.slow
def test_the_command_says_what_it_does_by_a_law(mechdesign):
    Path("c.csv").write_text("town,sick,people\nA,1,2\nB,7,300\nC,2,500000\n")
    asked = ("--input", "c.csv", "--column", "sick", "--size", "people", "--epsilon", "1", "-o", "r.csv")
    seen = mechdesign("release", *asked, "--record", "r.json", "--dry-run")
    assert (seen.code, "designs 1, and one law for 2 sizes, in" in " ".join(seen.out.split())) == (0, True)
    assert mechdesign("release", *asked, "--record", "r.json").code == 0
    seen = mechdesign("check", "r.csv", "--record", "r.json")
    assert (seen.code, "the law is proved for every size that it serves" in " ".join(seen.out.split())) == (0, True)
    seen = mechdesign("estimate", "r.csv", "--record", "r.json")
    assert (seen.code, "no model is fitted" in seen.out) == (0, True)
    assert mechdesign("estimate", "r.csv", "--record", "r.json", "--json", "--plot", "r.svg").code == 0
    assert mechdesign("estimate", "r.csv", "--record", "r.json", "--by-group").code == 0

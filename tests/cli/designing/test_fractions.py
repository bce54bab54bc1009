"""`--fractions`: what is printed and written is exact, at every width."""

import re
from fractions import Fraction
from pathlib import Path

import pytest
from wording import check_wording

from mechdesign import read_design


def printed(out):
    """The matrix that was printed, whichever way."""
    title, _, body = out.partition("Pr[output i | input j]")[2].partition("\n")
    denominator = int(title.partition("times ")[2] or 1)
    found = {}
    if "i\\j" not in body:
        for place, text in re.findall(r"^(\d+,\d+): (\S+)$", body, re.M):
            found[tuple(map(int, place.split(",")))] = Fraction(text) / denominator
        return found
    for block in body.strip("\n").split("\n\n"):
        head, *rows = [line.split() for line in block.splitlines()]
        for i, *cells in rows:
            found |= {(int(i), int(j)): Fraction(cell) / denominator for j, cell in zip(head[1:], cells, strict=True)}
    return found


@pytest.mark.parametrize(("n", "columns"), [(2, 80), (8, 80), (8, 200), (12, 80), (30, 40)])
def test_the_screen_has_every_entry_within_its_width(mechdesign, monkeypatch, n, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    seen = mechdesign("solve", "--n", n, "--alpha", "0.9", "--props", "WH,CM", "--fractions", "-o", "m.json")
    mechanism = read_design("m.json").mechanism
    assert printed(seen.out) == {(i, j): mechanism.fraction(i, j) for i in range(n + 1) for j in range(n + 1)}
    if "i\\j" in seen.out:
        assert max(map(len, seen.out.partition("Pr[")[2].splitlines()[1:])) <= columns


def test_a_rounded_table_is_announced_and_fractions_are_not(mechdesign):
    assert mechdesign("solve", "--n", 2, "--alpha", "1/2", "-o", "m.csv").err == (
        "wrote m.csv\nm.csv holds rounded floats; for exact numbers use --fractions, or a .json or .npz\n"
    )
    assert mechdesign("solve", "--n", 2, "--alpha", "1/2", "--fractions", "-o", "m.csv").err == "wrote m.csv\n"
    assert Path("m.csv").read_text() == "2/3,1/3,1/6\n1/6,1/3,1/6\n1/6,1/3,2/3\n"
    assert mechdesign("check", "m.csv", "--alpha", "1/2", "--props", "S,RM").code == 0
    assert mechdesign("catalog", "EM", "--n", 2, "--alpha", "1/2", "--fractions", "-o", "em.csv").code == 0
    assert mechdesign("check", "em.csv", "--alpha", "1/2", "--props", "all").code == 0
    seen = mechdesign("local", "design", "--k", 3, "--epsilon", 1, "--workload", "prefixes", "--fractions")
    assert (seen.code, seen.err.count("\n")) == (2, 1)
    check_wording(seen.err)

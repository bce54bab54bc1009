"""`mechdesign formula`: its lines, files and proofs, and what it refuses."""

import json
import subprocess
import sys

import pytest
from wording import check_wording

import mechdesign as md

LINES = """\
0 .. 1/2                           2a / (a + 1)
1/2 .. 2/3                         (14a^2 + 3a - 1) / (8a(a + 1))
2/3 .. 0.693000 (4a^2 + 3a - 4)    (11a - 3) / (8a)
0.693000 .. 3/4                    (4a^4 + 61a^3 + 42a^2 - 7a - 4) / (48a^2(a + 1))
3/4 .. 0.762050 (5a^2 + 8a - 9)    (14a^3 + 15a^2 - 4a - 1) / (12a^2(a + 1))
0.762050 .. 4/5                    (5a^4 + 156a^3 - 4a^2 - 4a - 9) / (144a^3)
4/5 .. 1                           (40a^4 - a^3 - a^2 - a - 1) / (36a^4)
"""
WM = ("formula", "--n", 8, "--props", "WH,CM")


def test_lines_scores_and_files(mechdesign, tmp_path):
    files = [tmp_path / f"wm{suffix}" for suffix in (".json", ".csv", ".tex")]
    outputs = [word for file in files for word in ("--output", file)]
    seen = mechdesign(*WM, "--at", "9/10", "--at", "1/2", *outputs, "--plot", tmp_path / "wm.png")
    assert seen.code == 0
    assert seen.out == f"{LINES}at 0.9: 114025/118098 = 0.965512\nat 0.5: 2/3 = 0.666667\n"
    assert "7 pieces, 18 parts, all proved" in seen.err
    found = md.read_formula(files[0])
    assert str(found) == LINES.strip()
    rows = files[1].read_text().splitlines()
    assert len(rows) == 8
    assert rows[3].split(",")[2:6] == ["2/3", "3a - 2", "", "4a^2 + 3a - 4"]
    assert files[2].read_text() == found.latex()
    assert (tmp_path / "wm.png").stat().st_size > 1000
    proved = subprocess.run([sys.executable, "-m", "mechdesign.verify", files[0]], capture_output=True, check=False)
    assert (proved.returncode, proved.stdout.count(b"  proved  ")) == (0, 9)


def test_a_file_is_checked(mechdesign, tmp_path):
    file = tmp_path / "wm.json"
    file.write_text(md.formula(n=2, properties="WH").text)
    seen = mechdesign("check", file)
    assert seen.code == 0
    assert seen.out.count("true ") == 4
    assert all(claim["true"] for claim in json.loads(mechdesign("check", file, "--json").out)["claims"])
    document = json.loads(file.read_text())
    document["pieces"][1]["parts"][0]["dual"]["prices"][0] = ["7"]
    file.write_text(json.dumps(document))
    refuted = mechdesign("check", file)
    assert (refuted.code, refuted.out.count("FALSE")) == (1, 1)


def test_entries_of_each_part(mechdesign):
    seen = mechdesign("formula", "--n", 1, "--entries")
    assert seen.out.splitlines()[1:] == [
        "P for 0 .. 1",
        "  P[0,0] = 1 / (a + 1)",
        "  P[0,1] = a / (a + 1)",
        "  P[1,0] = a / (a + 1)",
        "  P[1,1] = 1 / (a + 1)",
    ]


def test_documents(mechdesign):
    document = json.loads(mechdesign("formula", "--k", 3, "--loss", "L1", "--json").out)
    assert document["format"] == "mechdesign-formula/1"
    assert "matrix" in document["pieces"][0]["parts"][0]
    asked = ("formula", "--n", 4, "--props", "WH:3/2", "--json", "--summary", "--at", "0.5", "--at", "0.95")
    summary = json.loads(mechdesign(*asked).out)
    assert [piece["text"] for piece in summary["pieces"]][-1] == "no mechanism"
    assert [one["score"] and one["score"]["exact"] for one in summary["at"]] == ["2/3", None]


def test_time_over(mechdesign, tmp_path, monkeypatch):
    calls = iter([False] * 4 + [True] * 100)

    def left(clock):
        if next(calls):
            raise md.LimitReachedError("the time limit was reached")

    monkeypatch.setattr("mechdesign.formulas.march.Clock.left", left)
    file = tmp_path / "part.json"
    seen = mechdesign("formula", "--n", 6, "--loss", "L2", "--output", file, "--at", "0.01")
    assert seen.code == 1
    assert seen.out.splitlines()[-1] == "at 0.01: not covered"
    check_wording(seen.err.splitlines()[-1])
    assert not md.read_formula(file).is_complete


EVERY_SIZE = """\
least score: 2a / (a + 1) + g/n, with a = alpha
0 .. 1/2                         n >= 1    g = 0
1/2 .. 2/3                       n >= 5    g = -(a - 1)(2a - 1) / (a(a + 1))
2/3 .. 0.693000 (4a^2 + 3a - 4)  n >= 7    g = -(a - 1)(5a - 3) / (a(a + 1))
0.693000 .. 7/10                 n >= 9    g = (a - 1)(4a^3 - 31a^2 + 11a + 4) / (6a^2(a + 1))
at 0.65: g = 14/143 = 0.097903
"""


def test_groups_of_every_size(mechdesign):
    seen = mechdesign("formula", "--n", "any", "--props", "WH,CM", "--to", "7/10", "--at", "13/20")
    assert seen.code == 0
    assert [line.split() for line in seen.out.splitlines()] == [line.split() for line in EVERY_SIZE.splitlines()]
    near = json.loads(mechdesign("formula", "--n", "any", "--props", "WH,CM", "--at", "13/20", "--json").out)
    (piece,) = near["pieces"]
    assert (piece["from"]["exact"], piece["to"]["exact"], piece["least_n"]) == ("1/2", "2/3", 5)
    assert piece["text"] == md.law_formula("CM", to="2/3").lines[1][2].removeprefix("g = ")
    assert near["at"] == [{"alpha": "13/20", "g": {"exact": "14/143", "value": 14 / 143}, "least_n": 5}]
    over = mechdesign("formula", "--n", "any", "--props", "CM", "--time-limit", "0.0000001")
    assert (over.code, over.out) == (1, "")


REFUSED = {
    "every size, another loss": ("formula", "--n", "any", "--props", "CM", "--loss", "L1"),
    "every size, a file": ("formula", "--n", "any", "--props", "CM", "--output", "any.json"),
    "every size, fair": ("formula", "--n", "any", "--props", "F"),
    "every size, at beyond to": ("formula", "--n", "any", "--to", "1/2", "--at", "3/5"),
    "one size, to": (*WM, "--to", "1/2"),
    "alpha": (*WM, "--alpha", "0.9"),
    "epsilon": (*WM, "--epsilon", "1"),
    "at 1": (*WM, "--at", "1"),
    "at a word": (*WM, "--at", "half"),
    "suffix": (*WM, "--output", "wm.html"),
    "picture": (*WM, "--plot", "wm.csv"),
    "summary": (*WM, "--summary"),
    "entries as JSON": (*WM, "--entries", "--json"),
    "nothing": ("formula",),
    "too many": ("formula", "--n", 64),
    "prior": (*WM, "--aggregate", "worst", "--prior", "uniform"),
    "aggregate": (*WM, "--aggregate", "median"),
    "irrational prior": (*WM, "--prior", "binomial:pi"),
    "irrational loss": (*WM, "--loss", "L1.5"),
    "fractional distances": ("formula", "--distances", "d.csv"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_is_one_line(mechdesign, tmp_path, name):
    (tmp_path / "d.csv").write_text("0,0.5\n0.5,0\n")
    seen = mechdesign(*REFUSED[name])
    assert (seen.code, seen.out) == (2, "")
    assert seen.err.count("\n") == 1
    check_wording(seen.err)
    assert [path.name for path in tmp_path.iterdir()] == ["d.csv"]

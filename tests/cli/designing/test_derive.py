"""`mechdesign derive` as a user runs it."""

import json
import os
from fractions import Fraction
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from wording import check_wording

from mechdesign.documents.storage import read_matrix
from mechdesign_cli.showing.derivations import remap_text, runs

EXACT = "5/6,2/3,1/3\n1/12,1/6,1/3\n1/12,1/6,1/3\n"
REMAP = [["1", "1", "0"], ["0", "0", "1/2"], ["0", "0", "1/2"]]
FAIR = "1/2,1/4,1/4\n1/4,1/2,1/4\n1/4,1/4,1/2\n"


@pytest.fixture
def workshop(mechdesign):
    """A folder with a design under L1, its fair sister, and plain matrices at alpha = 1/2."""
    for name, options in (("l1.json", ["--loss", "L1"]), ("fair.json", ["--props", "F"])):
        assert mechdesign("solve", "--n", 8, "--alpha", "0.9", *options, "-o", name).code == 0
    Path("exact.csv").write_text(EXACT)
    Path("plain-fair.csv").write_text(FAIR)
    return mechdesign


def test_a_design_that_gm_gives(workshop):
    seen = workshop("derive", "l1.json")
    assert (seen.code, seen.err) == (0, "")
    for fact in ("0.9, from the document", "yes: P = T GM exactly", "deterministic: 0..2 -> 3, 3..5 -> 4, 6..8 -> 5"):
        assert fact in seen.out
    table = seen.out.split("Pr[final output i | GM output k]\n")[1].splitlines()
    assert table[0].split() == ["i\\k", *map(str, range(9))]
    assert table[4].split() == ["3", *["1.0000"] * 3, *["0.0000"] * 6]


def test_a_design_that_gm_cannot_give(workshop):
    seen = workshop("derive", "fair.json", "-o", "t.csv", "--plot", "t.png")
    assert seen.code == 1
    for fact in ("no: GM at alpha = 0.9 cannot give output", "needed", "larger by"):
        assert fact in seen.out
    assert seen.err.splitlines() == [f"there is no remap: {name} was not written" for name in ("t.csv", "t.png")]
    assert not Path("t.csv").exists()


def test_the_json_contract(workshop):
    seen = workshop("derive", "exact.csv", "--json")
    found = json.loads(seen.out)
    assert (seen.code, seen.err) == (0, "")
    assert (found["derivable"], found["remap"], found["violation"]) == (True, REMAP, None)
    assert (found["alpha"], found["alpha_from"], found["tightest_alpha"]) == ("1/2", "tightest", "1/2")
    assert (found["deterministic"], found["targets"]) == (False, [0, 0, None])
    assert found["epsilon"] == pytest.approx(np.log(2))
    seen = workshop("derive", "plain-fair.csv", "--json")
    found = json.loads(seen.out)
    assert (seen.code, found["derivable"], found["remap"]) == (1, False, None)
    assert found["violation"] == {
        "kind": "triple",
        "output": 0,
        "inputs": [0, 1, 2],
        "probabilities": ["1/2", "1/4", "1/4"],
        "inequality": "P[0,1] - alpha P[0,0] >= alpha (P[0,2] - alpha P[0,1])",
        "left": "0",
        "right": "1/16",
    }
    found = json.loads(workshop("derive", "exact.csv", "--alpha", "0.6", "--json").out)
    assert (found["violation"]["kind"], found["violation"]["inputs"]) == ("privacy", [2, 1])
    assert (found["violation"]["left"], found["violation"]["right"]) == ("1/3", "2/5")


@pytest.mark.slow
def test_the_remap_in_files(workshop):
    names = ["t.json", "t.csv", "t.npz", "t.svg"]
    note = "t.csv holds rounded floats; for exact numbers use a .json or .npz"
    with mpl.rc_context({"svg.fonttype": "none"}):
        seen = workshop(
            "derive", "exact.csv", "-o", "t.json", "-o", "t.csv", "-o", "t.npz", "--plot", "t.svg", "--json"
        )
    assert (seen.code, seen.err.splitlines()) == (
        0,
        [*(f"wrote {name}" for name in names), note],
    )
    assert Path("t.json").read_text() == seen.out
    exact = [[Fraction(value) for value in row] for row in REMAP]
    for name in names[:3]:
        assert read_matrix(Path(name)).rows == exact
    assert np.load("t.npz")["matrix"].tolist() == [[1, 1, 0], [0, 0, 0.5], [0, 0, 0.5]]
    for label in ("GM output k", "final output i", "Pr[final output i | GM output k]", "remap of GM, n = 2"):
        assert label in Path("t.svg").read_text()
    assert workshop("check", "t.json").code == 0
    assert workshop("derive", "exact.csv", "-o", "t.csv", "-o", "t.csv").code == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "alpha", "source"),
    [
        (["exact.csv"], "1/2", "tightest"),
        (["exact.csv", "--alpha", "0.4"], "2/5", "option"),
        (["exact.csv", "--epsilon", "1"], None, "option"),
        (["l1.json"], "9/10", "document"),
        (["l1.json", "--alpha", "9/10"], "9/10", "document"),
        (["l1.json", "--alpha", "1/2"], "9/10", "document"),
    ],
)
def test_where_alpha_comes_from(workshop, arguments, alpha, source):
    seen = workshop("derive", *arguments, "--json")
    found = json.loads(seen.out)
    assert (seen.code, found["alpha_from"]) == (0, source)
    assert found["alpha"] == alpha or (alpha is None and found["epsilon"] == pytest.approx(1, abs=2e-9))
    assert ("of the document is used" in seen.err) == ("1/2" in arguments)


def test_other_shapes(workshop):
    Path("tall.csv").write_text("1/2,3/10\n1/5,3/10\n3/10,2/5\n")
    found = json.loads(workshop("derive", "tall.csv", "--json").out)
    assert found["remap"] == [["4/5", "0"], ["1/20", "9/20"], ["3/20", "11/20"]]
    Path("rows.csv").write_text("5/6,1/12,1/12\n2/3,1/6,1/6\n1/3,1/3,1/3\n")
    seen = workshop("derive", "rows.csv")
    assert seen.code == 2
    check_wording(seen.err)
    Path("rounded.csv").write_text("0.833,0.083,0.083\n0.667,0.167,0.167\n0.333,0.333,0.333\n")
    check_wording(workshop("derive", "rounded.csv").err)
    assert json.loads(workshop("derive", "rows.csv", "--row-stochastic", "--json").out)["remap"] == REMAP


def test_a_mechanism_that_ignores_its_input(workshop):
    Path("flat.csv").write_text("0.25,0.25,0.25\n0.75,0.75,0.75\n")
    seen = workshop("derive", "flat.csv")
    assert seen.code == 0
    assert "GM at any alpha gives it" in seen.out
    assert json.loads(workshop("derive", "flat.csv", "--json").out)["epsilon"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("width", [40, 80, 200])
def test_reports_fit_the_terminal(workshop, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    for name, code in (("l1.json", 0), ("fair.json", 1)):
        seen = workshop("derive", name)
        assert seen.code == code
        assert max(len(line) for line in seen.out.splitlines()) <= width
    shown = " ".join(workshop("derive", "l1.json").out.split())
    assert ("two decimals, 0 for zero alone" in shown) == (width == 40)


@pytest.mark.parametrize(
    ("targets", "text"),
    [
        ((0, 1, 2), "deterministic: the identity, so this is GM itself"),
        ((1, 1, 2, 3, 4, 4), "deterministic: 0..1 -> 1, 2..4 -> same, 5 -> 4"),
        ((2, 1, 0), "deterministic: 0 -> 2, 1 -> 1, 2 -> 0"),
        ((0, 1, 0), "deterministic: 0 -> 0, 1 -> 1, 2 -> 0"),
        ((0, 0, 0), "deterministic: 0..2 -> 0"),
        ((0, None, None, 3), "random at 2 of 4 GM outputs (1, 2); fixed: 0 -> 0, 3 -> 3"),
        ((None,) * 12, "random at 12 of 12 GM outputs (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...)"),
    ],
)
def test_how_much_chance_a_remap_holds(targets, text):
    assert remap_text(targets) == text


def test_runs_cover_every_fixed_output_once():
    assert runs((3, 3, 2, 3, 4, 5, None, 7, 7)) == "0..1 -> 3, 2..5 -> same, 7..8 -> 7"


def test_a_near_miss_is_called_one(workshop):
    workshop("catalog", "GM", "--n", 8, "--alpha", "0.9", "-o", "gm.csv")
    assert workshop("derive", "gm.csv").code == 2
    workshop("check", "gm.csv", "--alpha", "0.9", "--repair", "mended.json")
    seen = workshop("derive", "mended.json")
    assert seen.code == 1
    assert "it fails by no more than a rounding error" in " ".join(seen.out.split())
    assert "rounding" not in workshop("derive", "fair.json").out


def test_tampered_documents(workshop):
    document = json.loads(Path("l1.json").read_text())
    weights = document["weights"]
    document["weights"] = [[*row[1:], row[0]] for row in weights]  # the columns moved on by one
    Path("turned.json").write_text(json.dumps(document))
    seen = workshop("derive", "turned.json", "--json")
    assert (seen.code, json.loads(seen.out)["violation"]["kind"]) == (1, "privacy")
    document["weights"] = [["1", *row[1:]] for row in weights]
    Path("sums.json").write_text(json.dumps(document))
    seen = workshop("derive", "sums.json")
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)
    document["weights"] = weights
    document["problem"]["alpha"] = "91/100"
    Path("alpha.json").write_text(json.dumps(document))
    seen = workshop("derive", "alpha.json")
    assert seen.code == 1
    assert "not private enough (tightest alpha 0.9)" in " ".join(seen.out.split())


def test_other_models_are_refused(workshop):
    assert workshop("solve", "--model", "ldp", "--k", "4", "--alpha", "0.9", "--output", "ldp.json").code == 0
    seen = workshop("derive", "ldp.json")
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)


BAD_FILES = {
    "empty.csv": "",
    "nan.csv": "0.5,nan\n0.5,1\n",
    "inf.csv": "0.5,inf\n0.5,1\n",
    "ragged.csv": "1,1\n0\n",
    "sums.csv": "0.5,0.3\n0.4,0.7\n",
    "negative.csv": "1.5,0.5\n-0.5,0.5\n",
    "tall.csv": "0.5,0.3\n0.4,0.7\n0.2,0.2\n",
    "one.csv": "1\n",
    "infinite.csv": "1,0.5\n0,0.5\n",
    "infinite2.csv": "1,0.5\n0,0.5\n0,0\n",
    "cut.json": '{"format": "mechdesign-design/1", "problem": {"mod',
    "other.json": '{"remap": null}',
    "matrix.txt": "1,0\n0,1\n",
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files(mechdesign, name):
    content = BAD_FILES[name]
    Path(name).write_text(content)
    seen = mechdesign("derive", name, "-o", "t.csv", "--plot", "t.png")
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)
    assert len(seen.err.splitlines()) == 1
    assert os.listdir() == [name]


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["gone.csv"],
        ["exact.csv", "--alpha", "0.5", "--epsilon", "1"],
        ["exact.csv", "--alpha", "1.7"],
        ["exact.csv", "--epsilon", "0"],
        ["exact.csv", "-o", "t.txt"],
        ["exact.csv", "-o", "no/t.csv"],
        ["exact.csv", "--plot", "t.gif"],
        ["exact.csv", "-o", "exact.csv"],
        ["l1.json", "--row-stochastic"],
    ],
)
def test_bad_usage(workshop, arguments):
    before = sorted(os.listdir())
    seen = workshop("derive", *arguments)
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)
    assert len(seen.err.splitlines()) == 1
    assert sorted(os.listdir()) == before
    assert Path("exact.csv").read_text() == EXACT

"""Noise tables on the command line: designed, checked, compared, exported, applied, and killed anywhere."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from killing import KILLED
from wording import check_wording

from mechdesign.verify.__main__ import main

DESIGN = ("table", "design", "--noise", 5, "--variance", 3, "--block", 2)
PEOPLE = "class,sex\n" + "1st,f\n2nd,m\n3rd,m\n3rd,f\n" * 12
APPLY = ("table", "apply", "--table", "t.json", "--input", "people.csv", "--by", "class,sex", "--secret", "o.secret")
NAMED = (*APPLY, "--name", "first", "-o", "cells.csv", "--record", "record.json")


@pytest.fixture
def table(mechdesign):
    assert (
        mechdesign(*DESIGN, "--guarantee", "1:0.02@1", "--guarantee", "1:0.006@large", "-o", "t.json", "-q").code == 0
    )
    Path("people.csv").write_text(PEOPLE)
    return mechdesign


def test_design_says_what_was_asked_and_is_proved(mechdesign):
    asked = ("--objective", "delta", "--symmetric", "--guarantee", "1@1", "--guarantee", "1@large")
    seen = mechdesign(*DESIGN, *asked, "-o", "t.json", "--json")
    document = json.loads(seen.out)
    assert document["status"] == "exact"
    assert seen.out == Path("t.json").read_text()
    assert [round(one["value"], 6) for one in document["delta"]] == [0.012025, 0.003125]
    text = mechdesign(*DESIGN, *asked).out
    assert "delta 0.01203 for counts >= 1" in text
    assert "delta 0.003126 for large counts" in text
    seen = mechdesign("check", "t.json", "--json")
    checked = json.loads(seen.out)
    assert (seen.code, checked["passed"], checked["kind"]) == (0, True, "noise-table")
    assert {one["start"] for one in checked["curve"]} == {0, 1, "large"}
    assert mechdesign("check", "t.json", "--curve", "1").code == 0
    assert main(["t.json"]) == 0


def test_claims_of_a_curve_decide_the_exit_code(table):
    assert table("check", "t.json", "--epsilon", 1, "--delta", "0.02", "--start", 1).code == 0
    seen = table("check", "t.json", "--epsilon", 1, "--delta", "0.019", "--start", 1)
    assert seen.code == 1
    assert "FALSE  (1, 0.019)-DP for counts >= 1" in seen.out
    found = json.loads(table("check", "t.json", "--delta", "0.05", "--start", "large", "--json").out)["least_epsilon"]
    assert found["delta"] == "0.05"
    assert 0.6 < float(found["epsilon"]) < 0.8
    forged = json.loads(Path("t.json").read_text())
    forged["rows"][8][0][1] = "1"
    Path("f.json").write_text(json.dumps(forged))
    seen = table("check", "f.json")
    assert seen.code in (1, 2)
    assert main(["f.json"]) == 1


def test_a_matrix_has_a_curve_too(mechdesign):
    mechdesign("solve", "--n", 4, "--alpha", "0.5", "-o", "d.json", "-q")
    seen = mechdesign("check", "d.json", "--delta", "0", "--json")
    assert json.loads(seen.out)["least_epsilon"]["epsilon"] == "0.693148"
    assert mechdesign("check", "d.json", "--epsilon", "0.6", "--delta", "0.01").code == 1


def test_other_tools(table):
    seen = table("table", "export", "t.json", "--for", "sas", "-o", "s.csv")
    assert seen.code == 0
    assert "delta, large counts" in seen.out
    check_wording(seen.err)
    assert table("check", "s.csv", "--json").code == 0
    seen = table("table", "compare", "t.json", "s.csv", "--plot", "c.svg", "-o", "c.csv", "--json")
    rows = json.loads(seen.out)["rows"]
    assert [(row["table"], row["counts"]) for row in rows[::3]] == [("t", "all counts"), ("s", "all counts")]
    assert Path("c.csv").read_text().startswith("table,counts,delta_0.5,delta_1,delta_2,")
    assert "<svg" in Path("c.svg").read_text()


def test_apply_check_and_apply_again(table):
    seen = table(*NAMED)
    assert seen.code == 0
    assert "Under this name, by this secret, 4 sets of variables were published so far" in seen.out
    assert "made the secret o.secret" in seen.err
    files = {name: Path(name).read_bytes() for name in ("cells.csv", "record.json")}
    assert "made the secret" not in table(*NAMED).err
    assert table(*NAMED, "-q").out == ""
    assert {name: Path(name).read_bytes() for name in files} == files
    asked = ("check", "cells.csv", "--record", "record.json", "--input", "people.csv", "--secret", "o.secret")
    seen = table(*asked)
    assert (seen.code, seen.out.count("FALSE")) == (0, 0)
    assert main(["record.json", "cells.csv"]) == 0
    Path("cells.csv").write_text(Path("cells.csv").read_text().replace("1st,f,", "1st,f,1"))
    assert table(*asked).code == 1


BAD = {
    "no DELTA": (*DESIGN, "--guarantee", "1@1"),
    "keys of entropy": (*DESIGN, "--guarantee", "1:0.1", "--keys", "256"),
    "a start": ("check", "t.json", "--delta", "0.1", "--start", "many"),
    "a start beyond": ("check", "t.json", "--delta", "0.1", "--start", "99"),
    "alpha beside a curve": ("check", "t.json", "--delta", "0.1", "--alpha", "0.5"),
    "epsilon alone": ("check", "t.json", "--epsilon", "1", "--curve", "1"),
    "a curve of nothing": ("check", "t.json", "--curve", ","),
    "props": ("check", "t.json", "--props", "WH"),
    "a key": ("check", "cells.csv", "--record", "record.json", "--key", "o.secret"),
    "no secret": ("check", "cells.csv", "--record", "record.json", "--input", "people.csv"),
    "secret of groups": ("check", "people.csv", "--secret", "o.secret"),
    "another ending": (*DESIGN, "--guarantee", "1:0.1", "-o", "t.csv"),
    "export to json": ("table", "export", "t.json", "--for", "sas", "-o", "s.json"),
    "export over itself": ("table", "export", "s.csv", "--for", "sas", "-o", "s.csv"),
    "no keys": ("table", "export", "t.json", "--for", "ons", "-o", "o.csv"),
    "a matrix": ("table", "compare", "people.csv"),
    "one name": (*APPLY, "--name", "first", "-o", "x.csv", "--record", "x.json", "--secret", "x.csv"),
    "cells as JSON": (*APPLY, "--name", "first", "-o", "x.json", "--record", "y.json"),
    "report": ("report", "t.json", "-o", "t.html"),
    "solve": ("release", "--data", "saxony", "--mechanism", "t.json", "-o", "r.csv"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_line(table, case):
    table(*NAMED, "-q")
    table("table", "export", "t.json", "--for", "sas", "-o", "s.csv", "-q")
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    seen = table(*BAD[case])
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)
    assert seen.err.count("\n") == 1
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


def test_no_table_is_an_answer(mechdesign):
    seen = mechdesign(
        "table", "design", "--noise", 5, "--variance", 1, "--block", 2, "--guarantee", "1:0.1", "-o", "t.json"
    )
    assert (seen.code, seen.out) == (1, "")
    check_wording(seen.err)
    assert os.listdir() == []


@pytest.mark.slow
def test_killed_anywhere_the_same_command_ends_with_the_same_cells(launcher):
    launcher.run(*DESIGN, "--guarantee", "1:0.02@1", "-o", "t.json")
    Path("people.csv").write_text(PEOPLE)
    first = launcher.run(*NAMED)
    assert first.code == 0
    secret = Path("o.secret").read_bytes()
    files = {name: Path(name).read_bytes() for name in ("cells.csv", "record.json")}

    def begin(is_new):
        for name in (*files, "o.secret", "o.secret-journal"):
            Path(name).unlink(missing_ok=True)
        if not is_new:
            Path("o.secret").write_bytes(secret)
            os.chmod("o.secret", 0o600)

    for is_new in (True, False):
        begin(is_new)
        changes = launcher.run(*NAMED).changes
        for number, moment in changes[:8] if is_new else changes:  # a secret that is made, and one that is there
            begin(is_new)
            assert launcher.killed(number, moment, *NAMED).code == KILLED
            for name in files:
                if not is_new and Path(name).exists():
                    assert Path(name).read_bytes() == files[name]
            assert launcher.run(*NAMED).code == 0
            if not is_new:
                assert {name: Path(name).read_bytes() for name in files} == files
            left = {path.name for path in Path().iterdir()}
            assert left == {"t.json", "people.csv", "o.secret", *files}


@pytest.mark.slow
def test_two_processes_on_one_secret(launcher):
    """Both note what they publish: the later of two tables under one name counts the sets of both."""
    launcher.run(*DESIGN, "--guarantee", "1:0.02@1", "-o", "t.json")
    Path("people.csv").write_text(PEOPLE)
    launcher.run(*NAMED)

    def of(variable, name):
        files = ("-o", f"{variable}.csv", "--record", f"{variable}.json")
        return (*APPLY[:6], "--by", variable, "--secret", "o.secret", "--name", name, *files)

    events = launcher.run(*of("class", "bota")).events
    for path in ("class.csv", "class.json"):
        Path(path).unlink()
    with launcher.held(len(events), "before", *of("class", "both")) as let_go:
        subprocess.run([sys.executable, "-m", "mechdesign_cli", *map(str, of("sex", "both"))], check=True)
        assert let_go().code == 0
    sets = [len(json.loads(Path(name).read_text())["sets_so_far"]) for name in ("class.json", "sex.json")]
    assert sorted(sets) == [2, 3]

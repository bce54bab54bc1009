"""The launcher of the kill tests: that it counts, kills and holds where it says."""

from pathlib import Path

import pytest
from killing import KILLED
from wording import check_wording

SOLVE = ["solve", "--n", 2, "--alpha", "1/2", "--output"]


def test_calls_that_change_files_are_counted(launcher):
    Path("read.csv").write_text("0,1,2\n1,0,1\n2,1,0\n")
    seen = launcher.run(*SOLVE, "a.json", "--loss", "read.csv")
    assert (seen.code, seen.err) == (0, "wrote a.json\n")
    assert "score" in seen.out
    calls = [event.split()[0] for event in seen.events]
    assert calls[-4:] == ["fsync", "fchmod", "linkat", "fsync"]
    assert not [event for event in seen.events if "read.csv" in event]
    assert seen.events[-2:] == ("linkat a.json", "fsync .")
    assert seen.moments[-2:] == [(len(calls), "before"), (len(calls), "after")]


@pytest.mark.slow
def test_what_is_killed_has_done_the_calls_before_and_no_other(launcher):
    events = launcher.run(*SOLVE, "a.json").events
    count, named = len(events), events.index("linkat a.json") + 1
    for number in range(1, count + 1):
        for moment in ("before", "after"):
            name = f"{number}{moment}.json"
            seen = launcher.killed(number, moment, *SOLVE, name)
            assert (seen.code, len(seen.events)) == (KILLED, number)
            assert Path(name).exists() == (number > named or (number, moment) == (named, "after"))
    assert launcher.killed(count + 1, "before", *SOLVE, "b.json").code == 0


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_command_that_is_held_waits(launcher, moment):
    named = launcher.run(*SOLVE, "a.json").events.index("linkat a.json") + 1
    with launcher.held(named, moment, *SOLVE, "b.json") as let_go:
        assert Path("b.json").exists() == (moment == "after")
        assert let_go().code == 0
        assert Path("b.json").read_bytes()[:1] == b"{"


def test_errors_are_seen(launcher):
    seen = launcher.run("solve", "--n", 2, "--alpha", 2)
    assert (seen.code, seen.out, seen.events) == (2, "", ())
    check_wording(seen.err)

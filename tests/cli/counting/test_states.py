"""`mechdesign aggregate --state`: parts that are counted apart, merged later, and never counted twice."""

import json
import resource
import shutil
import signal
from pathlib import Path

import pytest
from killing import KILLED, Launcher
from local_reports import CITIES, PRIVATIZE, write_cities

from mechdesign_catalog.collection.reports.batches import ReportFile
from mechdesign_catalog.collection.states.state_files import read_state


@pytest.fixture
def days(mechdesign):
    """Five files of real reports, and what they come to together."""
    write_cities(400)
    names = [f"day{day}.parquet" for day in range(5)]
    for name in names:
        assert mechdesign(*PRIVATIZE, "--oracle", "oue", "--epsilon", 1, "-o", name).code == 0
    return names


def refused(seen, message):
    assert (seen.code, seen.out, seen.err.count("\n")) == (2, "", 1)
    assert message in seen.err


def test_parts_come_to_the_whole(mechdesign, days):
    whole = mechdesign("aggregate", *days, "--json")
    for name in days:
        seen = mechdesign("aggregate", name, "--state", name.replace("parquet", "state"))
        assert (seen.code, seen.out, seen.err) == (0, "", f"wrote {name.replace('parquet', 'state')}\n")
    merged = mechdesign("aggregate", "day*.state", "--json")
    assert json.loads(merged.out) == json.loads(whole.out)
    assert mechdesign("aggregate", *days, "--state", "whole.state").code == 0
    some = ("day4.state", "day1.state", "day0.parquet")
    assert mechdesign("aggregate", *some, "--state", "some.state", "--seal").code == 0
    assert mechdesign("aggregate", *days[2:4], "some.state", "--json").out == whole.out
    assert mechdesign("aggregate", *(f"day{day}.state" for day in (3, 0, 4, 2, 1)), "--state", "all.state").code == 0
    assert Path("all.state").read_bytes() == Path("whole.state").read_bytes()


def test_a_state_and_an_estimate_at_once(mechdesign, days):
    seen = mechdesign("aggregate", *days, "--state", "all.state", "-o", "e.csv")
    assert seen.err == "wrote all.state\nwrote e.csv\n"
    assert seen.out.startswith("2,000 reports of oue")
    assert len(Path("e.csv").read_text().splitlines()) == 1 + len(CITIES)


def test_a_state_goes_on(mechdesign, days):
    """The same command again, as after a crash, changes nothing and says so."""
    assert mechdesign("aggregate", days[0], "--state", "total.state").code == 0
    assert mechdesign("aggregate", "total.state", days[1], days[2], "--state", "total.state").code == 0
    before = Path("total.state").read_bytes()
    seen = mechdesign("aggregate", "total.state", days[1], days[2], "--state", "total.state")
    assert (seen.code, seen.err) == (
        0,
        "day1.parquet and 1 more were counted before: nothing changes\nwrote total.state\n",
    )
    assert Path("total.state").read_bytes() == before
    seen = mechdesign("aggregate", "total.state", days[1], "--json")
    assert seen.err == "day1.parquet was counted before: nothing changes\n"
    assert json.loads(seen.out)["users"] == 1200


def test_a_seal_keeps_a_state_small(mechdesign, days):
    assert mechdesign("aggregate", *days, "--state", "plain.state").code == 0
    assert mechdesign("aggregate", *days, "--state", "sealed.state", "--seal").code == 0
    sealed, plain = read_state("sealed.state"), read_state("plain.state")
    assert (len(plain.provenance.sources), len(sealed.provenance.sources), len(sealed.provenance.seals)) == (5, 0, 1)
    assert Path("sealed.state").stat().st_size < Path("plain.state").stat().st_size
    for names in (("sealed.state", "plain.state"), ("plain.state", "sealed.state")):
        refused(mechdesign("aggregate", *names), "states must share no source, got those of the seal ")


def test_what_a_seal_no_longer_recognises_is_said(mechdesign, days):
    remark = "what is within a seal is not recognised: nobody can tell whether other files or seals had it too\n"
    for name in days[:2]:
        assert mechdesign("aggregate", name, "--state", name.replace("parquet", "state"), "--seal").err.count("\n") == 1
    assert remark not in mechdesign("aggregate", "day0.state").err
    assert remark in mechdesign("aggregate", "day0.state", days[2]).err
    assert remark in mechdesign("aggregate", "day0.state", "day1.state").err


def test_users_are_not_counted_twice(mechdesign, days):
    assert mechdesign("aggregate", *days[:2], "--state", "a.state").code == 0
    assert mechdesign("aggregate", *days[1:3], "--state", "b.state").code == 0
    shutil.copy("a.state", "copy.state")
    shutil.copy(days[3], "copy.parquet")
    shared = read_state("a.state").provenance.shares(read_state("b.state").provenance)
    refused(mechdesign("aggregate", "a.state", "b.state"), f"got {min(shared)} in a.state and in b.state")
    refused(mechdesign("aggregate", "a.state", days[4], "copy.state"), "in a.state and in copy.state")
    refused(mechdesign("aggregate", "a.state", "./a.state"), "each state must be given once, got a.state twice")
    refused(mechdesign("aggregate", "a.state", days[3], "copy.parquet"), "got copy.parquet, which holds the same")
    assert mechdesign("aggregate", "a.state", "b.state", "--state", "c.state").code == 2
    assert not Path("c.state").exists()


def test_what_does_not_go_together(mechdesign, days):
    assert mechdesign("aggregate", days[0], "--state", "a.state").code == 0
    for options, name in ((("--epsilon", 2), "epsilon"), (("--epsilon", 1, "--seed", 3), "seed")):
        made = [*PRIVATIZE, "--oracle", "oue", *options, "-o", f"{name}.parquet"]
        assert mechdesign(*made).code == 0
        assert mechdesign("aggregate", f"{name}.parquet", "--state", f"{name}.state").code == 0
    task = "must be made with the same parameters, got privacy=epsilon=2 beside privacy=epsilon=1"
    refused(mechdesign("aggregate", "a.state", "epsilon.state"), task)
    refused(mechdesign("aggregate", "a.state", "epsilon.parquet"), task)
    refused(mechdesign("aggregate", "a.state", "seed.state"), "all real or all simulated, got the seed 3 beside real")
    refused(mechdesign("aggregate", "a.state", "seed.parquet"), "all real or all simulated, got the seed 3")
    Path("old.state").write_bytes(Path("a.state").read_bytes().replace(b"mechdesign-state/2", b"mechdesign-state/1"))
    refused(mechdesign("aggregate", "a.state", "old.state"), "got format mechdesign-state/1 in old.state")
    Path("cut.state").write_bytes(Path("a.state").read_bytes()[:-5])
    refused(mechdesign("aggregate", "cut.state"), "got a changed or cut state in cut.state")
    Path("other.state").write_bytes(Path(days[0]).read_bytes())
    refused(mechdesign("aggregate", "other.state"), "must be a state of format mechdesign-state/2, got other.state")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.parquet", "--seal"], "--seal goes with --state, got no file"),
        (["a.parquet", "--state", "a.parquet"], "a state must be written to a .state file, got a.parquet"),
        (["a.parquet", "--state", "no/a.state"], "output folder must exist"),
        (["no.state"], "file must exist, got no.state"),
        (["no*.state"], "at least one file must fit the pattern, got none for no*.state"),
        (["folder.state"], "file must be readable, got folder.state (Is a directory)"),
        (["a.parquet", "--state", "folder.state"], "output must be a file, got the folder folder.state"),
    ],
    ids=["seal alone", "suffix", "no folder", "missing", "no match", "a folder", "into a folder"],
)
def test_bad_requests(mechdesign, arguments, message):
    Path("folder.state").mkdir()
    refused(mechdesign("aggregate", *arguments), message)


def test_a_state_of_nobody_has_no_estimate(mechdesign, days):
    assert mechdesign("aggregate", days[0], "--state", "a.state").code == 0
    empty = type(read_state("a.state")).empty(read_state("a.state").task)
    Path("empty.state").write_bytes(empty.to_bytes())
    refused(mechdesign("aggregate", "empty.state"), "a state must have at least one user, got none")
    assert mechdesign("aggregate", "empty.state", "a.state", "--state", "b.state").code == 0
    assert Path("b.state").read_bytes() == Path("a.state").read_bytes()


def test_reports_of_no_known_source_are_said(mechdesign, days):
    assert mechdesign("aggregate", days[0], "--state", "a.state").code == 0
    state = read_state("a.state")
    bare = type(state).empty(state.task).add(next(iter(ReportFile.at(days[1]).pieces())))
    Path("bare.state").write_bytes(bare.to_bytes())
    seen = mechdesign("aggregate", "a.state", "bare.state")
    assert seen.err == "some reports had no source: nobody can tell whether they were counted twice\n"
    assert seen.out.startswith("800 reports")


@pytest.mark.slow
def test_two_processes_count_the_same(mechdesign, days):
    assert mechdesign("aggregate", *days, "--state", "one.state", "--jobs", 1).code == 0
    assert mechdesign("aggregate", *days, "--state", "two.state", "--jobs", 2).code == 0
    assert Path("one.state").read_bytes() == Path("two.state").read_bytes()


@pytest.mark.slow
def test_a_full_disk_leaves_the_old_state(mechdesign, days):
    """A file may not grow beyond 1 KB here: the write fails in the middle, and what was there stays."""
    assert mechdesign("aggregate", days[0], "--state", "total.state").code == 0
    before = Path("total.state").read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        seen = mechdesign("aggregate", "total.state", *days[1:], "--state", "total.state")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)
    refused(seen, "output could not be written: total.state (File too large)")
    assert Path("total.state").read_bytes() == before
    assert mechdesign("aggregate", "total.state", *days[1:], "--state", "total.state").code == 0
    assert read_state("total.state").users == 2000


@pytest.mark.slow
def test_a_state_killed_at_any_moment_is_the_old_or_the_new(days):
    """SIGKILL before and after every call that changes a file; the same command then comes to the whole."""
    arguments = ("aggregate", "total.state", *days[1:3], "--state", "total.state")
    with Launcher() as launcher:
        assert launcher.run("aggregate", days[0], "--state", "total.state").code == 0
        old = Path("total.state").read_bytes()
        moments = launcher.run(*arguments).moments
        new = Path("total.state").read_bytes()
        for number, moment in moments:
            Path("total.state").write_bytes(old)
            assert launcher.killed(number, moment, *arguments).code == KILLED
            assert Path("total.state").read_bytes() in (old, new)
            assert launcher.run(*arguments).code == 0
            assert Path("total.state").read_bytes() == new
    assert len(moments) > 2

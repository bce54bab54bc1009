"""`mechdesign local aggregate --state`: parts that are counted apart, merged later, and never counted twice."""

import json
import resource
import shutil
import signal
from pathlib import Path

import pytest
from killing import KILLED, Launcher
from local_reports import CITIES, PRIVATIZE, write_cities
from wording import check_wording

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


def check_refusal(seen):
    assert (seen.code, seen.out, seen.err.count("\n")) == (2, "", 1)
    check_wording(seen.err)


def test_parts_come_to_the_whole(mechdesign, days):
    whole = mechdesign("local", "aggregate", *days, "--json")
    for name in days:
        seen = mechdesign("local", "aggregate", name, "--state", name.replace("parquet", "state"))
        assert (seen.code, seen.out, seen.err) == (0, "", f"wrote {name.replace('parquet', 'state')}\n")
    merged = mechdesign("local", "aggregate", "day*.state", "--json")
    assert json.loads(merged.out) == json.loads(whole.out)
    assert mechdesign("local", "aggregate", *days, "--state", "whole.state").code == 0
    some = ("day4.state", "day1.state", "day0.parquet")
    assert mechdesign("local", "aggregate", *some, "--state", "some.state", "--seal").code == 0
    assert mechdesign("local", "aggregate", *days[2:4], "some.state", "--json").out == whole.out
    assert (
        mechdesign("local", "aggregate", *(f"day{day}.state" for day in (3, 0, 4, 2, 1)), "--state", "all.state").code
        == 0
    )
    assert Path("all.state").read_bytes() == Path("whole.state").read_bytes()


def test_a_state_and_an_estimate_at_once(mechdesign, days):
    seen = mechdesign("local", "aggregate", *days, "--state", "all.state", "-o", "e.csv")
    assert seen.err == "wrote all.state\nwrote e.csv\n"
    assert seen.out.startswith("2,000 reports of oue")
    assert len(Path("e.csv").read_text().splitlines()) == 1 + len(CITIES)


def test_a_state_goes_on(mechdesign, days):
    """The same command again, as after a crash, changes nothing and says so."""
    assert mechdesign("local", "aggregate", days[0], "--state", "total.state").code == 0
    assert mechdesign("local", "aggregate", "total.state", days[1], days[2], "--state", "total.state").code == 0
    before = Path("total.state").read_bytes()
    seen = mechdesign("local", "aggregate", "total.state", days[1], days[2], "--state", "total.state")
    assert seen.code == 0
    check_wording(seen.err)
    assert Path("total.state").read_bytes() == before
    seen = mechdesign("local", "aggregate", "total.state", days[1], "--json")
    check_wording(seen.err)
    assert json.loads(seen.out)["users"] == 1200


def test_a_seal_keeps_a_state_small(mechdesign, days):
    assert mechdesign("local", "aggregate", *days, "--state", "plain.state").code == 0
    assert mechdesign("local", "aggregate", *days, "--state", "sealed.state", "--seal").code == 0
    sealed, plain = read_state("sealed.state"), read_state("plain.state")
    assert (len(plain.provenance.sources), len(sealed.provenance.sources), len(sealed.provenance.seals)) == (5, 0, 1)
    assert Path("sealed.state").stat().st_size < Path("plain.state").stat().st_size
    for names in (("sealed.state", "plain.state"), ("plain.state", "sealed.state")):
        check_refusal(mechdesign("local", "aggregate", *names))


def test_what_a_seal_no_longer_recognises_is_said(mechdesign, days):
    remark = (
        "files within a seal are not recognised, so it cannot be checked whether they were also counted elsewhere\n"
    )
    for name in days[:2]:
        assert (
            mechdesign("local", "aggregate", name, "--state", name.replace("parquet", "state"), "--seal").err.count(
                "\n"
            )
            == 1
        )
    assert remark not in mechdesign("local", "aggregate", "day0.state").err
    check_wording(mechdesign("local", "aggregate", "day0.state", days[2]).err)
    check_wording(mechdesign("local", "aggregate", "day0.state", "day1.state").err)


def test_users_are_not_counted_twice(mechdesign, days):
    assert mechdesign("local", "aggregate", *days[:2], "--state", "a.state").code == 0
    assert mechdesign("local", "aggregate", *days[1:3], "--state", "b.state").code == 0
    shutil.copy("a.state", "copy.state")
    shutil.copy(days[3], "copy.parquet")
    shared = read_state("a.state").provenance.shares(read_state("b.state").provenance)
    seen = mechdesign("local", "aggregate", "a.state", "b.state")
    assert min(shared) in seen.err
    check_refusal(seen)
    check_refusal(mechdesign("local", "aggregate", "a.state", days[4], "copy.state"))
    check_refusal(mechdesign("local", "aggregate", "a.state", "./a.state"))
    check_refusal(mechdesign("local", "aggregate", "a.state", days[3], "copy.parquet"))
    assert mechdesign("local", "aggregate", "a.state", "b.state", "--state", "c.state").code == 2
    assert not Path("c.state").exists()


def test_what_does_not_go_together(mechdesign, days):
    assert mechdesign("local", "aggregate", days[0], "--state", "a.state").code == 0
    for options, name in ((("--epsilon", 2), "epsilon"), (("--epsilon", 1, "--seed", 3), "seed")):
        made = [*PRIVATIZE, "--oracle", "oue", *options, "-o", f"{name}.parquet"]
        assert mechdesign(*made).code == 0
        assert mechdesign("local", "aggregate", f"{name}.parquet", "--state", f"{name}.state").code == 0
    check_refusal(mechdesign("local", "aggregate", "a.state", "epsilon.state"))
    check_refusal(mechdesign("local", "aggregate", "a.state", "epsilon.parquet"))
    check_refusal(mechdesign("local", "aggregate", "a.state", "seed.state"))
    check_refusal(mechdesign("local", "aggregate", "a.state", "seed.parquet"))
    Path("old.state").write_bytes(Path("a.state").read_bytes().replace(b"mechdesign-state/2", b"mechdesign-state/1"))
    check_refusal(mechdesign("local", "aggregate", "a.state", "old.state"))
    Path("cut.state").write_bytes(Path("a.state").read_bytes()[:-5])
    check_refusal(mechdesign("local", "aggregate", "cut.state"))
    Path("other.state").write_bytes(Path(days[0]).read_bytes())
    check_refusal(mechdesign("local", "aggregate", "other.state"))


@pytest.mark.parametrize(
    "arguments",
    [
        ["a.parquet", "--seal"],
        ["a.parquet", "--state", "a.parquet"],
        ["a.parquet", "--state", "no/a.state"],
        ["no.state"],
        ["no*.state"],
        ["folder.state"],
        ["a.parquet", "--state", "folder.state"],
    ],
    ids=["seal alone", "suffix", "no folder", "missing", "no match", "a folder", "into a folder"],
)
def test_bad_requests(mechdesign, arguments):
    Path("folder.state").mkdir()
    check_refusal(mechdesign("local", "aggregate", *arguments))


def test_a_state_of_nobody_has_no_estimate(mechdesign, days):
    assert mechdesign("local", "aggregate", days[0], "--state", "a.state").code == 0
    empty = type(read_state("a.state")).empty(read_state("a.state").task)
    Path("empty.state").write_bytes(empty.to_bytes())
    check_refusal(mechdesign("local", "aggregate", "empty.state"))
    assert mechdesign("local", "aggregate", "empty.state", "a.state", "--state", "b.state").code == 0
    assert Path("b.state").read_bytes() == Path("a.state").read_bytes()


def test_reports_of_no_known_source_are_said(mechdesign, days):
    assert mechdesign("local", "aggregate", days[0], "--state", "a.state").code == 0
    state = read_state("a.state")
    bare = type(state).empty(state.task).add(next(iter(ReportFile.at(days[1]).pieces())))
    Path("bare.state").write_bytes(bare.to_bytes())
    seen = mechdesign("local", "aggregate", "a.state", "bare.state")
    check_wording(seen.err)
    assert seen.out.startswith("800 reports")


@pytest.mark.slow
def test_two_processes_count_the_same(mechdesign, days):
    assert mechdesign("local", "aggregate", *days, "--state", "one.state", "--jobs", 1).code == 0
    assert mechdesign("local", "aggregate", *days, "--state", "two.state", "--jobs", 2).code == 0
    assert Path("one.state").read_bytes() == Path("two.state").read_bytes()


@pytest.mark.slow
def test_a_full_disk_leaves_the_old_state(mechdesign, days):
    """A file may not grow beyond 1 KB here: the write fails in the middle, and what was there stays."""
    assert mechdesign("local", "aggregate", days[0], "--state", "total.state").code == 0
    before = Path("total.state").read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        seen = mechdesign("local", "aggregate", "total.state", *days[1:], "--state", "total.state")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)
    check_refusal(seen)
    assert Path("total.state").read_bytes() == before
    assert mechdesign("local", "aggregate", "total.state", *days[1:], "--state", "total.state").code == 0
    assert read_state("total.state").users == 2000


@pytest.mark.slow
def test_a_state_killed_at_any_moment_is_the_old_or_the_new(days):
    """SIGKILL before and after every call that changes a file; the same command then comes to the whole."""
    arguments = ("local", "aggregate", "total.state", *days[1:3], "--state", "total.state")
    with Launcher() as launcher:
        assert launcher.run("local", "aggregate", days[0], "--state", "total.state").code == 0
        old = Path("total.state").read_bytes()
        moments = launcher.run(*arguments).changes
        new = Path("total.state").read_bytes()
        for number, moment in moments:
            Path("total.state").write_bytes(old)
            assert launcher.killed(number, moment, *arguments).code == KILLED
            assert Path("total.state").read_bytes() in (old, new)
            assert launcher.run(*arguments).code == 0
            assert Path("total.state").read_bytes() == new
    assert len(moments) > 2

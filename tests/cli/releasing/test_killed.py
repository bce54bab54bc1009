"""A release that is killed at any call by which it changes a file: nothing is lost, and nothing is drawn twice.

What counts as drawn is the first output that was whole on the disk. It is what is published in the end.
"""

import hashlib
import json
import os
import subprocess
from pathlib import Path

import pytest
from killing import KILLED
from microdata import HOUSEHOLDS, write_people
from studios import patient_process
from wording import check_wording, refused

from mechdesign.errors import InputError
from mechdesign.releases import locking, staging

RELEASE = ("release", *HOUSEHOLDS, "--alpha", "1/2", "-o", "out/r.csv")
RECORDED = (*RELEASE, "--record", "out/r.json")


@pytest.fixture
def people(launcher):
    write_people("people.csv")
    os.utime("people.csv", (1, 1))
    return launcher


def empty(before=()):
    """An empty folder, or one with files from before."""
    folder = Path("out")
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    for name, content in before:
        (folder / name).write_bytes(content)


def drawn(old=None):
    """The bytes that are drawn and whole by now, as a record beside them says, and not the old ones; or None."""
    records = map(Path, ("out/r.json", "out/r.json.unfinished", "out/r.csv.record.unfinished"))
    stated = {digest_in(path) for path in records if path.exists()}
    for path in map(Path, ("out/r.csv", "out/r.csv.unfinished")):
        if not path.exists() or path.read_bytes() == old:
            continue
        if hashlib.sha256(path.read_bytes()).hexdigest() in stated:
            return path.read_bytes()
    return None


def digest_in(path):
    try:
        return json.loads(path.read_text())["output"]["sha256"]
    except ValueError:
        return None


def was_synced(seen, moment):
    """Whether the output was forced to the disk before the kill."""
    done = seen.events if moment == "after" else seen.events[:-1]
    return "fsync out/r.csv.unfinished" in done


@pytest.mark.slow
@pytest.mark.parametrize("is_new", [True, False], ids=["new", "over another release"])
def test_a_recorded_release(people, is_new):
    before = []
    if not is_new:
        empty()
        people.run(*RECORDED, "--props", "none")  # which --replace then takes the place of
        before = [(path.name, path.read_bytes()) for path in Path("out").iterdir()]
    empty(before)
    asked = RECORDED if is_new else (*RECORDED, "--replace")
    moments = people.run(*asked).changes
    for number, moment in moments:
        empty(before)
        seen = people.killed(number, moment, *asked)
        assert seen.code == KILLED
        found = drawn(dict(before).get("r.csv"))
        assert found is not None or not was_synced(seen, moment)
        again = people.run(*(asked if found is None else RECORDED))  # what was drawn is finished without --replace
        assert again.code == 0, again.err
        assert found in (None, Path("out/r.csv").read_bytes()), (number, moment)
        assert ("nothing was drawn" in again.err) == (found is not None)
        assert sorted(os.listdir("out")) == ["r.csv", "r.json"]
        assert Path("out/r.csv").read_bytes() == drawn()
    assert people.run("check", "out/r.csv", "--record", "out/r.json").code == 0


@pytest.mark.slow
@pytest.mark.parametrize("is_new", [True, False], ids=["new", "over another release"])
def test_a_release_without_a_record(people, is_new):
    before = [] if is_new else [("r.csv", b"released\n1\n")]
    empty(before)
    asked = RELEASE if is_new else (*RELEASE, "--replace")
    whole = people.run(*asked)
    for number, moment in whole.changes:
        empty(before)
        seen = people.killed(number, moment, *asked)
        found = drawn()
        is_done = (seen.events[-1].startswith("unlink") and moment == "after") or "unlink" in " ".join(seen.events[:-1])
        assert found is not None or is_done or not was_synced(seen, moment)
        if is_done:  # without a record, the next run is another release, which is refused
            published = Path("out/r.csv").read_bytes()
            assert people.run(*RELEASE).code == 2
            assert (os.listdir("out"), Path("out/r.csv").read_bytes()) == (["r.csv"], published)
            continue
        again = people.run(*(asked if found is None else RELEASE))
        assert again.code == 0, again.err
        assert found in (None, Path("out/r.csv").read_bytes()), (number, moment)
        assert ("nothing was drawn" in again.err) == (found is not None)
        assert os.listdir("out") == ["r.csv"]


@pytest.mark.slow
def test_a_new_key_is_whole_or_not_there(people):
    command = (*RECORDED, "--key", "out/secret")
    empty()
    whole = people.run(*command)
    of_key = sum("secret" in event for event in whole.events)
    for number, moment in whole.moments[: 2 * of_key]:
        empty()
        people.killed(number, moment, *command)
        key = Path("out/secret").read_text() if Path("out/secret").exists() else None
        assert key is None or len(key) == 65
        assert people.run(*command).code == 0
        assert key is None or Path("out/secret").read_text() == key
        assert Path("out/secret").stat().st_mode & 0o777 == 0o600
        assert "secret.unfinished" not in os.listdir("out")
        assert people.run("check", "out/r.json", "--input", "people.csv", "--key", "out/secret").code == 0


def stopped_when_drawn(people):
    """Leave a release whose bytes are staged."""
    empty()
    events = people.run(*RECORDED).events
    empty()
    people.killed(1 + events.index("rename out/r.json"), "before", *RECORDED)
    assert sorted(os.listdir("out")) == ["r.csv.unfinished", "r.json.unfinished"]


def test_another_command_does_not_publish_what_was_drawn(people):
    stopped_when_drawn(people)
    staged = Path("out/r.csv.unfinished").read_bytes()
    for more in (
        ("--props", "none"),
        ("--unit", "person"),
        ("--seed", 1),
    ):
        seen = people.run(*RECORDED, *more)
        assert seen.code == 2
        check_wording(seen.err)
    rows = Path("people.csv").read_text().splitlines(keepends=True)
    Path("people.csv").write_text("".join(rows[:-1]))
    os.utime("people.csv", (1, 1))
    seen = people.run(*RECORDED)
    check_wording(seen.err)
    assert Path("out/r.csv.unfinished").read_bytes() == staged


def test_what_was_drawn_is_published_though_the_input_was_changed(people):
    stopped_when_drawn(people)
    staged = Path("out/r.csv.unfinished").read_bytes()
    write_people("people.csv", seed=2)
    os.utime("people.csv", (4_102_444_800, 4_102_444_800))
    seen = people.run(*RECORDED)
    assert seen.code == 0, seen.err
    assert Path("out/r.csv").read_bytes() == staged
    assert "nothing was drawn anew\nthe input was changed after that, at 2100-01-01 00:00:00 UTC" in seen.err
    assert "the same command with --replace makes another release" in seen.err
    assert people.run(*RECORDED).code == 2
    assert "both count as spent" in people.run(*RECORDED, "--replace").err


def test_changed_counts_with_an_old_date_are_not_called_the_same(people):
    empty()
    assert people.run(*RECORDED).code == 0
    write_people("people.csv", seed=2)
    os.utime("people.csv", (1, 1))
    seen = people.run(*RECORDED)
    assert "groups of the same names and sizes were released here on" in seen.err
    assert "counts that were changed since are not in it" in seen.err
    bound = (*RELEASE, "--record", "out/k.json", "--key", "out/key", "-o", "out/k.csv")
    assert [people.run(*bound).code for _ in range(2)] == [0, 0]
    seen = people.run(*bound)
    assert "this very input was released here on" in seen.err
    assert "changed since" not in seen.err


def test_a_second_draw_over_a_published_one_is_refused_unless_it_is_asked_for(people):
    empty()
    assert "both count as spent" not in people.run(*RECORDED).err
    for again in (
        (*RECORDED, "--props", "none"),
        (*RECORDED, "--intervals", "0.9"),
        RELEASE,
        (*RELEASE, "--seed", 1),
    ):
        before = {path.name: path.read_bytes() for path in Path("out").iterdir()}
        seen = people.run(*again)
        assert (seen.code, seen.out) == (2, "")
        line = seen.err.splitlines()[-1]
        assert f"--output must be a new file, got {Path('out/r.csv').resolve()}: what is there would be lost" in line
        assert line.endswith("; take another --output, or give --replace")
        assert ("spends epsilon again" in line) == ("--seed" not in again)
        assert {path.name: path.read_bytes() for path in Path("out").iterdir()} == before
        assert "both count as spent" in people.run(*again, "--replace").err
        assert Path("out/r.csv").read_bytes() != before["r.csv"]


def test_a_file_that_is_no_record_is_not_replaced_by_one(people):
    empty([("r.json", b"{}")])
    seen = people.run(*RECORDED)
    assert (seen.code, os.listdir("out"), Path("out/r.json").read_bytes()) == (2, ["r.json"], b"{}")
    check_wording(seen.err)
    assert people.run(*RECORDED, "--replace").code == 0


def test_discarding_is_said_to_spend(people):
    stopped_when_drawn(people)
    seen = people.run(*RECORDED, "--discard")
    assert (seen.code, os.listdir("out")) == (0, [])
    check_wording(seen.err)
    seen = people.run(*RECORDED, "--discard")
    assert seen.code == 2
    check_wording(seen.err)


def test_a_record_without_its_output_is_not_written_over(people):
    empty()
    assert people.run(*RECORDED).code == 0
    record = Path("out/r.json").read_bytes()
    Path("out/r.csv").rename("published.csv")
    seen = people.run(*RECORDED)
    assert seen.code == 2
    check_wording(seen.err)
    assert Path("out/r.json").read_bytes() == record


@pytest.mark.slow
def test_two_at_once(people):
    """The second waits for the first, and finds its release."""
    empty()
    events = people.run(*RECORDED).events
    empty()
    with people.held(1 + events.index("fsync out/r.csv.unfinished"), "before", *RECORDED) as let_go:
        second = patient_process("mechdesign.releases.locking.LOCK_SECONDS", *RECORDED)
        with pytest.raises(subprocess.TimeoutExpired):
            second.wait(2)
        held = drawn()
        assert let_go().code == 0
        _, said = second.communicate()
    assert (second.returncode, "nothing was drawn" in said) == (0, True)
    assert Path("out/r.csv").read_bytes() == held


def test_nobody_waits_for_ever(tmp_path, monkeypatch):
    monkeypatch.setattr(locking, "LOCK_SECONDS", 0.0)
    places = staging.OutputPaths.of(tmp_path / "r.csv", None)
    with places.alone(), refused(InputError), places.alone():
        pass
    with places.alone():
        pass

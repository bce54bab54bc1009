"""`privatize` killed, filled up, or run twice at once, at every call by which it changes a file.

Whatever happens: what the memory holds is never drawn again, and every report that ever was on the disk is what the
same command gives in the end.
"""

import os
import resource
import shutil
import signal
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from killing import KILLED
from studios import PATIENCE, patient_process, wait_until
from wording import check_wording

from mechdesign_catalog.collection.memories import memory_database

CITIES = ["Cork", "Galway", "Dublin"]


def write_users(name, first, users):
    rows = [f"u{number},{CITIES[number % 3]}" for number in range(first, first + users)]
    Path(f"{name}.csv").write_text("\n".join(["user,city", *rows]) + "\n")


def command(name, round_):
    """Privatize the users of NAME.csv to NAME.parquet."""
    base = ["local", "privatize", "--oracle", "dbitflip:d=2", "--epsilon", 1, "--domain", "cities.txt"]
    remembered = ["--column", "city", "--user", "user", "--memory", "m.db", "--round", round_]
    return [*base, "--input", f"{name}.csv", *remembered, "-o", f"{name}.parquet"]


FIRST, SECOND = command("first", "one"), command("second", "two")
PLAIN = ["local", "privatize", "--oracle", "grr", "--epsilon", 1, "--domain", "cities.txt", "--column", "city"]
PLAIN += ["--input", "first.csv", "-o"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("cities.txt").write_text("\n".join(CITIES) + "\n")
    write_users("first", 0, 60)
    write_users("second", 40, 60)


@pytest.fixture
def again(monkeypatch, tmp_path):
    """Go to a new copy of what the folder held at first, each time."""
    kept = tmp_path / "kept"

    def anew(number):
        if not kept.exists():
            shutil.copytree(tmp_path, kept, ignore=lambda *_: ["kept"])
        place = tmp_path / f"place{number}"
        shutil.copytree(kept, place)
        monkeypatch.chdir(place)

    return anew


def held():
    """Every user's answers, by hash."""
    with closing(sqlite3.connect("m.db")) as connection:
        return dict(connection.execute("SELECT name, answers FROM users"))


def whole_reports():
    """Every whole file of reports in the folder, under whatever name."""
    found = []
    for path in Path().iterdir():
        if "parquet" in path.name:
            try:
                found.append(pq.read_table(path))
            except (pa.ArrowException, OSError):  # cut off
                continue
    return found


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [FIRST, SECOND], ids=["creation", "append"])
def test_killed_at_every_write_nobody_is_drawn_twice(launcher, again, arguments):
    users, before = 60, {}
    if arguments is SECOND:
        assert launcher.run(*FIRST).code == 0
        users, before = 100, held()
    kept = Path("first.parquet").read_bytes() if before else b""
    again("whole")
    whole = launcher.run(*arguments)
    assert whole.code == 0
    name = arguments[-1]
    rolled_back = committed = 0
    for number, moment in whole.changes:
        again(f"{number}{moment}")
        seen = launcher.killed(number, moment, *arguments)
        assert (seen.code, seen.out, len(seen.events)) == (KILLED, "", number)
        journal = Path("m.db-journal")
        assert all(path.stat().st_mode & 0o777 == 0o600 for path in Path().glob("m.db*"))
        rolled_back += journal.exists() and journal.stat().st_size > 0
        reports = [table for table in whole_reports() if not before or not table.equals(pq.read_table("first.parquet"))]
        answered = held() if Path("m.db").exists() else before
        assert answered.items() >= before.items()
        assert len(answered) in (0, len(before), users)
        assert len(answered) == users or not reports
        ended = launcher.run(*arguments)
        assert ended.code == 0, ended.err
        committed += "the batch was answered before" in ended.err
        assert held().items() >= answered.items()
        assert len(held()) == users
        final = pq.read_table(name)
        assert all(table.equals(final) for table in reports)
        if number % 5 == 0:
            content = Path(name).read_bytes()
            assert launcher.run(*arguments).code == 0
            assert Path(name).read_bytes() == content
            assert not before or launcher.run(*FIRST).code == 0
            assert not before or Path("first.parquet").read_bytes() == kept
    assert rolled_back > 1
    assert committed > 5


@pytest.mark.slow
@pytest.mark.parametrize("order", [(FIRST, SECOND), (SECOND, FIRST)], ids=["first waits", "second waits"])
def test_two_processes_at_once_lose_nothing(launcher, mechdesign, again, order, monkeypatch):
    """One stands still at every write in turn, while the other runs: it answers, or says that the memory is in use."""
    monkeypatch.setattr(memory_database, "PATIENCE", 0.03)
    held_one, other = order
    again("whole")
    changes = launcher.run(*held_one).changes
    refused = 0
    for number in {number for number, _ in changes}:
        again(number)
        with launcher.held(number, "before", *held_one) as let_go:
            seen = mechdesign(*other)
            if seen.code:
                assert (seen.code, seen.err.count("\n")) == (2, 1)
                check_wording(seen.err)
                assert not Path(other[-1]).exists()
                refused += 1
            ended = let_go()
        assert ended.code == 0, ended.err
        if seen.code:
            assert mechdesign(*other).code == 0
        assert len(held()) == 100
        for arguments in order if number % 4 == 0 else ():
            content = Path(arguments[-1]).read_bytes()
            assert mechdesign(*arguments).code == 0
            assert Path(arguments[-1]).read_bytes() == content
    assert 1 < refused < len(changes) - 5


PATIENT = "mechdesign_catalog.collection.memories.memory_database.PATIENCE"


def wait_until_open(process):
    """Wait until a process has opened the memory."""
    memory, folder = str(Path("m.db").resolve()), Path(f"/proc/{process.pid}/fd")

    def opened(link):
        try:
            return os.readlink(link)
        except FileNotFoundError:  # closed since it was listed
            return None

    def is_open():
        assert process.poll() is None
        return memory in map(opened, folder.iterdir())

    wait_until(is_open)


@pytest.mark.slow
def test_a_second_process_waits_until_the_first_is_done(launcher):
    events = launcher.run(*FIRST).events
    Path("m.db").unlink()
    locked = 1 + next(place for place, event in enumerate(events, 1) if event == "pwrite64 m.db-journal")
    with launcher.held(locked, "before", *FIRST) as let_go:
        other = patient_process(PATIENT, *SECOND)
        wait_until_open(other)
        with pytest.raises(subprocess.TimeoutExpired):
            other.wait(timeout=0.5)
        assert not Path("second.parquet").exists()
        assert let_go().code == 0
        _, told = other.communicate(timeout=PATIENCE)
    assert (other.returncode, "memory m.db: 20 known users, 40 new" in told) == (0, True)
    assert len(held()) == 100


@pytest.mark.slow
def test_ctrl_c_while_waiting_is_heard(mechdesign):
    assert mechdesign(*FIRST).code == 0
    before = Path("m.db").read_bytes()
    with closing(sqlite3.connect("m.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        waiting = patient_process(PATIENT, *SECOND)
        wait_until_open(waiting)
        waiting.send_signal(signal.SIGINT)
        _, told = waiting.communicate(timeout=PATIENCE)
    assert (waiting.returncode, told) == (130, "mechdesign: interrupted\n")
    assert Path("m.db").read_bytes() == before
    assert not Path("second.parquet").exists()


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [FIRST, SECOND], ids=["creation", "append"])
def test_a_full_disk_is_one_line_and_nothing_half_written(mechdesign, again, arguments):
    """No file may grow beyond so many bytes: from nothing to all that is needed."""
    write_users("second", 40, 2000)
    if arguments is SECOND:
        assert mechdesign(*FIRST).code == 0
    refused = 0
    again("whole")
    assert mechdesign(*arguments).code == 0
    needed = Path("m.db").stat().st_size
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    for step, limit in enumerate([0, 100, 513, *range(2000, needed + 3000, max(2000, needed // 5))]):
        again(step)
        before = {path.name: path.read_bytes() for path in Path().iterdir()}
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
        try:
            seen = mechdesign(*arguments)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        if seen.code:
            refused += 1
            assert (seen.code, seen.err.count("\n"), seen.out) == (2, 1, "")
            answered = held() if Path("m.db").exists() else {}  # opening it ends a rollback that the limit cut short
            after = {path.name: path.read_bytes() for path in Path().iterdir()}
            assert before.keys() | {"m.db"} >= after.keys()
            assert all(after[name] == content for name, content in before.items() if name != "m.db")
            if arguments is SECOND and len(answered) == 60:
                assert after == before
        assert mechdesign(*arguments).code == 0
    assert refused > 3


@pytest.mark.slow
def test_reports_are_there_whole_or_not_at_all(launcher):
    before = set(os.listdir())
    whole = launcher.run(*PLAIN, "first.parquet")
    assert whole.code == 0
    for number, moment in whole.changes:
        name = f"{number}{moment}.parquet"
        assert launcher.killed(number, moment, *PLAIN, name).code == KILLED
        left = set(os.listdir()) - before - {"first.parquet"}
        assert left <= {name}
        if left:
            assert launcher.run("local", "aggregate", name).code == 0
            Path(name).unlink()

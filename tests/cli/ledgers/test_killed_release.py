"""A release that is paid from a ledger, killed at every call by which it changes a file: nothing leaves unpaid.

What counts as drawn is the first output that was whole on the disk. It is what is published in the end, paid once.
"""

import hashlib
import os
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest
from killing import KILLED
from microdata import HOUSEHOLDS, write_people
from studios import patient_process

from mechdesign.ledgers import ledger as ledger_module
from mechdesign.ledgers.entry import EntryState
from mechdesign.ledgers.ledger import Ledger

PAID = ("release", *HOUSEHOLDS, "--alpha", "1/2", "--ledger", "office.db", "--dataset", "poverty")
RELEASE = (*PAID, "-o", "out/r.csv")
RECORDED = (*RELEASE, "--record", "out/r.json")
ENOUGH, FOR_ONE = 9, "0.7"


@pytest.fixture
def people(launcher):
    write_people("people.csv", areas=6)
    os.utime("people.csv", (1, 1))
    return launcher


def begin(budget):
    """An empty folder, and a new ledger."""
    shutil.rmtree("out", ignore_errors=True)
    Path("out").mkdir()
    for path in Path().glob("office.db*"):
        path.unlink()
    return Ledger.new("office.db", budget, "household")


def whole_outputs():
    """Digests of all outputs in the folder that have all their rows, under whatever name."""
    texts = [path.read_bytes() for path in Path("out").iterdir() if ".csv" in path.name and "record" not in path.name]
    return {hashlib.sha256(text).hexdigest() for text in texts if text.count(b"\n") == 7 and text.endswith(b"\n")}


def delivered(book):
    return {entry.content for entry in book.entries() if entry.state is EntryState.DELIVERED}


def published():
    """The digest of the output under its name, if it is there."""
    path = Path("out/r.csv")
    return {hashlib.sha256(path.read_bytes()).hexdigest()} if path.exists() else set()


def paid_for(book):
    return {entry.content for entry in book.entries() if entry.counts}


@pytest.mark.slow
@pytest.mark.parametrize("budget", [ENOUGH, FOR_ONE], ids=["enough", "for one release"])
def test_killed_anywhere(people, budget):
    begin(ENOUGH)
    whole = people.run(*RECORDED)
    assert whole.code == 0, whole.err
    finished = lost = 0
    moments = whole.changes if budget is ENOUGH else whole.changes[::2]
    for number, moment in moments:
        book = begin(budget)
        seen = people.killed(number, moment, *RECORDED)
        assert seen.code == KILLED
        drawn = whole_outputs()
        assert drawn <= paid_for(book), (number, moment)
        assert delivered(book) <= published()
        assert not any(Path("out").iterdir()) or book.entries(), (number, moment)
        before = len(book.entries())
        again = people.run(*RECORDED)
        entries = book.entries()
        states = [entry.state for entry in entries]
        if before and not drawn:
            lost += 1
            assert states[0] is EntryState.LOST
            if budget is FOR_ONE:
                assert (again.code, again.err.count("\n")) == (1, 1)
                assert "epsilon must be at most" in again.err
                assert (states, os.listdir("out")) == ([EntryState.LOST], [])
                continue
            assert "entry 1 of the ledger is paid and lost" in again.err
        assert again.code == 0, (number, moment, again.err)
        assert len(entries) == before + (not drawn)
        assert states == [*[EntryState.LOST] * (len(entries) - 1), EntryState.DELIVERED]
        assert sorted(os.listdir("out")) == ["r.csv", "r.json"]
        assert whole_outputs() == {entries[-1].content}
        assert drawn in (set(), whole_outputs())
        assert book.balances()[0].alpha == Fraction(1, 2) ** len(entries)
        finished += bool(drawn)
    assert finished > len(moments) / 4
    assert lost > len(moments) / 6
    assert people.run("check", "out/r.csv", "--record", "out/r.json").code == 0


@pytest.mark.slow
def test_without_a_record_too(people):
    """Where the note is gone, all is done: the next run is another release, which is refused, or pays again."""
    begin(ENOUGH)
    whole = people.run(*RELEASE)
    drawn_at = 1 + whole.events.index("fsync out/r.csv.unfinished")
    for number, moment in (one for one in whole.changes if one[0] > drawn_at):
        book = begin(ENOUGH)
        people.killed(number, moment, *RELEASE)
        drawn = whole_outputs()
        assert len(drawn) == 1
        assert drawn <= paid_for(book)
        is_done = not list(Path("out").glob("*.unfinished"))
        assert delivered(book) <= published()
        assert delivered(book) == drawn or not is_done
        assert people.run(*RELEASE).code == (2 if is_done else 0)
        assert [entry.state for entry in book.entries()] == [EntryState.DELIVERED]
        assert whole_outputs() == drawn
        if is_done:
            assert people.run(*RELEASE, "--replace").code == 0
        assert [entry.state for entry in book.entries()] == [EntryState.DELIVERED] * (1 + is_done)
        assert whole_outputs() == {book.entries()[-1].content}


@pytest.mark.slow
def test_two_at_once_spend_one_budget(people, mechdesign, monkeypatch):
    """One stands still at every call in turn, while another release of the same data set runs elsewhere."""
    monkeypatch.setattr(ledger_module, "PATIENCE", 0.03)
    Path("other").mkdir()
    other = (*PAID, "-o", "other/r.csv")
    begin(FOR_ONE)
    whole = people.run(*RECORDED)
    events, codes = whole.events, set()
    for number in {number for number, _ in whole.changes}:
        book = begin(FOR_ONE)
        Path("other/r.csv").unlink(missing_ok=True)
        with people.held(number, "before", *RECORDED) as let_go:
            seen = mechdesign(*other)
            ended = let_go()
        assert (seen.code, ended.code) in ((0, 1), (1, 0), (2, 0)), (events[number - 1], seen.err, ended.err)
        if seen.code == 2:
            assert "ledger must be free, got office.db" in seen.err
        codes.add(seen.code)
        assert Path("out/r.csv").exists() == (ended.code == 0)
        assert Path("other/r.csv").exists() == (seen.code == 0)
        assert book.balances()[0].alpha == Fraction(1, 2)
        assert [entry.state for entry in book.entries() if entry.counts] == [EntryState.DELIVERED]
    assert codes == {0, 1, 2}


@pytest.mark.slow
def test_a_second_process_waits_for_the_first(people):
    begin(FOR_ONE)
    events = people.run(*RECORDED).events
    book = begin(FOR_ONE)
    Path("other").mkdir()
    number = 1 + next(place for place, event in enumerate(events, 1) if event == "pwrite64 office.db-journal")
    with people.held(number, "before", *RECORDED) as let_go:
        second = patient_process("mechdesign.ledgers.ledger.PATIENCE", *PAID, "-o", "other/r.csv")
        with pytest.raises(subprocess.TimeoutExpired):
            second.wait(1.5)
        assert let_go().code == 0
        _, said = second.communicate()
    assert (second.returncode, said.count("\n")) == (1, 1)
    assert len(book.entries()) == 1

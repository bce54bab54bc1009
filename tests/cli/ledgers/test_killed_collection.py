"""A collection that is paid from a ledger, killed at every call by which it changes a file: nothing leaves unpaid."""

import shutil
from fractions import Fraction
from pathlib import Path

import pytest
from killing import KILLED
from wording import check_wording

from mechdesign.errors import InputError
from mechdesign.ledgers.entry import EntryState
from mechdesign.ledgers.ledger import Ledger
from mechdesign_catalog.collection.reports.report_files import read_header

BASE = (
    "local",
    "privatize",
    "--alpha",
    "1/2",
    "--input",
    "v.csv",
    "--column",
    "city",
    "--domain",
    "d.txt",
    "-o",
    "out/r.parquet",
)
PAID = (*BASE, "--oracle", "grr", "--ledger", "office.db", "--dataset", "poll")
REMEMBERED = (*PAID, "--oracle", "dbitflip:d=2", "--user", "user", "--memory", "answers.db", "--round", "one")


@pytest.fixture
def values(launcher):
    Path("v.csv").write_text("user,city\n" + "".join(f"u{k},{'abc'[k % 3]}\n" for k in range(50)))
    Path("d.txt").write_text("a\nb\nc\n")
    return launcher


def begin():
    shutil.rmtree("out", ignore_errors=True)
    Path("out").mkdir()
    for path in [*Path().glob("office.db*"), *Path().glob("answers.db*")]:
        path.unlink()
    return Ledger.new("office.db", 9)


def whole_files():
    """The identities of all whole files of reports, under whatever name, with their bytes."""
    found = {}
    for path in Path("out").iterdir():
        try:
            found[read_header(path).identity] = path.read_bytes()
        except InputError:
            continue
    return found


@pytest.mark.slow
@pytest.mark.parametrize("command", [PAID, REMEMBERED], ids=["drawn anew", "with a memory"])
def test_killed_anywhere(values, command):
    begin()
    whole = values.run(*command)
    assert whole.code == 0, whole.err
    alpha = Ledger.open("office.db").entries()[0].alpha
    finished = lost = 0
    for number, moment in whole.changes:
        book = begin()
        assert values.killed(number, moment, *command).code == KILLED
        written = whole_files()
        assert written.keys() <= {entry.content for entry in book.entries() if entry.counts}, (number, moment)
        before = book.entries()
        assert {entry.content for entry in before if entry.state is EntryState.DELIVERED} <= written.keys()
        is_done = before != [] and before[-1].state is EntryState.DELIVERED
        again = values.run(*command)
        if is_done and command is PAID:  # without a memory, the next run is another collection
            assert again.code == 2
            check_wording(again.err)
            assert (whole_files(), book.entries()) == (written, before)
            assert values.run(*command, "--replace").code == 0
            assert whole_files() != written
            assert book.balances()[0].alpha == alpha**2
            continue
        assert again.code == 0, again.err
        entries = book.entries()
        if written:
            finished += 1
            assert whole_files() == written
            assert is_done or "nothing was drawn anew" in again.err
        elif before:
            lost += 1
            assert entries[0].state is EntryState.LOST
        assert entries[-1].state is EntryState.DELIVERED
        assert {entry.content for entry in entries if entry.state is EntryState.DELIVERED} >= whole_files().keys()
        assert len(whole_files()) == 1
        spent = book.balances()[0].alpha
        assert spent in (alpha, alpha**2)
        assert spent == alpha or not written
    assert finished > 0
    assert lost > 3


@pytest.mark.slow
def test_the_second_round_of_a_memory(values):
    """The same file costs nothing, another one does, until all answers of a user are paid for."""
    book = begin()
    spent = []
    for number, text in enumerate(
        ["user,city\nu1,a\nu2,b\n"] * 2 + ["user,city\nu1,b\nu2,b\n", "user,city\nu1,a\nu2,c\n"]
    ):
        Path("v.csv").write_text(text)
        seen = values.run(*REMEMBERED[:-1], f"r{number}")
        assert seen.code == 0, seen.err
        spent.append(book.balances()[0].alpha)
    each = spent[0]
    assert spent == [each, each, each**2, each**3]
    for number, city in enumerate("abc"):
        Path("v.csv").write_text(f"user,city\nu1,{city}\nu2,c\n")
        assert values.run(*REMEMBERED[:-1], f"again{number}").code == 0
    assert book.balances()[0].alpha == each**3  # two buckets, and none of them: three answers
    assert [entry.alpha < 1 for entry in book.entries()] == [True, False, True, True, False, False, False]
    assert each < Fraction(1)


@pytest.mark.slow
def test_another_column_of_the_same_file_is_no_second_run(values):
    book = begin()
    Path("v.csv").write_text("user,city,work\nu1,a,b\nu2,b,c\n")
    assert values.run(*REMEMBERED).code == 0
    assert values.run(*REMEMBERED[:-1], "two", "--column", "work").code == 0
    first, second = book.entries()
    assert first.alpha == second.alpha < 1


@pytest.mark.slow
def test_reports_of_another_task_are_not_what_a_killed_run_had_finished(values):
    book = begin()
    whole = values.run(*PAID)
    last = len(whole.events)
    for number in range(last, 0, -1):  # the latest kill that leaves the file whole, and not marked as delivered
        begin()
        values.killed(number, "before", *PAID)
        if whole_files() and book.entries()[-1].state is EntryState.RESERVED:
            break
    other = (*PAID[:-6], "--oracle", "oue", *PAID[-4:])
    assert values.run(*other).code == 2
    again = values.run(*other, "--replace")
    assert again.code == 0
    assert "nothing was drawn anew" not in again.err
    assert read_header("out/r.parquet").task.oracle == "oue"
    assert [entry.state for entry in book.entries()] == [EntryState.DELIVERED, EntryState.DELIVERED]


@pytest.mark.slow
def test_bad_input_is_not_paid_for(values):
    book = begin()
    Path("v.csv").write_text(Path("v.csv").read_text() * 3 + "u9,nowhere\n")
    for command in (PAID, REMEMBERED):
        seen = values.run(*command)
        assert (seen.code, seen.err.count("\n")) == (2, 1)
    assert book.entries() == []
    assert list(Path("out").iterdir()) == []


def test_beyond_the_budget_nothing_is_drawn_nor_remembered(values):
    begin()
    Path("office.db").unlink()
    Ledger.new("office.db", "0.1")
    for command in (PAID, REMEMBERED):
        seen = values.run(*command)
        assert (seen.code, seen.err.count("\n")) == (1, 1)
        check_wording(seen.err)
    assert list(Path("out").iterdir()) == []
    assert not Path("answers.db").exists()

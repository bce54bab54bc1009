"""`mechdesign ledger`, and `--ledger` with releases and collections."""

import csv
import json
import math
import os
import resource
from fractions import Fraction
from pathlib import Path

import pytest
from microdata import HOUSEHOLDS, write_people
from wording import check_wording

from mechdesign.ledgers.entry import EntryState
from mechdesign.ledgers.ledger import Ledger

FREE = ("release", *HOUSEHOLDS, "--alpha", "1/2")
PAID = (*FREE, "--ledger", "office.db", "--dataset", "poverty")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_people("people.csv", areas=6)
    os.utime("people.csv", (1, 1))


@pytest.fixture
def book(mechdesign):
    seen = mechdesign("ledger", "new", "office.db", "--budget", "2.0", "--unit", "household")
    assert (seen.code, seen.out) == (0, "")
    assert seen.err.splitlines()[0] == "wrote office.db"
    return Ledger(Path("office.db"))


def states(book):
    return [entry.state for entry in book.entries()]


def test_what_was_spent_is_said_and_listed(mechdesign, book):
    seen = mechdesign(*PAID, "-o", "r.csv", "--record", "r.json")
    assert seen.err.splitlines()[-1] == "office.db: poverty has spent epsilon = 0.693148 of 2; 1.30685 is left"
    mechdesign(*PAID, "-o", "s.csv", "--part", "north")
    lines = [line.split() for line in mechdesign("ledger", "list", "office.db").out.splitlines()]
    assert ["ledger", "office.db"] in lines
    assert ["budget", "epsilon", "=", "2", "for", "each", "household,", "from", "each", "data", "set"] in lines
    assert ["poverty", "2", "0", "1.3863", "0.613705"] in lines
    assert [line[2:] for line in lines if line[:1] == ["2"]] == [
        ["poverty", "(north)", "release", "0.693148", "delivered", "s.csv"]
    ]


def test_the_document_has_exact_sums_and_outward_intervals(mechdesign, book):
    for name in "ab":
        mechdesign(*PAID, "-o", f"{name}.csv", "--quiet")
    mechdesign(
        "release", "--data", "saxony", "--alpha", "0.9", "-o", "c.csv", *PAID[-4:-1], "saxony", "--unit", "household"
    )
    found = json.loads(mechdesign("ledger", "list", "office.db", "--json").out)
    assert (found["unit"], found["budget"]) == ("household", "2")
    poverty, saxony = found["datasets"]
    assert (poverty["dataset"], poverty["alpha"], poverty["paid"], saxony["alpha"]) == ("poverty", "1/4", 2, "9/10")
    low, high = poverty["epsilon"]
    assert Fraction(low) < Fraction("1.38629436111989061883446424291635313615") < Fraction(high)
    assert high - low < 1e-15
    assert 0.6137 < poverty["left"] <= 2 - math.log(4)
    assert [entry["alpha"] for entry in found["entries"]] == ["1/2", "1/2", "9/10"]
    one = json.loads(mechdesign("ledger", "list", "office.db", "--json", "--dataset", "saxony").out)
    assert (one["datasets"], len(one["entries"])) == ([saxony], 1)


def test_the_table(mechdesign, book):
    mechdesign(*PAID, "-o", "r.csv")
    seen = mechdesign("ledger", "export", "office.db", "-o", "entries.csv")
    assert (seen.code, seen.out, seen.err) == (0, "", "wrote entries.csv\n")
    text = Path("entries.csv").read_text()
    (row,) = csv.DictReader(text.splitlines())
    assert (row["dataset"], row["alpha"], row["state"]) == ("poverty", "1/2", "delivered")
    assert row["output"] == str(Path("r.csv").resolve())
    assert mechdesign("ledger", "export", "office.db").out == text
    seen = mechdesign("ledger", "export", "office.db", "-o", "office.db")
    assert seen.code == 2
    check_wording(seen.err)


def test_beyond_the_budget(mechdesign, book):
    for name in "ab":
        assert mechdesign(*PAID, "-o", f"{name}.csv").code == 0
    seen = mechdesign(*PAID, "-o", "c.csv", "--record", "c.json", "--statement", "c.txt")
    assert (seen.code, seen.out) == (1, "")
    check_wording(seen.err)
    assert not [name for name in os.listdir() if name.startswith("c.")]
    assert len(book.entries()) == 2
    assert mechdesign(*PAID, "-o", "c.csv", "--alpha", "9/10").code == 0


def test_one_changed_row_does_not_evade_the_budget(mechdesign, book):
    for name in "ab":
        mechdesign(*PAID, "-o", f"{name}.csv")
    Path("people.csv").write_text(Path("people.csv").read_text() + "h999,area 0001,1\n")
    assert mechdesign(*PAID, "-o", "c.csv").code == 1


def test_the_same_file_under_another_name_is_pointed_out(mechdesign, book):
    mechdesign(*PAID, "-o", "a.csv")
    seen = mechdesign(*PAID[:-1], "other", "-o", "b.csv")
    assert seen.code == 0
    assert "warning: the same file was paid for as the data set poverty; if these are the same units" in seen.err
    Path("people.csv").write_text(Path("people.csv").read_text() + "h999,area 0001,1\n")
    assert "warning: the same file" not in mechdesign(*PAID[:-1], "third", "-o", "c.csv").err
    assert len({entry.hint for entry in book.entries()}) == 2


def test_only_a_name_that_is_new_is_said_to_have_a_full_budget(mechdesign, book):
    """A name that is misspelt has a budget of its own, so whoever pays hears of each new one, once."""
    said = []
    for name, more in (("a", ()), ("b", ()), ("c", ("--part", "north")), ("d", ("--part", "north"))):
        seen = mechdesign(*PAID, "--alpha", "9/10", "-o", f"{name}.csv", *more)
        assert seen.code == 0
        said.append([line for line in seen.err.splitlines() if "full budget" in line])
    assert said == [
        ["office.db: poverty is new: full budget"],
        [],
        ["office.db: north of poverty is new: full budget, less what every unit of poverty has spent"],
        [],
    ]


@pytest.mark.parametrize(
    "more",
    [
        ("--unit", "person"),
        ("--seed", "1"),
        ("--dataset", ""),
        ("--ledger", "no.db"),
        ("--ledger", "people.csv"),
        ("-o", "people.csv"),
    ],
    ids=["unit", "seed", "name", "missing", "another file", "written over"],
)
def test_refused(mechdesign, book, more):
    before = Path("office.db").read_bytes()
    seen = mechdesign(*PAID, "-o", "r.csv", *more)
    assert (seen.code, seen.out, seen.err.count("\n")) == (2, "", 1)
    check_wording(seen.err)
    assert not Path("r.csv").exists()
    assert Path("office.db").read_bytes() == before


@pytest.mark.parametrize(
    "given",
    [("--dataset", "d"), ("--part", "p"), ("--ledger", "office.db")],
    ids=["data set alone", "part alone", "ledger alone"],
)
def test_a_ledger_goes_with_a_data_set(mechdesign, book, given):
    values = ("local", "privatize", "--oracle", "grr", "--alpha", "1/2", "--input", "people.csv", "--column", "poor")
    for command in ((*FREE, "-o", "r.csv"), (*values, "--domain", "d.txt", "-o", "r.parquet")):
        seen = mechdesign(*command, *given)
        assert (seen.code, seen.err.count("\n")) == (2, 1)
        check_wording(seen.err)


def test_a_row_that_is_bad_takes_the_payment_back(mechdesign, book):
    Path("counts.csv").write_text("town,sick,people\nA,1,2\nB,9,3\n")
    table = ("--input", "counts.csv", "--column", "sick", "--size", "people", "--unit", "household", "--alpha", "1/2")
    seen = mechdesign("release", *table, "-o", "r.csv", *PAID[-4:])
    assert (seen.code, seen.err.count("\n")) == (2, 1)
    assert states(book) == [EntryState.CANCELLED]
    assert book.balances()[0].alpha == 1
    listed = mechdesign("ledger", "list", "office.db").out
    assert "cancelled, not paid" in listed


def test_reports_that_have_left_stay_paid(mechdesign, monkeypatch, book):
    """An interrupt just after the file got its name."""
    from mechdesign_cli.commands.local import privatize as module

    whole = module.write_reports

    def interrupted(*given):
        whole(*given)
        raise KeyboardInterrupt

    Path("d.txt").write_text("0\n1\n")
    monkeypatch.setattr(module, "write_reports", interrupted)
    asked = ("local", "privatize", "--oracle", "grr", "--alpha", "1/2", "--input", "people.csv", "--column", "poor")
    seen = mechdesign(*asked, "--domain", "d.txt", "-o", "r.parquet", *PAID[-4:], "--unit", "household")
    assert (seen.code, Path("r.parquet").exists(), states(book)) == (130, True, [EntryState.DELIVERED])


def staged(mechdesign, monkeypatch, *words):
    """Leave what a kill leaves that comes when all is staged."""
    from mechdesign.releases.staging import OutputPaths

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(OutputPaths, "publish", killed)
        assert mechdesign(*words).code == 130
    return Path("r.csv.unfinished").read_bytes()


RECORDED = ("-o", "r.csv", "--record", "r.json")


def test_what_was_drawn_without_the_ledger_is_paid_before_it_is_published(mechdesign, monkeypatch, book):
    bytes_ = staged(mechdesign, monkeypatch, *FREE, *RECORDED)
    seen = mechdesign(*PAID, *RECORDED)
    assert seen.code == 0
    assert "what was drawn without the ledger is paid now" in seen.err
    assert Path("r.csv").read_bytes() == bytes_
    assert states(book) == [EntryState.DELIVERED]


def test_what_cannot_be_paid_is_not_published(mechdesign, monkeypatch, book):
    for name in "ab":
        mechdesign(*PAID, "-o", f"{name}.csv")
    staged(mechdesign, monkeypatch, *FREE, *RECORDED)
    seen = mechdesign(*PAID, *RECORDED)
    assert (seen.code, seen.err.count("\n")) == (1, 1)
    assert not Path("r.csv").exists()
    assert Path("r.csv.unfinished").exists()


def test_another_data_set_does_not_finish_what_one_has_paid(mechdesign, monkeypatch, book):
    staged(mechdesign, monkeypatch, *PAID, *RECORDED)
    for more in (("--dataset", "other"), ("--part", "north")):
        seen = mechdesign(*PAID, *RECORDED, *more)
        assert (seen.code, seen.err.count("\n")) == (2, 1)
        check_wording(seen.err)
    assert mechdesign(*PAID, *RECORDED).code == 0
    assert states(book) == [EntryState.DELIVERED]


def test_the_same_release_again_costs_nothing(mechdesign, book):
    for _ in range(5):
        assert mechdesign(*PAID, *RECORDED).code == 0
    assert states(book) == [EntryState.DELIVERED]


def test_what_is_discarded_stays_paid(mechdesign, monkeypatch, book):
    staged(mechdesign, monkeypatch, *PAID, *RECORDED)
    assert states(book) == [EntryState.RESERVED]
    assert "paid, not delivered" in mechdesign("ledger", "list", "office.db").out
    seen = mechdesign(*PAID, *RECORDED, "--discard")
    assert seen.code == 0
    check_wording(seen.err)
    assert states(book) == [EntryState.LOST]
    assert book.balances()[0].alpha == Fraction(1, 2)


@pytest.mark.slow
def test_a_full_disk_is_one_line_and_nothing_leaves_unpaid(mechdesign, book):
    """No file may grow beyond so many bytes: from nothing to all that is needed."""
    new = Path("office.db").read_bytes()
    assert mechdesign(*PAID, *RECORDED).code == 0
    needed = max(path.stat().st_size for path in Path().glob("[or]*"))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    refused = 0
    for limit in [0, 100, 513, *range(2000, needed + 4000, needed // 8)]:
        for path in Path().glob("[ro]*"):
            path.unlink()
        Path("office.db").write_bytes(new)
        Path("office.db").chmod(0o600)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
        try:
            seen = mechdesign(*PAID, *RECORDED)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        if seen.code:
            refused += 1
            assert (seen.code, seen.err.count("\n"), seen.out) == (2, 1, "")
            assert not Path("r.csv").exists() or [entry.counts for entry in book.entries()] == [True]
        assert mechdesign(*PAID, *RECORDED).code == 0
        assert states(book)[-1] is EntryState.DELIVERED
    assert refused > 3


def test_a_ledger_that_may_not_be_made(mechdesign):
    Path("there.db").touch()
    for name, budget in (
        ("there.db", "1"),
        ("no/x.db", "1"),
        ("x.db", "nan"),
        ("x.db", "0"),
        ("x.db", "1e9"),
    ):
        seen = mechdesign("ledger", "new", name, "--budget", budget)
        assert (seen.code, seen.err.count("\n")) == (2, 1)
        check_wording(seen.err)
    assert sorted(os.listdir()) == ["people.csv", "there.db"]

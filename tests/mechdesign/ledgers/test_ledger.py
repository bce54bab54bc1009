"""A ledger: budgets, names, units, states, and what is refused."""

import hmac
import json
import os
import sqlite3
import stat
import threading
from contextlib import closing
from fractions import Fraction

import pytest
from wording import refused

from mechdesign.documents import databases
from mechdesign.errors import InputError
from mechdesign.ledgers import ledger as ledger_module
from mechdesign.ledgers.entry import Charge, EntryState
from mechdesign.ledgers.ledger import BudgetError, Ledger
from mechdesign.ledgers.table import entries_csv

HALF = Charge("release", Fraction(1, 2), "/r.csv")


@pytest.fixture
def book(tmp_path):
    """A ledger with a budget of 3 ln 2 and a little more."""
    return Ledger.new(tmp_path / "office.db", "2.0795")


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o777], ids=oct)
def test_a_new_ledger_is_its_owners(tmp_path, mask):
    before = os.umask(mask)
    try:
        book = Ledger.new(tmp_path / "office.db", budget="3/2", unit="household")
    finally:
        os.umask(before)
    assert stat.S_IMODE(book.path.stat().st_mode) == 0o600
    assert (book.header.budget, book.header.unit, book.entries(), book.balances()) == (1.5, "household", [], [])


@pytest.mark.parametrize(
    "budget", [float("nan"), "nan", float("inf"), "inf", 0, -1, "x", 201, None, True, ""], ids=repr
)
def test_no_budget(tmp_path, budget):
    with refused(InputError, about="budget"):
        Ledger.new(tmp_path / "office.db", budget)
    assert list(tmp_path.iterdir()) == []


def test_a_ledger_is_not_written_over(book):
    before = book.path.read_bytes()
    link = book.path.with_name("link.db")
    link.symlink_to(book.path)
    for path in (book.path, link):
        with refused(InputError, about="ledger"):
            Ledger.new(path, 1)
    assert book.path.read_bytes() == before


def test_the_budget_is_spent_and_no_more(book):
    account = book.account("set")
    for _ in range(3):
        account.reserve(HALF)
    with refused(BudgetError, about="epsilon"):
        account.reserve(HALF)
    with pytest.raises(BudgetError):
        account.require_room(HALF)
    assert len(book.entries()) == 3
    account.reserve(Charge("release", Fraction(1)))  # a mechanism that ignores the counts
    book.account("another").reserve(HALF)
    (balance, other) = book.balances()
    assert (balance.alpha, balance.entries, balance.undelivered) == (Fraction(1, 8), 4, 4)
    assert 0 < balance.left < Fraction(6, 10**5)
    assert (other.dataset, other.alpha) == ("another", Fraction(1, 2))
    assert book.balances("another") == [other]


def test_cancelled_entries_cost_nothing_and_lost_ones_do(book):
    account = book.account("set")
    states = (EntryState.LOST, EntryState.DELIVERED, EntryState.CANCELLED, EntryState.CANCELLED)
    for state in states:
        number = account.reserve(HALF).number
        assert book.settle(number, state).state is state
    assert book.balances()[0].alpha == Fraction(1, 4)
    account.reserve(HALF)
    with pytest.raises(BudgetError):
        account.reserve(HALF)
    assert [entry.state for entry in book.entries()] == [*states, EntryState.RESERVED]


@pytest.mark.parametrize("first", EntryState)
@pytest.mark.parametrize("then", EntryState)
def test_what_is_delivered_stays_so(book, first, then):
    number = book.account("set").reserve(HALF).number
    before = book.settle(number, first)
    after = book.settle(number, then)
    if first is EntryState.CANCELLED or (first is not EntryState.RESERVED and then is not EntryState.DELIVERED):
        assert after == before
    else:
        assert after.state is then
    assert book.entries() == [after]


def test_parts_pay_for_themselves(book):
    north, south, everybody = (book.account("set", part=part) for part in ("north", "south", ""))
    for account in (north, north, south):
        account.reserve(HALF)
    everybody.reserve(HALF)
    assert book.balances()[0].alpha == Fraction(1, 8)
    south.reserve(HALF)
    for account in (north, south, everybody):
        with refused(BudgetError):
            account.reserve(HALF)
    book.account("set", part="east").reserve(HALF)


SPELLINGS = (
    "Census",
    "CENSUS",
    "\uff43\uff45\uff4e\uff53\uff55\uff53",
    "cen sus",
    "cen-sus",
    "census\ufe0f",
    "censu\u0301s",
)
LOOK_ALIKE = ("\u0441ensus", "c\u0435nsus", "cen\u0455us")


@pytest.mark.parametrize("name", SPELLINGS + LOOK_ALIKE, ids=ascii)
def test_names_are_spelled_in_one_way(book, name):
    book.account("census", part="Nord").reserve(HALF)
    with refused(InputError, about="dataset"):
        book.account(name)
    with refused(InputError, about="part"):
        book.account("census", part="nord")
    assert book.account(" census ").dataset == "census"
    assert book.account("other", part="nord").part == "nord"


def test_a_greek_capital_makes_no_second_data_set(book):
    book.account("Hamburg").reserve(HALF)
    with refused(InputError, about="dataset"):
        book.account("\u0397am\u042curg")


def rewrite_header(path, rule):
    """Write a ledger's header as the program of an earlier rule did."""
    with closing(sqlite3.connect(path)) as connection:
        body = json.loads(connection.execute("SELECT text FROM header").fetchone()[0])
        assert (body.pop("format"), body.pop("names"), bool(body.pop("digest"))) == ("mechdesign-ledger/3", 3, True)
        body = {"format": f"mechdesign-ledger/{rule}", **body, **({} if rule == 1 else {"names": rule})}
        text = json.dumps(body, sort_keys=True, separators=(",", ":"))
        digest = hmac.new(bytes.fromhex(body["key"]), text.encode(), "sha256").hexdigest()
        connection.execute("UPDATE header SET text = ?", (json.dumps({**body, "digest": digest}),))
        connection.commit()


def test_a_ledger_of_the_second_rule_keeps_it(book):
    """By it all letters of a name are small, or all are capital; by the third each is as it is written."""
    mixed = "\u0397a\u03bd"
    book.account("hav").reserve(HALF)
    with refused(InputError, about="dataset"):
        book.account(mixed)
    rewrite_header(book.path, 2)
    assert book.account(mixed).reserve(HALF).dataset == mixed
    for name in ("HAV", "\u03b7a\u03bd", "han"):
        with refused(InputError, about="dataset"):
            book.account(name)
    assert book.header.names == 2


def test_a_ledger_of_the_first_rule_keeps_it(book):
    rewrite_header(book.path, 1)
    book.account("census").reserve(HALF)
    for name in ("Census", " CENSUS", "\uff43\uff45\uff4e\uff53\uff55\uff53"):
        with refused(InputError, about="dataset"):
            book.account(name)
    assert book.account("cen-sus").reserve(HALF).dataset == "cen-sus"
    assert book.header.names == 1


@pytest.mark.parametrize("names", [0, 1, 2, 4, "3", True, None, []], ids=repr)
def test_a_rule_that_is_none_is_refused(book, names):
    with closing(sqlite3.connect(book.path)) as connection:
        body = json.loads(connection.execute("SELECT text FROM header").fetchone()[0])
        connection.execute("UPDATE header SET text = ?", (json.dumps({**body, "names": names}),))
        connection.commit()
    with refused(InputError):
        Ledger.open(book.path)


NO_NAMES = {"none": "", "blank": "  ", "long": "x" * 41, "two lines": "a\nb", "escape": "a\x1bb"}


@pytest.mark.parametrize("name", NO_NAMES)
def test_no_name(book, name):
    with refused(InputError, about="dataset"):
        book.account(NO_NAMES[name])


def test_another_unit_is_refused(book):
    with refused(InputError, about="unit"):
        book.account("set", unit="household")


def test_a_data_set_without_entries(book):
    book.account("a").reserve(HALF)
    for look in (book.entries, book.balances):
        with refused(InputError, about="dataset"):
            look("b")


def test_what_was_drawn_is_noted(book):
    entry = book.account("set").reserve(HALF)
    noted = book.note_draw(entry.number, "d" * 64, hint="h", memory="m")
    assert (noted.content, noted.hint, noted.memory) == ("d" * 64, "h", "m")
    assert book.note_draw(entry.number, "").content == "d" * 64
    assert entries_csv(book.entries()).decode().splitlines()[1] == (
        f"1,set,,release,1/2,0.6931471805599453,0.6931471805599454,reserved,/r.csv,{'d' * 64},h,m,{entry.reserved},"
    )


def test_many_at_once_spend_no_more(book):
    refused = []

    def pay():
        try:
            book.account("set").reserve(HALF)
        except BudgetError as error:
            refused.append(error)

    threads = [threading.Thread(target=pay) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(refused), len(book.entries())) == (5, 3)


def test_from_reading_to_writing_nobody_else_pays(book, monkeypatch):
    read = ledger_module.read_entries
    met = []

    def slowly(*given):
        found = read(*given)
        with closing(sqlite3.connect(book.path, isolation_level=None, timeout=0)) as other:
            try:
                other.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                met.append(str(error))
        return found

    account = book.account("set")
    monkeypatch.setattr(ledger_module, "read_entries", slowly)
    account.reserve(HALF)
    assert met == ["database is locked"]


def test_a_kept_ledger_is_waited_for_and_then_told(book, monkeypatch):
    monkeypatch.setattr(ledger_module, "PATIENCE", 0.05)
    with closing(sqlite3.connect(book.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with refused(InputError, about="ledger"):
            book.account("set").reserve(HALF)
    assert book.entries() == []


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660], ids=oct)
def test_a_ledger_that_others_may_open_is_refused(book, mode):
    book.path.chmod(mode)
    for look in (book.entries, lambda: book.account("set"), lambda: Ledger.open(book.path)):
        with refused(InputError):
            look()


def test_links(book, monkeypatch):
    monkeypatch.setattr(databases, "HARD_LINK_SECONDS", 0.05)
    link = book.path.with_name("link.db")
    link.symlink_to(book.path)
    Ledger.open(link).account("set").reserve(HALF)
    assert len(book.entries()) == 1
    link.unlink()
    link.hardlink_to(book.path)
    with refused(InputError, about="ledger"):
        book.entries()


def test_no_ledger(tmp_path):
    (tmp_path / "folder.db").mkdir()
    (tmp_path / "text.db").write_text("ledger\n" * 200)
    (tmp_path / "empty.db").touch()
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE entries (number INTEGER)")
    for path in tmp_path.iterdir():
        path.chmod(0o700 if path.is_dir() else 0o600)
        with refused(InputError, about="ledger") as error:
            Ledger.open(path)
        assert "\n" not in str(error.value)
    with refused(InputError, about="ledger"):
        Ledger.open(tmp_path / "no.db")


DAMAGE = {
    "an alpha": "UPDATE entries SET alpha = '1' WHERE number = 2",
    "a state": "UPDATE entries SET state = 'cancelled' WHERE number = 1",
    "a data set": "UPDATE entries SET dataset = 'other' WHERE number = 1",
    "a number": "UPDATE entries SET number = 7 WHERE number = 2",
    "a missing entry": "DELETE FROM entries WHERE number = 1",
    "a budget": "UPDATE header SET text = replace(text, '4159/2000', '4159/20')",
    "no header": "DELETE FROM header",
    "two headers": "INSERT INTO header SELECT text FROM header",
    "a header of nothing": "UPDATE header SET text = '[]'",
    "a header of a number": "UPDATE header SET text = '5'",
    "a header without a key": "UPDATE header SET text = '{\"unit\": 1}'",
    "bytes": "UPDATE entries SET part = x'00ff' WHERE number = 1",
    "bytes of a header": "UPDATE header SET text = x'00ff'",
    "a digest of bytes": "UPDATE entries SET digest = x'00' WHERE number = 1",
    "a digest": "UPDATE entries SET digest = 'x' WHERE number = 1",
    "a format": "PRAGMA user_version = 2",
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_was_changed_is_found_out(book, damage):
    for _ in range(2):
        book.account("set").reserve(HALF)
    with closing(sqlite3.connect(book.path, isolation_level=None)) as other:
        other.execute(DAMAGE[damage])
    for look in (book.entries, lambda: book.account("set"), lambda: book.settle(1, EntryState.LOST)):
        with refused(InputError, about="ledger"):
            look()

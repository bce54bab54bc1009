"""`privatize` in Python pays from a ledger, and `release_file` does."""

from fractions import Fraction

import pytest
from wording import refused

from mechdesign import BudgetError, InputError, Ledger, release_file
from mechdesign.ledgers.entry import EntryState
from mechdesign_catalog import privatize
from mechdesign_catalog.collection.clients import client

ANSWERS = ["yes", "no", "yes"]


@pytest.fixture(autouse=True)
def book(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Ledger.new("office.db", "1.4")


def ask(values=ANSWERS, **more):
    return privatize(values, "grr", alpha="1/2", domain=["yes", "no"], ledger="office.db", dataset="poll", **more)


def test_reports_are_paid_for(book):
    made = [ask(), ask()]
    entries = book.entries()
    assert [entry.content for entry in entries] == [one.header.identity for one in made]
    assert {(entry.state, entry.kind, entry.output) for entry in entries} == {(EntryState.DELIVERED, "collection", "")}
    assert book.balances()[0].alpha == Fraction(1, 4)
    with refused(BudgetError):
        ask()


def test_a_bad_value_costs_nothing(book):
    with refused(InputError):
        ask(["yes", "perhaps"])
    assert book.entries() == []


def test_a_bad_value_after_the_first_reports_takes_the_payment_back(book, monkeypatch):
    monkeypatch.setattr(client, "ROWS_AT_ONCE", 2)
    with refused(InputError):
        ask(["yes", "no", "perhaps"])
    assert [entry.state for entry in book.entries()] == [EntryState.CANCELLED]
    assert book.balances()[0].alpha == 1


def test_parts_and_units(book):
    for part in ("monday", "tuesday", "wednesday"):
        ask(part=part)
    assert book.balances()[0].alpha == Fraction(1, 2)
    with refused(InputError, about="unit"):
        ask(unit="household")
    with refused(InputError):
        ask(seed=1)


def test_rounds_of_a_memory(book):
    def round_(name, values):
        privatize(
            values, "dbitflip", alpha="1/2", domain=["yes", "no"], users=["u", "v", "w"], memory="m.db", round=name,
            ledger="office.db", dataset="daily",
        )  # fmt: skip
        return book.balances()[0].alpha

    first = round_("one", ANSWERS)
    assert round_("two", ANSWERS) == first
    assert round_("three", ["no", "no", "no"]) == first**2
    assert round_("four", ["no", "yes", "no"]) == first**2  # two answers, both paid for


def test_a_release_of_the_same_people_adds_up(book):
    ask()
    with open("c.csv", "w") as file:
        file.write("town,sick,people\nA,1,2\n")
    table = {"column": "sick", "size": "people", "ledger": "office.db", "dataset": "poll"}
    with pytest.raises(BudgetError):
        release_file("c.csv", "r.csv", alpha="1/3", **table)
    made = release_file("c.csv", "r.csv", alpha="1/2", **table)
    assert [entry.content for entry in book.entries()][1:] == [made.output_digest]
    assert book.balances()[0].alpha == Fraction(1, 4)
    with refused(InputError):
        release_file("c.csv", "s.csv", alpha="1/2", seed=1, **table)

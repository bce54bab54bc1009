"""Releases of the studio that a ledger pays: priced, drawn once, paid once, and refused beyond the budget."""

import shutil

import pytest
from desk_calls import FOLDER, LEDGER, do
from killing import KILLED
from microdata import write_people

from mechdesign.ledgers.entry import EntryState
from mechdesign.ledgers.ledger import Ledger


@pytest.fixture
def ledger(tmp_path, monkeypatch):
    """A ledger of households, an empty folder of releases, and microdata beside them."""
    monkeypatch.chdir(tmp_path)
    write_people("people.csv", areas=2)
    FOLDER.mkdir()
    return Ledger.new(LEDGER, budget="1.5", unit="household")


def states(ledger):
    return [entry.state for entry in ledger.entries()]


def priced(**changes):
    return do("quote", dataset="homes", **changes)


def test_a_release_is_priced_by_the_ledger_and_paid_once(ledger):
    found = priced()
    assert found["budget"] == "homes is new: full budget, epsilon = 1.5"
    name = found["release"]
    for was_there in (False, True):
        ended = do("draw", name, dataset="homes")
        assert (ended["kind"], ended["was_there"]) == ("done", was_there)
        assert f"ledger='{LEDGER.resolve()}'" in ended["python"]
        assert "dataset='homes'" in ended["python"]
    assert states(ledger) == [EntryState.DELIVERED]
    again = priced()
    assert (again["is_there"], again["budget"]) == (True, "homes has spent epsilon = 0.693148 of 1.5; 0.806852 is left")


def test_a_price_beyond_the_budget_is_refused_and_nothing_is_drawn(ledger):
    refused = priced(alpha="1/8")
    assert (refused["kind"], refused["code"]) == ("failed", 1)
    assert "epsilon must be at most 1.5, which is left of the budget 1.5 of homes" in refused["message"]
    assert states(ledger) == []
    assert [path.name for path in FOLDER.iterdir()] == ["secret.key"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, "dataset must be named, since office.db pays for releases, got none"),
        ({"dataset": "homes", "unit": "person"}, "unit must be that of the ledger, household, got person"),
    ],
    ids=["no data set", "another unit"],
)
def test_what_the_ledger_does_not_pay_is_refused(ledger, changes, message):
    for action in ("quote", "draw"):
        ended = do(action, "release-0123456789abcdef" if action == "draw" else None, **changes)
        assert (ended["kind"], ended["code"]) == ("failed", 2)
    assert message in do("quote", **changes)["message"]
    assert states(ledger) == []


def test_a_release_that_is_given_up_stays_paid_and_the_next_pays_again(ledger):
    name = priced()["release"]
    do("draw", name, dataset="homes")
    do("discard", name)
    assert do("draw", priced()["release"], dataset="homes")["kind"] == "done"
    assert states(ledger) == [EntryState.DELIVERED, EntryState.DELIVERED]
    assert priced()["budget"] == "homes has spent epsilon = 1.3863 of 1.5; 0.113705 is left"


@pytest.mark.slow
def test_killed_at_any_call_nothing_leaves_unpaid_and_nothing_stays_open(ledger, launcher):
    name = priced()["release"]
    shutil.copy(LEDGER, "ledger.saved")
    shutil.copytree(FOLDER, "folder.saved")
    whole = launcher.run("call", "desk_calls", "draw", name, "dataset=homes")
    assert states(ledger) == [EntryState.DELIVERED], whole.err
    for number, moment in whole.changes:
        shutil.rmtree(FOLDER)
        shutil.copytree("folder.saved", FOLDER)
        LEDGER.with_name("office.db-journal").unlink(missing_ok=True)
        shutil.copy("ledger.saved", LEDGER)
        assert launcher.killed(number, moment, "call", "desk_calls", "draw", name, "dataset=homes").code == KILLED
        ended = do("finish", name)  # what the next studio does when it looks at the folder
        assert ended["kind"] == "done", (number, moment, ended)
        if ended["drawn"]:
            assert states(ledger) == [EntryState.DELIVERED], (number, moment)
        assert do("draw", name, dataset="homes")["kind"] == "done", (number, moment)
        assert states(ledger) in ([EntryState.DELIVERED], [EntryState.LOST, EntryState.DELIVERED]), (number, moment)

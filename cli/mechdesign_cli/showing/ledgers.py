"""Ledgers on the screen: what data sets have spent, in words, as a table, as JSON."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mechdesign.documents.tabular import Table, words
from mechdesign.ledgers.composition import Balance
from mechdesign.ledgers.entry import Entry, EntryState
from mechdesign.ledgers.ledger_file import LedgerHeader
from mechdesign.ledgers.payment import Payment
from mechdesign.ledgers.table import entry_cells, epsilon_interval
from mechdesign.problem.privacy import loss_text, rounded_down
from mechdesign.rational import fraction_text, number_text
from mechdesign_cli.showing.messages import say
from mechdesign_cli.showing.tables import print_facts, print_table

STATES = {
    EntryState.RESERVED: "paid, not delivered",
    EntryState.DELIVERED: "delivered",
    EntryState.LOST: "paid and lost",
    EntryState.CANCELLED: "cancelled, not paid",
}


def note_spent(payment: Payment) -> None:
    """Say on stderr what the payment met, and what its data set has spent now."""
    if payment.account is None:
        return
    for text in payment.remarks:
        say(text)
    account = payment.account
    say(f"{account.ledger.path}: {spent_text(account.balance())}")


def spent_text(balance: Balance) -> str:
    """Write what is spent from above, and what is left from below; a name that never paid is new."""
    if not balance.entries:
        return f"{balance.dataset} is new: full budget, epsilon = {number_text(balance.budget)}"
    spent, budget = loss_text(balance.alpha), number_text(balance.budget)
    return f"{balance.dataset} has spent epsilon = {spent} of {budget}; {rounded_down(balance.left)} is left"


def show_ledger(file: Path, header: LedgerHeader, balances: Sequence[Balance], entries: Sequence[Entry]) -> None:
    """Print the budget, a row for each data set, and one for each entry."""
    budget = f"epsilon = {number_text(header.budget)} for each {header.unit}, from each data set"
    print_facts([("ledger", str(file)), ("budget", budget)])
    for table in (_balances_table(balances), _entries_table(entries)) if entries else ():
        print()
        print_table(table)


def _balances_table(balances: Sequence[Balance]) -> Table:
    rows = [
        (
            balance.dataset,
            str(balance.entries),
            str(balance.undelivered),
            loss_text(balance.alpha),
            rounded_down(balance.left),
        )
        for balance in balances
    ]
    return _table(("data set", "paid", "undelivered", "epsilon", "left"), rows)


def _entries_table(entries: Sequence[Entry]) -> Table:
    rows = [
        (
            str(entry.number),
            entry.reserved[:10],
            f"{entry.dataset} ({entry.part})" if entry.part else entry.dataset,
            entry.kind,
            loss_text(entry.alpha),
            STATES[entry.state],
            entry.output.rpartition("/")[2],
        )
        for entry in entries
    ]
    return _table(("entry", "day", "data set", "kind", "epsilon", "state", "file"), rows)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    return Table.of_columns([words(head, cells, folds=True) for head, *cells in zip(header, *rows, strict=True)])


def ledger_document(header: LedgerHeader, balances: Sequence[Balance], entries: Sequence[Entry]) -> dict[str, Any]:
    """Return the JSON document of a ledger: numbers as rationals, and epsilon from below and above."""
    return {
        "unit": header.unit,
        "budget": fraction_text(header.budget),
        "created": header.created,
        "datasets": [
            {
                "dataset": balance.dataset,
                "paid": balance.entries,
                "undelivered": balance.undelivered,
                "alpha": fraction_text(balance.alpha),
                "epsilon": list(epsilon_interval(balance.alpha)),
                "left": float(rounded_down(balance.left, 12)),
            }
            for balance in balances
        ],
        "entries": [entry_cells(entry) for entry in entries],
    }

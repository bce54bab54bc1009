"""Run `mechdesign ledger list`: show what data sets have spent."""

import json as json_module

from mechdesign.ledgers.ledger import Ledger
from mechdesign.rational import number_text
from mechdesign_cli.parsing import ledger_options, options
from mechdesign_cli.showing.ledgers import balances_table, entries_table, ledger_document
from mechdesign_cli.showing.tables import console, facts


def ledger_list(
    ledger: ledger_options.LedgerArgument,
    dataset: ledger_options.OneDataset = None,
    json: options.Json = False,
) -> None:
    """List what each data set has spent, what is left, and every entry.

    Losses of the same units add up: alphas are multiplied, exactly. Of parts, which have no unit in common, the one
    that has spent most counts. What is spent is rounded up, and what is left down.

    Example: mechdesign ledger list office.db
    """
    book = Ledger.open(ledger)
    header, entries, balances = book.header, book.entries(dataset), book.balances(dataset)
    if json:
        print(json_module.dumps(ledger_document(header, balances, entries), indent=1))
        return
    out = console()
    budget = f"epsilon = {number_text(header.budget)} for each {header.unit}, from each data set"
    out.print(facts([("ledger", str(ledger)), ("budget", budget)], out.width))
    for table in (balances_table(balances), entries_table(entries)) if entries else ():
        out.print()
        out.print(table)

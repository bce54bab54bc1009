"""The command `mechdesign ledger list`: what data sets have spent."""

from functools import partial

from mechdesign.ledgers.ledger import Ledger
from mechdesign_cli.parsing import ledger_options, options
from mechdesign_cli.record import Command
from mechdesign_cli.showing.ledgers import ledger_document, show_ledger
from mechdesign_cli.showing.messages import print_result


class LedgerList(Command):
    """Every entry of the ledger is listed too.

    Losses of the same units add up: alphas are multiplied, exactly. Parts have no unit in common, so only the part that
    has spent most counts. What is spent is rounded up, and what is left is rounded down.

    Example: mechdesign ledger list office.db
    """

    ledger: ledger_options.LedgerArgument
    dataset: ledger_options.OneDataset = None
    json: options.Json = False

    def run(self) -> None:
        """Print the budget, the balances and the entries."""
        book = Ledger.open(self.ledger)
        header, entries, balances = book.header, book.entries(self.dataset), book.balances(self.dataset)
        show = partial(show_ledger, self.ledger)
        print_result(self.json, ledger_document, show, header, balances, entries)

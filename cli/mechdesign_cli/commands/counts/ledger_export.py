"""The command `mechdesign ledger export`: the entries of a ledger as a table."""

from pathlib import Path

from mechdesign.ledgers.ledger import Ledger
from mechdesign.ledgers.table import entries_csv
from mechdesign_cli.files.targets import require_targets, write_and_say
from mechdesign_cli.parsing import ledger_options
from mechdesign_cli.record import Command, option


class LedgerExport(Command):
    """The table is CSV and has all entries: exact alphas, and epsilon as floats below and above.

    Example: mechdesign ledger export office.db --output entries.csv
    """

    ledger: ledger_options.LedgerArgument
    output: Path | None = option("The table; standard output if not given.", "--output", "-o", metavar="CSV")
    dataset: ledger_options.OneDataset = None

    def run(self) -> None:
        """Write the table, or print it."""
        require_targets([self.output], None, [self.ledger], (".csv",))
        content = entries_csv(Ledger.open(self.ledger).entries(self.dataset))
        if self.output is None:
            print(content.decode(), end="")
        else:
            write_and_say({self.output: content})

"""Run `mechdesign ledger export`: write the entries of a ledger as a table."""

from pathlib import Path
from typing import Annotated

import typer

from mechdesign.ledgers.ledger import Ledger
from mechdesign.ledgers.table import entries_csv
from mechdesign_cli.files.targets import require_targets, write_and_say
from mechdesign_cli.parsing import ledger_options


def ledger_export(
    ledger: ledger_options.LedgerArgument,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="CSV file; standard output if not given.")
    ] = None,
    dataset: ledger_options.OneDataset = None,
) -> None:
    """Write all entries as CSV: exact alphas, and epsilon as floats below and above.

    Example: mechdesign ledger export office.db --output entries.csv
    """
    require_targets([output] if output else [], None, [ledger], (".csv",))
    content = entries_csv(Ledger.open(ledger).entries(dataset))
    if output is None:
        print(content.decode(), end="")
    else:
        write_and_say({output: content})

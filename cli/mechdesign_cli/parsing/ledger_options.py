"""Options of payment from a ledger, for a release or a collection."""

from pathlib import Path
from typing import Annotated

import typer

from mechdesign.ledgers.ledger import Account
from mechdesign.ledgers.payment import open_account
from mechdesign_cli.record import Group, option, shared

LedgerArgument = Annotated[Path, shared("The ledger, a file of mechdesign ledger new.", kind=typer.Argument)]
OneDataset = Annotated[str | None, shared("Show only this data set, not all of them.", "--dataset")]


class PayingLedger(Group, title="Ledger"):
    """The ledger that pays, and the data set whose budget it is."""

    ledger: Path | None = option("Ledger that pays before anything is drawn.")
    dataset: str | None = option("With --ledger: name of the data set that pays; use the same name each time.")
    part: str | None = option("With --dataset: name of this part; no other part may contain the same people.")

    def open(self, unit: str, seed: int | None) -> Account | None:
        """Open the account that pays for units of this kind; None without a ledger.

        Raises:
            InputError: as `open_account`.
        """
        return open_account(self.ledger, self.dataset, self.part, unit, seed)

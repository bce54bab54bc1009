"""The command `mechdesign ledger new`: a new ledger."""

from pathlib import Path

from mechdesign.ledgers.ledger import Ledger
from mechdesign.ledgers.names import USUAL_UNIT
from mechdesign.rational import number_text
from mechdesign_cli.record import REQUIRED, Command, argument, option
from mechdesign_cli.showing.messages import note_written, say


class LedgerNew(Command):
    """The ledger pays for releases and collections (--ledger). It is for its owner only (mode 600).

    Every data set, known by its name, has the whole budget. The losses of each unit, added up over all draws from a
    data set, stay within it.

    Example: mechdesign ledger new office.db --budget 1.0 --unit household
    """

    file: Path = argument("The file of the new ledger, an SQLite database.", default=REQUIRED)
    budget: str = option(
        "The largest epsilon that each data set may spend in all, such as 1.0 or 3/2.", default=REQUIRED
    )
    unit: str = option("What each release paid by it protects, such as person or household.", default=USUAL_UNIT)

    def run(self) -> None:
        """Make the file, and say what it allows."""
        header = Ledger.new(self.file, self.budget, self.unit).header
        note_written(self.file)
        budget_text = f"epsilon = {number_text(header.budget)} for each {header.unit}"
        say(f"each data set may spend {budget_text}; keep a copy of the file after each release")
        say(f"a {header.unit} in two data sets may lose the budget of each; a name that is new has the full budget")

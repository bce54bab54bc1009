"""Run `mechdesign ledger new`: make a ledger."""

from pathlib import Path
from typing import Annotated

import typer

from mechdesign.ledgers.ledger import Ledger
from mechdesign.ledgers.names import USUAL_UNIT
from mechdesign.rational import number_text
from mechdesign_cli.showing.messages import say, say_wrote


def ledger_new(
    file: Annotated[Path, typer.Argument(help="The file of the new ledger, an SQLite database.")],
    budget: Annotated[
        str, typer.Option("--budget", help="The most that the epsilon of each data set may come to, as 1.0 or 3/2.")
    ],
    unit: Annotated[
        str, typer.Option("--unit", help="What is protected: person, household; of every release it pays for.")
    ] = USUAL_UNIT,
) -> None:
    """Make a ledger that pays for releases and collections (--ledger), for its owner only (mode 600).

    Every data set has the whole budget, by its name. What each unit gets from all that is drawn of a data set adds up
    to no more.

    Example: mechdesign ledger new office.db --budget 1.0 --unit household
    """
    header = Ledger.new(file, budget, unit).header
    say_wrote(file)
    budget_text = f"epsilon = {number_text(header.budget)} for each {header.unit}"
    say(f"each data set may spend {budget_text}; keep a copy of the file after each release")
    say(f"a {header.unit} in two data sets may lose the budget of each; a name that is new has the full budget")

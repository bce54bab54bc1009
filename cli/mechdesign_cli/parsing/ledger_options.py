"""Declare the options by which a release or a collection is paid from a ledger."""

from pathlib import Path
from typing import Annotated

import typer

LedgerFile = Annotated[Path | None, typer.Option("--ledger", help="Ledger that pays before anything is drawn.")]
Dataset = Annotated[
    str | None,
    typer.Option("--dataset", help="With --ledger: name of the data set that pays; use the same name each time."),
]
Part = Annotated[
    str | None,
    typer.Option("--part", help="With --dataset: name of this part; no other part may contain the same people."),
]
LedgerArgument = Annotated[Path, typer.Argument(help="The ledger, a file of mechdesign ledger new.")]
OneDataset = Annotated[str | None, typer.Option("--dataset", help="Only this data set; all of them if not given.")]

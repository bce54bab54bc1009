"""A task of the Release panel in a process that may be killed.

It runs as a worker runs it: `call desk_calls ACTION [NAME]`.
"""

import json
from pathlib import Path

from mechdesign_cli.app import COMMAND_LINE
from mechdesign_cli.studio.releasing.tasks import ReleaseTask, run_release
from mechdesign_cli.studio.steps import Step

OPTIONS = {"input": "people.csv", "bit": "poor", "group": "area", "alpha": "1/2", "unit": "household"}
FOLDER = Path("store")


def step(**changes: str) -> Step:
    """The step of a release of `people.csv`."""
    options = {**OPTIONS, **changes}
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    return Step("release", ("release", *words), (), options)


LEDGER = Path("office.db")
"""The ledger that pays, where there is one."""


def do(action: str, name: str | None = None, folder: Path = FOLDER, **changes: str) -> dict:
    """Do a task; returns how it ended: `kind`, and what is said of it."""
    ledger = LEDGER.resolve() if LEDGER.exists() else None
    asked = step(**changes) if action in ("quote", "draw") else None
    ending = run_release(
        ReleaseTask(folder.resolve(), action, asked, name), ledger, COMMAND_LINE, lambda kind, data: None
    )
    return {"kind": ending.kind, **ending.data}


def main(words: list[str]) -> None:
    """Do a task and print its end; words beyond the second are NAME=VALUE, options of the release."""
    print(json.dumps(do(*words[:2], **dict(word.split("=") for word in words[2:]))))

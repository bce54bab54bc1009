"""The studio's view of the command line, which is handed in.

The rooms above this one import the command line.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mechdesign_cli.record import Command


@dataclass(frozen=True)
class CommandLine:
    """The command line as functions of modules, which workers unpickle.

    `run` runs a list of words and returns the exit code; `command` finds the Typer command of a name, and `record`
    what it is made of.
    """

    run: Callable[[list[str]], int]
    command: Callable[[str], Any]
    record: Callable[[str], type[Command]]

"""State what the studio needs of the command line, which is handed in: the rooms above this one import it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class CommandLine:
    """The command line as functions of modules, which workers unpickle.

    `run` runs a list of words and returns the exit code; `function` finds a command's function, and `command` the
    Typer command that is made of it.
    """

    run: Callable[[list[str]], int]
    function: Callable[[str], Callable[..., object]]
    command: Callable[[str], Any]

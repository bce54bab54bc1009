"""Completion of a command line's words, as Typer has it for the shells that it knows."""

import os
from importlib import import_module
from typing import Any

VARIABLE = "_MECHDESIGN_COMPLETE"
"""The environment variable by which a shell's script asks for completions."""


def is_completing() -> bool:
    """Return whether a shell asks for completions, and nothing is to be run."""
    return VARIABLE in os.environ


def script(shell: str) -> str:
    """Return what a shell has to read."""
    text: str = _typers().get_completion_script(prog_name="mechdesign", complete_var=VARIABLE, shell=shell)
    return text


def complete(group: Any) -> int:
    """Print how the line that the shell has put into the environment may go on; returns the exit code."""
    typers = _typers()
    typers.completion_init()
    code: int = typers.shell_complete(group, {}, "mechdesign", VARIABLE, os.environ[VARIABLE])
    return code


def _typers() -> Any:
    """Typer's own module, loaded where it is asked for; it does not state all of its names."""
    return import_module("typer.completion")

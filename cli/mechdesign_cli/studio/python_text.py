"""A job's steps as Python with the same result, for the page to show and people to copy."""

from collections.abc import Sequence

import typer

from mechdesign.errors import InputError
from mechdesign_cli.python_text import NoPythonError, PythonText
from mechdesign_cli.record import Command, python_of, record_of
from mechdesign_cli.studio.command_line import CommandLine
from mechdesign_cli.studio.steps import Step


def python_text(steps: Sequence[Step], line: CommandLine) -> str | None:
    """Write steps as one piece of Python; None where a step has no counterpart in Python.

    Only public names are used. A file that a command alone can write is told in a comment.
    """
    text = PythonText()
    try:
        for number, step in enumerate(steps):
            if number:
                text.add("")
            python_of(record_of_step(step, line), text)
    except (NoPythonError, InputError, typer.TyperException, KeyError, ValueError):
        return None
    return text.text()


def record_of_step(step: Step, line: CommandLine) -> Command:
    """Read a step as the command line does."""
    words = list(step.words[len(step.command.split()) :])
    return record_of(line.record(step.command), line.command(step.command).make_context(step.command, words).params)

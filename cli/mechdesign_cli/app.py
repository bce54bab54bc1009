"""Build the Typer app, and turn errors into a line on stderr and an exit code, here and nowhere else."""

import os
import re
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from mechdesign.errors import LONGEST_SHOWN, InputError, MachineError, MechdesignError, NoAnswerError, shorten
from mechdesign.names import nearest_name
from mechdesign_cli.commands import SUMMARIES
from mechdesign_cli.completing import complete, is_asked
from mechdesign_cli.endings import (
    BAD_INPUT,
    DONE,
    INTERRUPTED,
    NO,
    UNEXPECTED,
    complain,
    interrupted,
    report_unexpected,
)
from mechdesign_cli.group import Quiet, add_commands, load_command, load_function
from mechdesign_cli.jobs import JOBS
from mechdesign_cli.showing.messages import begin, say, written
from mechdesign_cli.streams import PrintError, guarded
from mechdesign_cli.studio.command_line import CommandLine

app = typer.Typer(
    name="mechdesign",
    help="Design differentially private mechanisms by linear programming, and prove what was designed.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        from mechdesign.version import __version__

        typer.echo(f"mechdesign {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Design mechanisms for differential privacy, and prove them exactly."""


LONGEST_WORD = 160
"""Letters without a space that a message may have; paths are so long."""

CODES = {InputError: BAD_INPUT, NoAnswerError: NO, MachineError: UNEXPECTED, MechdesignError: UNEXPECTED}
OTHER_COMPARISON: dict[str, tuple[str, str, set[str]]] = {
    "compare": ("compare-oracles", "local oracles are compared by mechdesign compare-oracles", {"--model"}),
    "compare-oracles": ("compare", "mechanisms for counts are compared by mechdesign compare", set()),
}
"""For each comparison the other one, the message that points to it, and options that it is taken to have."""


def run(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit code, after at most one line on stderr about what is wrong.

    An error that nobody foresaw is code 70, never 1: that is a verdict, which scripts act on.
    """
    given = sys.argv[1:] if arguments is None else arguments
    with guarded():
        return _run(given)


def _run(given: list[str]) -> int:
    if any("\0" in word for word in given):  # no shell can type one
        return complain("arguments must be texts without zero bytes, got one with some", BAD_INPUT)
    try:
        begin()
        if is_asked():
            return complete(add_commands(app))
        result = _call(given) if given else print(JOBS)
        sys.stdout.flush()
        say()
    except (KeyboardInterrupt, typer.Abort):
        return complain(*interrupted())
    except (Exception, SystemExit) as error:
        return _end_by(error, given)
    if result == INTERRUPTED:  # Typer turns Ctrl-C inside a command into an exit of its own
        return complain(*interrupted())
    return result if isinstance(result, int) else DONE


def _end_by(error: BaseException, given: list[str]) -> int:
    """Say what is wrong, and return the exit code of this error."""
    if isinstance(error, typer.TyperException):
        return complain(_with_short_words(_with_help(error), given), BAD_INPUT)
    if isinstance(error, MechdesignError):
        code = next(code for kind, code in CODES.items() if isinstance(error, kind))
        return complain(_with_short_words(_with_options(error, given), given), code)
    if isinstance(error, PrintError):
        done = f"; written before: {', '.join(map(str, written()))}" if written() else ""
        said = f"standard output must take what is printed, got {error}{done}"
        return complain(_with_short_words(said, given), BAD_INPUT)
    if isinstance(error, BrokenPipeError):  # a reader who has seen enough (`| head`)
        return DONE
    if isinstance(error, OSError) and isinstance(error.filename, str | bytes):
        said = f"{error.strerror or error}: {os.fsdecode(error.filename)}"
        return complain(_with_short_words(said, given), BAD_INPUT)
    return report_unexpected(error)


def _call(arguments: list[str]) -> object:
    try:
        return add_commands(app)(
            args=arguments,
            prog_name="mechdesign",
            standalone_mode=False,
            obj=CommandLine(run, load_function, load_command),
        )
    except SystemExit as error:
        if isinstance(error.__context__, BrokenPipeError):  # Typer makes an exit of it
            raise error.__context__ from None
        raise


def _with_short_words(message: str, given: list[str]) -> str:
    """A message in which what was typed is short, whoever repeated it, and so is every word of a file.

    What was typed is also the value of `--name=value`.
    """
    words = {part for word in given for part in (word, word.partition("=")[2])}
    for word in sorted(words, key=len, reverse=True):
        message = message.replace(word, shorten(word)) if len(word) > LONGEST_SHOWN else message
    return " ".join(shorten(word, LONGEST_WORD) for word in message.split())


def _with_help(error: typer.TyperException) -> str:
    """A usage error in the shape of all errors, and where the usage stands."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "mechdesign"
    if other := _other_comparison(command, getattr(error, "option_name", None)):
        return other
    if (typed := getattr(error, "option_name", None)) is not None and hasattr(error, "possibilities"):
        return f"No such option: {typed}{_near_option(typed, error.possibilities)}; see {command} --help"
    message = re.sub(r"^Invalid value for '(--[\w-]+)': ", r"\1 ", error.format_message())
    return f"{message.rstrip('.')}; see {command} --help"


NEAR = 0.75
"""From this share of common letters on, an option is taken for a slip of another."""

PYTHON_NAMES = {"properties": "props"}
"""Arguments that Python calls otherwise than the command line."""


def _near_option(typed: str, known: Sequence[str] | None) -> str:
    """Ask whether the option most like the one that was typed was meant; nothing where none is like it."""
    word, words = typed.lstrip("-").lower(), [text.removeprefix("--") for text in known or ()]
    begun = [text for text in words if len(word) > 2 and text.startswith(word)]
    near = begun[0] if begun else nearest_name(word, words, NEAR)
    return f"; did you mean --{near}?" if near else ""


def _with_options(error: MechdesignError, given: list[str]) -> str:
    """The message with arguments named as options: those that were typed, that are missing, or that it ends with."""
    options = _options_of(given)
    typed = {word.partition("=")[0] for word in given}
    is_missing = re.search(r"\bgot (none|neither)\b|\bgive \w+(=\w+)?$", str(error)) is not None

    def named(name: str) -> str | None:
        spellings = options.get(PYTHON_NAMES.get(name, name), ())
        return spellings[0] if spellings and (is_missing or typed & set(spellings)) else None

    return error.told(named)


def _options_of(given: list[str]) -> dict[str, list[str]]:
    """The spellings of each option of the command that was typed, by its name and the name of its parameter."""
    words = [word for word in given if not word.startswith("-")]
    command = next((name for name in (" ".join(words[:2]), *words[:1]) if name in SUMMARIES), None)
    if command is None:
        return {}
    found: dict[str, list[str]] = {}
    for parameter in load_command(command).params:
        spellings = sorted((text for text in parameter.opts if text.startswith("-")), key=len, reverse=True)
        for name in {parameter.name, *(text.lstrip("-").replace("-", "_") for text in spellings[:1])}:
            found[str(name)] = spellings
    return found


def _other_comparison(command: str, option: str | None) -> str | None:
    """What to say to who asks one comparison for an option of the other; None to everybody else."""
    name = command.rpartition(" ")[2]
    if option is None or name not in OTHER_COMPARISON:
        return None
    other, words, more = OTHER_COMPARISON[name]
    taken = {text for parameter in load_command(other).params for text in parameter.opts}
    return f"No such option: {option}; {words}" if option in taken | more else None

"""The Typer app.

Errors become a line on stderr and an exit code, here and nowhere else.
"""

import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Annotated

import typer

from mechdesign.errors import LONGEST_SHOWN, InputError, MachineError, MechdesignError, NoAnswerError, shorten
from mechdesign.names import nearest_name
from mechdesign_cli.commands import GROUPS, MOVED, SUMMARIES, command_of
from mechdesign_cli.completing import complete, is_completing
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
from mechdesign_cli.group import Program, Quiet, add_commands, load_command, load_record
from mechdesign_cli.jobs import JOBS
from mechdesign_cli.showing.messages import begin, say, written
from mechdesign_cli.streams import PrintError, guarded
from mechdesign_cli.studio.command_line import CommandLine

app = typer.Typer(
    name="mechdesign",
    cls=Program,
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
OTHER_COMMANDS = {
    "solve": ("local design",),
    "compare": ("local compare",),
    "local design": ("solve",),
    "local oracles": ("local compare",),
    "local compare": ("compare", "local oracles"),
    "local task new": ("local privatize",),
    "local aggregate": ("local ranges", "local marginals", "local dependence"),
    "local ranges": ("local marginals", "local dependence"),
    "local marginals": ("local ranges", "local dependence"),
    "local dependence": ("local ranges", "local marginals"),
}
"""For some commands those whose options are looked for at them."""

PURPOSES = {
    "solve": "mechanisms for counts, or for all items alike, are designed",
    "compare": "mechanisms for counts are compared",
    "local design": "reports for a workload are designed",
    "local oracles": "oracles for a domain are listed",
    "local compare": "local oracles are compared",
    "local privatize": "values are made private",
    "local ranges": "ranges and quantiles are estimated",
    "local marginals": "tables of several attributes are estimated",
    "local dependence": "dependences between attributes are tested",
}
"""What is done by these other commands."""

NO_LONGER = {("compare", "--model"): "local compare", ("local aggregate", "--all"): "local marginals"}
"""Options that are none any more, and the command that does without."""


def run(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit code, after at most one line on stderr about what is wrong.

    An error that nobody foresaw is code 70, never 1: that is a verdict, which scripts act on.
    """
    given = sys.argv[1:] if arguments is None else arguments
    with guarded():
        return _run(given)


COMMAND_LINE = CommandLine(run, load_command, load_record)
"""What the studio is handed."""


def _run(given: list[str]) -> int:
    if any("\0" in word for word in given):  # no shell can type one
        return complain("arguments must be texts without zero bytes, got one with some", BAD_INPUT)
    try:
        begin()
        if is_completing():
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
        return complain(_with_short_words(_with_help(error, given), given), BAD_INPUT)
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
            obj=COMMAND_LINE,
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


def _with_help(error: typer.TyperException, given: list[str]) -> str:
    """A usage error in the shape of all errors, and where the usage stands."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else f"mechdesign {_command_in(given)}".rstrip()
    if (typed := getattr(error, "option_name", None)) is not None and hasattr(error, "possibilities"):
        if other := _other_command(command, typed):
            return other
        if _begins(command).rstrip() in ("", *GROUPS):
            return f"{typed} must follow the name of a command, got it after {command}; see {command} --help"
        return f"no such option: {typed}{_near_option(typed, error.possibilities)}; see {command} --help"
    message = error.format_message().rstrip(".")
    if (unknown := NO_COMMAND.fullmatch(message)) is not None:
        return f"no such command: {_begins(command)}{unknown[2]}; {_near_command(unknown[2], command)}"
    for pattern, sentence in USAGE.items():
        message = re.sub(pattern, sentence, message)
    return f"{message}; see {command} --help"


USAGE = {
    r"^Missing (?:argument|option) '([^']+)'(?: / '[^']+')*": r"\1 must be given, got none",
    r"\. Choose from:\s+": ": one of ",
    r"^Option '([^']+)' requires an argument": r"\1 must have a value, got none",
    r"^Option '([^']+)' does not take a value": r"\1 must have no value, got one",
    r"^Got unexpected extra arguments?(?:\(s\))? \((.*)\)$": r"no further argument must be given, got \1",
    r"^Invalid value for '([^']+)': (?:Value error, )?'(.*)' is not one of (.*)$": r"\1 must be one of \3, got \2",
    r"^Invalid value for '(--[\w-]+)': ": r"\1 ",
}
"""What Typer says, and what is said in its place."""


def _near_command(typed: str, group: str) -> str:
    """Ask whether a command was meant: one of this name, wherever it is, or one like it, of the same group at first."""
    moved = {before: [now] for before, now in MOVED.items()}
    places: dict[str, list[str]] = {**moved}
    begins = _begins(group)
    for name in (*SUMMARIES, *GROUPS):
        if name.startswith(begins) or begins.startswith(name.rpartition(" ")[0]):
            places.setdefault(name.rpartition(" ")[2], []).append(name)
    inner = {name.removeprefix(begins): [name] for name in (*SUMMARIES, *GROUPS) if name.startswith(begins)}
    meant = places.get(typed)
    for known in ({**inner, **moved}, places):
        meant = meant or known.get(_nearest(typed, known) or "")
    return f"did you mean {' or '.join(f'mechdesign {name}' for name in meant)}?" if meant else f"see {group} --help"


def _begins(group: str) -> str:
    """The words of a group that a command's name begins with."""
    return f"{group} ".removeprefix("mechdesign ")


NO_COMMAND = re.compile(r"""No such command (['"])(.*)\1\.?(?: Did you mean .*)?""")
"""What Typer says of a command that is none."""

NEAR, NEAR_IF_SHORT = 0.75, 0.66
"""From this share of common letters on, a word is taken for a slip of another; of three letters two are enough."""


def _nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that begins like one that was typed, or else the one most like it, if any is."""
    begun = [text for text in known if len(word) > 2 and text.startswith(word)]
    return min(begun, key=len, default=None) or nearest_name(word, known, NEAR_IF_SHORT if len(word) <= 3 else NEAR)


def _near_option(typed: str, known: Sequence[str] | None) -> str:
    """Ask whether the option most like the one that was typed was meant; nothing where none is like it."""
    near = _nearest(typed.lstrip("-").lower(), [text.removeprefix("--") for text in known or ()])
    return f"; did you mean --{near}?" if near else ""


def _with_options(error: MechdesignError, given: list[str]) -> str:
    """The message with arguments named as options: those that were typed, that are missing, or that it ends with."""
    options = _options_of(given)
    typed = {word.partition("=")[0] for word in given}
    is_missing = re.search(r"\bgot (none|neither)\b|\bgive \w+(=\w+)?$", str(error)) is not None

    def named(name: str) -> str | None:
        spellings = options.get(name, ())
        return spellings[0] if spellings and (is_missing or typed & set(spellings)) else None

    return error.named_by(named)


def _command_in(given: list[str]) -> str:
    """Return the command, or the group, that was typed; "" for another word."""
    name = command_of([word for word in given if not word.startswith("-")])
    return name if name in SUMMARIES or name in GROUPS else ""


def _options_of(given: list[str]) -> dict[str, list[str]]:
    """The spellings of each option of the command that was typed, by its name and the name of its parameter."""
    if (command := _command_in(given)) not in SUMMARIES:
        return {}
    found: dict[str, list[str]] = {}
    for parameter in load_command(command).params:
        spellings = sorted((text for text in parameter.opts if text.startswith("-")), key=len, reverse=True)
        for name in {parameter.name, *(text.lstrip("-").replace("-", "_") for text in spellings[:1])}:
            found[str(name)] = spellings
    return found


def _other_command(command: str, option: str) -> str | None:
    """What to say where an option is that of another command; None elsewhere."""
    name = command.removeprefix("mechdesign ")
    others = (
        other
        for other in OTHER_COMMANDS.get(name, ())
        if any(option in parameter.opts for parameter in load_command(other).params)
    )
    other = NO_LONGER.get((name, option)) or next(others, None)
    return None if other is None else f"no such option: {option}; {PURPOSES[other]} by mechdesign {other}"

"""The commands and options that the page may use, as plain data between processes."""

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, get_args, get_origin

from mechdesign_cli.record import parameters_of
from mechdesign_cli.studio.command_line import CommandLine

OFFERED = (
    "solve", "check", "formula", "landscape", "catalog", "estimate", "simulate", "compare", "data",
    "report", "calibrate", "local calibrate",
    "local design", "local oracles", "local compare", "local task new", "local task show",
    "local task receive", "local privatize", "local aggregate", "local ranges", "local marginals", "local dependence",
    "table design", "table export",
)  # fmt: skip
"""The others have no place on the page, or, as release, one of their own."""

FIRST = ("solve", "report", "landscape", "calibrate", "formula", "catalog", "simulate", "check")
"""Those of Start, Design, Prices and Check, with which the page begins."""

ELSEWHERE = ("sweep", "reproduce", "derive")
"""Some of those without a place, which the page names with an example."""

EXAMPLE = "Example: "

WITHHELD = frozenset(
    {"data-dir", "memory", "key", "discard", "replace", "jobs", "cluster", "help", "ledger", "dataset", "part"}
)
"""Options that name folders, secrets or hosts, or how much of the machine is taken."""

PRINTED = frozenset({"json", "summary", "fractions", "explain", "plan"})
"""Options that say how a command prints: the page asks for what it draws."""

KINDS = {Path: "file", bool: "flag", int: "number", float: "number"}


@dataclass(frozen=True, kw_only=True)
class Option:
    """One option: its name without dashes, what a value is, whether it may come several times, and its help.

    A flag may have a `negation`, the name that says no. Words that a value is one of are `choices`. What is `printed`
    says how the command prints, and has no place in a form.

    The kind is `flag`, `number`, `text` (which may name a file besides words) or `file`.
    """

    name: str
    kind: str
    negation: str | None = None
    repeatable: bool
    help: str
    default: str | None = None
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    printed: bool = False


@dataclass(frozen=True)
class Command:
    """One command: its summary, its arguments, and its options by name."""

    name: str
    summary: str
    arguments: tuple[Option, ...]
    options: Mapping[str, Option]

    def document(self) -> dict[str, Any]:
        """Describe it for the page."""
        return {
            "summary": self.summary,
            "arguments": [asdict(argument) for argument in self.arguments],
            "options": [asdict(option) for option in self.options.values()],
        }


def list_commands(line: CommandLine, names: Iterable[str] = OFFERED) -> dict[str, Command]:
    """List commands that the page may use, from the Typer app; this imports each of them."""
    return {name: find_command(name, line) for name in names}


def find_command(name: str, line: CommandLine, withheld: frozenset[str] = WITHHELD) -> Command:
    """Describe one command, but for what is withheld."""
    stated = {one.name: one for one in parameters_of(line.record(name))}
    typed = line.command(name)
    options: list[Option] = []
    arguments: list[Option] = []
    for parameter in typed.params:
        if parameter.name in stated:
            found = _option(parameter, stated[parameter.name])
            (options if parameter.param_type_name == "option" else arguments).append(found)
    kept = {option.name: option for option in options if option.name not in withheld}
    return Command(name, typed.help.partition("\n")[0], tuple(arguments), kept)


def list_examples(line: CommandLine) -> list[dict[str, str]]:
    """List commands that the page only names, each with what it does and its first example."""
    helps = {name: line.command(name).help.splitlines() for name in ELSEWHERE}
    first = {name: next(text for text in lines if text.startswith(EXAMPLE)) for name, lines in helps.items()}
    return [
        {"name": name, "summary": lines[0], "example": first[name].removeprefix(EXAMPLE)}
        for name, lines in helps.items()
    ]


def _option(parameter: Any, stated: inspect.Parameter) -> Option:
    hint, info = stated.annotation.__origin__, stated.annotation.__metadata__[0]
    kinds = {inner for part in (hint, *get_args(hint)) for inner in (part, *get_args(part))}
    default = parameter.default
    shown = None if default is None or isinstance(default, bool) else str(default)
    name = next((text.removeprefix("--") for text in parameter.opts if text.startswith("--")), parameter.name)
    return Option(
        name=name,
        kind=next((kind for of, kind in KINDS.items() if of in kinds), "text"),
        repeatable=any(get_origin(part) is list for part in (hint, *get_args(hint))),
        help=getattr(parameter, "help", None) or "",
        negation=next((text.removeprefix("--") for text in parameter.secondary_opts), None),
        default=shown,
        metavar=parameter.metavar,
        choices=() if info.autocompletion is None else tuple(info.autocompletion("")),
        printed=name in PRINTED,
    )

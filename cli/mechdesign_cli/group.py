"""The command group, which imports a command's module only for its run or its help."""

import io
from collections.abc import Mapping
from contextlib import nullcontext, redirect_stdout
from functools import cache
from importlib import import_module
from inspect import cleandoc
from types import MappingProxyType
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from mechdesign_cli.commands import GROUPS, SUMMARIES, TITLES, module_name, record_name, room_of
from mechdesign_cli.parsing.value_names import name_values
from mechdesign_cli.record import Command, function_of, panels_of
from mechdesign_cli.showing.messages import hush, is_quiet


def _hush_if(is_wanted: bool) -> None:
    if is_wanted:
        hush()


Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        callback=_hush_if,
        expose_value=False,
        help="Print nothing but --json output and errors.",
    ),
]


def load_record(name: str) -> type[Command]:
    """Import a command's module, and return its record."""
    record: type[Command] = getattr(import_module(module_name(name)), record_name(name))
    return record


@cache
def load_command(name: str) -> TyperCommand:
    """Make a command of its record, once in a process; the help begins with the command's summary.

    To make it, and the adapters of its options, takes longer than to design a small mechanism.
    """
    record = load_record(name)
    text = f"{SUMMARIES[name]}\n\n{cleandoc(record.__doc__ or '')}"
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name, cls=PanelledCommand, help=text)(function_of(record))
    command = get_command(alone)
    assert isinstance(command, PanelledCommand)
    command.panels = with_help(panels_of(record))
    name_values(record, command.params)
    command.params.append(_quiet_option())
    return command


def with_help(panels: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Add the option that shows the help to the last group."""
    *_, last = panels
    return {title: (*names, "help") if title == last else names for title, names in panels.items()}


def _quiet_option() -> Any:
    """The option that every command takes after its own."""
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command()(_takes_quiet)
    return next(option for option in get_command(alone).params if option.name == "quiet")


def _takes_quiet(quiet: Quiet = False) -> None:
    """State the option."""


class PanelledCommand(TyperCommand):
    """A command whose help groups the options: names of parameters by title."""

    panels: Mapping[str, tuple[str, ...]] = MappingProxyType({})

    def invoke(self, ctx: Any) -> Any:
        """Run the command; where it is quiet, what it prints is the document that `--json` asks for, or nothing."""
        is_hushed = is_quiet() and not ctx.params.get("json")
        with redirect_stdout(io.StringIO()) if is_hushed else nullcontext():
            return super().invoke(ctx)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the words of the usage; what must be given stands without braces."""
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options group by group; the last has those that every command takes."""
        found = {parameter.name: parameter for parameter in self.get_params(ctx)}
        for title, names in self.panels.items():
            with formatter.section(title):
                shown = [*names, "quiet"] if "help" in names else names
                formatter.write_dl([help_record(found[name], ctx) for name in shown])


def help_record(parameter: Any, ctx: Any) -> tuple[str, str]:
    """Return what the help shows of an argument or an option, and its text; an argument by the name of its value."""
    shown, text = parameter.get_help_record(ctx)
    if parameter.param_type_name == "argument":
        shown = parameter.metavar + ("..." if parameter.nargs == -1 else "")
    return shown, text


class LoadedWhenRun(TyperCommand):
    """A command as the list of commands shows it, and what loads it; in a group it is shown by its last word."""

    def __init__(self, name: str) -> None:
        super().__init__(name.rpartition(" ")[2], short_help=SUMMARIES[name])
        self.whole_name = name

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Begin to run the command itself."""
        return load_command(self.whole_name).make_context(info_name, args, parent, **extra)


class CommandGroup(TyperGroup):
    """The commands whose names begin with the same words; these alone list them."""

    def __init__(self, name: str) -> None:
        super().__init__(
            name=name.rpartition(" ")[2],
            help=GROUPS[name],
            commands=commands_in(name),
            params=[_quiet_option()],
            rich_markup_mode=None,
        )

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take the words after the group's own; none ask for its help."""
        return super().parse_args(ctx, args or ["--help"])


class Program(TyperGroup):
    """All commands; the help lists them under the titles of their rooms."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list, in columns that are the same for all rooms."""
        width = max(map(len, self.commands))
        rooms: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            rooms.setdefault(TITLES.get(room_of(name), room_of(name)), []).append(
                (name.ljust(width), command.get_short_help_str(LONGEST_HELP))
            )
        for title, rows in rooms.items():
            with formatter.section(title):
                formatter.write_dl(rows)


LONGEST_HELP = 60
"""Letters of a command's summary."""


def commands_in(group: str) -> dict[str, Any]:
    """Return the commands and groups directly in a group, none of them loaded; "" has those of all."""
    begins = f"{group} " if group else ""
    found: dict[str, TyperCommand | TyperGroup] = {}
    for name in SUMMARIES:
        if name.startswith(begins):
            word = name.removeprefix(begins).partition(" ")[0]
            inner = begins + word
            if word not in found:
                found[word] = CommandGroup(inner) if inner in GROUPS else LoadedWhenRun(inner)
    return found


def add_commands(app: typer.Typer) -> TyperGroup:
    """Return the app as a group of all commands, none of them loaded."""
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    for name, command in commands_in("").items():
        group.add_command(command, name)
    return group

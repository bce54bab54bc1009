"""Group the commands so that a command's module is imported only when it is run, or when its own help is asked for."""

import io
from collections.abc import Callable, Mapping
from contextlib import nullcontext, redirect_stdout
from functools import cache
from importlib import import_module
from inspect import cleandoc
from types import MappingProxyType
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from mechdesign_cli.commands import GROUPS, SUMMARIES, function_name, module_name
from mechdesign_cli.parsing.value_names import name_values
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


def load_function(name: str) -> Callable[..., object]:
    """Import a command's module, and return its function."""
    function: Callable[..., object] = getattr(import_module(module_name(name)), function_name(name))
    return function


@cache
def load_command(name: str) -> TyperCommand:
    """Make a command of its function, once in a process; the help begins with the command's summary.

    To make it, and the adapters of its options, takes longer than to design a small mechanism.
    """
    function = load_function(name)
    module = import_module(module_name(name))
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name, cls=PanelledCommand, help=f"{SUMMARIES[name]}\n\n{cleandoc(function.__doc__ or '')}")(function)
    command = get_command(alone)
    assert isinstance(command, PanelledCommand)
    command.panels = getattr(module, "PANELS", {})
    name_values(function, command.params)
    command.params.append(_quiet_option())
    return command


def _quiet_option() -> Any:
    """The option that every command takes after its own."""
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command()(_takes_quiet)
    return next(option for option in get_command(alone).params if option.name == "quiet")


def _takes_quiet(quiet: Quiet = False) -> None:
    """State the option."""


class PanelledCommand(TyperCommand):
    """A command whose help groups the options where its module has `PANELS`: names of parameters by title."""

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
        """Write the options group by group; without groups, the arguments and then the options."""
        found = {parameter.name: parameter for parameter in self.get_params(ctx)}
        panels = self.panels or {
            title: tuple(name for name, parameter in found.items() if parameter.param_type_name == kind)
            for title, kind in (("Arguments", "argument"), ("Options", "option"))
        }
        for title, names in panels.items():
            shown = [*names, "quiet"] if self.panels and "help" in names else names
            if shown:
                with formatter.section(title):
                    formatter.write_dl([help_record(found[name], ctx) for name in shown])


def help_record(parameter: Any, ctx: Any) -> tuple[str, str]:
    """Return what the help shows of an argument or an option, and its text; an argument by the name of its value."""
    shown, text = parameter.get_help_record(ctx)
    if parameter.param_type_name == "argument":
        shown = parameter.metavar + ("..." if parameter.nargs == -1 else "")
    return shown, text


class LoadedWhenRun(TyperCommand):
    """A command as the list of commands shows it, and what loads it; in a group it is shown by its second word."""

    def __init__(self, name: str) -> None:
        super().__init__(name.rpartition(" ")[2], short_help=SUMMARIES[name])
        self.whole_name = name

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Begin to run the command itself."""
        return load_command(self.whole_name).make_context(info_name, args, parent, **extra)


class CommandGroup(TyperGroup):
    """The commands whose names begin with one word; that word alone lists them."""

    def __init__(self, name: str) -> None:
        commands = [LoadedWhenRun(command) for command in SUMMARIES if command.startswith(f"{name} ")]
        super().__init__(
            name=name,
            help=GROUPS[name],
            commands={str(command.name): command for command in commands},
            params=[_quiet_option()],
            rich_markup_mode=None,
        )

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take the words after the group's own; none ask for its help."""
        return super().parse_args(ctx, args or ["--help"])


def add_commands(app: typer.Typer) -> TyperGroup:
    """Return the app as a group of all commands, none of them loaded."""
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    for name in dict.fromkeys(command.partition(" ")[0] for command in SUMMARIES):
        group.add_command(CommandGroup(name) if name in GROUPS else LoadedWhenRun(name))
    return group

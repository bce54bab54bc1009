"""Group the commands so that a command's module is imported only when it is run, or when its own help is asked for."""

from collections.abc import Mapping
from importlib import import_module
from inspect import cleandoc
from types import MappingProxyType
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from mechdesign_cli.commands import SUMMARIES, module_name


def load_command(name: str) -> TyperCommand:
    """Import a command's module and make a command of its function; the help begins with the command's summary."""
    module = import_module(module_name(name))
    function = getattr(module, name.replace("-", "_"))
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name, cls=PanelledCommand, help=f"{SUMMARIES[name]}\n\n{cleandoc(function.__doc__)}")(function)
    command = get_command(alone)
    assert isinstance(command, PanelledCommand)
    command.panels = getattr(module, "PANELS", {})
    return command


class PanelledCommand(TyperCommand):
    """A command whose help groups the options where its module has `PANELS`: names of parameters by title."""

    panels: Mapping[str, tuple[str, ...]] = MappingProxyType({})

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options group by group."""
        if not self.panels:
            super().format_options(ctx, formatter)
            return
        found = {parameter.name: parameter.get_help_record(ctx) for parameter in self.get_params(ctx)}
        for title, names in self.panels.items():
            with formatter.section(title):
                formatter.write_dl([record for name in names if (record := found[name])])


class LoadedWhenRun(TyperCommand):
    """A command as the list of commands shows it, and what loads it."""

    def __init__(self, name: str) -> None:
        super().__init__(name, short_help=SUMMARIES[name])

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Begin to run the command itself."""
        return load_command(self.name or "").make_context(info_name, args, parent, **extra)


def add_commands(app: typer.Typer) -> TyperGroup:
    """Return the app as a group of all commands, none of them loaded."""
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    for name in SUMMARIES:
        group.add_command(LoadedWhenRun(name))
    return group

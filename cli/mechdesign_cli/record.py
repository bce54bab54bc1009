"""Commands as records: a frozen dataclass whose fields are the arguments and options, each stated once.

A field is stated by `option` or `argument`, or, where several records share it, annotated by `shared`. It has the name
of the argument in Python. The command line, its help, the page's form, the reference page and the Python text are
made of these fields. Options that several commands share are fields of a `Group`, which is a field of the command; the
help shows them under the group's title, after the command's own.
"""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, TypeVar, cast, dataclass_transform, get_args, get_type_hints

import typer
from typer import Context
from typer.models import ArgumentInfo

from mechdesign.errors import InputError
from mechdesign_cli.parsing.numbers import whole_number
from mechdesign_cli.python_text import SILENT, NoPythonError, PythonText

OWN, ARGUMENTS = "Options", "Arguments"
"""Titles of what a command does not share."""


REQUIRED = MISSING
"""The default of a field that must be given."""

WRITES = "writes"
"""The key under which a field has the endings of the file that it writes."""


@dataclass(frozen=True)
class Stated:
    """The facts of a field that Typer needs beside its type."""

    kind: Callable[..., Any]
    names: tuple[str, ...]
    told: Mapping[str, Any]


def shared(help: str, *names: str, kind: Callable[..., Any] = typer.Option, **told: Any) -> Stated:
    """State a field of several records, in an annotation of its type; as `option`, or `argument` for that `kind`."""
    return Stated(kind, names, {"help": help, **told})


def option(help: str, *names: str, default: Any = None, writes: Sequence[str] = (), **told: Any) -> Any:
    """State a field of a record as an option, `--field-name` unless it has other names.

    Args:
        help: what it is for.
        names: how it is typed.
        default: its value where it is not given; `REQUIRED` for one that must be.
        writes: the endings that the file may have, of one that is written.
        told: what Typer takes besides, such as a parser; whole numbers have one.
    """
    return field(default=default, metadata={Stated: shared(help, *names, **told), WRITES: writes})


def argument(help: str, *, default: Any = None, **told: Any) -> Any:
    """State a field of a record as an argument; as `option`."""
    return field(default=default, metadata={Stated: shared(help, kind=typer.Argument, **told)})


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Options:
    """Options as fields; values as they were parsed. A class of them is a frozen dataclass whose fields have names."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, kw_only=True)(cls)

    def arguments(self, *without: str) -> dict[str, Any]:
        """Return the fields that differ from their defaults, by name, but for groups and `without`.

        These are what the public function takes: the command runs with them, and the Python text shows them.
        """
        found = {one.name: (getattr(self, one.name), one.default) for one in fields(self) if one.name not in without}
        given = {name: value for name, (value, usual) in found.items() if value != usual}
        return {name: value for name, value in given.items() if not isinstance(value, Group)}

    def given(self, *without: str) -> dict[str, Any]:
        """Return what differs from its default, groups' too and but for `without`, by the names that are typed."""
        hints, found = hints_of(type(self)), dict[str, Any]()
        for one in fields(self):
            value = getattr(self, one.name)
            if isinstance(value, Group):
                found |= value.given(*without)
            elif one.name not in without and value != one.default:
                found[typed_name(one.name, hints[one.name])] = value
        return found

    def files_written(self) -> Iterator[tuple[str, Path, Sequence[str]]]:
        """Yield the files of own options that are written: the option's name, the path, and the endings it may have."""
        for one in fields(self):
            if endings := one.metadata.get(WRITES):
                value = getattr(self, one.name)
                for path in value if isinstance(value, Sequence) else () if value is None else (value,):
                    yield one.name, path, endings


AnyOptions = TypeVar("AnyOptions", bound=Options)


class Group(Options):
    """Options that several commands share, or that belong together: the help shows them under `title`."""

    title: ClassVar[str]

    def __init_subclass__(cls, title: str | None = None) -> None:
        super().__init_subclass__()
        cls.title = cls.title if title is None else title


class Command(Options, ABC):
    """A command: its docstring is the rest of its help, after the summary."""

    @abstractmethod
    def run(self) -> int | None:
        """Run the command: write files, print; return the exit code, None for 0."""

    def python(self, text: PythonText) -> None:
        """Write the same as Python.

        Raises:
            NoPythonError: where it has no counterpart.
        """
        raise NoPythonError(type(self).__name__)


def group_of(hint: object) -> type[Group] | None:
    """Return the group that a field holds, if it holds one."""
    return hint if isinstance(hint, type) and issubclass(hint, Group) else None


def hints_of(record: type[Options]) -> dict[str, Any]:
    """Return the annotations of a record's fields, in their order, as Typer has them."""
    hints = get_type_hints(record, include_extras=True)
    return {one.name: hint_of(one, hints[one.name]) for one in fields(record)}


def hint_of(one: "Field[Any]", hint: Any) -> Any:
    """Put what Typer is told of a field beside its type, if it was stated."""
    beside = (said for said in getattr(hint, "__metadata__", ()) if isinstance(said, Stated))
    if (stated := one.metadata.get(Stated) or next(beside, None)) is None:
        return hint
    kind = hint.__origin__ if hasattr(hint, "__metadata__") else hint
    told = {"parser": whole_number, **stated.told} if int in (kind, *get_args(kind)) else stated.told
    names = stated.names
    if stated.kind is typer.Option:
        names = names or (f"--{one.name.strip('_').replace('_', '-')}",)
    return Annotated[kind, stated.kind(*names, **told)]


def typed_name(name: str, hint: Any) -> str:
    """Return the name that an option is typed by, without its dashes; an argument's own."""
    info = hint.__metadata__[0]
    return name if isinstance(info, ArgumentInfo) else info.default.removeprefix("--")


def parameters_of(record: type[Options]) -> Iterator[inspect.Parameter]:
    """Yield the parameters that the fields stand for, those of groups in the place of the group."""
    hints = hints_of(record)
    for one in fields(record):
        if (group := group_of(hints[one.name])) is not None:
            yield from parameters_of(group)
        else:
            default = inspect.Parameter.empty if one.default is MISSING else one.default
            hint = hints[one.name]
            yield inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def types_of(record: type[Options]) -> dict[str, Any]:
    """Return the types of a command's parameters by name, without what Typer is told beside them."""
    return {one.name: getattr(one.annotation, "__origin__", one.annotation) for one in parameters_of(record)}


def panels_of(record: type[Options]) -> dict[str, tuple[str, ...]]:
    """Return the names of the parameters by their title in the help: arguments, own options, groups."""
    panels: dict[str, tuple[str, ...]] = {}
    for name, hint in hints_of(record).items():
        if (group := group_of(hint)) is None:
            if hint is Context:
                continue
            is_argument = any(isinstance(one, ArgumentInfo) for one in hint.__metadata__)
            title = ARGUMENTS if is_argument else getattr(record, "title", OWN)
            panels[title] = (*panels.get(title, ()), name)
        else:
            for title, names in panels_of(group).items():
                panels[title] = (*panels.get(title, ()), *names)
    return dict(sorted(panels.items(), key=lambda panel: [ARGUMENTS, OWN, panel[0]].index(panel[0])))


@cache
def groups_of(record: type[Options]) -> Mapping[str, type[Group] | None]:
    """Return the group that each field of a record holds, None for one that holds none."""
    return MappingProxyType({name: group_of(hint) for name, hint in hints_of(record).items()})


def record_of(record: type[AnyOptions], given: Mapping[str, Any]) -> AnyOptions:
    """Make a record of the values of its parameters; Typer's empty list of an option that was not given is None."""
    groups = groups_of(cast(Any, record))  # mypy takes the hash of a class for that of its records
    values = {name: None if value in ([], ()) else value for name, value in given.items()}
    return record(
        **{name: values[name] if group is None else record_of(group, values) for name, group in groups.items()}
    )


def function_of(record: type[Command]) -> Callable[..., int | None]:
    """Return the function that Typer makes a command of: it makes the record of its parameters and runs it.

    A file that would get another ending than its content has is refused before.
    """

    def function(**given: Any) -> int | None:
        command = record_of(record, given)
        for name, path, endings in command.files_written():
            if path.suffix.lower() not in endings:
                raise InputError(f"{name} must end in {', '.join(endings)}, got {path}")
        return command.run()

    parameters = list(parameters_of(record))
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    function.__annotations__ = {one.name: one.annotation for one in parameters}
    function.__doc__ = record.__doc__
    function.__name__ = record.__name__
    return function


def python_of(record: Command, text: PythonText) -> None:
    """Write what a command does as Python, and see to it that no option is left out.

    Raises:
        NoPythonError: where it has no counterpart, or naming an option that was given and not looked at.
    """
    seen: set[str] = set()
    watched_in(record, seen).python(text)
    for name in sorted(given_in(record) - seen - SILENT):
        raise NoPythonError(name)


def watched_in(record: Any, seen: set[str]) -> Any:
    """Return a copy of a record that notes in `seen` which of its fields, and of those of its groups, are read."""
    copy: Any = object.__new__(_watched_kind(cast(Any, type(record))))
    object.__setattr__(copy, _SEEN, seen)
    for one in fields(record):
        value = getattr(record, one.name)
        object.__setattr__(copy, one.name, watched_in(value, seen) if isinstance(value, Group) else value)
    return copy


_SEEN = "_seen"


@cache
def _watched_kind(kind: type[Options]) -> type[Options]:
    """Return a record's class whose records note which of their fields are read; made once, since it takes long."""
    names = {one.name for one in fields(kind)}

    def noted(self: object, name: str) -> object:
        if name in names:
            object.__getattribute__(self, _SEEN).add(name)
        return object.__getattribute__(self, name)

    return type(kind.__name__, (kind,), {"__getattribute__": noted})


def given_in(record: Any) -> set[str]:
    """Return the names of all options that were given, those of groups too."""
    groups = [value for one in fields(record) if isinstance(value := getattr(record, one.name), Group)]
    return set(record.arguments()).union(*map(given_in, groups))

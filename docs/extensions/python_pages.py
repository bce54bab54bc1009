"""Pages of the public Python names: one for each room, from the stub of its package."""

import ast
import importlib
import inspect
import types
import typing
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sphinx.pycode import ModuleAnalyzer

PACKAGES = {"mechdesign": "md", "mechdesign_catalog": "mc", "mechdesign_figures": "mf"}
"""Each package, and the name under which the pages import it."""


@dataclass
class Room:
    """The contents of a page: a room's public names, and the types that they take or give."""

    package: str
    name: str
    public: dict[str, str] = field(default_factory=dict)
    types: list[type] = field(default_factory=list)


def python_pages() -> dict[str, str]:
    """Return the text of each page by file name, the list of packages first."""
    rooms = all_rooms()
    pages = {f"{room.package}.{room.name}.md": room_page(room) for room in rooms.values()}
    return {"index.md": index_page(rooms)} | pages


def index_page(rooms: dict[str, Room]) -> str:
    """Return the list of all public names, package by package."""
    parts = [
        "# Python",
        "Everything listed here is public and stable, and imported lazily (`dir(md)`, `help(md)`). What is not listed "
        "may change.",
    ]
    for package, short in PACKAGES.items():
        rows = []
        for room in rooms.values():
            if room.package == package and room.public:
                names = ", ".join(f"{{any}}`{name} <{package}.{name}>`" for name in room.public)
                rows.append(f"| [{room.name}]({package}.{room.name}.md) | {names} |")
        table = "\n".join(["| module | names |", "| --- | --- |", *rows])
        parts += [f"## {package}", purpose(package), f"Imported as `import {package} as {short}`.", table]
    toctree = "\n".join(f"{room.package}.{room.name}" for room in rooms.values())
    return "\n\n".join([*parts, f"```{{toctree}}\n:hidden:\n\n{toctree}\n```"]) + "\n"


def room_page(room: Room) -> str:
    """Return the page of a room: functions and classes in the order of the alphabet, then the types beside them."""
    parts = [f"# {room.package}: {room.name}", purpose(f"{room.package}.{room.name}")]
    parts += [entry(room.package, name, module) for name, module in sorted(room.public.items(), key=lambda one: one[0])]
    if room.types:
        parts.append("## Types beside them")
        parts.append("What the names above take or give; they are made by functions, not imported.")
        parts += [directive("autoclass", f"{kind.__module__}.{kind.__qualname__}") for kind in room.types]
    return "\n\n".join(parts) + "\n"


def entry(package: str, name: str, module: str) -> str:
    """Return the directive that documents a public name."""
    value = getattr(importlib.import_module(package), name)
    if inspect.isfunction(value):
        return directive("autofunction", f"{package}.{name}")
    if isinstance(value, type):
        return directive("autoclass", f"{package}.{name}")
    documented = ModuleAnalyzer.for_module(module).find_attr_docs().get(("", name), [f"{value}"])
    return f"```{{py:data}} {package}.{name}\n{' '.join(documented).strip()}\n```"


def directive(kind: str, name: str) -> str:
    """Return a directive of autodoc."""
    members = "\n   :members:" if kind == "autoclass" else ""
    return f"```{{eval-rst}}\n.. {kind}:: {name}{members}\n```"


def purpose(module: str) -> str:
    """Return the first line of a module's docstring, which says what it is for."""
    return (importlib.import_module(module).__doc__ or "").partition("\n")[0]


def all_rooms() -> dict[str, Room]:
    """Return every room with a public name or with a type that one takes or gives, by its full name."""
    rooms: dict[str, Room] = {}
    values: list[object] = []
    for package in PACKAGES:
        for name, module in public_names(package).items():
            room_of(rooms, module).public[name] = module
            values.append(getattr(importlib.import_module(package), name))
    for kind in reached_types(values):
        room_of(rooms, kind.__module__).types.append(kind)
    return dict(sorted(rooms.items()))


def room_of(rooms: dict[str, Room], module: str) -> Room:
    """Return the room of a module, made where it is new."""
    package, name = module.split(".")[:2]
    return rooms.setdefault(f"{package}.{name}", Room(package, name))


def public_names(package: str) -> dict[str, str]:
    """Return each name of a package's face with the module that has it, as the stub states them."""
    stub = Path(importlib.import_module(package).__file__ or "").with_suffix(".pyi")
    statements = ast.parse(stub.read_text(encoding="utf-8")).body
    imports = [node for node in statements if isinstance(node, ast.ImportFrom)]
    return {alias.name: f"{package}.{node.module}" for node in imports for alias in node.names}


def reached_types(values: list[object]) -> list[type]:
    """Return the types of the three packages that the annotations of these values lead to, and are not among them."""
    found: set[type] = set()
    waiting = list(values)
    while waiting:
        for kind in annotated_types(waiting.pop()):
            if kind not in found and kind not in values:
                found.add(kind)
                waiting.append(kind)
    return sorted(found, key=lambda kind: (kind.__module__, kind.__qualname__))


def annotated_types(value: object) -> Iterator[type]:
    """Yield the types of the three packages in a function's annotations, or in those of a class and its methods."""
    if isinstance(value, type):
        yield from (base for base in value.__mro__[1:] if is_ours(base))
        yield from types_of(value)
        for name, member in vars(value).items():
            function = getattr(member, "fget", None) or getattr(member, "func", None) or member
            if not name.startswith("_"):
                yield from types_of(getattr(function, "__func__", function))
    else:
        yield from types_of(value)


def types_of(value: object) -> Iterator[type]:
    """Yield the types of the three packages in what a function or a class is annotated with."""
    if not isinstance(value, types.FunctionType | type):
        return
    try:
        hints = typing.get_type_hints(value)
    except NameError:  # a type that is imported for type checkers alone
        return
    for hint in hints.values():
        yield from parts_of(hint)


def parts_of(hint: object) -> Iterator[type]:
    """Yield the types of the three packages in an annotation."""
    kind = typing.get_origin(hint) or hint
    if isinstance(kind, type) and is_ours(kind):
        yield kind
    for part in typing.get_args(hint):
        yield from parts_of(part)


def is_ours(kind: type) -> bool:
    """Tell whether a type belongs to one of the three packages."""
    return kind.__module__.partition(".")[0] in PACKAGES

"""Build a piece of Python from the options of a command; what has no counterpart in Python is refused."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

import typer

from mechdesign_cli.parsing.numbers import whole_number

WIDTH = 88
PICTURES = (".png", ".svg", ".pdf")
NUMBER = re.compile(r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
"""What stands in Python as it was given; any other text might say something else there."""

SILENT = frozenset({"json", "summary", "quiet", "explain"})
"""Options that say how a command prints."""


class NoPythonError(Exception):
    """A command has no counterpart in Python."""


@dataclass(frozen=True)
class Code:
    """Text that stands in a call as it is: a name, an expression."""

    text: str

    def __repr__(self) -> str:
        return self.text


@dataclass
class Snippet:
    """Collect the imports and lines of a snippet."""

    imports: dict[str, set[str]] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)

    def use(self, module: str, name: str) -> str:
        """Import a name, and return it."""
        self.imports.setdefault(module, set()).add(name)
        return name

    def add(self, *lines: str) -> None:
        """Add lines as they are."""
        self.lines += lines

    def call(self, target: str, function: str, /, *values: object, **named: object) -> None:
        """Add `target = function(...)`, or the call alone; named values that are None are left out."""
        inner = [repr(value) for value in values]
        inner += [f"{name}={value!r}" for name, value in named.items() if value is not None]
        start = f"{target} = {function}(" if target else f"{function}("
        line = start + ", ".join(inner) + ")"
        if len(line) <= WIDTH:
            self.add(line)
        else:
            self.add(start, *(f"    {part}," for part in inner), ")")

    def write(self, path: str, content: str) -> None:
        """Add a line that writes bytes to a file."""
        self.use("pathlib", "Path")
        self.add(f"Path({path!r}).write_bytes({content})")

    def picture(self, path: str, drawn: str) -> None:
        """Add a line that draws a picture into a file."""
        self.use("mechdesign_figures", "save_picture")
        self.add(f"save_picture({drawn}, {path!r})")

    def leave_out(self, path: str, command: str) -> None:
        """Say that a file is written by the command alone."""
        self.add(f"# {path} is written by `mechdesign {command}` alone")

    def text(self) -> str:
        """Return the whole snippet."""
        ours = {module: names for module, names in self.imports.items() if module.startswith("mechdesign")}
        theirs = {module: names for module, names in self.imports.items() if module not in ours}
        blocks = [list(_import_lines(theirs)), list(_import_lines(ours)), self.lines]
        return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _import_lines(imports: Mapping[str, Iterable[str]]) -> Iterable[str]:
    for module in sorted(imports):
        yield f"from {module} import {', '.join(sorted(imports[module]))}"


class Given:
    """The options of a step; each is taken once, and none may be left."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._left = {name: value for name, value in options.items() if name not in SILENT}

    def has(self, name: str) -> bool:
        """Tell whether an option is given, and not taken yet."""
        return self._left.get(name) is not None

    def take(self, name: str, usual: str | None = None) -> str | None:
        """Take the text of an option; None where it is not given, or is as usual."""
        value = self._left.pop(name, None)
        return None if value is None or value == usual else str(value)

    def number(self, name: str, usual: str | None = None) -> Code | None:
        """Take a number as it is written; None where it is not given, or is as usual.

        Raises:
            NoPythonError: for what Python would not read as a number.
        """
        value = self.take(name, usual)
        if value is not None and not NUMBER.fullmatch(value):
            raise NoPythonError(name)
        return None if value is None else Code(value)

    def whole(self, name: str) -> Code | None:
        """Take a whole number, however it is written (1e6); None where it is not given.

        Raises:
            NoPythonError: for any other text.
        """
        value = self.take(name)
        try:
            return None if value is None else Code(str(whole_number(value)))
        except typer.BadParameter:
            raise NoPythonError(name) from None

    def flag(self, name: str) -> bool:
        """Take a flag."""
        return self._left.pop(name, False) is True

    def all(self, name: str) -> list[str]:
        """Take an option that may come several times."""
        value = self._left.pop(name, None)
        return [] if value is None else [str(one) for one in (value if isinstance(value, list) else [value])]

    def end(self) -> None:
        """Refuse what was not taken.

        Raises:
            NoPythonError: naming the first such option.
        """
        for name in self._left:
            raise NoPythonError(name)


def ending(path: str) -> str:
    """Return the ending of a file's name in lower case."""
    return PurePosixPath(path).suffix.lower()

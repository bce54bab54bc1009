"""Python text of a command's options; one without a counterpart in Python is refused."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

ENGINE, FIGURES, CATALOG = "mechdesign", "mechdesign_figures", "mechdesign_catalog"

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
class PythonText:
    """Python code in the making: its imports and lines."""

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
        inner = [written(value) for value in values]
        inner += [f"{name}={written(value)}" for name, value in named.items() if value is not None]
        start = f"{target} = {function}(" if target else f"{function}("
        line = start + ", ".join(inner) + ")"
        if len(line) <= WIDTH:
            self.add(line)
        else:
            self.add(start, *(f"    {part}," for part in inner), ")")

    def read_rows(self, path: str | Path) -> None:
        """Add lines that read the rows of a CSV file."""
        self.use("csv", "DictReader")
        self.add(
            f'with open({str(path)!r}, newline="", encoding="utf-8-sig") as stream:',
            "    rows = list(DictReader(stream))",
        )

    def write(self, path: str | Path, content: str) -> None:
        """Add a line that writes bytes to a file."""
        self.use("pathlib", "Path")
        self.add(f"Path({str(path)!r}).write_bytes({content})")

    def picture(self, path: str | Path, drawn: str) -> None:
        """Add a line that draws a picture into a file."""
        self.use("mechdesign_figures", "save_picture")
        self.add(f"save_picture({drawn}, {str(path)!r})")

    def leave_out(self, path: str | Path, command: str) -> None:
        """Say that a file is written by the command alone."""
        self.add(f"# {path} is written by `mechdesign {command}` alone")

    def text(self) -> str:
        """Return all of it."""
        ours = {module: names for module, names in self.imports.items() if module.startswith("mechdesign")}
        theirs = {module: names for module, names in self.imports.items() if module not in ours}
        blocks = [list(_import_lines(theirs)), list(_import_lines(ours)), self.lines]
        return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def written(value: object) -> str:
    """Write a value as Python has it; a file by its name."""
    return repr(str(value) if isinstance(value, Path) else value)


def number_of(text: str) -> Code:
    """Return a number as it was given.

    Raises:
        NoPythonError: for what Python would not read as a number.
    """
    if not NUMBER.fullmatch(text):
        raise NoPythonError(text)
    return Code(text)


def _import_lines(imports: Mapping[str, Iterable[str]]) -> Iterable[str]:
    for module in sorted(imports):
        yield f"from {module} import {', '.join(sorted(imports[module]))}"


def ending(path: str | Path) -> str:
    """Return the ending of a file's name in lower case."""
    return PurePosixPath(path).suffix.lower()

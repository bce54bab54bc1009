"""Steps of a request: a command with its arguments and options, and its command line."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from types import NoneType
from typing import Any

from mechdesign.errors import InputError, quote, shorten
from mechdesign_cli.studio.options_table import Command, Option

MOST_STEPS = 16
MOST_VALUES = 200
LONGEST_TEXT = 20_000
PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}")
"""Names of files that a step may write, or may read where an earlier one wrote them."""

WITH_SEMICOLONS = frozenset({"mechanisms"})
"""Options whose values, in one text, have semicolons between them, since they may have commas of their own."""

PARTS = re.compile(r"[,:;=\s]")
"""What may stand before the name of a file in the text of an option."""

COLUMNS = ("COLUMN", "COLUMNS")
"""What is named by values that never name a file: people call columns `income / month`."""

UPLOAD = "upload"


@dataclass(frozen=True)
class Step:
    """One command with its words, as `run` takes them, and as the page gave them.

    `options` has the values by option, uploads replaced by their names; `makes` the file names that it writes or reads.
    """

    command: str
    words: tuple[str, ...]
    arguments: tuple[Any, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def line(self) -> str:
        """The command line, to be copied."""
        return shlex.join(["mechdesign", *self.words])


@dataclass(frozen=True)
class Steps:
    """The steps of one job, and the uploads that they read, by the names that they get in the job's folder."""

    steps: tuple[Step, ...]
    links: Mapping[str, str]


def read_steps(request: object, commands: Mapping[str, Command], uploads: Mapping[str, str]) -> Steps:
    """Read the steps of a request.

    Args:
        request: the JSON value: a list of objects with `command`, `arguments` and `options`.
        commands: what may be asked.
        uploads: the name of each upload by its id.

    Raises:
        InputError: for anything else.
    """
    if not isinstance(request, list) or not 1 <= len(request) <= MOST_STEPS:
        raise InputError(f"steps must be a list of 1 to {MOST_STEPS} steps, got another value")
    links = _Links(uploads)
    return Steps(tuple(_step(one, commands, links) for one in request), links.by_name)


class _Links:
    """Uploads that a job reads, each under a name that no other one of the job has."""

    def __init__(self, uploads: Mapping[str, str]) -> None:
        self._uploads = uploads
        self.by_name: dict[str, str] = {}

    def name(self, upload: object) -> str:
        if not isinstance(upload, str) or upload not in self._uploads:
            raise InputError(f"upload must still be held by the studio, got {quote(upload)}; send the file again")
        wanted = PurePosixPath(self._uploads[upload])
        for number in range(1, MOST_VALUES):
            name = wanted.name if number == 1 else f"{wanted.stem}-{number}{wanted.suffix}"
            if self.by_name.setdefault(name, upload) == upload:
                return name
        raise InputError(f"steps must read at most {MOST_VALUES} files, got more")


def _step(request: object, commands: Mapping[str, Command], links: _Links) -> Step:
    if not isinstance(request, dict) or not set(request) <= {"command", "arguments", "options"}:
        raise InputError("step must be an object of command, arguments and options, got another value")
    name = request.get("command")
    if not isinstance(name, str) or name not in commands:
        raise InputError(f"command must be one of {', '.join(commands)}, got {quote(name)}")
    command = commands[name]
    given, options = request.get("arguments", []), request.get("options", {})
    if not isinstance(given, list) or not isinstance(options, dict):
        raise InputError(f"arguments must be a list, and options an object, got other values for {name}")
    arguments = _arguments(command, given, links)
    values = {option: _values(command, option, value, links) for option, value in options.items()}
    words = [word for option, texts in values.items() for word in _words(command.options[option], texts)]
    kept = {option: _shown(command.options[option], texts) for option, texts in values.items() if texts}
    return Step(name, (*name.split(), *words, *arguments), arguments, kept)


def _arguments(command: Command, given: Sequence[object], links: _Links) -> tuple[str, ...]:
    known = command.arguments
    if len(given) > (MOST_VALUES if any(one.repeatable for one in known) else len(known)):
        raise InputError(f"arguments of {command.name} must be at most {len(known)}, got {len(given)}")
    texts = [_text(known[min(at, len(known) - 1)], value, links) for at, value in enumerate(given)]
    for text in texts:
        if text.startswith("-"):
            raise InputError(f"arguments of {command.name} must not begin with -, got {quote(text)}")
    return tuple(texts)


def _values(command: Command, name: object, value: object, links: _Links) -> list[str | bool]:
    """The values of one option: none where it is left out, True or False for a flag, else texts."""
    if not isinstance(name, str) or name not in command.options:
        raise InputError(f"options of {command.name} must be among {', '.join(command.options)}, got {quote(name)}")
    option = command.options[name]
    if option.kind == "flag" and not isinstance(value, bool | NoneType):
        raise InputError(f"--{name} must be true or false, got {quote(value)}")
    if value is None or (value is False and option.negation is None):
        return []
    if option.kind == "flag":
        return [bool(value)]
    many = value if isinstance(value, list) else [value]
    if len(many) > MOST_VALUES:
        raise InputError(f"--{name} must have at most {MOST_VALUES} values, got {len(many)}")
    texts = [_text(option, one, links) for one in many]
    if option.repeatable or len(texts) <= 1:
        return list(texts)
    if option.kind != "text":
        raise InputError(f"--{name} must have one value, got {len(texts)}")
    return [(";" if name in WITH_SEMICOLONS else ",").join(texts)]


def _text(option: Option, value: object, links: _Links) -> str:
    """One value as text, where it may stand."""
    if isinstance(value, dict):
        if set(value) != {UPLOAD} or option.kind not in ("file", "text"):
            raise InputError(f"{option.name} must be a text or a number, got an object")
        return links.name(value[UPLOAD])
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InputError(f"{option.name} must be a text or a number, got {quote(value)}")
    text = value if isinstance(value, str) else repr(value)
    if len(text) > LONGEST_TEXT or not text.isprintable():
        raise InputError(f"{option.name} must be printable and at most {LONGEST_TEXT:,} letters, got {shorten(text)!r}")
    if option.kind == "file":
        if not PLAIN.fullmatch(text):
            raise InputError(f"{option.name} must be a plain file name such as design.json, got {quote(text)}")
    elif option.metavar not in COLUMNS and any(
        part.startswith(("/", "\\", "~")) or ".." in part for part in PARTS.split(text)
    ):
        raise InputError(f"{option.name} must name no file outside of the job's own folder, got {quote(text)}")
    return text


def _words(option: Option, texts: Sequence[str | bool]) -> list[str]:
    words = []
    for text in texts:
        if isinstance(text, bool):
            words.append(f"--{option.name if text else option.negation}")
        elif str(text).startswith("-") or not text:
            words.append(f"--{option.name}={text}")
        else:
            words += [f"--{option.name}", str(text)]
    return words


def _shown(option: Option, texts: Sequence[str | bool]) -> Any:
    """The value of an option for whoever reads steps: a list where it is repeatable."""
    return list(texts) if option.repeatable else texts[0]

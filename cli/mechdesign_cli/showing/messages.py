"""Messages: results on stdout, remarks on stderr, and texts made safe to print."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any

INDENTED = partial(json.dumps, indent=1)
"""Writes JSON with a line for each value."""


def print_result(
    is_json: bool,
    document: Callable[..., Any],
    show: Callable[..., None],
    *of: Any,
    write: Callable[[Any], str] = INDENTED,
) -> None:
    """Print the `document` of these, as `write` makes a text of it, or have `show` print them in words."""
    if is_json:
        print(write(document(*of)).removesuffix("\n"))
    else:
        show(*of)


def entries_of(found: object, *names: str) -> dict[str, Any]:
    """Return these attributes by their names, as a document has them."""
    return {name: getattr(found, name) for name in names}


class Kind(StrEnum):
    """The kinds of remarks, by what they are about."""

    NOTE = "note"
    DOUBT = "doubt"
    SPENT = "spent"
    SIMULATED = "simulated"
    OPTION = "option"
    WROTE = "wrote"

    @property
    def audience(self) -> str:
        """Who needs it: everybody, or whoever typed the command, since it is about its options or files."""
        return "terminal" if self in (Kind.OPTION, Kind.WROTE) else "everybody"


Hearer = Callable[[str, Kind], None]
"""Hears a remark and what it is about."""

_waiting: list[tuple[str, Kind]] = []
_hearers: list[Hearer] = []
_written: list[Path] = []
_state = {"is quiet": False}


def hush() -> None:
    """Say nothing more while this command runs."""
    _state["is quiet"] = True


def is_quiet() -> bool:
    """Return whether the user asked for `--quiet`."""
    return _state["is quiet"]


@contextmanager
def remarks_to(hearer: Hearer) -> Iterator[None]:
    """Tell `hearer` the remarks of this block, in place of stderr."""
    _hearers.append(hearer)
    try:
        yield
    finally:
        _hearers.remove(hearer)


def remark(message: str, kind: Kind = Kind.NOTE) -> None:
    """Keep a remark on what is asked until work has come of it: bad input is answered by one line, and no remarks."""
    _waiting.append((message, kind))


def drop_remarks() -> None:
    """Forget the remarks that are kept: what they are about was not done."""
    _waiting.clear()


def begin() -> None:
    """Forget what an earlier command has kept and written, and that it was to be quiet."""
    _state["is quiet"] = False
    drop_remarks()
    _written.clear()


def note_written(path: Path) -> None:
    """Say that a file is there, and keep its name for whoever cannot read the rest."""
    _written.append(path)
    say(f"wrote {path}", Kind.WROTE)


def written() -> list[Path]:
    """Return the files that this command has written."""
    return list(_written)


def say(message: str | None = None, kind: Kind = Kind.NOTE) -> None:
    """Print the remarks that were kept, and this one, on stderr, unless this command is quiet; data go to stdout."""
    for text, about in [] if is_quiet() else [*_waiting, *([] if message is None else [(message, kind)])]:
        if _hearers:
            _hearers[-1](text, about)
        else:
            print(text, file=sys.stderr)
    drop_remarks()

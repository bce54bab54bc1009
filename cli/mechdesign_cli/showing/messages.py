"""Print remarks on stderr, and make texts safe to print."""

import sys
from pathlib import Path


def printable(text: str) -> str:
    """Remove from a text the characters that would steer a terminal."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


_waiting: list[str] = []
_written: list[Path] = []
_state = {"is quiet": False}


def hush() -> None:
    """Say nothing more while this command runs."""
    _state["is quiet"] = True


def is_quiet() -> bool:
    """Tell whether the user asked for `--quiet`."""
    return _state["is quiet"]


def remark(message: str) -> None:
    """Keep a remark on what is asked until work has come of it: bad input is answered by one line, and no remarks."""
    _waiting.append(message)


def drop_remarks() -> None:
    """Forget the remarks that are kept: what they are about was not done."""
    _waiting.clear()


def begin() -> None:
    """Forget what an earlier command has kept and written, and that it was to be quiet."""
    _state["is quiet"] = False
    drop_remarks()
    _written.clear()


def say_wrote(path: Path) -> None:
    """Say that a file is there, and keep its name for whoever cannot read the rest."""
    _written.append(path)
    say(f"wrote {path}")


def written() -> list[Path]:
    """Return the files that this command has written."""
    return list(_written)


def say(message: str | None = None) -> None:
    """Print the remarks that were kept, and this one, on stderr, unless this command is quiet; data go to stdout."""
    for text in [] if is_quiet() else [*_waiting, *([] if message is None else [message])]:
        print(text, file=sys.stderr)
    drop_remarks()

"""Print remarks on stderr, and make texts safe to print."""

import sys


def printable(text: str) -> str:
    """Remove from a text the characters that would steer a terminal."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


_waiting: list[str] = []


def remark(message: str) -> None:
    """Keep a remark on what is asked until work has come of it: bad input is answered by one line, and no remarks."""
    _waiting.append(message)


def drop_remarks() -> None:
    """Forget the remarks that are kept: what they are about was not done."""
    _waiting.clear()


def say(message: str | None = None) -> None:
    """Print the remarks that were kept, and this one, on stderr; data go to stdout."""
    for text in [*_waiting, *([] if message is None else [message])]:
        print(text, file=sys.stderr)
    drop_remarks()

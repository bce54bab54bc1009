"""Print remarks on stderr, and make texts safe to print."""

import sys


def printable(text: str) -> str:
    """Remove from a text the characters that would steer a terminal."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def say(message: str) -> None:
    """Print a remark on stderr; data go to stdout."""
    print(message, file=sys.stderr)

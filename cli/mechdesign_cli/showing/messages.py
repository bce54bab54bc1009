"""Remarks on stderr, and texts that are safe to print."""

import sys


def printable(text: str) -> str:
    """Text from a file, without the characters that would steer a terminal."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def say(message: str) -> None:
    """A remark on stderr; data go to stdout."""
    print(message, file=sys.stderr)

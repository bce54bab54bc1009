"""Numbers in options; nothing heavy is imported for them."""

import math
import re

import typer

from mechdesign.errors import shorten

MOST_DIGITS = 18


def whole_number(value: str | int) -> int:
    """Read an integer option (1000000, 1e6, 2.5e6), or return its default; refuse any other text as bad input."""
    text = str(value).strip()
    found = re.fullmatch(r"([+-]?[0-9]+)(?:\.([0-9]+))?(?:[eE]\+?([0-9]{1,2}))?", text)
    whole, decimals, power = found.groups("") if found else ("", "", "")
    decimals = decimals.rstrip("0")
    zeros = int(power or 0) - len(decimals)
    if not found or zeros < 0 or ("." in text and not power):
        raise typer.BadParameter(f"must be a whole number, got {shorten(str(value))}")
    if len(whole) + len(decimals) + zeros > MOST_DIGITS:
        raise typer.BadParameter(f"must have at most {MOST_DIGITS} digits, got {shorten(str(value))}")
    return int(whole + decimals + "0" * zeros)


def seed_number(value: str | int) -> int:
    """Read a seed."""
    seed = whole_number(value)
    if seed < 0:
        raise typer.BadParameter(f"must be a whole number of at least 0, got {seed}")
    return seed


def seconds(text: str) -> float:
    """Read a positive time."""
    if not (value := _float(text)) > 0:
        raise typer.BadParameter(f"must be a positive number of seconds, got {shorten(text)}")
    return value


def share(text: str) -> float:
    """Read a number between 0 and 1, such as 1e-6."""
    if not 0 < (value := _float(text)) < 1:
        raise typer.BadParameter(f"must be a number between 0 and 1, such as 1e-6, got {shorten(text)}")
    return value


def _float(text: str) -> float:
    """Read a number; not a number for another text."""
    try:
        return float(text)
    except ValueError:
        return math.nan

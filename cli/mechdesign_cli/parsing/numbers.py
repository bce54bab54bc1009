"""Read numbers that options take; nothing heavy is imported for them."""

import math
import re

import typer

from mechdesign.errors import shorten

MOST_DIGITS = 18


def whole_number(value: str | int) -> int:
    """Read an integer option, or return its default; refuse any other text as bad input."""
    text = str(value)
    if not re.fullmatch(r"[+-]?[0-9]+", text.strip()):
        raise typer.BadParameter(f"must be a whole number, got {shorten(text)}")
    if len(text.strip()) > MOST_DIGITS:
        raise typer.BadParameter(f"must have at most {MOST_DIGITS} digits, got {shorten(text)}")
    return int(text)


def seed_number(value: str | int) -> int:
    """Read a seed."""
    seed = whole_number(value)
    if seed < 0:
        raise typer.BadParameter(f"must be a whole number of at least 0, got {seed}")
    return seed


def seconds(text: str) -> float:
    """Read a positive time."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not value > 0:
        raise typer.BadParameter(f"must be a positive number of seconds, got {shorten(text)}")
    return value

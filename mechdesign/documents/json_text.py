"""Read JSON strictly: no key twice, no number that overflows, decimals as they are written."""

import json
import re
from fractions import Fraction
from typing import Any

from mechdesign.errors import InputError, quote
from mechdesign.rational import MAX_JSON_DIGITS, as_rational

LARGEST_NUMBER = Fraction(10**300)
"""Readers in other languages hold numbers as doubles."""

MOST_LEVELS = 100
"""Lists and objects within one another; a design document has four levels, below its key `x` it may have more."""


_HALVES = re.compile(r"\\ud[89a-f]", re.IGNORECASE)


class DecimalText(str):
    """Keep a JSON number as it is written, one with a decimal point or a very long one: exact, and the same again."""


def parse_json(text: str, source: str) -> object:
    """Parse JSON, and report a truncated or broken file in one line. Decimals stay texts, so that they stay exact.

    Raises:
        InputError: for text that is no JSON, too deep a nesting, or an object that has a key twice.
    """
    try:
        data = json.loads(
            text,
            parse_float=DecimalText,
            parse_int=_whole_number,
            parse_constant=DecimalText,
            object_pairs_hook=unique_keys,
        )
        _require_shallow(data)
        _require_letters(data, text)
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise InputError(f"{error} in {source}") from None
        place = f"line {error.lineno}" if isinstance(error, json.JSONDecodeError) else str(error)[:60]
        raise InputError(f"file must be JSON, got {source}, broken or cut off at {place}") from None
    return data


def _require_shallow(data: object) -> None:
    """Refuse what is nested so deeply that nobody can write or digest it again."""
    level, depth = [data] if isinstance(data, dict | list) else [], 0
    while level:
        depth += 1
        if depth > MOST_LEVELS:
            raise InputError(f"JSON must be nested at most {MOST_LEVELS} levels deep, got more")
        holders = (value.values() if isinstance(value, dict) else value for value in level)
        level = [inner for held in holders for inner in held if isinstance(inner, dict | list)]


def require_numbers(value: object) -> None:
    """Refuse NaN and infinities, which JSON does not have, though Python reads them.

    Raises:
        InputError: naming the first.
    """
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            require_numbers(inner)
    elif isinstance(value, DecimalText) and value[-1] in "Ny":
        raise InputError(f"JSON must have numbers alone, got {value}")


def _require_letters(data: object, text: str) -> None:
    """Refuse half a letter (a lone surrogate), which may be escaped in JSON, but stands in no file and on no page."""
    if _HALVES.search(text):
        try:
            json.dumps(data, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise InputError("JSON must hold whole letters, got half of one (a lone surrogate)") from None


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make a JSON object of its pairs: the `object_pairs_hook` of everything that is read.

    Raises:
        InputError: for a key that stands twice; readers differ in which of the two they take.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise InputError(f"JSON objects must have every key once, got {quote(twice)} twice")
    return found


def json_number(value: object, name: str) -> Fraction:
    """Return a JSON number as the exact rational that is written.

    Raises:
        InputError: for anything else, and beyond `LARGEST_NUMBER`.
    """
    if isinstance(value, DecimalText | int) and not isinstance(value, bool):
        try:
            number = as_rational(value, name)
        except InputError:
            pass
        else:
            if abs(number) <= LARGEST_NUMBER:
                return number
    raise InputError(f"{name} must be a JSON number of at most 1e300, got {quote(value)}")


def _whole_number(text: str) -> int | DecimalText:
    """Parse an integer; a longer one than is read as a number stays a text, as what is below `x` may."""
    return int(text) if len(text) <= MAX_JSON_DIGITS else DecimalText(text)

"""Strict JSON and the numbers in it: what FORMAT.md allows, and nothing else."""

import json
import re
from collections.abc import Callable, Collection
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

MOST_LEVELS = 100
MOST_BYTES = 1 << 28
MOST_DIGITS = 200_000
MOST_JSON_DIGITS = 4_000
MOST_TEXT = 1_000
TOO_DEEP = f"JSON must be nested at most {MOST_LEVELS} levels deep, got more"
LARGEST = Fraction(10**300)
SHORT_DIGITS = 4_000
"""Python converts so many digits without being told that it may."""

_INTEGER = re.compile(r"-?[0-9]+")
_RATIONAL = re.compile(r"-?[0-9]+(/0*[1-9][0-9]*)?")
_DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")
LONGEST_SHOWN = 60
T = TypeVar("T")


class UnreadableError(Exception):
    """The error for what is no design document."""


class Decimals(str):
    """The decimals of JSON as written: numbers with a point or an exponent, or very long ones."""


def read_json(path: Path) -> Any:
    """Read a JSON file: UTF-8, no key twice in any object.

    Raises:
        UnreadableError: for anything else.
    """
    try:
        if path.is_dir() or (path.exists() and not path.is_file()):
            raise UnreadableError("not a regular file")
        if path.stat().st_size > MOST_BYTES:
            raise UnreadableError(f"longer than {MOST_BYTES} bytes")
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableError("not UTF-8") from None
    except (OSError, ValueError) as error:
        raise UnreadableError(getattr(error, "strerror", None) or "no file can have this name") from None
    return parse_json(text)


def parse_json(text: str) -> Any:
    """Read JSON: no key twice in any object, no number that JSON does not have, whole letters, at most 100 levels.

    Raises:
        UnreadableError: for anything else.
    """
    try:
        found = json.loads(
            text, parse_float=Decimals, parse_int=_json_integer, parse_constant=_no_number, object_pairs_hook=_object
        )
        _require_shallow(found)
        if "\\u" in text and _has_half_letter(found):
            raise UnreadableError("JSON must hold whole letters, got half of one (a lone surrogate)")
    except RecursionError:
        raise UnreadableError(TOO_DEEP) from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}: {error.msg}"
        raise UnreadableError(f"file must be JSON, got what is broken or cut off at {where}") from None
    except ValueError as error:
        raise UnreadableError(f"file must be JSON, got {shown(error)}") from None
    return found


def _require_shallow(value: object) -> None:
    """Refuse lists and objects within one another on more than so many levels, before anything walks down them."""
    level = [value]
    for _ in range(MOST_LEVELS):
        level = [
            inner
            for held in level
            if isinstance(held, list | dict)
            for inner in (held if isinstance(held, list) else held.values())
            if isinstance(inner, list | dict)
        ]
        if not level:
            return
    raise UnreadableError(TOO_DEEP)


def _has_half_letter(value: object) -> bool:
    """Whether a text, or a key, holds a code point that is no letter by itself and has no place in UTF-8."""
    if isinstance(value, str):
        return any(0xD800 <= ord(letter) <= 0xDFFF for letter in value)
    if isinstance(value, dict):
        return any(map(_has_half_letter, value)) or any(map(_has_half_letter, value.values()))
    return isinstance(value, list) and any(map(_has_half_letter, value))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise UnreadableError(f"JSON objects must have every key once, got {shown(twice)} twice")
    return found


def _no_number(text: str) -> None:
    raise UnreadableError(f"JSON must have numbers alone, got {text}")


def _json_integer(text: str) -> int | Decimals:
    return int(text) if len(text) <= MOST_JSON_DIGITS else Decimals(text)


def shown(value: object) -> str:
    """Write a value in one short line of plain letters, whatever it holds."""
    text = ascii(str(value)) if isinstance(value, Exception) else ascii(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 3]}..."


def entries(value: object, name: str, keys: Collection[str], optional: Collection[str] = ()) -> dict[str, Any]:
    """Return a JSON object that has these keys, perhaps the optional ones, and no others."""
    if not isinstance(value, dict):
        raise UnreadableError(f"{name} must be a JSON object, got {shown(value)}")
    for key in keys:
        if key not in value:
            raise UnreadableError(f"{name} must have the key {key!r}, got none")
    for key in value:
        if key not in keys and key not in optional:
            raise UnreadableError(f"{name} must have no other keys than those of FORMAT.md, got {shown(key)}")
    return value


def items(value: object, name: str, read: Callable[[object, str], T], length: int | None = None) -> list[T]:
    """Return a JSON list, each of its values read; of a given length."""
    if not isinstance(value, list):
        raise UnreadableError(f"{name} must be a list, got {shown(value)}")
    if length is not None and len(value) != length:
        raise UnreadableError(f"{name} must have {length} entries, got {len(value)}")
    return [read(item, name) for item in value]


def text(value: object, name: str) -> str:
    """Return a JSON string that is not empty."""
    if type(value) is not str or not value:
        raise UnreadableError(f"{name} must be a text that is not empty, got {shown(value)}")
    return value


def name_of_column(value: object, name: str) -> str:
    """Return a JSON string, which may be empty."""
    if type(value) is not str:
        raise UnreadableError(f"{name} must be a text, got {shown(value)}")
    return value


def different_texts(value: object, name: str) -> list[str]:
    """Return a list of texts of which none stands twice."""
    found = items(value, name, text)
    if len(set(found)) < len(found):
        raise UnreadableError(f"{name} must have no text twice, got {shown(value)}")
    return found


WORTH_SAYING = 10**12
"""Limits of a whole number are said up to here."""


def whole(value: object, name: str, low: int, high: int) -> int:
    """Return a JSON integer between two others."""
    if type(value) is not int or not low <= value <= high:
        where = f" from {low} to {high}" if max(-low, high) < WORTH_SAYING else ""
        raise UnreadableError(f"{name} must be a whole number{where}, got {shown(value)}")
    return value


def integer(value: object, name: str) -> int:
    """Return the integer of a text of decimal digits."""
    if type(value) is not str or len(value) > MOST_DIGITS or not _INTEGER.fullmatch(value):
        raise UnreadableError(f"{name} must be an integer written as a string, got {shown(value)}")
    return -_digits(value[1:]) if value[0] == "-" else _digits(value)


def _digits(text: str) -> int:
    if len(text) <= SHORT_DIGITS:
        return int(text)
    half = len(text) // 2
    scale: int = 10**half
    return _digits(text[:-half]) * scale + _digits(text[-half:])


def rational(value: object, name: str) -> Fraction:
    """Return the rational of a text `p` or `p/q`."""
    if type(value) is not str:
        raise UnreadableError(f"{name} must be a rational written as a string, got {shown(value)}")
    top, slash, bottom = value.partition("/")
    denominator = integer(bottom, name) if slash else 1
    if denominator <= 0:
        raise UnreadableError(f"{name} must have a positive denominator, got {shown(value)}")
    return Fraction(integer(top, name), denominator)


def rationals(value: object, name: str) -> list[Fraction]:
    """Return a list of rationals."""
    return items(value, name, rational)


def number(value: object, name: str) -> Fraction:
    """Return a JSON number of at most 1e300 as the exact rational that is written."""
    if type(value) is int or (isinstance(value, Decimals) and len(value) <= MOST_TEXT and _DECIMAL.fullmatch(value)):
        found = Fraction(value)
    else:
        raise UnreadableError(f"{name} must be a JSON number of at most 1e300, got {shown(value)}")
    if abs(found) > LARGEST:
        raise UnreadableError(f"{name} must be a JSON number of at most 1e300, got {shown(value)}")
    return found


def written(value: Fraction) -> str:
    """Write a rational in lowest terms, a whole number without its denominator: the one form that names use."""
    return str(value.numerator) if value.denominator == 1 else f"{value.numerator}/{value.denominator}"


def parameter(value: str, name: str) -> Fraction:
    """Return the rational in a name such as `WH:3/4`, which is written in lowest terms."""
    if len(value) <= MOST_TEXT and _RATIONAL.fullmatch(value):
        found = rational(value, name)
        if written(found) == value:
            return found
    raise UnreadableError(f"{name} must have a rational in lowest terms, got {shown(value)}")

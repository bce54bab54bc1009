"""Read JSON and the numbers in it strictly: what FORMAT.md allows, and nothing else."""

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
LARGEST = Fraction(10**300)
SHORT_DIGITS = 4_000
"""Python converts so many digits without being told that it may."""

_INTEGER = re.compile(r"-?[0-9]+")
_DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")
LONGEST_SHOWN = 60
T = TypeVar("T")


class UnreadableError(Exception):
    """Report what is no design document."""


class Decimals(str):
    """Keep a JSON number with a point or an exponent, or a very long one, as it is written."""


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
    try:
        found = json.loads(
            text, parse_float=Decimals, parse_int=_json_integer, parse_constant=_no_number, object_pairs_hook=_object
        )
        if _is_deeper(found, MOST_LEVELS):
            raise RecursionError
        if "\\u" in text and _has_half_letter(found):
            raise UnreadableError("half of a surrogate pair stands alone")
    except RecursionError:
        raise UnreadableError("JSON nested too deeply") from None
    except ValueError as error:
        raise UnreadableError(f"not JSON: {shown(error)}") from None
    return found


def _is_deeper(value: object, levels: int) -> bool:
    """Whether lists and objects are nested in one another more than so many times."""
    if not isinstance(value, list | dict):
        return False
    inner = value if isinstance(value, list) else value.values()
    return levels == 0 or any(_is_deeper(part, levels - 1) for part in inner)


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
        raise UnreadableError(f"the key {shown(next(key for key in keys if keys.count(key) > 1))} stands twice")
    return found


def _no_number(text: str) -> None:
    raise UnreadableError(f"not JSON: {text} is no number")


def _json_integer(text: str) -> int | Decimals:
    return int(text) if len(text) <= MOST_JSON_DIGITS else Decimals(text)


def shown(value: object) -> str:
    """Write a value in one short line of plain letters, whatever it holds."""
    text = ascii(str(value)) if isinstance(value, Exception) else ascii(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 3]}..."


def entries(value: object, name: str, keys: Collection[str], optional: Collection[str] = ()) -> dict[str, Any]:
    """Return a JSON object that has these keys, perhaps the optional ones, and no others."""
    if not isinstance(value, dict):
        raise UnreadableError(f"{name} is not a JSON object: {shown(value)}")
    for key in keys:
        if key not in value:
            raise UnreadableError(f"{name} has no key {key!r}")
    for key in value:
        if key not in keys and key not in optional:
            raise UnreadableError(f"{name} has the unknown key {shown(key)}")
    return value


def items(value: object, name: str, read: Callable[[object, str], T], length: int | None = None) -> list[T]:
    """Return a JSON list, each of its values read; of a given length."""
    if not isinstance(value, list):
        raise UnreadableError(f"{name} is not a list: {shown(value)}")
    if length is not None and len(value) != length:
        raise UnreadableError(f"{name} has {len(value)} entries and not {length}")
    return [read(item, name) for item in value]


def text(value: object, name: str) -> str:
    """Return a JSON string that is not empty."""
    if type(value) is not str or not value:
        raise UnreadableError(f"{name} is not a text: {shown(value)}")
    return value


def name_of_column(value: object, name: str) -> str:
    """Return a JSON string, which may be empty."""
    if type(value) is not str:
        raise UnreadableError(f"{name} is not a text: {shown(value)}")
    return value


def different_texts(value: object, name: str) -> list[str]:
    """Return a list of texts of which none stands twice."""
    found = items(value, name, text)
    if len(set(found)) < len(found):
        raise UnreadableError(f"{name} has a text twice: {shown(value)}")
    return found


def whole(value: object, name: str, low: int, high: int) -> int:
    """Return a JSON integer between two others."""
    if type(value) is not int or not low <= value <= high:
        raise UnreadableError(f"{name} is not a whole number from {low} to {high}: {shown(value)}")
    return value


def integer(value: object, name: str) -> int:
    """Return the integer of a text of decimal digits."""
    if type(value) is not str or len(value) > MOST_DIGITS or not _INTEGER.fullmatch(value):
        raise UnreadableError(f"{name} is not an integer in a text: {shown(value)}")
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
        raise UnreadableError(f"{name} is not a rational in a text: {shown(value)}")
    top, slash, bottom = value.partition("/")
    denominator = integer(bottom, name) if slash else 1
    if denominator <= 0:
        raise UnreadableError(f"{name} has no positive denominator: {shown(value)}")
    return Fraction(integer(top, name), denominator)


def rationals(value: object, name: str) -> list[Fraction]:
    """Return a list of rationals."""
    return items(value, name, rational)


def number(value: object, name: str) -> Fraction:
    """Return a JSON number of at most 1e300 as the exact rational that is written."""
    if type(value) is int or (isinstance(value, Decimals) and len(value) <= MOST_TEXT and _DECIMAL.fullmatch(value)):
        found = Fraction(value)
    else:
        raise UnreadableError(f"{name} is not a number: {shown(value)}")
    if abs(found) > LARGEST:
        raise UnreadableError(f"{name} is beyond 1e300")
    return found


def written(value: Fraction) -> str:
    """Write a rational in lowest terms, a whole number without its denominator: the one form that names use."""
    return str(value.numerator) if value.denominator == 1 else f"{value.numerator}/{value.denominator}"


def parameter(value: str, name: str) -> Fraction:
    """Return the rational in a name such as `WH:3/4`, which is written in lowest terms."""
    found = rational(value, name) if len(value) <= MOST_TEXT else Fraction(0)
    if written(found) != value:
        raise UnreadableError(f"{name} has no rational in lowest terms: {shown(value)}")
    return found

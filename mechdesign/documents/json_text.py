"""Strict JSON: no key twice, no number that overflows, decimals as they are written."""

from typing import Any

from mechdesign.errors import InputError, quote
from mechdesign.verify import texts


def parse_json(text: str, source: str) -> Any:
    """Parse JSON, and report a truncated or broken file in one line; decimals stay `Decimals`, texts that are exact.

    Raises:
        InputError: for text that is no JSON, too deep a nesting, or an object that has a key twice.
    """
    try:
        return texts.parse_json(text)
    except texts.UnreadableError as error:
        raise InputError(f"{error} in {source}") from None


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

"""Wishes in options: one, or several as numbers and ranges."""

from collections.abc import Mapping
from typing import Any

from mechdesign.rational import number_text
from mechdesign.sweeps.ranges import parse_numbers

SEVERAL = (",", ":")
"""What stands between several numbers."""


def wishes_of(given: Mapping[str, Any], names: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return the arguments of each wish: those given, with each number of the one among `names` that has several.

    >>> wishes_of({"error": "0.01,0.02", "users": 10}, ("error", "half_width"))
    [{'error': '0.01', 'users': 10}, {'error': '0.02', 'users': 10}]
    """
    for name in names:
        text = given.get(name)
        if isinstance(text, str) and any(mark in text for mark in SEVERAL):
            return [{**given, name: number_text(value)} for value in parse_numbers(text, name)]
    return [dict(given)]

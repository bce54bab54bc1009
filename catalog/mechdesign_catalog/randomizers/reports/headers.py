"""Headers of files: JSON that anybody may have changed, checked before it is believed.

A digest finds out damage, not malice: whoever changes a header can also make its digest anew.
"""

import hashlib
import json
import re
from typing import Any

from mechdesign.documents.json_text import unique_keys
from mechdesign.errors import InputError, shorten
from mechdesign.mechanism.sampling import LARGEST_SEED

Body = dict[str, Any]

LARGEST_COUNT = 2**63 - 1
SHA256_DIGITS = 64
IDENTITY_DIGITS = 32


def parse_header(text: str, format_name: str) -> Body:
    """Parse the JSON object of this format in a text.

    Raises:
        InputError: for any other text.
    """
    try:
        body = json.loads(text, object_pairs_hook=unique_keys)
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict) or body.get("format") != format_name:
        raise InputError(f"header must be JSON of format {format_name}, got another")
    return body


def part(body: Body, name: str) -> Body:
    """Return the object under this name."""
    found = body.get(name)
    if not isinstance(found, dict):
        raise InputError(f"{name} must be a JSON object, got {_shown(found)}")
    return found


def parameters(body: Body) -> dict[str, str | int]:
    """Return an oracle's parameters: texts and whole numbers by name."""
    found = part(body, "parameters")
    for name, value in found.items():
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise InputError(f"parameters must be texts and whole numbers, got {shorten(name)}={_shown(value)}")
    return found


def count(value: object, name: str) -> int:
    """Return a number of rows or users."""
    return _whole(value, name, LARGEST_COUNT)


def seed(value: object) -> int:
    """Return a seed."""
    return _whole(value, "seed", LARGEST_SEED)


def seed_if_any(body: Body) -> int | None:
    """Return the seed, or None for real randomness."""
    found = body.get("seed", "none")
    return None if found is None else seed(found)


def hexadecimal(value: object, name: str, digits: int, may_be_empty: bool = False) -> str:
    """Return a digest or an identity, empty where there may be none."""
    if not isinstance(value, str) or not (re.fullmatch(f"[0-9a-f]{{{digits}}}", value) or (may_be_empty and not value)):
        raise InputError(f"{name} must be {digits} hexadecimal digits, got {_shown(value)}")
    return value


def digest(body: Body) -> str:
    """Return the SHA-256 of a header, which stands in it beside everything else."""
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _whole(value: object, name: str, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise InputError(f"{name} must be a whole number from 0 to 2^{most.bit_length()} - 1, got {_shown(value)}")
    return value


def _shown(value: object) -> str:
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    return shorten(json.dumps(value))

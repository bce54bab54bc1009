"""Names as people type them: case does not matter, and a slip gets the nearest known one."""

import difflib
from collections.abc import Iterable

from mechdesign.errors import InputError


def require_known(name: str, known: Iterable[str], what: str) -> str:
    """The known name that is meant.

    Raises:
        InputError: listing the names, nearest first.

    >>> require_known("OUE", ["grr", "oue"], "oracle")
    'oue'
    """
    by_lower = {text.lower(): text for text in known}
    word = name.strip().lower()
    if word not in by_lower:
        near = difflib.get_close_matches(word, by_lower, n=1, cutoff=0.5)
        hint = f"; did you mean {by_lower[near[0]]}?" if near else ""
        raise InputError(f"{what} must be one of {', '.join(by_lower.values())}, got {name[:80] or 'none'}{hint}")
    return by_lower[word]

"""Names as people type them: any case, and the nearest known name for a misspelt one."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from mechdesign.errors import InputError, shorten

ALIKE = 0.5
"""From this share of common letters on, a name is taken for a slip of another (difflib's ratio)."""


def require_known(
    name: str,
    known: Iterable[str],
    what: str,
    others: Iterable[str] = (),
    meanings: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Find the known name that a person means.

    Args:
        name: as it was typed.
        known: the names, as they are to be shown.
        what: what they are names of.
        others: what else the caller takes, to be listed behind the names: `a file of probabilities`.
        meanings: names that are not known, with what to say instead: `WM` is `WH,RM,CM`.

    Raises:
        InputError: listing the names, with the nearest one.

    >>> require_known("OUE", ["grr", "oue"], "oracle")
    'oue'
    """
    by_lower = {text.lower(): text for text in known}
    word = name.strip().lower()
    if word not in by_lower:
        listed = ", ".join([*by_lower.values(), *others])
        hint = _hint(word, by_lower.values(), meanings)
        raise InputError(f"{what} must be one of {listed}, got {shorten(name.strip()) or 'an empty name'}{hint}")
    return by_lower[word]


def _hint(word: str, known: Iterable[str], meanings: Mapping[str, str]) -> str:
    """Say which name may have been meant, or nothing."""
    for text, meaning in meanings.items():
        if text.lower() == word:
            return f"; {text} is {meaning}"
    near = nearest_name(word, known)
    return f"; did you mean {near}?" if near else ""


def nearest_name(name: str, known: Iterable[str], alike: float = ALIKE) -> str | None:
    """Find the known name most like an unknown one, None where none is like it.

    Names with a parameter are also compared without it: zpf:1.5 is like zipf:S.

    >>> nearest_name("binomal:0.3", ["uniform", "binomial:P"]), nearest_name("x", ["uniform"])
    ('binomial:P', None)
    """
    from difflib import get_close_matches  # only where a name was wrong

    listed = list(known)
    for part in (lambda text: text, _stem):
        by_part = {part(text.lower()): text for text in reversed(listed)}
        if near := get_close_matches(part(name.lower()), by_part, n=1, cutoff=alike):
            return by_part[near[0]]
    return None


def _stem(text: str) -> str:
    return text.partition(":")[0]

"""Check the names that a ledger goes by: what is protected, data sets, and parts of them."""

import unicodedata

from mechdesign.errors import InputError

USUAL_UNIT = "person"
LONGEST_NAME = 40


def checked_unit(unit: str) -> str:
    """Take the word for what is protected.

    Raises:
        InputError: for one that is empty, long, or not in one line.
    """
    return _checked(unit, "unit must be a word such as household")


def checked_dataset(name: str) -> str:
    """Take the name of a data set; errors as `checked_unit`."""
    return _checked(name, "dataset must be a name such as census-2026")


def checked_part(name: str) -> str:
    """Take the name of a part of a data set; errors as `checked_unit`."""
    return _checked(name, "part must be a name such as north")


def name_key(name: str) -> str:
    """Return what two spellings of one name have in common: neither case, nor blanks, nor Unicode forms differ.

    >>> name_key("Census  2026") == name_key("census 2026")
    True
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def _checked(text: str, what: str) -> str:
    word = text.strip()
    if not word or len(word) > LONGEST_NAME or not word.isprintable():
        raise InputError(f"{what}, of at most {LONGEST_NAME} letters, got {word[:40]!a}")
    return word

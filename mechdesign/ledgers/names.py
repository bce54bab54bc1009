"""Names in a ledger: the protected units, data sets, and parts of them."""

import unicodedata

from mechdesign.errors import InputError, shorten
from mechdesign.ledgers.spellings import DIFFERENCE, dataset_keys

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


def require_spelling(name: str, known: str, what: str, rule: int) -> None:
    """Refuse a name that is another spelling of a known one, by the rule of the ledger.

    Raises:
        InputError: naming the spelling that is known.
    """
    if name == known or _keys(name, rule).isdisjoint(_keys(known, rule)):
        return
    raise InputError(
        f"{what} must be spelled as before, {known}, got {shorten(ascii(name))}; "
        f"the name of another one must differ in {DIFFERENCE}"
    )


def _keys(name: str, rule: int) -> frozenset[str]:
    """Return the keys of a name; by rule 1 spellings differ in case, blanks and Unicode form alone."""
    if rule == 1:
        return frozenset([" ".join(unicodedata.normalize("NFKC", name).casefold().split())])
    return dataset_keys(name, rule)


def _checked(text: str, what: str) -> str:
    word = text.strip()
    if not word or len(word) > LONGEST_NAME or not word.isprintable():
        raise InputError(f"{what}, of at most {LONGEST_NAME} letters, got {word[:40]!a}")
    return word

"""Spellings of one name: case, blanks, hyphens, accents, invisible and look-alike letters.

Who pays, or who has answered, goes by a name. A second spelling of it must not count as somebody else, and somebody
else must not count as a second spelling. So names are compared by keys: names that share a key and are not the same are
refused, and a person says which is meant.

A key is the name in Unicode form NFKC, case-folded, without default-ignorable code points (zero-width blanks, variation
selectors), blanks, hyphens and accents, and with the Latin letter in place of a Greek or Cyrillic one that looks
like it. Which letters look alike is a matter of Unicode Technical Standard 39 (confusables); stated here are its
facts on letters that are common in names. Some look like one Latin letter when they are small and like another when
they are capital. So a name has two keys: one of its letters in small, and one of its letters as they are written. The
first finds other cases of a Greek name, the second a Latin name in which a Greek capital stands.

It does not know letters of other scripts than Greek and Cyrillic, groups of letters (rn for m), digits for letters (0
for O), or a Latin capital I for a small l.

Files say by which rule their names are compared: `RULE` is today's. Earlier ones knew fewer spellings, and stay the
rules of the files that were made with them. By rule 2 every letter of a name was small, or every one capital, and the
names of users were compared by their small letters alone. Rule 1 knew case, blanks and Unicode form.
"""

import re
import unicodedata
from collections.abc import Mapping

RULE = 3
RULES = (1, 2, RULE)

DIFFERENCE = "more than case, blanks, hyphens, accents, invisible and look-alike letters"
"""What must tell two names apart."""

IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Unicode's Default_Ignorable_Code_Point: what is not shown."""

ACCENTS = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
"""The blocks of combining marks that belong to no script; vowel signs of others are letters."""

LIKE_HYPHENS = "\u02d7\u2043\u2212\u2800"
"""The modifier minus, the bullet like a hyphen, the minus, and the blank of Braille."""

LOOK_ALIKE = {
    **dict(zip("аьвсԁеҽһнԍјкмоорԛгѕтѵѡԝхуү", "abbcdeehhgjkmoopqrstvwwxyy", strict=True)),
    **dict(zip("αβεκϳμοσρτχγζϝϻ", "abekjmooptxyzfm", strict=True)),
    **dict(zip("\u0251\u0261\u0131", "agi", strict=True)),
}
"""Case-folded Cyrillic and Greek letters, and rare Latin ones, that look like a usual Latin one."""

TWO_SHAPES = "\u0456\u04cf\u03b9\u03b7\u03bd\u03c5"
ALIKE_SMALL = dict(zip(TWO_SHAPES, "iiinvu", strict=True))
ALIKE_CAPITAL = dict(zip(TWO_SHAPES, "lllhny", strict=True))
"""What Cyrillic i and palochka, and Greek iota, eta, nu and upsilon look like depends on their case."""

_SMALL, _CAPITAL = (str.maketrans(LOOK_ALIKE | further) for further in (ALIKE_SMALL, ALIKE_CAPITAL))
_WRITTEN = str.maketrans({letter.upper(): latin for letter, latin in ALIKE_CAPITAL.items()})
_MERGED = str.maketrans("lhny", "ivvu")
_HIDDEN = re.compile(f"[{IGNORABLE}]")
_MARKS = re.compile(f"[{ACCENTS}]")
_INNER = re.compile(r"(?<=[0-9])-+(?=[0-9])")


def without_invisible(name: str) -> str:
    """Return a name in Unicode form NFKC, without what is not shown and without blanks around it.

    >>> without_invisible(" p1\\u200b") == "p1"
    True
    """
    if name.isascii():
        return name.strip()
    return _HIDDEN.sub("", unicodedata.normalize("NFKC", name)).strip()


def dataset_keys(name: str, rule: int = RULE) -> frozenset[str]:
    """Return the keys of a data set's name, or of a part's, by rule 2 or 3.

    >>> dataset_keys("sa-xony") == dataset_keys("Sa Xony") == dataset_keys("saxony\\u0301") == {"saxony"}
    True
    """
    shapes = _shapes(name) if rule > 2 else (_shape(name), _shape(name, _CAPITAL))
    return frozenset(map(_joined, shapes))


def user_keys(name: str, rule: int = RULE) -> tuple[str, ...]:
    """Return the keys of a user's name: one by rule 2, and two by rule 3, which are mostly the same.

    Hyphens or blanks between digits are one hyphen.

    Data sets are few, and one that is refused gets another name. Users are many and often numbered: 1-12 and 11-2 are
    two of them.

    >>> user_keys("Ann-Mary 1 12"), user_keys("11-2", rule=2), user_keys("\u0397ans")
    (('annmary1-12', 'annmary1-12'), ('11-2',), ('nans', 'hans'))
    """
    shapes = (name.lower(),) * 2 if name.isascii() and name.isalnum() else _shapes(name)
    return tuple("-".join(map(_joined, _INNER.split(shape))) for shape in shapes[: 1 if rule == 2 else 2])


def in_common(key: str) -> str:
    """Return what all keys of a name have in common: their first one with letters merged that differ in the others.

    >>> in_common("nans") == in_common("hans")
    True
    """
    return key.translate(_MERGED)


def _shapes(name: str) -> tuple[str, str]:
    """Return a name as it looks in small letters, and as it is written, with one hyphen for each blank or hyphen."""
    written = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name)).translate(_WRITTEN)
    return _shape(name), _shape(written)


def _shape(name: str, looks: Mapping[int, str] = _SMALL) -> str:
    folded = unicodedata.normalize("NFKC", name).casefold()
    shown = _MARKS.sub("", _HIDDEN.sub("", unicodedata.normalize("NFKD", folded)))
    return "".join("-" if _separates(letter) else letter for letter in shown).translate(looks)


def _separates(letter: str) -> bool:
    """Return whether this is a blank, a hyphen, a dash, a minus or an underscore."""
    return letter.isspace() or letter in LIKE_HYPHENS or unicodedata.category(letter) in ("Pd", "Pc", "Zs")


def _joined(text: str) -> str:
    return text.replace("-", "")

"""Exact numbers: texts parsed and written, and long integers converted.

Everything that decides privacy is a `fractions.Fraction` or an integer. Text such as `0.9` means 9/10; a Python
float is taken by its shortest decimal form where a person typed it (`as_rational`), and as the exact binary
rational that it is where it was measured in a matrix (`Fraction(x)`).
"""

import math
import re
from collections.abc import Iterable, Sequence
from decimal import Context, Decimal
from fractions import Fraction

from flint import fmpz

from mechdesign.errors import InputError, quote, shorten

Number = int | float | str | Fraction

MAX_DIGITS = 200_000
"""Longest integer, in characters with its sign, that is read from a file, and so the longest that a design has."""

LONGEST_RATIO = 1 << 24
"""Bits of a ratio of privacy over an edge of a metric; to check longer ones takes minutes."""

BITS_OF_A_DIGIT = 3
"""A number of 3 n bits has at most n digits."""

LONGEST_FRACTION = 40
"""Longest fraction, in characters, that messages write out."""

DECIMAL_DIGITS = 12
"""Of decimals that stand for the number itself."""

MAX_TEXT = 1_000

_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?(/[0-9]+)?")
_INTEGER = re.compile(r"-?[0-9]+")


def as_rational(value: Number, name: str) -> Fraction:
    """Return the exact rational that a person means: `0.9`, `"0.9"` and `"9/10"` are all 9/10.

    Raises `InputError` for anything that is not a finite number; `name` says what it was meant to be.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str | Fraction):
        raise InputError(f"{name} must be a number, got {name}={quote(value)}")
    if isinstance(value, int | Fraction):
        return Fraction(value)
    text = repr(value) if isinstance(value, float) else value.strip()
    if not _is_number(text):
        shown = shorten(text, LONGEST_FRACTION)
        point, must = text.replace(",", ".", 1), "a decimal or a fraction such as 0.9 or 9/10"
        if _is_number(point):
            must = f"written with a point, as {point}"
        raise InputError(f"{name} must be {must}, got {name}={shown}")
    top, _, bottom = text.partition("/")
    if bottom and int(bottom) == 0:
        raise InputError(f"{name} must have a denominator that is not 0, got {name}={shorten(text)}")
    return Fraction(top) / int(bottom or 1)


def _is_number(text: str) -> bool:
    return len(text) <= MAX_TEXT and _NUMBER.fullmatch(text) is not None


def simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """Return the fraction with the smallest denominator in the closed interval `[low, high]`, `0 <= low <= high`.

    Walks the continued fraction common to both ends (Stern-Brocot tree).
    """
    whole = math.floor(low)
    if whole == low:
        return Fraction(whole)
    if whole + 1 <= high:
        return Fraction(whole + 1)
    return whole + 1 / simplest_between(1 / (high - whole), 1 / (low - whole))


def natural_log(value: Fraction) -> float:
    """Return ln of a positive rational, without overflow and without cancellation near 1."""
    if 2 * abs(value.numerator - value.denominator) < value.denominator:
        return math.log1p((value.numerator - value.denominator) / value.denominator)
    return math.log(value.numerator) - math.log(value.denominator)


def over_common_denominator(values: Iterable[Fraction]) -> tuple[list[int], int]:
    """Write rationals as integers over one common denominator."""
    fractions = list(values)
    denominator = math.lcm(1, *{value.denominator for value in fractions})
    return [value.numerator * (denominator // value.denominator) for value in fractions], denominator


def integer_text(value: int) -> str:
    """Write an integer of any length in decimal digits (Python itself refuses beyond 4300)."""
    return str(fmpz(value))


def can_be_read_back(value: int) -> bool:
    """Return whether the text of an integer is short enough to be read from a file.

    >>> can_be_read_back(10**1000), can_be_read_back(-(1 << 1_000_000))
    (True, False)
    """
    if value.bit_length() <= BITS_OF_A_DIGIT * MAX_DIGITS:
        return True
    return value.bit_length() <= (BITS_OF_A_DIGIT + 1) * MAX_DIGITS and len(integer_text(value)) <= MAX_DIGITS


def fraction_text(value: Fraction) -> str:
    """Write a rational of any length as `p/q`, a whole number as `p`."""
    top = integer_text(value.numerator)
    return top if value.denominator == 1 else f"{top}/{integer_text(value.denominator)}"


def integer_from_text(text: object, name: str) -> int:
    """Parse an integer that a file holds as a decimal string, at most `MAX_DIGITS` long."""
    if type(text) is not str or len(text) > MAX_DIGITS or not _INTEGER.fullmatch(text):
        raise InputError(f"{name} must be an integer written as a string, got {quote(text, LONGEST_FRACTION)}")
    return int(fmpz(text))


def fraction_from_text(text: object, name: str) -> Fraction:
    """Parse a rational that a file holds as `p` or `p/q`."""
    top, slash, bottom = text.partition("/") if type(text) is str else (text, "", "")
    numerator = integer_from_text(top, name)
    denominator = integer_from_text(bottom, name) if slash else 1
    if denominator <= 0:
        raise InputError(f"{name} must have a positive denominator, got {quote(text)}")
    return Fraction(numerator, denominator)


def nearest_float(value: Fraction) -> float:
    """Return the float nearest to a rational, infinite beyond the largest; to be shown, never to decide by."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def float_above(value: Fraction) -> float:
    """Return a float that is at least a rational, and whose shortest decimals are; the number itself if they spell it.

    It is above by a few units in the last place at most. What is stated as an upper limit is written so.
    """
    stated = nearest_float(value)
    if Fraction(repr(stated)) == value:
        return stated
    while min(Fraction(stated), Fraction(repr(stated))) < value:
        stated = math.nextafter(stated, math.inf)
    return stated


def float_below(value: Fraction) -> float:
    """Return a float that is at most a rational, as `float_above` the other way: how lower bounds are written."""
    return 0.0 - float_above(-value)


def short_text(value: Fraction) -> str:
    """Write a rational as its fraction where that is short, else by its decimals, beyond floats too.

    >>> short_text(Fraction(2, 3)), short_text(Fraction(10**400)), short_text(Fraction(1, 10**400))
    ('2/3', 'about 1e+400', 'about 1e-400')
    """
    text = fraction_text(value)
    if len(text) <= LONGEST_FRACTION:
        return text
    nearest = nearest_float(value)
    if nearest and math.isfinite(nearest):
        return f"about {nearest:.12g}"
    quotient = Context(prec=12).divide(Decimal(value.numerator), Decimal(value.denominator))
    return f"about {quotient.normalize():g}"


def number_text(value: Fraction) -> str:
    """Write a rational as people type it: a decimal where a short one is exact, else as `short_text` does.

    Every alpha in a report, a message or a picture is written by this; documents have fractions.

    >>> [number_text(Fraction(text)) for text in ("9/10", "31/50", "10/11", "2/3", "7")]
    ['0.9', '0.62', '10/11', '2/3', '7']
    """
    nearest = nearest_float(value)
    decimal = f"{nearest:.{DECIMAL_DIGITS}g}"
    return decimal if math.isfinite(nearest) and Fraction(decimal) == value else short_text(value)


def total(values: Sequence[Fraction]) -> Fraction:
    """Sum rationals over one common denominator (much faster than adding one by one)."""
    integers, denominator = over_common_denominator(values)
    return Fraction(sum(integers), denominator)

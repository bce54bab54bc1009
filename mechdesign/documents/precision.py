"""The precision of floats in a file: how far each may be from the number it stands for."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from mechdesign.rational import as_rational

Halves = list[list[Fraction]]
"""For each entry of a matrix, how far the number that it stands for may be from it; 0 where it is exact."""


def halves_of_cells(cells: Sequence[Sequence[object]]) -> Halves | None:
    """Find how precise decimals are, from how they are written; None where all are exact.

    Whole numbers and fractions are exact. A decimal is known to half a unit of its last place. Many programs drop
    trailing zeros: an entry counts with the places, or with the significant digits, of the longest one of the file,
    whichever gives fewer. A decimal that a double (64 bits) prints as is known to a unit of that double besides.

    >>> [float(half) for half in halves_of_cells([["0.25", "1/3", "1"]])[0]]
    [0.005000000000000056, 0.0, 0.0]
    """
    written = [[_Decimal.of(cell) for cell in row] for row in cells if row]
    decimals = [decimal for row in written for decimal in row if decimal is not None]
    if not decimals:
        return None
    finest = min(decimal.place for decimal in decimals)
    digits = max(decimal.digits for decimal in decimals)
    return [[Fraction(0) if decimal is None else decimal.half(finest, digits) for decimal in row] for row in written]


def halves_of_floats(array: np.ndarray) -> Halves | None:
    """Find half a unit of the last place of each float of a matrix, in its own format; None for integers."""
    if array.dtype.kind != "f":
        return None
    return [[Fraction(unit) / 2 for unit in row] for row in np.spacing(np.abs(array)).astype(np.float64).tolist()]


class _Decimal:
    """A number with a point or an exponent, as it is written: its value, its last place and its significant digits."""

    def __init__(self, value: Fraction, place: int, digits: int) -> None:
        self.value, self.place, self.digits = value, place, digits

    @classmethod
    def of(cls, cell: object) -> "_Decimal | None":
        """Read a cell; None for a whole number or a fraction."""
        text = repr(cell) if isinstance(cell, float) else str(cell).strip().lower()
        if "/" in text or not ("." in text or "e" in text):
            return None
        mantissa, _, power = text.partition("e")
        whole, _, decimals = mantissa.lstrip("+-").partition(".")
        return cls(as_rational(text, "entry"), int(power or 0) - len(decimals), len((whole + decimals).lstrip("0")))

    def half(self, finest: int, digits: int) -> Fraction:
        """Return how far the number may be, in a file of this finest place and of so many significant digits."""
        written = Fraction(10) ** self.place / 2
        places = max(finest, self.place + self.digits - digits) if self.digits else finest
        half = Fraction(10) ** min(self.place, places) / 2
        double = float(self.value)
        return half + Fraction(math.ulp(double)) if abs(Fraction(double) - self.value) <= written else half

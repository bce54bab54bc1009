"""Conversions between FLINT's exact rationals, fractions and floats."""

from collections.abc import Sequence
from fractions import Fraction

from flint import fmpq, fmpz

Exact = fmpq


ZERO = fmpq(0)


ONE = fmpq(1)


def to_exact(value: Fraction) -> Exact:
    """Convert a fraction to FLINT's rational."""
    return fmpq(value.numerator, value.denominator)


def whole_values(values: Sequence[Exact]) -> tuple[list[int], int]:
    """Write rationals as integers over their least common denominator."""
    common = fmpz(1)
    for value in values:
        common = common.lcm(value.q)
    return [int(value.p * (common // value.q)) for value in values], int(common)


def to_fraction(value: Exact) -> Fraction:
    """Convert FLINT's rational to a fraction."""
    return Fraction(int(value.p), int(value.q))


def exact_float(value: float) -> Exact:
    """Return the binary rational that a float is."""
    return fmpq(*value.as_integer_ratio())


def to_float(value: Exact) -> float:
    """Return the float nearest to a rational."""
    return int(value.p) / int(value.q)

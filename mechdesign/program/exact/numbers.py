"""Conversions between FLINT's exact rationals, fractions and floats."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeVar

from flint import fmpq, fmpz

Exact = fmpq


ZERO = fmpq(0)


ONE = fmpq(1)


def to_exact(value: Fraction) -> Exact:
    """Convert a fraction to FLINT's rational."""
    return fmpq(value.numerator, value.denominator)


Before = TypeVar("Before")
After = TypeVar("After")


def each_once(convert: Callable[[Before], After], values: Sequence[Before]) -> list[After]:
    """Convert values, each object once: of floors and coefficients most are the same one."""
    made = {key: convert(value) for key, value in {id(value): value for value in values}.items()}
    return [made[id(value)] for value in values]


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

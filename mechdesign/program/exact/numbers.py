"""Compute in exact rationals: FLINT's, and their conversion."""

from fractions import Fraction

from flint import fmpq

Exact = fmpq


ZERO = fmpq(0)


ONE = fmpq(1)


def to_exact(value: Fraction) -> Exact:
    return fmpq(value.numerator, value.denominator)


def to_fraction(value: Exact) -> Fraction:
    return Fraction(int(value.p), int(value.q))


def exact_float(value: float) -> Exact:
    """The binary rational that a float is."""
    return fmpq(*value.as_integer_ratio())


def nearest_float(value: Exact) -> float:
    return int(value.p) / int(value.q)

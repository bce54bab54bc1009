"""Exact solutions of linear equations, in rationals."""

from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from flint import fmpq, fmpq_mat

from mechdesign.errors import NoAnswerError

Rationals = list[Fraction]


def sum_product(weights: Iterable[int | Fraction], values: Iterable[int | Fraction]) -> Fraction:
    """Add up products of two rows."""
    return Fraction(sum(weight * value for weight, value in zip(weights, values, strict=True)))


def solve(matrix: fmpq_mat, right: Sequence[int | Fraction]) -> Rationals:
    """Solve a square system.

    Raises:
        NoAnswerError: where it has not one solution.
    """
    try:
        solved = matrix.solve(as_flint([[value] for value in right]))
    except ZeroDivisionError:
        raise NoAnswerError(
            "reports must identify the share of each item, got items that they do not distinguish"
        ) from None
    return [Fraction(int(solved[row, 0].p), int(solved[row, 0].q)) for row in range(len(right))]


def as_flint(matrix: Sequence[Sequence[int | Fraction]]) -> fmpq_mat:
    """Return a matrix of rationals."""
    return fmpq_mat([[fmpq(entry.numerator, entry.denominator) for entry in row] for row in matrix])


class Measured(NamedTuple):
    """An estimate of what some of the unknowns add up to, and what it weighs."""

    weight: Fraction
    members: Collection[int]
    value: Fraction


def least_squares(unknowns: int, measured: Sequence[Measured]) -> Rationals:
    """Minimise `sum weight (sum of members - value)^2` over unknowns that add up to 1.

    By the normal equations, with one more unknown for the total (Lagrange's multiplier).
    """
    matrix = [[Fraction(0)] * unknowns + [Fraction(1)] for _ in range(unknowns)]
    right = [Fraction(0)] * unknowns
    for weight, members, value in measured:
        for one in members:
            right[one] += weight * value
            for other in members:
                matrix[one][other] += weight
    return solve(as_flint([*matrix, [1] * unknowns + [0]]), [*right, 1])[:unknowns]

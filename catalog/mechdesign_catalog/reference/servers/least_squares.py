"""Solve least squares exactly, with the total known: what estimates of several levels say together."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq, fmpq_mat

Rationals = list[Fraction]


@dataclass(frozen=True)
class Measured:
    """Hold an estimate of what some of the unknowns add up to, and what it weighs: one over its variance."""

    weight: Fraction
    members: Collection[int]
    value: Fraction


def least_squares(unknowns: int, measured: Sequence[Measured]) -> Rationals:
    """Minimise `sum weight (sum of members - value)^2` over unknowns that add up to 1.

    By the normal equations, with one more unknown for the total (Lagrange's multiplier).

    Raises:
        ZeroDivisionError: where the estimates do not tell all unknowns.
    """
    matrix = [[Fraction(0)] * (unknowns + 1) for _ in range(unknowns + 1)]
    right = [Fraction(0)] * unknowns + [Fraction(1)]
    for estimate in measured:
        for one in estimate.members:
            right[one] += estimate.weight * estimate.value
            for other in estimate.members:
                matrix[one][other] += estimate.weight
    for one in range(unknowns):
        matrix[one][unknowns] = matrix[unknowns][one] = Fraction(1)
    solved = _as_flint(matrix).solve(_as_flint([[value] for value in right]))
    return [as_fraction(solved[row, 0]) for row in range(unknowns)]


def inverse(matrix: Sequence[Sequence[Fraction]]) -> list[Rationals]:
    """Invert a square matrix.

    Raises:
        ZeroDivisionError: where it has no inverse.
    """
    size = len(matrix)
    found = _as_flint(matrix).inv()
    return [[as_fraction(found[row, column]) for column in range(size)] for row in range(size)]


def as_fraction(number: fmpq) -> Fraction:
    """Return the same rational as Python has it."""
    return Fraction(int(number.p), int(number.q))


def _as_flint(matrix: Sequence[Sequence[Fraction]]) -> fmpq_mat:
    return fmpq_mat([[fmpq(entry.numerator, entry.denominator) for entry in row] for row in matrix])

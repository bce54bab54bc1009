"""Linear systems over the polynomials in alpha, solved without fractions."""

from collections.abc import Sequence

from mechdesign.formulas.polynomials import ONE, ZERO, Polynomial
from mechdesign.program.exact.forest import SingularBasisError


def solve(matrix: Sequence[Sequence[Polynomial]], right: Sequence[Polynomial]) -> tuple[list[Polynomial], Polynomial]:
    """Solve `matrix x = right` over the rational functions (Bareiss's elimination, both ways).

    Returns:
        Numerators of x, and their common denominator, the determinant up to its sign.

    Raises:
        SingularBasisError: where the determinant is 0.
    """
    rows = [[*row, side] for row, side in zip(matrix, right, strict=True)]
    last = ONE
    for column in range(len(rows)):
        _bring_up(rows, column)
        top = rows[column]
        pivot = top[column]
        for number, row in enumerate(rows):
            if number != column:
                rows[number] = _eliminated(row, top, column, last)
        last = pivot
    return [row[-1] for row in rows], last


def _bring_up(rows: list[list[Polynomial]], column: int) -> None:
    """Swap a row of the lowest degree in a column to its place; the sign of a determinant changes."""
    below = [number for number in range(column, len(rows)) if rows[number][column]]
    if not below:
        raise SingularBasisError("the equations do not determine the trees at any alpha")
    best = min(below, key=lambda number: rows[number][column].degree())
    if best != column:
        rows[column], rows[best] = rows[best], [-value for value in rows[column]]


def _eliminated(row: list[Polynomial], top: list[Polynomial], column: int, last: Polynomial) -> list[Polynomial]:
    """Take a multiple of the pivot's row off another; divisions by the last pivot are exact."""
    pivot, factor = top[column], row[column]
    if not factor:
        return row if pivot == last else [pivot * value / last if value else ZERO for value in row]
    return [
        (pivot * value - factor * other) / last if value or other else ZERO
        for value, other in zip(row, top, strict=True)
    ]

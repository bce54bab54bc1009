"""Solve linear systems in rationals, by elimination."""

from fractions import Fraction


def solve(matrix, right):
    """Solve a square system."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    size = len(rows)
    for at in range(size):
        pivot = next(i for i in range(at, size) if rows[i][at])
        rows[at], rows[pivot] = rows[pivot], rows[at]
        rows[at] = [entry / rows[at][at] for entry in rows[at]]
        for i in range(size):
            if i != at and rows[i][at]:
                rows[i] = [a - rows[i][at] * b for a, b in zip(rows[i], rows[at], strict=True)]
    return [row[size] for row in rows]


def least_squares(unknowns, measured):
    """Minimise the weighted squares of what is measured, (weight, which unknowns, their sum), with a total of 1."""
    matrix = [[Fraction(0)] * (unknowns + 1) for _ in range(unknowns + 1)]
    right = [Fraction(0)] * unknowns + [Fraction(1)]
    for i in range(unknowns):
        matrix[i][-1] = matrix[-1][i] = Fraction(1)
    for weight, members, value in measured:
        for i in members:
            right[i] += weight * value
            for j in members:
                matrix[i][j] += weight
    return solve(matrix, right)[:unknowns]

"""Symmetric matrices in integers: rank, a trace with the inverse, semidefiniteness."""

from math import isqrt
from operator import mul

Matrix = list[list[int]]
SPARE_BITS = 128
"""Bits that matrices are lengthened by before an approximate factor is taken of them."""


class SingularError(Exception):
    """The error when a matrix is singular, or has a kernel vector on which another matrix does not vanish."""


def eliminated(matrix: Matrix, gram: Matrix) -> tuple[list[int], int, int]:
    """Eliminate `A + t G` for semidefinite A and G, exactly to first order in t.

    Returns rows J that span those of A, and `d = det A_JJ` and its derivative d' in direction G: where the range of A
    holds that of G, `d'/d = tr(G_JJ A_JJ^-1) = tr(G A^+)`.

    Bareiss' elimination divides exactly, in polynomials as in numbers. A pivot that is 0 shows a kernel vector n of A,
    since A is semidefinite; its derivative is a multiple of `n'Gn`, which is 0 where the range of A holds that of G.

    Raises:
        SingularError: where it does not.
    """
    a, b = [row[:] for row in matrix], [row[:] for row in gram]
    kept = []
    last, last_slope = 1, 0
    for j in range(len(a)):
        pivot, slope = a[j][j], b[j][j]
        if pivot == 0:
            if slope:
                raise SingularError
            continue
        for u in range(j + 1, len(a)):
            x, y = a[j][u], b[j][u]
            for v, value in enumerate(a[u][u:], start=u):
                rise = slope * value + pivot * b[u][v] - y * a[j][v] - x * b[j][v]
                a[u][v] = value = (pivot * value - x * a[j][v]) // last
                b[u][v] = (rise - value * last_slope) // last
        last, last_slope = pivot, slope
        kept.append(j)
    return kept, last, last_slope


def is_semidefinite(matrix: Matrix) -> bool:
    """Return whether a symmetric matrix is shown to be positive semidefinite.

    A lower triangular R is found for which `Q - R R'` is diagonally dominant with a diagonal that is not negative, so
    semidefinite. R R' is exact; R itself may be anything. A matrix that is nearly singular may be missed.
    """
    q = [[value << SPARE_BITS for value in row] for row in matrix]
    size = len(q)
    if any(q[i][i] <= 0 for i in range(size)):
        return False
    slack = size * max(isqrt(q[i][i]) + 1 for i in range(size))
    factor: Matrix = []
    rest = [[0] * size for _ in range(size)]
    for i in range(size):
        row: list[int] = []
        for j in range(i):
            left = q[i][j] - sum(map(mul, row, factor[j]))
            entry, rest[i][j] = divmod(left, factor[j][j])
            row.append(entry)
        left = q[i][i] - sum(map(mul, row, row))
        if left <= slack:
            return False
        row.append(isqrt(left - slack))
        rest[i][i] = left - row[i] * row[i]
        factor.append(row)
    return all(rest[i][i] >= sum(rest[i][:i]) + sum(rest[j][i] for j in range(i + 1, size)) for i in range(size))


def approximate_inverse(matrix: Matrix, bits: int) -> Matrix | None:
    """Return integers X near `4^bits` times the inverse of a definite matrix A, so that `A X` is near `4^bits`.

    Nothing is promised of X: whoever uses it looks at `A X`. None where a pivot is not positive.
    """
    size = len(matrix)
    one = 1 << bits
    rows = [row + [one * (u == v) for v in range(size)] for u, row in enumerate(matrix)]
    for j in range(size):
        pivot = rows[j][j]
        if pivot <= 0:
            return None
        here = slice(j, size + j + 1)  # the other entries of this row are 0
        rows[j][here] = own = [(value << bits) // pivot for value in rows[j][here]]
        for u, row in enumerate(rows):
            factor = row[j]
            if u != j and factor:
                row[here] = [value - (factor * other >> bits) for value, other in zip(row[here], own, strict=True)]
    return [row[size:] for row in rows]


def product(left: Matrix, right: Matrix) -> Matrix:
    """Return the product of two matrices."""
    columns = list(zip(*right, strict=True))
    return [[sum(map(mul, row, column)) for column in columns] for row in left]


def largest_row_sum(matrix: Matrix) -> int:
    """Return the largest sum of absolute values of a row."""
    return max(sum(map(abs, row)) for row in matrix)

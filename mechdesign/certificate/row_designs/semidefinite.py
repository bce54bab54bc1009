"""Integer proofs that a symmetric matrix is positive semidefinite, by a factor in floats."""

import numpy as np
from flint import fmpz_mat
from numpy.typing import NDArray

Exacts = NDArray[np.object_]

FACTOR_BITS = 54
"""A factor's entries are rounded to so many bits after the point, where the matrix has entries of at most 1."""


def is_semidefinite(matrix: Exacts) -> bool:
    """Return whether a symmetric integer matrix is shown to be positive semidefinite; nearly singular ones may not be.

    With any integer matrix R, Q is semidefinite where `Q - R R'` is diagonally dominant with a nonnegative diagonal:
    such a matrix is semidefinite, and R R' is. R is Cholesky's factor in floats, of Q less half of its least
    eigenvalue; that R R' differs from Q is looked at in integers.
    """
    bits = max(int(abs(value)).bit_length() for value in matrix.reshape(-1))
    if bits == 0:
        return True
    floats = as_floats(matrix, bits)
    least = float(np.linalg.eigvalsh(floats)[0])
    try:
        factor = np.linalg.cholesky(floats - least / 2 * np.eye(len(floats)))
    except np.linalg.LinAlgError:
        return False
    rounded = fmpz_mat(np.vectorize(int, otypes=[object])(np.rint(factor * 2.0**FACTOR_BITS)).tolist())
    squared = np.array([[int(x) for x in row] for row in (rounded * rounded.transpose()).tolist()], dtype=object)
    rest = (matrix << 2 * FACTOR_BITS) - (squared << bits)
    diagonal = rest.diagonal()
    beside = np.abs(rest).sum(axis=1) - np.abs(diagonal)
    return bool((diagonal >= beside).all())


def as_floats(matrix: Exacts, bits: int) -> NDArray[np.float64]:
    """Divide integers by `2^bits`, rounded to floats."""
    shift = bits - 900
    smaller = matrix >> shift if shift > 0 else matrix
    found: NDArray[np.float64] = smaller.astype(np.float64) / 2.0 ** min(bits, 900)
    return found

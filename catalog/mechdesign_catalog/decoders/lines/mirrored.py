"""Matrices that are the same from the last row and column on: two of half the size do for one.

The mirror J turns the order of coordinates round, and a matrix A is mirrored where `J A J = A`. Then A keeps vectors
that are their own mirror image, and those that are minus it: in an orthonormal basis of both it is two blocks. Shifted
partitions of items in a row are alike from both ends, so their information is mirrored.
"""

import numpy as np

from mechdesign.workloads.queries import Floats

ROUNDED = 1e-12
"""A matrix is mirrored where no entry differs from its mirror image by more than this part of the largest."""


def is_mirrored(matrix: Floats) -> bool:
    """Tell whether a square matrix is mirrored, but for rounding, and has two coordinates at least."""
    apart = np.abs(matrix - matrix[::-1, ::-1]).max(initial=0.0)
    return len(matrix) > 1 and bool(apart <= ROUNDED * np.abs(matrix).max(initial=0.0))


def halves(matrix: Floats) -> tuple[Floats, Floats]:
    """Return the blocks of the mean of a matrix and its mirror image: on vectors that are their own, and minus it.

    >>> even, odd = halves(np.array([[2.0, 1.0], [1.0, 2.0]]))
    >>> even.tolist(), odd.tolist()
    ([[3.0]], [[1.0]])
    """
    count, half = len(matrix), len(matrix) // 2
    mean = (matrix + matrix[::-1, ::-1]) / 2
    near, far = mean[:half, :half], mean[:half, count - half :][:, ::-1]
    even = near + far
    if count % 2:
        root = np.sqrt(2.0)
        even = np.block(
            [[even, root * mean[:half, half : half + 1]], [root * mean[half : half + 1, :half], mean[half, half]]]
        )
    return even, near - far


def joined(even: Floats, odd: Floats) -> Floats:
    """Return the mirrored matrix that has these blocks."""
    half, middle = len(odd), len(even) - len(odd)
    found = np.empty((2 * half + middle,) * 2)
    near, far = (even[:half, :half] + odd) / 2, (even[:half, :half] - odd) / 2
    found[:half, :half], found[:half, half + middle :] = near, far[:, ::-1]
    if middle:
        root = np.sqrt(2.0)
        found[:half, half], found[half, :half] = even[:half, half] / root, even[half, :half] / root
        found[half, half] = even[half, half]
        found[half, half + 1 :] = found[half, :half][::-1]
    found[half + middle :] = found[:half][::-1, ::-1]
    return found

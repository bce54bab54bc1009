"""The Walsh-Hadamard transform of numbers, in place, and the parity behind it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int32] | NDArray[np.int64] | NDArray[np.float64]

TILE_BITS = 18
"""Entries that are transformed together, as a power of two: they and their copies stay in the processor's cache."""


def parity(numbers: NDArray[Any]) -> NDArray[np.uint8]:
    """Return 1 where the binary form has an odd number of ones: `<c, x> mod 2` is `parity(c & x)`."""
    odd: NDArray[np.uint8] = np.bitwise_count(numbers) & np.uint8(1)
    return odd


def walsh_hadamard(values: Numbers) -> None:
    """Replace `values`, shape (2^bits,), by `result[y] = sum_c values[c] (-1)^<c, y>`.

    Every number on the way is a sum of entries with signs, so nothing overflows where the sum of all absolute values
    fits the type. Two passes over memory: the low bits in contiguous tiles, the high bits in tiles of columns.

    >>> values = np.array([5, 1, 0, 2])
    >>> walsh_hadamard(values)
    >>> values.tolist()
    [8, 2, 4, 6]
    """
    low = min(len(values).bit_length() - 1, TILE_BITS)
    table = values.reshape(-1, 1 << low)
    spare = np.empty((2, 1 << low), dtype=values.dtype)
    for tile in table:
        half = 1 << low // 2
        rows = _along_rows(tile.reshape(half, -1), spare)
        columns = _along_rows(rows.T, spare)
        tile[:] = columns.T.reshape(-1)
    width = max(1, (1 << TILE_BITS) // len(table))
    if len(table) > 1:
        spare = np.empty((2, width * len(table)), dtype=values.dtype)
        for start in range(0, 1 << low, width):
            columns = table[:, start : start + width]
            columns[:] = _along_rows(columns, spare)


def walsh_hadamard_of_columns(matrix: Numbers) -> Numbers:
    """Return the transform of each column of a matrix, shape (2^bits, m), as `walsh_hadamard` of one.

    >>> walsh_hadamard_of_columns(np.array([[5, 1], [1, 1]])).tolist()
    [[6, 2], [4, 0]]
    """
    return _along_rows(matrix, np.empty((2, matrix.size), dtype=matrix.dtype))


def _along_rows(matrix: Numbers, spare: Numbers) -> Numbers:
    """The transform of every column; its row number is the bits that are transformed. Works to and fro in `spare`."""
    rows, columns = matrix.shape
    source, target = spare[0, : matrix.size], spare[1, : matrix.size]
    source.reshape(matrix.shape)[:] = matrix
    span = columns
    while span < rows * columns:
        pairs, results = source.reshape(-1, 2, span), target.reshape(-1, 2, span)
        np.add(pairs[:, 0], pairs[:, 1], out=results[:, 0])
        np.subtract(pairs[:, 0], pairs[:, 1], out=results[:, 1])
        source, target, span = target, source, 2 * span
    return source.reshape(matrix.shape)

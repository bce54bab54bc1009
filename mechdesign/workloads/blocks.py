"""Partitions of `0 .. k-1` into blocks, by the few sums that energies of workloads need.

The sums are Python integers.

The energy of a workload of ranges over a block `[a, a+m)` is a polynomial in a and m, of degree 2 in a. So blocks of
one width m are described by their number, the sum of their starts and the sum of the squares of their starts.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mechdesign.errors import InputError, quote

HALF = 32
"""Bits of the halves in which squares are summed."""


@dataclass(frozen=True)
class Blocks:
    """The blocks of one width: how many, and the sums of their first items and of the squares of those."""

    width: int
    count: int
    starts: int
    squared_starts: int


def tiles(k: int, size: int) -> tuple[Blocks, ...]:
    """Cut `0 .. k-1` into `[0, size), [size, 2 size), ..`; the last may be shorter.

    Raises:
        InputError: for a size that is no whole number of at least 1.
    """
    size = require_size(size)
    full, rest = divmod(k, size)
    whole = Blocks(size, full, size * sum_of_first(full), size**2 * sum_of_squares(full))
    last = Blocks(rest, 1, full * size, (full * size) ** 2)
    return tuple(blocks for blocks in (whole, last) if blocks.count and blocks.width)


def require_size(size: int) -> int:
    """Return the size of a tile as Python's integer.

    Raises:
        InputError: where it is no whole number of at least 1.
    """
    if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 1:
        raise InputError(f"size must be a whole number of at least 1, got size={quote(size)}")
    return int(size)


def partition(k: int, edges: ArrayLike) -> tuple[Blocks, ...]:
    """Cut `0 .. k-1` into the blocks `[e_0, e_1), [e_1, e_2), ..` with `e_0 = 0` and the last edge k.

    Raises:
        InputError: as `require_edges`.
    """
    at = require_edges(k, edges)
    starts, widths = at[:-1], np.diff(at)
    return tuple(_of_width(int(width), starts[widths == width]) for width in np.unique(widths))


def require_edges(k: int, edges: ArrayLike) -> NDArray[np.int64]:
    """Return the edges of a partition of `0 .. k-1` as integers.

    Raises:
        InputError: for edges that are no integers, do not increase, or do not go from 0 to k.
    """
    array = np.asarray(edges)
    if array.ndim != 1 or len(array) < 2 or array.dtype.kind not in "iu":
        raise InputError(f"edges must be at least two integers in a row, got shape {array.shape}, {array.dtype}")
    at: NDArray[np.int64] = array.astype(np.int64)
    if at[0] != 0 or at[-1] != k or (np.diff(at) <= 0).any():
        raise InputError(f"edges must increase from 0 to k = {k}, got {quote(at[:6].tolist())} .. {at[-1]}")
    return at


def _of_width(width: int, starts: NDArray[np.int64]) -> Blocks:
    """Sum starts below 2^31 and their squares; neither low nor high halves of 2^31 squares exceed 63 bits."""
    squares = starts * starts
    low, high = squares & ((1 << HALF) - 1), squares >> HALF
    return Blocks(width, len(starts), int(starts.sum()), int(low.sum()) + (int(high.sum()) << HALF))


def sum_of_first(count: int) -> int:
    """Return `0 + 1 + .. + (count - 1)`."""
    return count * (count - 1) // 2


def sum_of_squares(count: int) -> int:
    """Return `0^2 + 1^2 + .. + (count - 1)^2`."""
    return (count - 1) * count * (2 * count - 1) // 6

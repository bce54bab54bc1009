"""Uniform subsets of 0..k-1, drawn exactly, and the cost of a subset's number.

Each user draws one.
"""

import math

import numpy as np
from numpy.typing import NDArray

from mechdesign.mechanism.sampling import WordSource
from mechdesign_catalog.randomizers.kernels.draws import BLOCK, uniform_below

Subsets = NDArray[np.int64]


def uniform_subsets(k: int, size: int, count: int, words: WordSource) -> Subsets:
    """Draw `count` independent sets of `size` of k numbers, every set as likely; shape (count, size), rows ascending.

    Floyd's algorithm (Bentley, Floyd, *A sample of brilliance*, CACM 1987), all users at once: for t from k - size to
    k - 1 draw a number in 0..t; where the set has it already, t itself is taken.
    """
    result = np.empty((count, size), dtype=np.int64)
    is_small = size * size <= k
    rows = max(1, BLOCK // (size if is_small else k))
    for start in range(0, count, rows):
        block = result[start : start + rows]
        _fill_by_looking(block, k, words) if is_small else _fill_by_marks(block, k, words)
    result.sort(axis=1)
    return result


def _fill_by_looking(block: Subsets, k: int, words: WordSource) -> None:
    """Compare with what is in the set: time `size^2` for each row."""
    size = block.shape[1]
    for position, last in enumerate(range(k - size, k)):
        drawn = uniform_below(last + 1, len(block), words)
        taken = (block[:, :position] == drawn[:, None]).any(axis=1)
        block[:, position] = np.where(taken, last, drawn)


def _fill_by_marks(block: Subsets, k: int, words: WordSource) -> None:
    """Mark what is in the set: k bytes for each row."""
    rows, size = block.shape
    marks = np.zeros((rows, k), dtype=np.bool_)
    every = np.arange(rows)
    for position, last in enumerate(range(k - size, k)):
        drawn = uniform_below(last + 1, rows, words)
        drawn = np.where(marks[every, drawn], last, drawn)
        marks[every, drawn] = True
        block[:, position] = drawn


EXACT_BITS = 1 << 12
"""Up to so many items the binomial coefficient is computed; beyond, its logarithm (the bits are then right to one)."""


def subset_bits(k: int, size: int) -> int:
    """Compute `ceil(log2 C(k, size))`, the bits that the number of a set takes."""
    if k <= EXACT_BITS:
        return (math.comb(k, size) - 1).bit_length()
    logarithm = math.lgamma(k + 1) - math.lgamma(size + 1) - math.lgamma(k - size + 1)
    return math.ceil(logarithm / math.log(2))

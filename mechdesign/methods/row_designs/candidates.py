"""Make rows to begin with and to climb from, and keep one of each orbit."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from mechdesign.methods.row_designs.programme import Bits, RowProgramme
from mechdesign.workloads.queries import Floats

WORD = 64
SHARES = (0.5, 1.8)
"""Parts of `1/(E+1)`, the best share of ones for a trace, that sampled rows have of ones."""

FLIPS = (1, 2, 4, 8)


def representatives(programme: RowProgramme, rows: Bits) -> Bits:
    """Keep one row of each orbit under the symmetries, the least one, rising; rows of equal bits are left out."""
    ones = rows.sum(axis=1)
    used: Bits = rows[(ones > 0) & (ones < rows.shape[1])]
    if not len(used):
        return used
    least = _keys(used)
    best: Bits = used.copy()
    for symmetry in programme.own_symmetries[1:]:
        moved = used[:, symmetry]
        keys = _keys(moved)
        smaller = _less(keys, least)
        least[smaller], best[smaller] = keys[smaller], moved[smaller]
    order = np.lexsort(least.T[::-1])
    ordered = least[order]
    first = np.ones(len(ordered), dtype=bool)
    first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    kept: Bits = best[order[first]]
    return kept


def first_rows(programme: RowProgramme, count: int, random: np.random.Generator) -> Bits:
    """Return rows to begin with: single items, all but one, and rows like those of the least trace, sampled.

    Of all matrices A of one trace, the square root of the Gram matrix is the best; rows are drawn as if that was A.
    """
    values, vectors = np.linalg.eigh(programme.gram)
    root = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
    identity = np.eye(programme.size, dtype=np.uint8)
    return representatives(
        programme, np.vstack([identity, 1 - identity, sampled_rows(root, programme.entry, count, random)])
    )


def sampled_rows(covariance: Floats, entry: float, count: int, random: np.random.Generator) -> Bits:
    """Draw rows of bits that are 1 where normal variables with a covariance are above a level, each row its own."""
    spread = np.sqrt(np.maximum(covariance.diagonal(), 1e-300))
    values, vectors = np.linalg.eigh(covariance / np.outer(spread, spread))
    shape = vectors * np.sqrt(np.maximum(values, 0))
    normal = random.standard_normal((count, len(spread))) @ shape.T
    shares = np.minimum(random.uniform(*SHARES, (count, 1)) / (entry + 1), 0.5)
    drawn: Bits = (normal > ndtri(1 - shares)).astype(np.uint8)
    return drawn


def neighbours(rows: Bits, random: np.random.Generator) -> Bits:
    """Return rows moved by one place either way, and rows with a few random bits flipped."""
    found = [np.roll(rows, 1, axis=1), np.roll(rows, -1, axis=1)]
    for flips in FLIPS:
        moved = rows.copy()
        for _ in range(flips):
            moved[np.arange(len(rows)), random.integers(0, rows.shape[1], len(rows))] ^= 1
        found.append(moved)
    return np.vstack(found)


def _keys(rows: Bits) -> NDArray[np.uint64]:
    """Return the bits of each row as words, the first item's bit highest."""
    padding = -rows.shape[1] % WORD
    padded = np.pad(rows, ((0, 0), (0, padding)))
    packed = np.packbits(padded, axis=1)
    return np.ascontiguousarray(packed).view(">u8").astype(np.uint64)


def _less(left: NDArray[np.uint64], right: NDArray[np.uint64]) -> NDArray[np.bool_]:
    less = np.zeros(len(left), dtype=bool)
    for word in reversed(range(left.shape[1])):
        less = (left[:, word] < right[:, word]) | ((left[:, word] == right[:, word]) & less)
    return less

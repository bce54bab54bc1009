"""Rows to weigh: one of each orbit, rows to begin with, and rows that break a dual, by climbing or among all 2^K."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from mechdesign.methods.row_designs.programme import Bits, RowDual, RowProgramme
from mechdesign.workloads.queries import Floats, Integers

WORD = 64
SHARES = (0.5, 1.8)
"""Parts of `1/(E+1)`, the best share of ones for a trace, that sampled rows have of ones."""

FLIPS = (1, 2, 4, 8)

MOST_FLIPS = 400
RISE = 1e-12
"""A flip must raise the excess by this part of it."""

MOST_CELLS = 1 << 20
"""Rows whose excesses are held at once."""

MOST_IN_DOUBLES = 26
"""Groups up to which all rows are looked at in double precision."""


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


def climb(dual: RowDual, rows: Bits) -> Bits:
    """Flip one bit of each row after the other, always the one that raises its excess most, until none does."""
    bits = rows.copy()
    step, prior = dual.programme.entry - 1, dual.programme.prior
    r = dual.programme.values(bits)
    shares = r @ dual.form
    diagonal = step**2 * dual.form.diagonal()
    live = np.arange(len(bits))
    for _ in range(MOST_FLIPS):
        if not len(live):
            break
        now, share = r[live], shares[live]
        means, prices, energy = now @ prior, now @ dual.prices, (now * share).sum(axis=1)
        moves = np.where(bits[live] == 1, -step, step)
        after = means[:, None] + moves * prior
        value = (energy[:, None] + 2 * moves * share + diagonal) / after
        value -= prices[:, None] + moves * dual.prices
        value /= after
        best = value.argmax(axis=1)
        level = energy / means**2 - prices / means
        rises = value[np.arange(len(live)), best] > level + RISE * abs(prices / means)
        live, best, moved = live[rises], best[rises], moves[rises, best[rises]]
        bits[live, best] ^= 1
        r[live, best] += moved
        shares[live] += moved[:, None] * dual.form[best]
    return bits


def best_of_all(dual: RowDual, most: int, is_mirrored: bool = False) -> tuple[Bits, float]:
    """Look at all 2^K rows; return up to `most` of the worst, no two alike in the first half, and the worst value.

    The value is that of `r'Mr - (p'r)(y'r)`, which bounds a row's excess for `p'r >= 1`; up to rounding, in single
    precision beyond `MOST_IN_DOUBLES` groups. Both halves of the bits are matrices, whose product has all rows. Of a
    row and its reversal one is looked at where the dual is mirrored: the second half is read backwards.
    """
    constant, linear, square = _polynomial(dual)
    size = len(linear)
    half = size // 2
    kind = np.float64 if size <= MOST_IN_DOUBLES else np.float32
    is_folded = is_mirrored and size == 2 * half
    first, second = _all_bits(half), _all_bits(size - half)[:, :: -1 if is_folded else 1]
    alone = constant + first @ linear[:half] + ((first @ square[:half, :half]) * first).sum(axis=1)
    other = second @ linear[half:] + ((second @ square[half:, half:]) * second).sum(axis=1)
    left = np.hstack([2 * first @ square[:half, half:], np.ones((len(first), 1)), alone[:, None]]).astype(kind)
    right = np.hstack([second, other[:, None], np.ones((len(second), 1))]).T.astype(kind, order="C")
    partners, values = _best_partners(left, right, is_folded)
    top = np.argsort(-values, kind="stable")[:most]
    rows = np.hstack([first[top], second[partners[top]]]).astype(np.uint8)
    return rows, float(values[top[0]])


def _polynomial(dual: RowDual) -> tuple[float, Floats, Floats]:
    """Return c, l and the symmetric Q of `r'Mr - (p'r)(y'r) = c + l'b + b'Qb` for the bits b of r."""
    step, prior = dual.programme.entry - 1, dual.programme.prior
    form = dual.form - (np.outer(prior, dual.prices) + np.outer(dual.prices, prior)) / 2
    return float(form.sum()), 2 * step * form.sum(axis=1), step**2 * form


def _best_partners(left: NDArray[Any], right: NDArray[Any], is_folded: bool) -> tuple[Integers, Floats]:
    """Return the column of the largest entry of each row of a product, and that; from the diagonal on if folded."""
    chunk = max(1, MOST_CELLS // right.shape[1])
    partners, values = np.zeros(len(left), dtype=np.int64), np.zeros(len(left))
    for start in range(0, len(left), chunk):
        begin = start if is_folded else 0
        cells = left[start : start + chunk] @ right[:, begin:]
        best = cells.argmax(axis=1)
        partners[start : start + chunk] = begin + best
        values[start : start + chunk] = cells[np.arange(len(cells)), best]
    return partners, values


def _all_bits(count: int) -> Floats:
    found: Floats = ((np.arange(2**count)[:, None] >> np.arange(count)) & 1).astype(np.float64)
    return found


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

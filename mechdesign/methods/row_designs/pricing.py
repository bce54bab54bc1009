"""Find rows that break a dual: by climbing from many starts, or by looking at all 2^K."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mechdesign.methods.row_designs.programme import Bits
from mechdesign.workloads.queries import Floats, Integers

MOST_FLIPS = 400
RISE = 1e-12
"""A flip must raise the excess by this part of it."""

MOST_CELLS = 1 << 20
"""Rows whose excesses are held at once."""

MOST_IN_DOUBLES = 26
"""Groups up to which all rows are looked at in double precision."""


class Dual:
    """Hold a dual as searches take it: M, y and p, and the values of 0 and 1, which are 1 and E.

    The excess of a row r is `a'Ma - y'a` for `a = r / (p'r)`; a dual is feasible where no row has one above 0.
    """

    def __init__(self, entry: float, matrix: Floats, prices: Floats, prior: Floats) -> None:
        self.step, self.matrix, self.prices, self.prior = entry - 1, matrix, prices, prior

    def excess(self, rows: Bits) -> Floats:
        """Return the excess of each row."""
        r = 1 + self.step * rows.astype(np.float64)
        means = r @ self.prior
        found: Floats = ((r @ self.matrix) * r).sum(axis=1) / means**2 - (r @ self.prices) / means
        return found

    def polynomial(self) -> tuple[float, Floats, Floats]:
        """Return c, l and the symmetric Q of `r'Mr - (p'r)(y'r) = c + l'b + b'Qb` for the bits b of r."""
        form = self.matrix - (np.outer(self.prior, self.prices) + np.outer(self.prices, self.prior)) / 2
        return float(form.sum()), 2 * self.step * form.sum(axis=1), self.step**2 * form


def climb(dual: Dual, rows: Bits) -> Bits:
    """Flip one bit of each row after the other, always the one that raises its excess most, until none does."""
    bits = rows.copy()
    r = 1 + dual.step * bits.astype(np.float64)
    shares = r @ dual.matrix
    diagonal = dual.step**2 * dual.matrix.diagonal()
    live = np.arange(len(bits))
    for _ in range(MOST_FLIPS):
        if not len(live):
            break
        now, share = r[live], shares[live]
        means, prices, energy = now @ dual.prior, now @ dual.prices, (now * share).sum(axis=1)
        moves = np.where(bits[live] == 1, -dual.step, dual.step)
        after = means[:, None] + moves * dual.prior
        value = (energy[:, None] + 2 * moves * share + diagonal) / after
        value -= prices[:, None] + moves * dual.prices
        value /= after
        best = value.argmax(axis=1)
        level = energy / means**2 - prices / means
        rises = value[np.arange(len(live)), best] > level + RISE * abs(prices / means)
        live, best, moved = live[rises], best[rises], moves[rises, best[rises]]
        bits[live, best] ^= 1
        r[live, best] += moved
        shares[live] += moved[:, None] * dual.matrix[best]
    return bits


def best_of_all(dual: Dual, most: int, is_mirrored: bool = False) -> tuple[Bits, float]:
    """Look at all 2^K rows; return up to `most` of the worst, no two alike in the first half, and the worst value.

    The value is that of `r'Mr - (p'r)(y'r)`, which bounds a row's excess for `p'r >= 1`; up to rounding, in single
    precision beyond `MOST_IN_DOUBLES` groups. Both halves of the bits are matrices, whose product has all rows. Of a
    row and its reversal one is looked at where the dual is mirrored: the second half is read backwards.
    """
    constant, linear, square = dual.polynomial()
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

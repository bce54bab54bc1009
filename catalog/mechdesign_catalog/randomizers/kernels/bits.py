"""Rows of bits, one for each item, eight in a byte: shape (users, ceil(k/8)).

Item v is the bit of value `2^(v mod 8)` in byte `v // 8`; the bits of the last byte beyond item k-1 are 0.
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mechdesign.mechanism.sampling import ColumnSampler, WordSource

Rows = NDArray[np.uint8]
Items = NDArray[np.int64]

AT_ONCE = 1 << 16
"""Bytes, or rows, that are handled at once: they and their indices stay in the processor's cache."""

ROWS_AT_ONCE = 255
"""A sum of this many bits still fits one byte."""

WIDTH_AT_ONCE = 512
"""Bytes of a row whose sums are made at once."""

CHOICES = 1 << 16


def row_width(k: int) -> int:
    """Return the number of bytes that k bits take."""
    return (k + 7) // 8


class ByteSampler:
    """A sampler of bytes of eight independent bits, each 1 with exactly `probability`.

    Let `P(b)` be the chance of the byte b. Of the 2^16 values of a random 16-bit word, `floor(2^16 P(b))` stand for b;
    at most 255 stand for none. A word among those is answered by another draw, with chances in proportion to what the
    rounding left of each b. Both together give b with `(floor(2^16 P(b)) + rest(b)) / 2^16 = P(b)`. Two random bits for
    a cell, and one table look-up for eight.
    """

    def __init__(self, probability: Fraction) -> None:
        one, base = probability.numerator, probability.denominator
        scaled = [CHOICES * one ** b.bit_count() * (base - one) ** (8 - b.bit_count()) for b in range(256)]
        whole = [weight // base**8 for weight in scaled]
        rest = [weight % base**8 for weight in scaled]
        self.decided = sum(whole)
        self.table = np.zeros(CHOICES, dtype=np.uint8)
        self.table[: self.decided] = np.repeat(np.arange(256, dtype=np.uint8), whole)
        self.rest = ColumnSampler(rest, base**8 * (CHOICES - self.decided)) if any(rest) else None

    def draw(self, count: int, words: WordSource) -> Rows:
        """Draw `count` bytes."""
        result = np.empty(count, dtype=np.uint8)
        for start in range(0, count, AT_ONCE):
            block = result[start : start + AT_ONCE]
            drawn = words((len(block) + 3) // 4).view(np.uint16)[: len(block)]
            np.take(self.table, drawn, out=block, mode="clip")
            if self.rest is not None:
                left = np.flatnonzero(drawn >= self.decided)
                block[left] = self.rest.draw(words, len(left))
        return result


def bernoulli_rows(probability: Fraction, users: int, k: int, words: WordSource) -> Rows:
    """Draw rows of k independent bits, each 1 with exactly `probability` in [0, 1]."""
    rows = ByteSampler(probability).draw(users * row_width(k), words).reshape(users, row_width(k))
    rows[:, -1] &= np.uint8(last_byte(k))
    return rows


def packed_bits(bits: NDArray[np.bool_]) -> Rows:
    """Pack the bits of the last axis."""
    return np.packbits(bits, axis=-1, bitorder="little")


def last_byte(k: int) -> int:
    """Return a mask of the bits of a row's last byte that stand for items."""
    return 0xFF >> (-k % 8)


def place(items: Items) -> tuple[Items, NDArray[np.uint8]]:
    """Find the byte that each item is in, and its bit there."""
    return items >> 3, np.left_shift(np.uint8(1), (items & 7).astype(np.uint8))


def put_bits(rows: Rows, items: Items, on: NDArray[np.bool_]) -> None:
    """Set bits in place: the bit of `items[u]` in the row u becomes `on[u]`."""
    for start in range(0, len(rows), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        block = rows[part]
        byte, bit = place(items[part])
        user = np.arange(len(block))
        block[user, byte] = (block[user, byte] & ~bit) | np.where(on[part], bit, np.uint8(0))


def column_sums(rows: Rows, k: int) -> NDArray[np.int64]:
    """Count how many rows have each bit, shape (k,).

    Blocks of 255 rows are unpacked within the cache and added up in bytes, which cannot overflow.
    """
    sums = np.zeros(8 * row_width(k), dtype=np.int64)
    for left in range(0, rows.shape[1], WIDTH_AT_ONCE):
        part = sums[8 * left : 8 * (left + WIDTH_AT_ONCE)]
        for top in range(0, len(rows), ROWS_AT_ONCE):
            block = rows[top : top + ROWS_AT_ONCE, left : left + WIDTH_AT_ONCE]
            part += np.add.reduce(np.unpackbits(block, axis=1, bitorder="little"), axis=0, dtype=np.uint8)
    return sums[:k]


def row_sums(rows: Rows) -> NDArray[np.int64]:
    """Count how many bits each row has, shape (users,)."""
    sums = np.zeros(len(rows), dtype=np.int64)
    step = max(1, AT_ONCE // rows.shape[1])
    for start in range(0, len(rows), step):
        np.add.reduce(np.bitwise_count(rows[start : start + step]), axis=1, out=sums[start : start + step])
    return sums


def key_of(bits: int, k: int) -> tuple[int, ...]:
    """Return the row whose item v is the bit v of a whole number, as the key of a law."""
    return tuple(bits.to_bytes(row_width(k), "little"))

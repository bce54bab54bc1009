"""The prices of all 2^K rows in 64-bit integers.

The price is the largest value of a quadratic form on rows of two entries, from above.

On `r = q + (p - q) b` a form r'Cr is `c + sum_u l_u b_u + sum_(u<v) q_uv b_u b_v`. All coefficients are divided by one
power of 2 and rounded up, so that the sum of their sizes stays below 2^62: bits are 0 or 1, so the rounded form is
nowhere below the true one, and no sum overflows. Nothing else is rounded.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MOST_GROUPS = 32
"""Groups of items up to which all rows are priced."""

LARGEST_SUM = 1 << 62
INNER_BITS = 15
"""Bits whose values are held in one vector, which stays in the cache; the others are gone through in Gray's order."""

Longs = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class BitForm:
    """A quadratic form in K bits with 64-bit coefficients, which times 2^shift is nowhere below the true one.

    Attributes:
        constant: c.
        linear: l, shape (K,).
        pairs: symmetric, q_uv off the diagonal and 0 on it, K x K.
        shift: how many bits were cut off.
    """

    constant: int
    linear: Longs
    pairs: Longs
    shift: int

    @classmethod
    def of(cls, form: NDArray[np.object_], entries: tuple[int, int]) -> "BitForm":
        """Round the form of a symmetric integer matrix on rows with the entries p (bit 1) and q (bit 0)."""
        high, low = entries
        step = high - low
        constant = low * low * int(form.sum())
        linear = 2 * low * step * form.sum(axis=1) + step * step * form.diagonal()
        pairs = 2 * step * step * form
        np.fill_diagonal(pairs, 0)
        size = abs(constant) + int(np.abs(linear).sum()) + int(np.abs(pairs).sum()) // 2
        count = len(form) * (len(form) + 1) // 2 + 1
        shift = max(0, size.bit_length() - (LARGEST_SUM - count).bit_length() + 1)
        return cls(
            -(-constant >> shift),
            (-(-linear >> shift)).astype(np.int64),
            (-(-pairs >> shift)).astype(np.int64),
            shift,
        )

    @property
    def size(self) -> int:
        """The sum of the sizes of all coefficients."""
        return abs(self.constant) + int(np.abs(self.linear).sum()) + int(np.abs(self.pairs).sum()) // 2

    def largest(self) -> int:
        """Return the largest value over all 2^K choices of bits, looking at every one of them."""
        count = len(self.linear)
        inner = min(count, INNER_BITS)
        values = self._inner_values(inner)
        moves = [_sums(self.pairs[bit, :inner]) for bit in range(inner, count)]
        best, base, chosen = int(values.max()), 0, np.zeros(count, dtype=np.int64)
        for step in range(1, 1 << (count - inner)):
            place = (step & -step).bit_length() - 1
            bit = inner + place
            if chosen[bit]:
                chosen[bit] = 0
                np.subtract(values, moves[place], out=values)
                base -= int(self.linear[bit] + self.pairs[bit] @ chosen)
            else:
                base += int(self.linear[bit] + self.pairs[bit] @ chosen)
                chosen[bit] = 1
                np.add(values, moves[place], out=values)
            best = max(best, base + int(values.max()))
        return best

    def _inner_values(self, inner: int) -> Longs:
        """Return the form's values for all choices of the first bits, the others being 0."""
        values = np.array([self.constant], dtype=np.int64)
        for bit in range(inner):
            values = np.concatenate([values, values + self.linear[bit] + _sums(self.pairs[bit, :bit])])
        return values


def _sums(numbers: Longs) -> Longs:
    """Return the sums of all subsets, that of subset s in place `sum_(u in s) 2^u`."""
    sums = np.zeros(1, dtype=np.int64)
    for number in numbers:
        sums = np.concatenate([sums, sums + number])
    return sums

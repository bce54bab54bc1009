"""Hashes by parities over GF(2), with exact collisions, and fast counts of supports.

An item is its binary form x. The hash is s parities, `z = (<c_1, x>, ..., <c_s, x>)`, of words c_i drawn uniformly, and
the bucket of z. For different nonzero items d, e the words of parities are independent and uniform, since d and e are
linearly independent over GF(2). So with `d = x + y`, `e = x + w` the events `z(x) = z(y)` and `z(x) = z(w)` are
independent, each of probability `2^-s`: whatever needs at most three items at a time is as under fully random hashing.

Where g buckets do not divide the `2^s` values of z evenly, every item gets one more bit that is always 1. Then z itself
is uniform, and the z of any three items are independent: the three words are linearly independent.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mechdesign.mechanism.sampling import WordSource
from mechdesign_catalog.randomizers.kernels.draws import random_bytes
from mechdesign_catalog.randomizers.kernels.walsh import Numbers, parity, walsh_hadamard

Counts = NDArray[np.int64]
Coefficients = NDArray[np.unsignedinteger[Any]]

USERS_AT_ONCE = 1 << 16
ITEM_BITS_AT_ONCE, COUNTED_AT_ONCE = 6, 1 << 11
"""Direct counting looks at blocks of so many items (a power of two) times so many users."""

EXCESS = Fraction(1, 128)
"""How much more often than 1 in g two items may collide, relatively, by the default number of parities."""

SCATTER, WEIGHT, BUTTERFLY, PARITY, COMPARE, CALLS = 8.0, 5.0, 1.0, 1.2, 1.2, 40_000.0
"""Nanoseconds, as measured: adding one number to the spectrum, the weight of one bucket, one entry through one stage of
the transform, one bit of a hash, one item held against one report, and what a block takes before its first number. They
choose between two ways to the same numbers."""


@dataclass(frozen=True)
class LinearHashes:
    """Hashes of items 0..k-1: `rows` parities, and `buckets` intervals of `2^rows` values."""

    k: int
    rows: int
    buckets: int

    @cached_property
    def item_bits(self) -> int:
        """Number of bits of an item's binary form."""
        return (self.k - 1).bit_length()

    @cached_property
    def affine(self) -> bool:
        """Whether items have the bit that is always 1."""
        return self.buckets != 1 << self.rows

    @cached_property
    def word_bits(self) -> int:
        """Number of bits of one coefficient word c."""
        return self.item_bits + self.affine

    @cached_property
    def kind(self) -> np.dtype[Any]:
        """Type of a word: the smallest that holds it, little end first."""
        return np.dtype(f"<u{next(width for width in (1, 2, 4, 8) if self.word_bits <= 8 * width)}")

    @cached_property
    def edges(self) -> Counts:
        """Edges of the buckets: bucket r has the z with `edges[r] <= z < edges[r+1]`; shape (buckets + 1,)."""
        bounds = np.arange(self.buckets + 1, dtype=np.int64) << self.rows
        return -(-bounds // self.buckets)

    @property
    def collision(self) -> Fraction:
        """Probability that two different items get one bucket: the sum of squares of the buckets' shares."""
        return collision(self.rows, self.buckets)

    @property
    def triple_collision(self) -> Fraction:
        """Probability that three different items get one bucket: the sum of cubes of the buckets' shares."""
        return collision(self.rows, self.buckets, 3)

    def draw(self, users: int, words: WordSource) -> Coefficients:
        """Draw uniform words for each user, shape (users, rows)."""
        drawn: Coefficients = random_bytes(users * self.rows * self.kind.itemsize, words).view(self.kind)
        coefficients: Coefficients = drawn & self.kind.type((1 << self.word_bits) - 1)
        return coefficients.reshape(users, self.rows)

    def bucket(self, coefficients: Coefficients, values: Counts) -> Counts:
        """Return the bucket of each user's own item, shape (users,)."""
        words = (values | (self.affine << self.item_bits)).astype(self.kind)
        hashed = np.zeros(len(values), dtype=np.int64)
        for row in range(self.rows):
            hashed |= parity(coefficients[:, row] & words).astype(np.int64) << row
        return hashed if self.buckets == 1 << self.rows else hashed * self.buckets >> self.rows

    def supports(self, coefficients: Coefficients, buckets: Counts) -> Counts:
        """Count the reports that support each item, shape (k,): those with the bucket that their hash gives it."""
        if self.by_transform(len(buckets)):
            return self.supports_of(self.spectrum(coefficients, buckets))
        return self.counted(coefficients, buckets)

    def by_transform(self, users: int) -> bool:
        """Return whether `N 2^s + K log K` is faster than `N k` here."""
        blocks = -(-users // USERS_AT_ONCE)
        for_one_subset = users * SCATTER + blocks * (CALLS + min(users, self.buckets) * WEIGHT)
        spectral = (2**self.rows - 1) * for_one_subset + (self.item_bits << self.item_bits) * BUTTERFLY
        blocks = -(-users // COUNTED_AT_ONCE) * -(-self.k // (1 << ITEM_BITS_AT_ONCE))
        direct = users * (self.k * COMPARE + self.rows * self.item_bits * PARITY) + blocks * CALLS
        return bool(spectral <= direct)

    def spectrum(self, coefficients: Coefficients, buckets: Counts) -> Counts:
        """Compute the transform of the supports, times `2^s`; shape (2^item_bits,), and spectra add up.

        The indicator of a bucket B is `1[z in B] = 2^-s sum_u b(u) (-1)^<u, z>` with `b(u) = sum_(z in B) (-1)^<u, z>`,
        over all words u of s bits. And `<u, z(x)> = <c_u, x>`, where c_u is the sum of the c_i with i in u. So a report
        adds b(u) at each c_u, and one Walsh-Hadamard transform takes all reports to all items.
        """
        sums = np.zeros(1 << self.item_bits, dtype=np.int64)
        low = self.kind.type((1 << self.item_bits) - 1)
        for start in range(0, len(buckets), USERS_AT_ONCE):
            block = slice(start, start + USERS_AT_ONCE)
            kinds, which = np.arange(self.buckets), buckets[block]
            if len(which) < self.buckets:
                kinds, which = np.unique(which, return_inverse=True)
            sums[0] += np.diff(self.edges)[kinds][which].sum()
            combined = np.zeros(len(which), dtype=self.kind)
            for row, subset in self._subsets():
                combined ^= coefficients[block, row]
                added = self.weights(subset, kinds)[which]
                if self.affine:  # the bit that is always 1 turns the sign over
                    added = np.where(combined > low, -added, added)
                np.add.at(sums, (combined & low).astype(np.int64), added)
        return sums

    def _subsets(self) -> Iterator[tuple[int, int]]:
        """Every u but 0 in Gray code, after the row that is added or taken away."""
        subset = 0
        for step in range(1, 1 << self.rows):
            row = (step & -step).bit_length() - 1
            subset ^= 1 << row
            yield row, subset

    def weights(self, subset: int, buckets: Counts) -> Counts:
        """Compute b(u) of these buckets for one u that is not 0; in a few steps, however many z a bucket has.

        A bucket is the z below its end but not below its start. With `2^t` the lowest bit of u, the `2^(t+1)` values of
        z that share all higher bits have signs that cancel: the first half's, `(-1)^<u, z>`, against the second's. So
        all z below an edge e sum up to those from the last multiple of `2^(t+1)` on: `(-1)^<u, e>` times `e mod 2^t`,
        less `2^t` if e has the bit t.
        """
        low = subset & -subset

        def below(edges: Counts) -> Counts:
            sign = 1 - 2 * parity(edges & subset).astype(np.int64)
            return sign * ((edges & (low - 1)) - (edges & low))

        return below(self.edges[buckets + 1]) - below(self.edges[buckets])

    def supports_of(self, spectrum: Counts) -> Counts:
        """Compute the supports from a spectrum; exact, in 32 bits where the sum of all absolute values fits them."""
        fits = int(np.abs(spectrum).sum()) < 1 << 31
        transformed: Numbers = spectrum.astype(np.int32) if fits else spectrum.astype(np.int64)
        walsh_hadamard(transformed)
        return transformed[: self.k].astype(np.int64) >> self.rows

    def counted(self, coefficients: Coefficients, buckets: Counts) -> Counts:
        """Count the supports without the transform: each report is held against each item.

        The z of an item is the sum of the columns of the words at its ones, so a table of the z of the low bits is made
        by doubling, and each block of items adds what its high bits give.
        """
        kind = np.uint16 if self.rows <= 16 else np.uint32
        low_bits = min(ITEM_BITS_AT_ONCE, self.item_bits)
        result = np.zeros(self.k, dtype=np.int64)
        for start in range(0, len(buckets), COUNTED_AT_ONCE):
            block = slice(start, start + COUNTED_AT_ONCE)
            columns = self._columns(coefficients[block], kind)
            table = np.zeros((1 << low_bits, len(buckets[block])), dtype=kind)
            for bit in range(low_bits):
                np.bitwise_xor(table[: 1 << bit], columns[bit], out=table[1 << bit : 2 << bit])
            first = self.edges[buckets[block]].astype(kind)
            size = np.diff(self.edges)[buckets[block]].astype(kind)
            for high in range(0, self.k, 1 << low_bits):
                items = min(self.k - high, 1 << low_bits)
                offset = self._sum_of_columns(columns, high | (self.affine << self.item_bits))
                inside = ((table[:items] ^ offset) - first) < size  # below `first` it wraps around to a large number
                result[high : high + items] += _rows_counted(inside)
        return result

    def _columns(self, coefficients: Coefficients, kind: type[np.unsignedinteger[Any]]) -> list[NDArray[Any]]:
        """For each bit of an item, what it adds to z: shape (users,) each."""
        columns = [np.zeros(len(coefficients), dtype=kind) for _ in range(self.word_bits)]
        for row in range(self.rows):
            words = coefficients[:, row]
            for bit, column in enumerate(columns):
                column |= ((words >> self.kind.type(bit)) & self.kind.type(1)).astype(kind) << kind(row)
        return columns

    def _sum_of_columns(self, columns: list[NDArray[Any]], word: int) -> NDArray[Any]:
        total = np.zeros_like(columns[0])
        for bit, column in enumerate(columns):
            if word >> bit & 1:
                total ^= column
        return total


def collision(rows: int, buckets: int, items: int = 2) -> Fraction:
    """Compute the probability `sum_r (c_r / 2^s)^items` that so many items, two or three, get one bucket.

    The g buckets have `c_r = floor or ceil of 2^s/g` values; for two items it is at least 1/g.
    """
    size, larger = divmod(1 << rows, buckets)
    return Fraction((buckets - larger) * size**items + larger * (size + 1) ** items, 2 ** (items * rows))


def parities_for(buckets: int) -> int:
    """Choose the fewest parities whose values fill so many buckets nearly evenly (`EXCESS`); `log2 g` where whole."""
    rows = (buckets - 1).bit_length()
    while buckets * collision(rows, buckets) > 1 + EXCESS:
        rows += 1
    return rows


def _rows_counted(flags: NDArray[np.bool_]) -> Counts:
    """How many are true in each row; packed bits are counted faster than they are added."""
    counts: Counts = np.bitwise_count(np.packbits(flags, axis=1)).sum(axis=1, dtype=np.int64)
    return counts

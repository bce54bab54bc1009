"""Numbers from a stream of random bytes, by rules that are the same in every language.

A stream is independent uniform bytes, read once each, from the first on. All draws come down to one rule:

Uniform below m (m a whole number of at least 1). Let L be the smallest number of bytes with `256^L >= m`. Read L bytes
as a whole number w, the first byte counting least. If `w >= 256^L - (256^L mod m)`, throw w away and read L bytes anew.
The number is `w mod m`. For m = 1 it is 0, and no byte is read.

Bernoulli of a/b (a rational in [0, 1], in lowest terms): 1 if a uniform number below b is less than a, else 0.
So nothing is read for 0 and for 1.

Choice by weights `w_0, w_1, ...` (whole numbers, not all 0): draw u uniform below their sum; the choice is the first i
with `u < w_0 + ... + w_i`.

Subset of `size` of the numbers 0..k-1: for t = k - size, ..., k - 1, in this order, draw a uniform number below t + 1;
add it to the set, or t where the set has it already. (Floyd's algorithm: Bentley, Floyd, *A sample of brilliance*,
CACM 1987.) The set is given in ascending order.

Randomised response on 0..m-1 (the own value v, kept with the chance p): draw a Bernoulli of p; if it is 1, the answer
is v. Else draw u uniform below m - 1; the answer is u if `u < v`, else u + 1.
"""

import os
from bisect import bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Protocol

from mechdesign.errors import InputError

Accepts = Callable[[tuple[int, ...]], bool]
"""Says whether numbers that were drawn together may stay."""


class Draws(Protocol):
    """The independent draws that reference clients are made of: a `ByteStream`, or a test that follows all of them."""

    def uniform_below(self, bound: int) -> int:
        """Draw a whole number uniform on 0..bound-1."""

    def bernoulli(self, probability: Fraction) -> int:
        """Draw 1 with this probability, else 0."""

    def choose(self, weights: Sequence[int]) -> int:
        """Draw i with the probability `weights[i] / sum(weights)`."""

    def row_below(self, bound: int, count: int, accepted: Accepts) -> tuple[int, ...]:
        """Draw so many numbers uniform on 0..bound-1, all of them anew until they are accepted."""


class ByteStream:
    """The stream of random bytes, read in order; `taken` counts those read so far.

    >>> stream = ByteStream.of(bytes([255, 7, 200]))
    >>> stream.uniform_below(10), stream.bernoulli(Fraction(1, 2)), stream.taken
    (7, 1, 3)
    """

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self.taken = 0
        self._read = read

    @classmethod
    def of(cls, data: bytes) -> "ByteStream":
        """Read these bytes and no others: for tests and test vectors."""
        stream = cls(lambda count: data[stream.taken : stream.taken + count])
        return stream

    @classmethod
    def of_system(cls) -> "ByteStream":
        """Read bytes of the operating system's generator, which protect people."""
        return cls(os.urandom)

    def whole_number(self, length: int) -> int:
        """Read so many bytes as a whole number, the first byte counting least.

        Raises:
            InputError: where the stream ends before.
        """
        data = self._read(length)
        if len(data) < length:
            raise InputError(f"random bytes must be at least {self.taken + length}, got {self.taken + len(data)}")
        self.taken += length
        return int.from_bytes(data, "little")

    def uniform_below(self, bound: int) -> int:
        """Draw a whole number uniform on 0..bound-1.

        Raises:
            InputError: for a bound below 1, or where the stream ends.
        """
        if bound < 1:
            raise InputError(f"bound must be at least 1, got bound={bound}")
        length = ((bound - 1).bit_length() + 7) // 8
        values = 1 << 8 * length
        while True:
            number = self.whole_number(length)
            if number < values - values % bound:
                return number % bound

    def bernoulli(self, probability: Fraction) -> int:
        """Draw 1 with this probability, else 0.

        Raises:
            InputError: for a probability that is not in [0, 1], or where the stream ends.
        """
        if not 0 <= probability <= 1:
            raise InputError(f"probability must be in [0, 1], got {probability}")
        return int(self.uniform_below(probability.denominator) < probability.numerator)

    def choose(self, weights: Sequence[int]) -> int:
        """Draw i with the probability `weights[i] / sum(weights)`.

        Raises:
            InputError: for weights that are below 0 or all 0, or where the stream ends.
        """
        if min(weights, default=0) < 0 or not any(weights):
            raise InputError("weights must be at least 0 and not all 0, got others")
        return bisect_right(list(accumulate(weights)), self.uniform_below(sum(weights)))

    def row_below(self, bound: int, count: int, accepted: Accepts) -> tuple[int, ...]:
        """Draw so many numbers uniform on 0..bound-1, all of them anew until they are accepted.

        Raises:
            InputError: where the stream ends.
        """
        while True:
            row = tuple(self.uniform_below(bound) for _ in range(count))
            if accepted(row):
                return row


def uniform_subset(draws: Draws, k: int, size: int) -> tuple[int, ...]:
    """Draw `size` of the numbers 0..k-1, every set as likely; ascending."""
    chosen: set[int] = set()
    for last in range(k - size, k):
        drawn = draws.uniform_below(last + 1)
        chosen.add(last if drawn in chosen else drawn)
    return tuple(sorted(chosen))


def randomised_response(draws: Draws, own: int, outcomes: int, kept: Fraction) -> int:
    """Keep a value in 0..outcomes-1 with probability `kept`, else draw one of the others, each as likely."""
    if draws.bernoulli(kept):
        return own
    other = draws.uniform_below(outcomes - 1)
    return other if other < own else other + 1

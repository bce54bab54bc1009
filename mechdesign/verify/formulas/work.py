"""Limits of the work that a document may ask for."""

from collections.abc import Iterable, Sequence

MOST_WORK = 1 << 32
"""Operations on coefficients of up to 1024 bits; longer ones count as several."""


class TooLongError(Exception):
    """The error for a document that takes too long to check."""


class Work:
    """The operations that a document has cost so far."""

    def __init__(self) -> None:
        self.done = 0

    def charge(self, operations: int, bits: int) -> None:
        """Count operations on coefficients of so many bits.

        Raises:
            TooLongError: where that is too many.
        """
        self.done += operations * (1 + (bits >> 10))
        if self.done > MOST_WORK:
            raise TooLongError

    def charge_product(self, p: Sequence[int], q: Sequence[int]) -> None:
        """Count the product of two polynomials."""
        self.charge(len(p) * len(q), longest([p, q]))


def longest(polynomials: Iterable[Sequence[int]]) -> int:
    """Return the bits of the longest coefficient."""
    largest = max((max(max(p), -min(p)) for p in polynomials if p), default=0)
    return largest.bit_length()

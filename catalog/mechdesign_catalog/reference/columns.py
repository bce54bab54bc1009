"""Columns of a report as a message, and back: REPORTS.md, Messages.

A report in plain numbers is a row: by the name of each column, in order, a number, several (a tuple), or bytes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from mechdesign.errors import InputError

Row = dict[str, Any]
LENGTH_BYTES = 4


def packed_set(places: Iterable[int], count: int) -> bytes:
    """Pack so many bits, of which those at these places are 1: bit v counts `2^(v mod 8)` in byte `v // 8`.

    >>> packed_set([0, 7, 9], 10).hex()
    '8102'
    """
    return sum(1 << place for place in places).to_bytes((count + 7) // 8, "little")


def packed_bits(bits: Sequence[int]) -> bytes:
    """Pack bits in their order."""
    return packed_set((place for place, bit in enumerate(bits) if bit), len(bits))


def unpacked_bits(packed: bytes, count: int) -> list[int]:
    """Unpack so many bits again."""
    number = int.from_bytes(packed, "little")
    return [number >> place & 1 for place in range(count)]


def number_bytes(bound: int) -> int:
    """Return in how many bytes a number below a bound travels.

    >>> [number_bytes(1 << bits) for bits in (1, 8, 9, 16, 17, 32, 33, 40)]
    [1, 1, 2, 2, 4, 4, 8, 8]
    """
    return next(length for length in (1, 2, 4, 8) if bound <= 256**length)


def are_independent(masks: Sequence[int]) -> bool:
    """Tell whether the exclusive or of no words but none is 0."""
    sums = {0}
    for mask in masks:
        sums |= {mask ^ one for one in sums}
    return len(sums) == 1 << len(masks)


@dataclass(frozen=True)
class Numbers:
    """A column of numbers in `first..bound-1`: one a report, or `count`, which may have to rise or be independent."""

    name: str
    bound: int
    count: int | None = None
    first: int = 0
    rising: bool = False
    independent: bool = False

    def written(self, cell: Any) -> bytes:
        """Return one number, or several, as bytes."""
        numbers = (cell,) if self.count is None else cell
        return b"".join(number.to_bytes(number_bytes(self.bound), "little") for number in numbers)

    def read(self, message: bytes, before: Row) -> tuple[Any, bytes]:
        """Read the column from the front of a message, and return what is left too; errors as `read_message`."""
        length = number_bytes(self.bound)
        own, rest = _cut(message, length * (1 if self.count is None else self.count))
        numbers = tuple(int.from_bytes(own[at : at + length], "little") for at in range(0, len(own), length))
        falls = self.rising and any(one >= other for one, other in pairwise(numbers))
        if self.independent and not are_independent(numbers):
            raise InputError(f"{self.name} must be linearly independent, got others")
        if falls or not all(self.first <= number < self.bound for number in numbers):
            rising = "rising " * self.rising
            raise InputError(f"{self.name} must be {rising}in {self.first}..{self.bound - 1}, got another")
        return numbers[0] if self.count is None else numbers, rest


@dataclass(frozen=True)
class Bits:
    """A column of so many bits, just `ones` of them 1 if that is given."""

    name: str
    count: int
    ones: int | None = None

    def written(self, cell: bytes) -> bytes:
        """Return the bytes as they are."""
        return cell

    def read(self, message: bytes, before: Row) -> tuple[Any, bytes]:
        """Read the column from the front of a message, and return what is left too; errors as `read_message`."""
        own, rest = _cut(message, (self.count + 7) // 8)
        number = int.from_bytes(own, "little")
        if number >> self.count or self.ones not in (None, number.bit_count()):
            ones = "" if self.ones is None else f", of which {self.ones} are 1"
            raise InputError(f"{self.name} must be {self.count} bits{ones}, got others")
        return own, rest


@dataclass(frozen=True)
class ByteStrings:
    """A column of messages: those of `parts[i]` where the column `chosen_by` has the number i, from its first on."""

    name: str
    chosen_by: Numbers
    parts: Sequence[Sequence["Column"]]

    def chosen(self, row: Row) -> int:
        """Return the part that a report is about, from 0."""
        return int(row[self.chosen_by.name] - self.chosen_by.first)

    def written(self, cell: bytes) -> bytes:
        """Return a message after its length."""
        return len(cell).to_bytes(LENGTH_BYTES, "little") + cell

    def read(self, message: bytes, before: Row) -> tuple[Any, bytes]:
        """Read the column from the front of a message, and return what is left too; errors as `read_message`."""
        length, rest = _cut(message, LENGTH_BYTES)
        own, rest = _cut(rest, int.from_bytes(length, "little"))
        read_message(self.parts[self.chosen(before)], own)
        return own, rest


Column = Numbers | Bits | ByteStrings


def written_message(columns: Iterable[Column], row: Row) -> bytes:
    """Return a report as a message."""
    return b"".join(column.written(row[column.name]) for column in columns)


def read_message(columns: Iterable[Column], message: bytes) -> Row:
    """Read a report from a message.

    Raises:
        InputError: for a message that no client makes.
    """
    row: Row = {}
    rest = message
    for column in columns:
        row[column.name], rest = column.read(rest, row)
    if rest:
        raise InputError(f"message must have {len(message) - len(rest)} bytes, got {len(message)}")
    return row


def _cut(message: bytes, length: int) -> tuple[bytes, bytes]:
    if len(message) < length:
        raise InputError(f"message must have {length - len(message)} more bytes, got too few")
    return message[:length], message[length:]

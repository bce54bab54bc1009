"""Hold one report in plain numbers and bytes, as a reference client makes it."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from mechdesign_catalog.oracles.wire import Numbers, Wire
from mechdesign_catalog.reference.byte_stream import Draws

Row = dict[str, Any]
"""One report: what it has in each of its oracle's columns, in their order.

That is a whole number, several whole numbers (a tuple), or packed bits or another byte string (bytes).
"""

Client = Callable[[Any, Any, Draws], Row]
"""A reference client: the oracle, the user's value, and what to draw from."""


def packed_bits(bits: Sequence[int]) -> bytes:
    """Pack bits, eight in a byte: bit v has the value `2^(v mod 8)` in byte `v // 8`; those beyond the last are 0.

    >>> packed_bits([1, 0, 0, 0, 0, 0, 0, 1, 0, 1]).hex()
    '8102'
    """
    return sum(bit << place for place, bit in enumerate(bits)).to_bytes((len(bits) + 7) // 8, "little")


def unpacked_bits(packed: bytes, count: int) -> list[int]:
    """Unpack so many bits again."""
    number = int.from_bytes(packed, "little")
    return [number >> place & 1 for place in range(count)]


def packed_set(items: Iterable[int], k: int) -> bytes:
    """Pack the set of some of k items: the bits of its items are 1."""
    return sum(1 << item for item in items).to_bytes((k + 7) // 8, "little")


def parity(number: int) -> int:
    """Return 1 where the binary form has an odd number of ones: `<c, x> mod 2` is `parity(c & x)`."""
    return number.bit_count() & 1


def packed_row(wire: Wire, row: Row) -> bytes:
    """Write a report as a message: its columns in order, each number in its bytes, the first counting least."""
    parts = []
    for column in wire.columns:
        cell = row[column.name]
        if not isinstance(column, Numbers):
            parts.append(bytes(cell))
            continue
        for number in (cell,) if isinstance(cell, int) else cell:
            parts.append(number.to_bytes(column.dtype.itemsize, "little"))
    return b"".join(parts)


def read_row(wire: Wire, message: bytes) -> Row:
    """Read a message of an oracle whose reports have no byte strings: `packed_row` turned around."""
    row: Row = {}
    rest = message
    for column in wire.all_fixed():
        own, rest = rest[: column.width], rest[column.width :]
        if isinstance(column, Numbers):
            width = column.dtype.itemsize
            numbers = tuple(int.from_bytes(own[at : at + width], "little") for at in range(0, len(own), width))
            row[column.name] = numbers[0] if column.count is None else numbers
        else:
            row[column.name] = own
    return row

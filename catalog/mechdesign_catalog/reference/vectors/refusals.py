"""Refusals: messages wrong in one thing that no client does, for a server to refuse."""

from collections.abc import Iterator, Sequence
from typing import Any

from mechdesign_catalog.reference.columns import (
    LENGTH_BYTES,
    Bits,
    ByteStrings,
    Column,
    Numbers,
    Row,
    number_bytes,
    read_message,
)


def refused_messages(columns: Sequence[Column], row: Row) -> list[bytes]:
    """List messages that are cut, too long, or have in one column what is outside its range.

    >>> [message.hex() for message in refused_messages([Numbers("item", 5)], {"item": 3})]
    ['', '0300', '05', 'ff']
    """
    cells = [column.written(row[column.name]) for column in columns]
    good = b"".join(cells)
    found = [good[:-1], good + b"\0"]
    for place, column in enumerate(columns):
        for wrong in _wrong(column, row):
            found.append(b"".join([*cells[:place], wrong, *cells[place + 1 :]]))
    return list(dict.fromkeys(found))


def _wrong(column: Column, row: Row) -> Iterator[bytes]:
    """Yield what no client writes in a column."""
    cell = row[column.name]
    if isinstance(column, ByteStrings):
        yield from _wrong_strings(column.parts[column.chosen(row)], cell)
    elif isinstance(column, Bits):
        yield from _wrong_bits(column, int.from_bytes(cell, "little"), len(cell))
    else:
        yield from _wrong_numbers(column, cell)


def _wrong_bits(column: Bits, bits: int, length: int) -> Iterator[bytes]:
    """Yield as many bytes with a bit beyond the last, or with another number of ones."""
    changed = [bits | 1 << column.count] if column.count % 8 else []
    if column.ones is not None:
        changed += [bits & bits - 1, bits | bits + 1] if column.ones < column.count else [bits & bits - 1]
    yield from (number.to_bytes(length, "little") for number in changed)


def _wrong_numbers(column: Numbers, cell: Any) -> Iterator[bytes]:
    """Yield numbers beyond their bounds, and numbers that do not rise where they must."""
    numbers = [cell] if column.count is None else list(cell)

    def written(changed: Sequence[int]) -> bytes:
        return column.written(changed[0] if column.count is None else changed)

    largest = 256 ** number_bytes(column.bound) - 1
    last = [column.bound, largest] if column.bound <= largest else []
    last += [column.first - 1] if column.first else []
    yield from (written([*numbers[:-1], number]) for number in last)
    if column.rising and len(numbers) > 1:
        yield written(numbers[::-1])
        yield written([numbers[0], numbers[0], *numbers[2:]])


def _wrong_strings(columns: Sequence[Column], message: bytes) -> Iterator[bytes]:
    """Yield byte strings that are no message of the oracle that is chosen, and one that is not there to its end."""
    yield (len(message) + 1).to_bytes(LENGTH_BYTES, "little") + message
    for wrong in refused_messages(columns, read_message(columns, message)):
        yield len(wrong).to_bytes(LENGTH_BYTES, "little") + wrong

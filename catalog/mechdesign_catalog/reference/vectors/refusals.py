"""Make messages that a server must refuse: each is that of a client but for one thing that no client does."""

from collections.abc import Iterator
from typing import Any

from mechdesign_catalog.oracles.wire import LENGTH_BYTES, ByteStrings, Fixed, Numbers, PackedBits, Wire
from mechdesign_catalog.reference.rows import Row, read_row


def refused_messages(wire: Wire, row: Row) -> list[bytes]:
    """List messages that are cut, too long, or have in one column what is outside its range.

    >>> [message.hex() for message in refused_messages(Wire((Numbers("item", 5),)), {"item": 3})]
    ['', '0300', '05', 'ff']
    """
    cells = [_written(column, row[column.name]) for column in wire.columns]
    good = b"".join(cells)
    found = [good[:-1], good + b"\0"]
    for place, column in enumerate(wire.columns):
        cell = row[column.name]
        wrong = (
            _wrong_strings(_chosen(wire, column, row), cell)
            if isinstance(column, ByteStrings)
            else _wrong(column, cell)
        )
        found += [b"".join([*cells[:place], cell, *cells[place + 1 :]]) for cell in wrong]
    return list(dict.fromkeys(found))


def _written(column: Fixed | ByteStrings, cell: Any) -> bytes:
    if isinstance(column, ByteStrings):
        return len(cell).to_bytes(LENGTH_BYTES, "little") + bytes(cell)
    if isinstance(column, PackedBits):
        return bytes(cell)
    numbers = (cell,) if isinstance(cell, int) else cell
    return b"".join(number.to_bytes(column.dtype.itemsize, "little") for number in numbers)


def _wrong(column: Fixed, cell: Any) -> Iterator[bytes]:
    """Yield cells of numbers or bits that no client makes, all as long as the given one."""
    if isinstance(column, PackedBits):
        bits = int.from_bytes(cell, "little")
        changed = [bits | 1 << column.bits] if column.bits % 8 else []
        if column.ones is not None:
            changed += [bits & bits - 1, bits | bits + 1] if column.ones < column.bits else [bits & bits - 1]
        yield from (number.to_bytes(column.width, "little") for number in changed)
        return
    others = [cell] if isinstance(cell, int) else list(cell)
    largest = 256**column.dtype.itemsize - 1
    last = [column.bound, largest] if column.bound <= largest else []
    last += [column.first - 1] if column.first else []
    yield from (_written(column, [*others[:-1], number]) for number in last)
    if column.ascending and len(others) > 1:
        yield _written(column, others[::-1])
        yield _written(column, [others[0], others[0], *others[2:]])


def _wrong_strings(chosen: Wire, cell: bytes) -> Iterator[bytes]:
    """Yield byte strings that are no message of the oracle that is chosen, and one that is not there to its end."""
    yield (len(cell) + 1).to_bytes(LENGTH_BYTES, "little") + cell
    for message in refused_messages(chosen, read_row(chosen, cell)):
        yield len(message).to_bytes(LENGTH_BYTES, "little") + message


def _chosen(wire: Wire, strings: ByteStrings, row: Row) -> Wire:
    """Return the columns of the byte string of a report."""
    (first,) = (one.first for one in wire.columns if isinstance(one, Numbers) and one.name == strings.chosen_by)
    number: int = row[strings.chosen_by]
    return strings.wires[number - first]

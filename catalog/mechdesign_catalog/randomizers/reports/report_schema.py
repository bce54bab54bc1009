"""The schema of reports on the wire: an oracle's columns, their types, a report's bytes.

Whole numbers take the smallest of 1, 2, 4 and 8 bytes that holds all of them, little end first. Of packed bits, bit v
is that of value `2^(v mod 8)` in byte `v // 8`. Files, messages and readers go by what an oracle states here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mechdesign.errors import InputError
from mechdesign_catalog.randomizers.kernels.bits import row_sums
from mechdesign_catalog.randomizers.kernels.draws import bits_for
from mechdesign_catalog.randomizers.kernels.masks import are_independent
from mechdesign_catalog.randomizers.kernels.subsets import subset_bits
from mechdesign_catalog.randomizers.reports.ragged import Ragged
from mechdesign_catalog.randomizers.reports.reports import AnyColumn, Column, Parameters, Reports, require_same

Packed = NDArray[np.uint8]
Rows = NDArray[np.bool_]

LENGTH_BYTES = 4
"""Bytes of a byte string's length before it in a message."""


def smallest_type(bound: int) -> np.dtype[Any]:
    """Return the smallest unsigned type, little end first, of the whole numbers below a bound.

    >>> [smallest_type(bound).str for bound in (2, 256, 257, 1 << 32, 1 << 33)]
    ['|u1', '|u1', '<u2', '<u4', '<u8']
    """
    return np.dtype(f"<u{next(width for width in (1, 2, 4, 8) if bound - 1 < 1 << 8 * width)}")


@dataclass(frozen=True)
class Numbers:
    """A column of whole numbers in `first..bound-1`: one a report, or `count` of them.

    These may have to rise, or to be linearly independent: the exclusive or of some of them is never 0.

    In memory it has the shape (users,), or (users, count).

    >>> Numbers("item", 1000).width, Numbers("buckets", 1000, count=3).width
    (2, 6)
    """

    name: str
    bound: int
    count: int | None = None
    first: int = 0
    ascending: bool = False
    independent: bool = False

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """Type of a number."""
        return smallest_type(self.bound)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of one report's numbers."""
        return () if self.count is None else (self.count,)

    @property
    def width(self) -> int:
        """Bytes of one report's numbers."""
        return self.dtype.itemsize * (1 if self.count is None else self.count)

    @property
    def bits_sent(self) -> int:
        """Bits that tell one report's numbers from others."""
        return bits_for(self.bound - self.first) * (1 if self.count is None else self.count)

    def typed(self, column: AnyColumn) -> Column:
        """Return whole numbers in the column's type.

        Raises:
            InputError: for anything but whole numbers of this shape, or naming the first row that does not fit.
        """
        if isinstance(column, Ragged) or column.dtype.kind not in "iub":
            raise InputError(f"reports must have a column {self.name} of whole numbers, got {_kind(column)}")
        if column.shape[1:] != self.shape:
            raise InputError(f"reports must have {self.name} of shape {self.shape} each, got {column.shape[1:]}")
        if column.dtype != self.dtype:
            column = column.astype(np.uint8) if column.dtype.kind == "b" else column
            self._refuse(column, self.outside(column))
        return column.astype(self.dtype, copy=False)

    def checked(self, column: AnyColumn) -> Column:
        """Return whole numbers in the column's type, each in its range; errors as `typed`."""
        typed = self.typed(column)
        self._refuse(typed, self.outside(typed))
        return typed

    def outside(self, column: Column) -> Rows:
        """Tell for each row whether a number is outside `first..bound-1`."""
        wrong: Rows = np.zeros(column.shape, dtype=np.bool_)
        if self.bound <= np.iinfo(column.dtype).max:
            np.greater_equal(column, self.bound, out=wrong)
        if column.dtype.kind == "i" or self.first:
            wrong |= column < self.first
        if column.ndim == 1:
            return wrong
        found: Rows = np.any(wrong, axis=1)
        if self.independent:
            found |= ~are_independent(column)
        return found | (column[:, 1:] <= column[:, :-1]).any(axis=1) if self.ascending else found

    def _refuse(self, column: Column, outside: Rows) -> None:
        if outside.any():
            row = int(np.argmax(outside))
            shown = ", ".join(map(str, column[row, :8])) if self.count else column[row]
            kind = "ascending " * self.ascending + "independent " * self.independent
            wanted = f"{kind}{self.name} in {self.first}..{self.bound - 1}"
            raise InputError(f"reports must have {wanted}, got {shown} in row {row + 1}")


@dataclass(frozen=True)
class PackedBits:
    """A column of so many bits a report, packed, just `ones` of them 1 if that is given. Shape (users, width).

    The bits beyond them are 0.

    >>> PackedBits("bits", 10).width
    2
    """

    name: str
    bits: int
    ones: int | None = None

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of what a row has: bytes."""
        return np.dtype(np.uint8)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of one report's bytes."""
        return (self.width,)

    @property
    def width(self) -> int:
        """Bytes of one report's bits."""
        return (self.bits + 7) // 8

    @property
    def bits_sent(self) -> int:
        """The bits; or those of the number of the set among all with so many ones."""
        return self.bits if self.ones is None else subset_bits(self.bits, self.ones)

    def typed(self, column: AnyColumn) -> Column:
        """Return rows of bytes as they are.

        Raises:
            InputError: for anything but rows of so many bytes.
        """
        if isinstance(column, Ragged) or column.dtype != np.uint8 or column.shape[1:] != self.shape:
            raise InputError(f"column {self.name} must have {self.width} bytes for each user, got {_kind(column)}")
        return column

    def checked(self, column: AnyColumn) -> Column:
        """Return rows of bytes as they are; errors as `typed`, and naming the first row with a bit beyond the last."""
        typed = self.typed(column)
        outside = self.outside(typed)
        if outside.any():
            row = int(np.argmax(outside)) + 1
            if self._beyond(typed[row - 1 : row]).any():
                wanted = f"column {self.name} must have no bit beyond bit {self.bits - 1}"
                raise InputError(f"{wanted}, got one in row {row}")
            (found,) = row_sums(typed[row - 1 : row])
            raise InputError(f"reports must be sets of {self.ones} items, got {found} in row {row}")
        return typed

    def outside(self, column: Column) -> Rows:
        """Tell for each row whether it has a bit beyond the last, or another number of ones."""
        beyond = self._beyond(column)
        if self.ones is None:
            return beyond
        found: Rows = beyond | (row_sums(column) != self.ones)
        return found

    def _beyond(self, column: Column) -> Rows:
        found: Rows = (column[:, -1] & np.uint8(0xFF ^ 0xFF >> -self.bits % 8)) != 0
        return found


@dataclass(frozen=True)
class ByteStrings:
    """A column of byte strings: each is a message of the oracle that another column chooses.

    A report whose number in the column `chosen_by` is `first + i` has here the bytes of a report of `wires[i]`.
    """

    name: str
    chosen_by: str
    wires: tuple["ReportSchema", ...]

    @property
    def bits_sent(self) -> int:
        """Bits of the largest message, as its oracle counts them."""
        return max(report_schema.bits for report_schema in self.wires)

    def typed(self, column: AnyColumn) -> Ragged:
        """Return byte strings as they are.

        Raises:
            InputError: for anything else.
        """
        if not isinstance(column, Ragged):
            raise InputError(f"reports must have byte strings as {self.name}, got {_kind(column)}")
        return column

    def checked(self, column: AnyColumn) -> Ragged:
        """Return byte strings as they are: the oracle that is chosen checks them. Errors as `typed`."""
        return self.typed(column)


Fixed = Numbers | PackedBits
ReportColumn = Numbers | PackedBits | ByteStrings


@dataclass(frozen=True)
class ReportSchema:
    """The columns of an oracle's reports, in order.

    A **message** is one report as bytes: the columns in order, numbers in their types, packed bits as they are, and
    byte strings after their length, which takes 4 bytes, little end first.

    >>> report_schema = ReportSchema((Numbers("hash", 1024), Numbers("bit", 2)))
    >>> report_schema.messages(report_schema.reports({"oracle": "hcms"}, [258], [1]))
    [b'\\x02\\x01\\x01']
    """

    columns: tuple[ReportColumn, ...]

    @cached_property
    def fixed(self) -> tuple[Fixed, ...] | None:
        """The columns, where each report has as many bytes; else None."""
        found = tuple(column for column in self.columns if not isinstance(column, ByteStrings))
        return found if len(found) == len(self.columns) else None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    @property
    def bits(self) -> int:
        """Bits that one report costs to send at most: those that tell it from all others of its columns."""
        return sum(column.bits_sent for column in self.columns)

    @cached_property
    def width(self) -> int:
        """Bytes of one report, where each has as many.

        Raises:
            InputError: where reports have byte strings.
        """
        return sum(column.width for column in self.all_fixed())

    def mean_width(self, chances: Sequence[Fraction]) -> float:
        """Return the bytes of a message on average, where byte strings are of the oracles with these chances."""
        found = 0.0
        for column in self.columns:
            if isinstance(column, ByteStrings):
                found += LENGTH_BYTES
                found += sum(
                    float(chance) * report_schema.width
                    for chance, report_schema in zip(chances, column.wires, strict=True)
                )
            else:
                found += column.width
        return found

    def reports(self, parameters: Parameters, *columns: ArrayLike | Ragged) -> Reports:
        """Make reports of these columns, each in the type that is stated; errors as `typed`."""
        arrays = (column if isinstance(column, Ragged) else np.asarray(column) for column in columns)
        pairs = zip(self.columns, arrays, strict=True)
        return Reports(parameters, {column.name: column.typed(array) for column, array in pairs})

    def typed(self, reports: Reports) -> Reports:
        """Return the same reports with the columns in order, each in the type that is stated.

        Raises:
            InputError: for other columns, and as their `typed`.
        """
        self._require_names(reports)
        return self.reports(reports.parameters, *(reports.columns[name] for name in self.names))

    def checked(self, reports: Reports, parameters: Parameters) -> list[AnyColumn]:
        """Return the columns of reports of the oracle with these parameters, in order, each in its type and range.

        Raises:
            InputError: for reports of another oracle, of other parameters or columns, or naming the first row that is
                outside the report space.
        """
        require_same(parameters, reports.parameters, "reports")
        self._require_names(reports)
        return [column.checked(reports.columns[column.name]) for column in self.columns]

    def numbers_and_strings(self, reports: Reports, parameters: Parameters) -> tuple[Column, Ragged]:
        """Return both columns where the first is of numbers and the second of byte strings; errors as `checked`."""
        numbers, strings = self.checked(reports, parameters)
        if isinstance(numbers, Ragged) or not isinstance(strings, Ragged):
            raise InputError(f"reports must have numbers and byte strings, got {', '.join(self.names)}")
        return numbers, strings

    def pack(self, reports: Reports) -> Packed:
        """Return messages of one length, shape (users, width)."""
        return _side_by_side(self.all_fixed(), self.typed(reports))

    def unpack(self, packed: Packed, parameters: Parameters) -> Reports:
        """Return the reports that these messages, shape (users, width), stand for; the oracle checks their numbers."""
        found: dict[str, AnyColumn] = {}
        start = 0
        for column in self.all_fixed():
            part = np.ascontiguousarray(packed[:, start : start + column.width])
            found[column.name] = part.view(column.dtype).reshape(len(packed), *column.shape)
            start += column.width
        return Reports(parameters, found)

    def key(self, report: tuple[int, ...]) -> tuple[int, ...]:
        """Return the bytes of a report that a law lists: the row of its columns, flattened to whole numbers."""
        rest, found = iter(report), b""
        for column in self.all_fixed():
            for _ in range(column.width // column.dtype.itemsize):
                found += next(rest).to_bytes(column.dtype.itemsize, "little")
        return tuple(found)

    def messages(self, reports: Reports) -> list[bytes]:
        """Return each report as bytes; errors as `typed`."""
        found = [b""] * len(reports)
        for values in self.typed(reports).columns.values():
            parts = _lengths_and_strings(values) if isinstance(values, Ragged) else _bytes_of_rows(values)
            found = [before + part for before, part in zip(found, parts, strict=True)]
        return found

    def from_messages(self, messages: Iterable[bytes], parameters: Parameters) -> Reports:
        """Return the reports that messages stand for; the oracle checks their numbers.

        Raises:
            InputError: naming the first message that has another length, or for none.
        """
        given = list(messages)
        if not given:
            raise InputError("at least one message must be given, got none")
        places = np.zeros(len(given), dtype=np.int64)
        parts = [
            _cut_strings(given, places) if isinstance(column, ByteStrings) else _cut(given, places, column)
            for column in self.columns
        ]
        for row, (message, end) in enumerate(zip(given, places.tolist(), strict=True), start=1):
            if end != len(message):
                raise InputError(f"message must have {end} bytes, got {len(message)} in message {row}")
        return self.reports(parameters, *parts)

    def _require_names(self, reports: Reports) -> None:
        if set(reports.columns) != set(self.names):
            wanted, got = ", ".join(self.names), ", ".join(reports.columns)
            raise InputError(f"reports of {reports.parameters['oracle']} must have the columns {wanted}, got {got}")

    def all_fixed(self) -> tuple[Fixed, ...]:
        """Return the columns, where each report has as many bytes.

        Raises:
            InputError: where reports have byte strings.
        """
        if self.fixed is None:
            raise InputError(f"reports must have no byte strings to be of one length, got {', '.join(self.names)}")
        return self.fixed


def _kind(column: AnyColumn) -> str:
    return "byte strings" if isinstance(column, Ragged) else f"{column.dtype} of shape {column.shape}"


def _side_by_side(columns: Sequence[Fixed], reports: Reports) -> Packed:
    """Put the bytes of all columns beside each other, shape (users, bytes)."""
    arrays = reports.arrays()
    parts = [
        np.ascontiguousarray(arrays[column.name]).view(np.uint8).reshape(len(reports), column.width)
        for column in columns
    ]
    return np.concatenate(parts, axis=1)


def _bytes_of_rows(values: Column) -> list[bytes]:
    data = np.ascontiguousarray(values).tobytes()
    width = len(data) // len(values) if len(values) else 1
    return [data[start : start + width] for start in range(0, len(data), width)]


def _lengths_and_strings(strings: Ragged) -> list[bytes]:
    data, offsets = strings.data.tobytes(), strings.offsets.tolist()
    parts = (data[start:end] for start, end in pairwise(offsets))
    return [len(part).to_bytes(LENGTH_BYTES, "little") + part for part in parts]


def _cut(messages: Sequence[bytes], places: NDArray[np.int64], column: Fixed) -> Column:
    """Read a column of one width from all messages, and move the places behind it."""
    data = b"".join(_piece(messages, places, column.width))
    return np.frombuffer(data, dtype=column.dtype).reshape(len(messages), *column.shape)


def _cut_strings(messages: Sequence[bytes], places: NDArray[np.int64]) -> Ragged:
    """Read byte strings after their lengths from all messages, and move the places behind them."""
    lengths = np.frombuffer(b"".join(_piece(messages, places, LENGTH_BYTES)), dtype="<u4").astype(np.int64)
    parts = []
    for row, width in enumerate(lengths.tolist()):
        (part,) = _piece([messages[row]], places[row : row + 1], width, row)
        parts.append(part)
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
    return Ragged(offsets, np.frombuffer(b"".join(parts), dtype=np.uint8))


def _piece(messages: Sequence[bytes], places: NDArray[np.int64], width: int, before: int = 0) -> list[bytes]:
    """Cut so many bytes from each message at its place, which moves on."""
    found = []
    for row, (message, start) in enumerate(zip(messages, places.tolist(), strict=True), start=before + 1):
        part = message[start : start + width]
        if len(part) < width:
            raise InputError(f"message must have at least {start + width} bytes, got {len(message)} in message {row}")
        found.append(part)
    places += width
    return found

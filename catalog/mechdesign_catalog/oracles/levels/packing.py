"""Pack one report of a level's oracle into bytes: its columns one after the other, each as narrow as its numbers are.

Whole numbers of a column below a bound take the fewest bytes, 1 to 8, that hold all of them, little end first. Rows of
bytes stay as they are.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError
from mechdesign_catalog.oracles.oracle import LocalOracle
from mechdesign_catalog.oracles.reports import Column, Reports

Packed = NDArray[np.uint8]


@dataclass(frozen=True)
class Layout:
    """Hold the columns of an oracle's reports: name, whether it is of whole numbers, and bytes that it takes."""

    oracle: LocalOracle
    columns: tuple[tuple[str, bool, int], ...]

    @classmethod
    def of(cls, oracle: LocalOracle, bounds: dict[str, int]) -> "Layout":
        """Read the layout off the reports of no users; `bounds` are what columns of whole numbers are below."""
        empty = oracle.privatize(np.zeros(0, dtype=np.int64))
        return cls(
            oracle,
            tuple(
                (name, column.ndim == 1, byte_width(bounds[name]) if column.ndim == 1 else column.shape[1])
                for name, column in empty.arrays().items()
            ),
        )

    @property
    def width(self) -> int:
        """Bytes of one report."""
        return sum(width for _, _, width in self.columns)

    def pack(self, reports: Reports) -> Packed:
        """Return the reports as bytes, shape (users, width)."""
        parts = []
        for name, whole, width in self.columns:
            column = reports.arrays()[name]
            if whole:
                column = np.ascontiguousarray(column.astype("<u8")).view(np.uint8).reshape(-1, 8)[:, :width]
            parts.append(column)
        return np.concatenate(parts, axis=1)

    def key(self, report: tuple[int, ...]) -> tuple[int, ...]:
        """Return the bytes of a report that a law lists: the row of its columns, flattened to whole numbers."""
        rest, found = iter(report), b""
        for _, whole, width in self.columns:
            found += next(rest).to_bytes(width, "little") if whole else bytes(next(rest) for _ in range(width))
        return tuple(found)

    def unpack(self, packed: Packed) -> Reports:
        """Return the reports that these bytes, shape (users, width), stand for; the oracle checks their numbers.

        Raises:
            InputError: for a number that does not fit 63 bits.
        """
        columns: dict[str, Column] = {}
        start = 0
        for name, whole, width in self.columns:
            part = packed[:, start : start + width]
            start += width
            columns[name] = _numbers(part, name) if whole else np.ascontiguousarray(part)
        return Reports(self.oracle.parameters, columns)


def byte_width(bound: int) -> int:
    """Return how many bytes the numbers below a bound take."""
    return max(1, (bound - 1).bit_length() + 7 >> 3)


def _numbers(part: Packed, name: str) -> Column:
    wide = np.zeros((len(part), 8), dtype=np.uint8)
    wide[:, : part.shape[1]] = part
    found = wide.view("<i8")[:, 0]
    if (found < 0).any():
        raise InputError(f"reports must have {name} below 2^63, got more in row {int(np.argmax(found < 0)) + 1}")
    return found

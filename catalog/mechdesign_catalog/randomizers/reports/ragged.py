"""Byte strings of different lengths, one a row: a column of reports of many sizes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from mechdesign.errors import InputError

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Ragged:
    """One byte string a row: row i is `data[offsets[i] : offsets[i+1]]`.

    Args:
        offsets: whole numbers that never fall, from 0 to the number of bytes; shape (rows + 1,).
        data: all bytes, row after row.

    Raises:
        InputError: for other offsets or data.

    >>> column = Ragged.gathered(3, [np.array([0, 2]), np.array([1])], [np.array([[1], [2]]), np.array([[7, 8]])])
    >>> column.data.tolist(), column.widths.tolist()
    ([1, 7, 8, 2], [1, 2, 1])
    """

    offsets: Places
    data: Bytes

    def __post_init__(self) -> None:
        offsets, data = np.asarray(self.offsets), np.asarray(self.data)
        if data.ndim != 1 or data.dtype != np.uint8:
            raise InputError(f"byte strings must be a row of bytes, got {data.dtype} of shape {data.shape}")
        if offsets.ndim != 1 or offsets.dtype.kind not in "iu" or len(offsets) < 1:
            raise InputError(f"offsets must be a row of whole numbers, got {offsets.dtype} of shape {offsets.shape}")
        offsets = offsets.astype(np.int64)
        if offsets[0] != 0 or offsets[-1] != len(data) or (np.diff(offsets) < 0).any():
            raise InputError(f"offsets must never fall, from 0 to the {len(data)} bytes, got others")
        object.__setattr__(self, "offsets", offsets)
        object.__setattr__(self, "data", data)

    @classmethod
    def gathered(cls, count: int, rows: Sequence[Places], parts: Sequence[NDArray[Any]]) -> "Ragged":
        """Put groups of equally long rows together.

        Args:
            count: number of all rows.
            rows: for each group the numbers of its rows; together each of 0..count-1 once.
            parts: for each group the bytes of its rows, shape (rows of the group, bytes of each).
        """
        widths = np.full(count, -1, dtype=np.int64)
        for places, part in zip(rows, parts, strict=True):
            widths[places] = part.shape[1]
        if (widths < 0).any() or sum(len(places) for places in rows) != count:
            raise InputError(f"groups must have each of the {count} rows once, got others")
        offsets = _running(widths)
        data = np.empty(int(offsets[-1]), dtype=np.uint8)
        for places, part in zip(rows, parts, strict=True):
            if part.size:
                sliding_window_view(data, part.shape[1], writeable=True)[offsets[places]] = part
        return cls(offsets, data)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, rows: slice) -> "Ragged":
        start, stop, step = rows.indices(len(self))
        if step != 1:
            raise InputError(f"byte strings must be cut in steps of 1, got {step}")
        offsets = self.offsets[start : max(start, stop) + 1]
        return Ragged(offsets - offsets[0], self.data[offsets[0] : offsets[-1]])

    @property
    def shape(self) -> tuple[int]:
        """Number of rows, as arrays have it."""
        return (len(self),)

    @cached_property
    def widths(self) -> Places:
        """Number of bytes of each row."""
        return np.diff(self.offsets)

    def rows(self, places: Places, width: int) -> Bytes:
        """Return the bytes of these rows, shape (rows, width).

        Raises:
            InputError: naming the first of them that has not so many bytes.
        """
        wrong = self.widths[places] != width
        if wrong.any():
            row = int(places[np.argmax(wrong)])
            raise InputError(f"reports must have {width} bytes, got {self.widths[row]} in row {row + 1}")
        if not len(places) or not width:
            return np.zeros((len(places), width), dtype=np.uint8)
        found: Bytes = sliding_window_view(self.data, width)[self.offsets[places]]
        return found


def concatenated(columns: Sequence[Ragged]) -> Ragged:
    """Put columns together, in order."""
    widths = np.concatenate([column.widths for column in columns])
    return Ragged(_running(widths), np.concatenate([column.data for column in columns]))


def _running(widths: Places) -> Places:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(widths)])

"""Columns of reports as those of Arrow, and back, as the oracle's wire states them."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError
from mechdesign_catalog.randomizers.reports.ragged import Ragged
from mechdesign_catalog.randomizers.reports.report_schema import ByteStrings, Fixed, Numbers, ReportColumn, ReportSchema
from mechdesign_catalog.randomizers.reports.reports import AnyColumn, Column

if TYPE_CHECKING:
    import pyarrow as pa

FEW = 1 << 16
"""Numbers below so many are written by their places in a dictionary, which is shorter."""


def arrow_schema(report_schema: ReportSchema) -> "pa.Schema":
    """Return the schema of a file: one number is an integer, several and packed bits are bytes of one length."""
    import pyarrow as pa

    return pa.schema([pa.field(column.name, _arrow_type(column), nullable=False) for column in report_schema.columns])


def dictionary_columns(report_schema: ReportSchema) -> list[str]:
    """Return the names of the columns of few different numbers."""
    return [
        one.name for one in report_schema.columns if isinstance(one, Numbers) and one.count is None and one.bound <= FEW
    ]


def to_arrow(column: ReportColumn, values: AnyColumn) -> "pa.Array":
    """Return a column as Arrow has it; the values are in the types of the wire."""
    import pyarrow as pa

    kind = _arrow_type(column)
    if isinstance(values, Ragged):
        data = np.ascontiguousarray(values.data)
        return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(values.offsets), pa.py_buffer(data)])
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(np.ascontiguousarray(values).reshape(-1))])


def from_arrow(column: ReportColumn, array: "pa.Array", name: str) -> AnyColumn:
    """Return the column that `to_arrow` makes this of, in the types of the wire.

    Files that other programs wrote may have whole numbers in wider types.

    Raises:
        InputError: for missing cells, or cells of another type; `name` is that of the file.
    """
    if array.null_count:
        raise InputError(f"reports must not have missing cells, got some in column {column.name} of {name}")
    try:
        return column.typed(_byte_strings(array) if isinstance(column, ByteStrings) else _cells(column, array))
    except InputError as error:
        raise InputError(f"{error} of {name}") from None


def _arrow_type(column: ReportColumn) -> "pa.DataType":
    import pyarrow as pa

    if isinstance(column, ByteStrings):
        return pa.large_binary()
    if isinstance(column, Numbers) and column.count is None:
        return pa.from_numpy_dtype(column.dtype)
    return pa.binary(column.width)


def _byte_strings(array: "pa.Array") -> AnyColumn:
    import pyarrow as pa

    if not (pa.types.is_binary(array.type) or pa.types.is_large_binary(array.type)):
        raise InputError(f"reports must have byte strings, got {array.type}")
    array = array.cast(pa.large_binary())
    _, places, data = array.buffers()
    if not len(array):
        return Ragged(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.uint8))
    offsets = np.frombuffer(places, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    found = np.frombuffer(data or b"", dtype=np.uint8)
    return Ragged(offsets - offsets[0], found[offsets[0] : offsets[-1]])


def _cells(column: Fixed, array: "pa.Array") -> Column:
    import pyarrow as pa

    if pa.types.is_fixed_size_binary(array.type) and column.shape:
        if (width := array.type.byte_width) != column.width:
            raise InputError(f"column {column.name} must have {column.width} bytes for each user, got {width}")
        start = array.offset * width
        data: NDArray[Any] = np.frombuffer(array.buffers()[1], dtype=np.uint8)[start : start + len(array) * width]
        return data.view(column.dtype).reshape(len(array), *column.shape)
    if column.shape or not (pa.types.is_integer(array.type) or pa.types.is_boolean(array.type)):
        wanted = "bytes of one length" if column.shape else "whole numbers"
        raise InputError(f"column {column.name} must have {wanted}, got {array.type}")
    found: Column = array.to_numpy(zero_copy_only=False)
    return found

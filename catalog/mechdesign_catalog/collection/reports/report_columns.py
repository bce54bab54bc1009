"""Turn columns of reports into Arrow's and back, and into bytes for a digest."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mechdesign.errors import InputError
from mechdesign_catalog.oracles.ragged import Ragged
from mechdesign_catalog.oracles.reports import AnyColumn, Column

if TYPE_CHECKING:
    import pyarrow as pa


def streams(name: str, column: AnyColumn) -> Iterator[tuple[str, str, memoryview]]:
    """Yield all that a digest of a column is of: the name of a stream, what kind of bytes it has, and the bytes.

    However a column is cut, the bytes of its pieces in each stream are together those of the whole. Byte strings are
    two streams, so that it matters where one ends.
    """
    if isinstance(column, Ragged):
        yield f"{name} lengths", f"{name} lengths", column.widths.astype("<i8").data
        yield name, f"{name} bytes", np.ascontiguousarray(column.data).data
    else:
        yield name, f"{name} {column.dtype.str} {column.shape[1:]}", np.ascontiguousarray(column).data


def to_arrow(column: AnyColumn) -> "pa.Array":
    """Return a column as Arrow has it.

    Whole numbers, rows of whole numbers, rows of packed bits (two-dimensional bytes), or byte strings.
    """
    import pyarrow as pa

    if isinstance(column, Ragged):
        data = np.ascontiguousarray(column.data)
        buffers = [None, pa.py_buffer(column.offsets), pa.py_buffer(data)]
        return pa.Array.from_buffers(pa.large_binary(), len(column), buffers)
    if column.ndim == 1:
        return pa.array(column)
    flat = np.ascontiguousarray(column).reshape(-1)
    if column.dtype == np.uint8:
        return pa.Array.from_buffers(pa.binary(column.shape[1]), len(column), [None, pa.py_buffer(flat)])
    return pa.FixedSizeListArray.from_arrays(pa.array(flat), column.shape[1])


def from_arrow(array: "pa.Array", name: str, path: Path) -> AnyColumn:
    """Return the column that `to_arrow` makes this of.

    Raises:
        InputError: for missing cells, or cells of another type; `name` is the column's in the file `path`.
    """
    import pyarrow as pa

    if array.null_count:
        raise InputError(f"reports must not have missing cells, got some in column {name} of {path}")
    if pa.types.is_binary(array.type) or pa.types.is_large_binary(array.type):
        return _byte_strings(array.cast(pa.large_binary()))
    return _numbers(array, name, path)


def _byte_strings(array: "pa.Array") -> Ragged:
    _, places, data = array.buffers()
    if not len(array):
        return Ragged(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.uint8))
    offsets = np.frombuffer(places, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    found = np.frombuffer(data or b"", dtype=np.uint8)
    return Ragged(offsets - offsets[0], found[offsets[0] : offsets[-1]])


def _numbers(array: "pa.Array", name: str, path: Path) -> Column:
    import pyarrow as pa

    if pa.types.is_fixed_size_binary(array.type):
        width = array.type.byte_width
        start = array.offset * width
        return np.frombuffer(array.buffers()[1], dtype=np.uint8)[start : start + len(array) * width].reshape(-1, width)
    if pa.types.is_fixed_size_list(array.type):
        flat = array.flatten()
        if flat.null_count:
            raise InputError(f"reports must not have missing cells, got some in column {name} of {path}")
        return _numbers(flat, name, path).reshape(len(array), array.type.list_size)
    if not (pa.types.is_integer(array.type) or pa.types.is_boolean(array.type)):
        raise InputError(f"reports must be whole numbers or bytes, got {array.type} in column {name} of {path}")
    column: Column = array.to_numpy(zero_copy_only=False)
    return column

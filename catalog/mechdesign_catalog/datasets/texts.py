"""Columns of values as texts: a list, an array, or one of pandas, polars or pyarrow."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast, overload

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa
    from narwhals.typing import IntoSeries

FEW = 1000
"""Values that are spelled one by one."""


@dataclass(frozen=True, eq=False)
class CodedTexts(Sequence[str]):
    """Many texts of which few differ: each different one once, and which of them stands in each row."""

    texts: tuple[str, ...]
    codes: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.codes)

    def __iter__(self) -> Iterator[str]:
        return map(self.texts.__getitem__, self.codes.tolist())

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> "CodedTexts": ...

    def __getitem__(self, place: int | slice) -> "str | CodedTexts":
        if isinstance(place, slice):
            return CodedTexts(self.texts, self.codes[place])
        return self.texts[int(self.codes[place])]


def many_texts(column: object, source: str) -> Sequence[str]:
    """Return the same texts as `column_texts`, of many rows each different whole number or text once.

    Raises:
        InputError: as `column_texts`.
    """
    values = _arrow(column)
    if values is None or len(values) <= FEW:
        return column_texts(column, source)
    if values.null_count:
        raise _missing(int(np.argmax(values.is_null().to_numpy(zero_copy_only=False))) + 1, source)
    coded = values.dictionary_encode()
    texts = tuple(_spelled(value) for value in coded.dictionary.to_pylist())
    return CodedTexts(texts, coded.indices.to_numpy().astype(np.int64))


def _arrow(column: object) -> "pa.Array | None":
    """Return whole numbers, texts and truth values as Arrow has them; None for everything else."""
    import narwhals as nw
    import pyarrow as pa

    try:
        if isinstance(column, np.ndarray):
            found = pa.array(column) if column.ndim == 1 else None
        elif isinstance(column, list | tuple):
            found = pa.array(column)
        else:
            found = nw.from_native(cast("IntoSeries", _chunked(column)), series_only=True).to_arrow()
        if isinstance(found, pa.ChunkedArray):
            found = found.combine_chunks()
        if found is not None and pa.types.is_dictionary(found.type):
            found = found.dictionary_decode()
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None
    kinds = (pa.types.is_integer, pa.types.is_string, pa.types.is_large_string, pa.types.is_boolean)
    return found if found is not None and any(is_kind(found.type) for is_kind in kinds) else None


def column_texts(column: object, source: str) -> list[str]:
    """Return each value of a column as a CSV file would have it.

    Args:
        column: a list, tuple or numpy array of one dimension, or a column of pandas, polars or pyarrow.
        source: what errors call it.

    Raises:
        InputError: for anything else, such as a table or one text; or naming the first row that has no value.
    """
    values = list(_values(column, source))
    for row, value in enumerate(values, start=1):
        if value is None or value != value:  # a missing number is not equal to itself
            raise _missing(row, source)
    return list(map(_spelled, values))


def _missing(row: int, source: str) -> InputError:
    return InputError(f"values must not be missing, got none in row {row} of {source}")


def _spelled(value: object) -> str:
    """Write floats that are whole as whole numbers: a column of numbers that once had gaps is of floats."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _values(column: object, source: str) -> Iterator[object]:
    import narwhals as nw

    if isinstance(column, np.ndarray) and column.ndim == 1:
        return iter(column.tolist())
    if isinstance(column, list | tuple | range):
        return iter(value.item() if isinstance(value, np.generic) else value for value in column)
    series = nw.from_native(_chunked(column), pass_through=True, allow_series=True, eager_only=True)
    if not isinstance(series, nw.Series):
        kind = type(column).__name__
        raise InputError(f"{source} must be a list, an array or a column of a table, got {kind}")
    listed: Iterable[object] = series.to_list()
    missing = series.is_null().to_list()
    return iter([None if absent else value for value, absent in zip(listed, missing, strict=True)])


def _chunked(column: object) -> object:
    """Return an Arrow array by itself as the column that a table would have of it."""
    if not type(column).__module__.startswith("pyarrow"):
        return column
    import pyarrow as pa

    return pa.chunked_array([column]) if isinstance(column, pa.Array) else column

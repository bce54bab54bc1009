"""Tables of pandas, polars and pyarrow: their header, a column of whole numbers, additions.

An extended table is of the same kind as before.

They come in and go out through narwhals, so that none of these libraries is needed here, and what is not touched (an
index, categories, objects) stays as it is.
"""

import json
from collections.abc import Sequence
from typing import Any, cast

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from narwhals.typing import IntoDataFrame, IntoSeries
from numpy.typing import NDArray

from mechdesign.documents.csv_rows import whole_numbers
from mechdesign.documents.json_text import unique_keys
from mechdesign.errors import InputError, quote, shorten
from mechdesign.rational import integer_text

Integers = NDArray[np.int64]
SOURCE = "the table"
PANDAS = b"pandas"
"""Key of the notes that an Arrow table from pandas carries on its columns."""

Numbers = IntoSeries | Sequence[int] | Integers


def open_frame(table: object) -> "nw.DataFrame[Any]":
    """Open a table under one interface.

    Raises:
        InputError: for anything else than a table in memory, or names that are not texts.
    """
    try:
        frame = nw.from_native(cast(IntoDataFrame, table), eager_only=True)
        names: Sequence[object] = frame.columns
    except DuplicateError:
        raise InputError("columns of the table must have different names, got one twice") from None
    except TypeError:
        raise InputError(
            f"table must be one of pandas, polars or pyarrow, in memory, got {type(table).__name__}"
        ) from None
    if not all(isinstance(name, str) for name in names):
        raise InputError(f"columns of the table must have texts as names, got {quote(list(names))}")
    return frame


def is_table_in_memory(values: object) -> bool:
    """Return whether this is a table in memory, rather than one column or a list."""
    try:
        return isinstance(nw.from_native(values, eager_only=True, pass_through=True), nw.DataFrame)
    except DuplicateError:  # which `open_frame` says
        return True


def whole_column(frame: "nw.DataFrame[Any]", position: int, name: str) -> Integers:
    """Read a column as integers of at least 0; a missing value, or one that is not whole, is named with its row."""
    return _whole(frame[:, position], name, SOURCE)


def whole_values(values: object, name: str, source: str) -> Integers:
    """Read numbers alone as integers of at least 0: a column by itself, an array or a list.

    Raises:
        InputError: for something else, or a value that is not whole.
    """
    if not isinstance(values, np.ndarray | list | tuple):
        try:
            return _whole(nw.from_native(cast(IntoSeries, values), series_only=True), name, source)
        except TypeError:
            raise InputError(
                f"{source} must be a table, a column, an array or a list of numbers, got {type(values).__name__}"
            ) from None
    try:
        array = np.asarray(values)
    except ValueError:
        array = np.empty((0, 0))
    if array.ndim != 1:
        raise InputError(f"{source} must have one dimension, got an array of {array.ndim}, or rows")
    return _integers(array, name, source)


def _whole(series: "nw.Series[Any]", name: str, source: str) -> Integers:
    missing = series.is_null().to_numpy()
    if series.dtype.is_integer() and not missing.any():
        return _integers(np.asarray(series.to_numpy()), name, source)
    cells = zip(series.to_list(), missing.tolist(), strict=True)
    return whole_numbers(["" if absent else _spelled(value) for value, absent in cells], name, 0, source)


def _integers(array: "np.ndarray[Any, Any]", name: str, source: str) -> Integers:
    if array.dtype.kind == "i" and (array >= 0).all():
        return array.astype(np.int64)
    return whole_numbers(list(map(_spelled, array.tolist())), name, 0, source)


def _spelled(value: object) -> str:
    """Spell a value as a CSV file would, but write floats that are whole without a point.

    A column with gaps once has become floats.
    """
    if isinstance(value, int | float) and value == value // 1 and not isinstance(value, bool):
        return integer_text(int(value))
    return shorten(value)


def with_column(frame: "nw.DataFrame[Any]", name: str, values: Integers, without: str | None) -> Any:
    """Return a table of the kind that came in, with one column more and, where one is named, another one less.

    Nothing of the column that goes stays behind: not in memory that is shared with the given table, nor in notes.

    Raises:
        InputError: where the column that goes is an index of a pandas table as well.
    """
    kept = [column for column in frame.columns if column != without]
    _require_no_index(frame, without)
    column = nw.new_series(name, values, nw.Int64(), backend=frame.implementation)
    result = (frame.select(kept).with_columns(column) if kept else column.to_frame()).to_native()
    if frame.implementation.is_pandas_like():
        if not kept:
            result.index = frame.to_native().index
        result = result.copy()
        result.attrs = {}
    if without is not None and frame.implementation.is_pyarrow():
        result = result.replace_schema_metadata(_notes_without(frame.to_native().schema.metadata, without))
    return result


def _require_no_index(frame: "nw.DataFrame[Any]", name: str | None) -> None:
    if name is None or not frame.implementation.is_pandas_like():
        return
    if name in frame.to_native().index.names:
        raise InputError(f"index of the table must not be called {name}, like the true counts; reset_index drops it")


def _notes_without(notes: dict[bytes, bytes] | None, name: str) -> dict[bytes, bytes] | None:
    """Return what pandas noted on each column of an Arrow table, less one column."""
    if notes is None or PANDAS not in notes:
        return notes
    told = json.loads(notes[PANDAS], object_pairs_hook=unique_keys)
    told["columns"] = [column for column in told["columns"] if name not in (column["name"], column["field_name"])]
    told["index_columns"] = [column for column in told["index_columns"] if column != name]
    return {**notes, PANDAS: json.dumps(told).encode()}

"""Take a column of values as texts: a list, an array, or a column of pandas, polars or pyarrow."""

from collections.abc import Iterable, Iterator

from mechdesign.errors import InputError


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
            raise InputError(f"values must not be missing, got none in row {row} of {source}")
    return list(map(_spelled, values))


def _spelled(value: object) -> str:
    """Write floats that are whole as whole numbers: a column of numbers that once had gaps is of floats."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _values(column: object, source: str) -> Iterator[object]:
    import narwhals as nw
    import numpy as np

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

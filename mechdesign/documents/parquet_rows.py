"""Rows of Parquet files, as the cells of the same table in CSV, and one-line errors."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

from mechdesign.documents.csv_rows import Cells
from mechdesign.errors import InputError, shorten

if TYPE_CHECKING:
    from pyarrow import Array, DataType

SUFFIX = ".parquet"
BATCH_ROWS = 1 << 13


def parquet_rows(file: BinaryIO, source: str, progress: Callable[[float], None]) -> tuple[Cells, Iterator[Cells]]:
    """Read header and rows of a Parquet file; one batch of rows is in memory at a time.

    Texts are as they are, whole numbers in decimal, bools `True` and `False`, and what is missing is empty.

    Args:
        file: opened for reading.
        source: what errors call it.
        progress: told which share of the rows was read.

    Raises:
        InputError: for a file that is no Parquet, has no columns, or has one of lists or of other nested values.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        opened = pq.ParquetFile(file, pre_buffer=False, buffer_size=1 << 16)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"file must be Parquet, got {source}: {_line(error)}") from None
    schema, number = opened.schema_arrow, opened.metadata.num_rows
    if not schema.names:
        raise InputError(f"file must have a header and rows, got an empty one: {source}")
    for field in schema:
        if not _is_plain(field.type):
            raise InputError(
                f"column {shorten(field.name, 80)} must hold texts or numbers, got {field.type} in {source}"
            )

    def rows() -> Iterator[Cells]:
        done = 0
        batches = opened.iter_batches(BATCH_ROWS)
        while True:
            try:
                batch = next(batches, None)
                if batch is None:
                    return
                columns = [_cells(column) for column in batch.columns]
            except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
                raise InputError(f"file must be Parquet, got {source}: {_line(error)}") from None
            done += batch.num_rows
            progress(done / number)
            yield from map(list, zip(*columns, strict=True))

    return [name.strip() for name in schema.names], rows()


def _cells(column: "Array[Any]") -> list[str]:
    """Return the texts of a column."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        texts = [*_cells(column.dictionary), ""]
        return [texts[k] for k in column.indices.fill_null(len(texts) - 1).to_pylist()]
    if pa.types.is_boolean(column.type):
        return ["" if value is None else str(value) for value in column.to_pylist()]
    if column.type != pa.string():
        column = column.cast(pa.string())
    found: list[str] = (column.fill_null("") if column.null_count else column).to_pylist()
    return found


def _is_plain(of: "DataType") -> bool:
    from pyarrow import types

    if types.is_dictionary(of):
        return _is_plain(of.value_type)
    tests = (types.is_string, types.is_large_string, types.is_boolean, types.is_integer, types.is_floating)
    return any(test(of) for test in (*tests, types.is_decimal, types.is_temporal))


def _line(error: Exception) -> str:
    return shorten(" ".join(str(error).split()), 200)

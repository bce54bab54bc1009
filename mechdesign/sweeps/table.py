"""The table of a sweep: CSV or Parquet, one row for each design."""

import io
from collections.abc import Sequence
from pathlib import Path

from mechdesign.documents.files import require_writable
from mechdesign.documents.tabular import Table
from mechdesign.errors import InputError
from mechdesign.sweeps.worker import COLUMN_TYPES, SweepRow, SweepRows

TABLE_SUFFIXES = (".csv", ".parquet")


def require_table(path: Path) -> None:
    """Refuse, before any work, a table that could not be written after it."""
    if path.suffix.lower() not in TABLE_SUFFIXES:
        raise InputError(f"output must end in {', '.join(TABLE_SUFFIXES)}, got {path}")
    require_writable(path)


def table_bytes(rows: Sequence[SweepRow], suffix: str) -> bytes:
    """Return the content of a `.csv` or `.parquet` file; what is missing is an empty cell, or null."""
    table = SweepRows(rows).tabulate()
    return _parquet_bytes(table) if suffix.lower() == ".parquet" else table.csv_bytes()


def _parquet_bytes(table: Table) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {str: pa.string(), int: pa.int64(), float: pa.float64()}
    arrays = [pa.array(cells, kinds[COLUMN_TYPES[name]]) for name, cells in table.columns.items()]
    sink = io.BytesIO()
    pq.write_table(pa.table(arrays, names=list(table.columns)), sink)
    return sink.getvalue()

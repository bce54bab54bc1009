"""Write the table of a sweep: CSV or Parquet, one row for each design."""

import csv
import io
from collections.abc import Sequence
from dataclasses import astuple
from pathlib import Path

from mechdesign.documents.files import require_writable
from mechdesign.errors import InputError
from mechdesign.sweeps.worker import COLUMN_TYPES, COLUMNS, SweepRow

TABLE_SUFFIXES = (".csv", ".parquet")


def require_table(path: Path) -> None:
    """Refuse, before any work, a table that could not be written after it."""
    if path.suffix.lower() not in TABLE_SUFFIXES:
        raise InputError(f"output must end in {', '.join(TABLE_SUFFIXES)}, got {path}")
    require_writable(path)


def table_bytes(rows: Sequence[SweepRow], suffix: str) -> bytes:
    """Return the content of a `.csv` or `.parquet` file; what is missing is an empty cell, or null."""
    return _parquet_bytes(rows) if suffix.lower() == ".parquet" else _csv_text(rows).encode()


def _csv_text(rows: Sequence[SweepRow]) -> str:
    """Write CSV with floats as the shortest decimals that read back as the same floats."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(astuple(row) for row in rows)
    return stream.getvalue()


def _parquet_bytes(rows: Sequence[SweepRow]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {str: pa.string(), int: pa.int64(), float: pa.float64()}
    arrays = [pa.array([getattr(row, name) for row in rows], kinds[kind]) for name, kind in COLUMN_TYPES.items()]
    sink = io.BytesIO()
    pq.write_table(pa.table(arrays, names=list(COLUMNS)), sink)
    return sink.getvalue()

"""Tables of results: as CSV, as rows of a JSON document, in a notebook, and for pandas, polars or pyarrow."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal

from mechdesign.errors import InputError, quote

Backend = Literal["pandas", "polars", "pyarrow"]


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of results by name, all of the same length.

    `common` is the same in every row, such as the confidence of intervals: files have it as further columns, documents
    state it once.

    >>> table = Table({"item": ["a", "b, c"], "share": [0.25, None]}, {"post": "raw"})
    >>> table.csv_bytes().decode().splitlines()
    ['item,share,post', 'a,0.25,raw', '"b, c",,raw']
    >>> table.entries()[1]
    {'item': 'b, c', 'share': None}
    """

    columns: Mapping[str, Sequence[Any]]
    common: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, entries: Sequence[Mapping[str, Any]]) -> "Table":
        """Make a table of rows that have the same columns."""
        return cls({name: [entry[name] for entry in entries] for name in (entries[0] if entries else ())})

    def rows(self) -> Iterable[tuple[Any, ...]]:
        """Yield the cells of each row, without what is common."""
        return zip(*self.columns.values(), strict=True)

    def entries(self) -> list[dict[str, Any]]:
        """Return the cells of each row by column, without what is common."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows()]

    def csv_bytes(self) -> bytes:
        """Write CSV, as `csv_bytes` does."""
        common = tuple(self.common.values())
        return csv_bytes((*self.columns, *self.common), ((*row, *common) for row in self.rows()))

    def to_frame(self, backend: Backend = "pandas") -> Any:
        """Make a `pandas.DataFrame` of it, or one of polars or pyarrow, without what is common.

        Raises:
            InputError: for another library, or one that is not installed.
        """
        if backend not in ("pandas", "polars", "pyarrow"):
            raise InputError(f"backend must be pandas, polars or pyarrow, got {quote(backend)}")
        import narwhals as nw  # takes longer than most results

        columns = {name: list(cells) for name, cells in self.columns.items()}
        try:
            return nw.from_dict(columns, backend=backend).to_native()
        except ModuleNotFoundError:
            raise InputError(
                f"backend must be installed, got {backend}, which is not; run pip install {backend}"
            ) from None

    def _repr_html_(self) -> str:
        from mechdesign.mechanism.notebook import table

        size = len(next(iter(self.columns.values()), ()))
        told = [f"{name}: {value}" for name, value in self.common.items()]
        told += [f"the first {MOST_SHOWN} of {size} rows"] if size > MOST_SHOWN else []
        return table(list(self.columns), islice(self.rows(), MOST_SHOWN), "; ".join(told))


MOST_SHOWN = 500
"""Rows that a notebook shows."""


def csv_bytes(header: Iterable[str], rows: Iterable[Iterable[Any]]) -> bytes:
    """Write CSV in UTF-8: floats as the shortest decimals that read back the same, None as an empty cell."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return stream.getvalue().encode()

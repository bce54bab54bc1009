"""Write rows of comparisons as JSON and CSV have them, of mechanisms and of oracles alike."""

import csv
import io
from collections.abc import Sequence
from typing import Protocol, TypeVar

from mechdesign.counts.measuring import Measured
from mechdesign.documents.tabular import Tabular
from mechdesign.mechanism.notebook import one_line, page, table

MOST_ROWS = 500
"""Rows that a notebook shows."""

Entry = dict[str, str | int | float | None]


class Row(Protocol):
    """A line of a comparison's table."""

    def entry(self) -> Entry:
        """Return its cells by column."""


R = TypeVar("R", bound=Row)


class ComparisonRows(list[R], Tabular):
    """The rows of a comparison: a list that shows itself as a table in a notebook, and in one line elsewhere."""

    def entries(self) -> list[Entry]:
        """Return the cells of each row by column, as `pandas.DataFrame` and `polars.DataFrame` take them."""
        return [row.entry() for row in self]

    def csv(self) -> str:
        """Write a line for each row; floats are the shortest decimals that read back the same."""
        return rows_csv(self)

    def __repr__(self) -> str:
        metrics = dict.fromkeys(str(row.entry()["metric"]) for row in self)
        return one_line("Comparison", f"{len(self)} rows", ", ".join(metrics))

    def _repr_html_(self) -> str:
        entries = self.entries()
        headers = list(entries[0]) if entries else []
        return page(
            "Comparison", table(headers, [list(entry.values()) for entry in entries[:MOST_ROWS]], _kept(len(self)))
        )


def _kept(rows: int) -> str:
    return f"the first {MOST_ROWS} of {rows} rows" if rows > MOST_ROWS else ""


def measured_entry(found: Measured[float | None]) -> Entry:
    """Name the cells that every comparison has: the expectation, and what simulations gave."""
    return {
        "expected": found.expected,
        "mean": found.mean,
        "standard_error": found.standard_error,
        "standard_deviation": found.deviation,
        "repetitions": found.repetitions,
    }


def rows_csv(rows: Sequence[Row]) -> str:
    """Write one line for each row; floats are the shortest decimals that read back the same."""
    stream = io.StringIO()
    entries = [row.entry() for row in rows]
    writer = csv.DictWriter(stream, list(entries[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(entries)
    return stream.getvalue()

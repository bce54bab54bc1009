"""Rows of comparisons as JSON and CSV have them, of mechanisms and of oracles alike."""

import csv
import io
from collections.abc import Sequence
from typing import Protocol

from mechdesign.counts.measuring import Measured

Entry = dict[str, str | int | float | None]


class Row(Protocol):
    """A line of a comparison's table."""

    def entry(self) -> Entry:
        """Its cells by column."""


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

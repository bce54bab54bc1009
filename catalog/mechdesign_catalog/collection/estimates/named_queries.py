"""Hold queries with their names, and write answers beside them."""

import csv
import io
from dataclasses import dataclass

from mechdesign.workloads.queries import Queries
from mechdesign_catalog.collection.estimates.answering import AnswerEstimate

ENDS = ("first", "last")
BOTH_ENDS = ("first_1", "last_1", "first_2", "last_2")


@dataclass(frozen=True, eq=False)
class NamedQueries:
    """Hold ranges of items, rectangles of pairs of bins, or other queries, with what names them in tables."""

    names: dict[str, list[str]]
    queries: Queries

    def columns(self, answers: AnswerEstimate) -> dict[str, list[str] | list[float]]:
        """Return the answers in columns: the names, `share`, `standard_error` and intervals.

        `low` and `high` are for each query by itself, `low_all` and `high_all` for all of them together. Where reports
        leave standard errors open, `least_standard_error` is what they are at least.
        """
        numbers = {
            "share": answers.shares,
            "standard_error": answers.standard_errors,
            "low": answers.low,
            "high": answers.high,
            "low_all": answers.low_all,
            "high_all": answers.high_all,
        }
        if answers.least_errors is not None:
            numbers["least_standard_error"] = answers.least_errors
        return {**self.names, **{name: column.tolist() for name, column in numbers.items()}}

    def csv_bytes(self, answers: AnswerEstimate) -> bytes:
        """Write `columns`, then the confidence; floats are the shortest decimals that read back the same."""
        stream = io.StringIO()
        columns = self.columns(answers)
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow((*columns, "confidence"))
        writer.writerows((*row, answers.confidence) for row in zip(*columns.values(), strict=True))
        return stream.getvalue().encode()

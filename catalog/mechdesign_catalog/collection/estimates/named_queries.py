"""Hold queries with their names, and write answers beside them."""

from dataclasses import dataclass

from mechdesign.documents.tabular import Table
from mechdesign.workloads.queries import Queries
from mechdesign_catalog.collection.estimates.answering import AnswerEstimate

ENDS = ("first", "last")
BOTH_ENDS = ("first_1", "last_1", "first_2", "last_2")


@dataclass(frozen=True, eq=False)
class NamedQueries:
    """Hold ranges of items, rectangles of pairs of bins, or other queries, with what names them in tables."""

    names: dict[str, list[str]]
    queries: Queries

    def tabulate(self, answers: AnswerEstimate) -> Table:
        """Make a table of the answers: the names, `share`, `standard_error` and intervals.

        `low` and `high` are for each query by itself, `low_all` and `high_all` for all of them together. Where reports
        leave standard errors open, `least_standard_error` is what they are at least.
        """
        return Table({**self.names, **answers.columns()}, {"confidence": answers.confidence})

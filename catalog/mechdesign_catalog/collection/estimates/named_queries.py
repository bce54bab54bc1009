"""Queries with their names."""

from dataclasses import dataclass

from mechdesign.workloads.queries import Queries

ENDS = ("first", "last")
BOTH_ENDS = ("first_1", "last_1", "first_2", "last_2")


@dataclass(frozen=True, eq=False)
class NamedQueries:
    """Ranges of items, rectangles of pairs of bins, or other queries, with what names them in tables."""

    names: dict[str, list[str]]
    queries: Queries

"""Estimate exactly from reports, for every oracle."""

from collections.abc import Sequence
from typing import Any

from mechdesign_catalog.reference.rows import Row
from mechdesign_catalog.reference.servers.level_scores import LEVEL_ESTIMATES, items_from_levels
from mechdesign_catalog.reference.servers.scores import Scores, exact_shares
from mechdesign_catalog.reference.servers.table_scores import TABLES, exact_tables


def exact_estimates(oracle: Any, rows: Sequence[Row]) -> Scores | list[Scores]:
    """Estimate the share of each item, or, of several attributes, of each cell of each raw table.

    Tables are those of all sets of `way` attributes, in lexicographic order.

    Raises:
        NoAnswerError: where a level, a set or a coefficient that is needed has no report.
    """
    if type(oracle) in TABLES:
        return exact_tables(oracle, rows)
    return items_from_levels(oracle, rows) if type(oracle) in LEVEL_ESTIMATES else exact_shares(oracle, rows)

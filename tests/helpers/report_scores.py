"""What every possible report of an oracle is likely to be, and what it makes of each item: for tests by enumeration."""

import numpy as np

from mechdesign.mechanism.sampling import seeded_words
from mechdesign_catalog.oracles import FrequencyOracle, Reports


def possible_reports(oracle: FrequencyOracle) -> tuple[Reports, np.ndarray]:
    """Every report of the law, one a row, and the chances of each for each item, shape (reports, k)."""
    law = oracle.report_law()
    cells = np.array(list(law), dtype=np.int64)
    columns, start = {}, 0
    for name, column in oracle.privatize(np.zeros(1, dtype=np.int64), seeded_words(0)).columns.items():
        width = column[0].size
        filled = cells[:, start : start + width].astype(column.dtype)
        columns[name], start = filled.reshape(-1, *column.shape[1:]), start + width
    assert start == cells.shape[1]
    return Reports(oracle.parameters, columns), np.array(list(law.values()), dtype=np.float64)


def scores(oracle: FrequencyOracle, reports: Reports) -> np.ndarray:
    """The estimates from each report alone, as if there were no other user; shape (reports, k)."""
    return np.array([oracle.estimate(oracle.aggregate(reports[i : i + 1])) for i in range(len(reports))])

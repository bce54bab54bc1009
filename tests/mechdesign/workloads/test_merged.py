"""Items that a workload cannot tell apart are merged, exactly."""

from fractions import Fraction

import numpy as np
import pytest

from mechdesign.workloads.fixed_ranges import FixedRanges
from mechdesign.workloads.matrix import MatrixWorkload
from mechdesign.workloads.merged import MergedWorkload
from mechdesign.workloads.ordered import Prefixes, Ranges

MATRICES = {
    "one_query": [[1, 1, 0, 0, 0]],
    "three_alike": [["1/3", 2, "1/3", "1/3"], [0, 1, 0, 0]],
    "none_alike": [[1, 0, 0], [0, 1, 0]],
}


@pytest.mark.parametrize("name", MATRICES)
def test_groups_are_the_equal_columns(name: str) -> None:
    rows = [[Fraction(value) for value in row] for row in MATRICES[name]]
    merged = MergedWorkload.of(MatrixWorkload.of(rows))
    columns = list(zip(*rows, strict=True))
    for u, column in enumerate(columns):
        alike = tuple(v for v, other in enumerate(columns) if other == column)
        assert merged.groups[merged.group_of[u]] == alike
    first = [columns[group[0]] for group in merged.groups]
    expected = [[sum(a * b for a, b in zip(x, y, strict=True)) for y in first] for x in first]
    assert np.array(merged.gram).tolist() == expected
    assert sum(merged.sizes) == len(columns)


def test_nothing_is_merged_where_all_columns_differ() -> None:
    for workload in (Prefixes(7), Ranges(6), FixedRanges(8, 3)):
        merged = MergedWorkload.of(workload)
        assert merged.sizes == (1,) * workload.k
        assert np.array(merged.gram).tolist() == [list(row) for row in workload.gram()]


@pytest.mark.parametrize("length", [1, 3, 4, 7])
def test_rank_is_that_of_the_queries_with_a_row_of_ones(length: int) -> None:
    workload = FixedRanges(8, length)
    rows = np.vstack([workload.queries().weights(), np.ones(8)])
    assert MergedWorkload.of(workload).rank == np.linalg.matrix_rank(rows)

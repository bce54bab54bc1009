"""Tests: symmetries of a workload leave its centred Gram matrix unchanged, form a group, and are no others."""

import numpy as np
import pytest

from mechdesign.workloads.matrix import MatrixWorkload
from mechdesign.workloads.merged import MergedWorkload
from mechdesign.workloads.registry import parse_named_workload
from mechdesign.workloads.symmetries import symmetries_of
from mechdesign.workloads.workload import Workload


@pytest.mark.parametrize(
    ("text", "k", "count"),
    [
        ("prefixes", 7, 2),
        ("ranges:4", 5, 2),
        ("grid:2,3", 6, 4),
        ("grid:3,3", 9, 8),
        ("marginals:2", 16, 16),
        ("marginals:2:3,4", 12, 12),
        ("marginals:1", 4, 8),
    ],
    ids=str,
)
def test_symmetries_leave_the_centred_gram_matrix_and_the_sizes(text: str, k: int, count: int) -> None:
    workload = parse_named_workload(text, k)
    merged = MergedWorkload.of(workload)
    found = symmetries_of(workload, merged)
    sizes = np.array(merged.sizes)
    projection = np.eye(merged.size) - np.outer(sizes / k, np.ones(merged.size))
    centred = projection.T @ merged.integers.astype(float) @ projection
    assert found[0].tolist() == list(range(merged.size))
    assert len({tuple(g) for g in found}) == len(found) == count
    for g in found:
        assert sizes[g].tolist() == list(merged.sizes)
        assert centred[np.ix_(g, g)] == pytest.approx(centred, abs=1e-9)
        assert {tuple(g[h]) for h in found} == {tuple(h) for h in found}


@pytest.mark.parametrize("rows", [[[1, 1, 0, 0, 0]], [[1, 0, 0], [0, 2, 0]]], ids=["sizes", "weights"])
def test_a_reversal_that_changes_something_is_no_symmetry(rows: list[list[int]]) -> None:
    workload: Workload = MatrixWorkload.of(rows)
    assert len(symmetries_of(workload, MergedWorkload.of(workload))) == 1


def test_no_more_symmetries_than_asked() -> None:
    workload = parse_named_workload("marginals:2", 32)
    assert len(symmetries_of(workload, MergedWorkload.of(workload), most=5)) <= 5

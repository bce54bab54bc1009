"""Tests: few outputs cost little down to a point, all constraints hold, and what cannot be had is refused."""

import numpy as np
import pytest

from mechdesign.errors import NoAnswerError
from mechdesign.methods.row_designs.asked import AskedRows
from mechdesign.methods.row_designs.few_outputs import with_few_outputs
from mechdesign.methods.row_designs.find import find_rows
from mechdesign.methods.row_designs.programme import RowProgramme
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.workloads.registry import parse_named_workload


@pytest.mark.parametrize(
    ("workload", "outputs", "most"),
    [("prefixes", 16, 1.001), ("prefixes", 9, 1.1), ("ranges:3", 4, 1.2)],
    ids=str,
)
def test_few_outputs(workload: str, outputs: int, most: float) -> None:
    stated = RowProgramme.of(WorkloadProblem(parse_named_workload(workload, 6), epsilon=1))
    found = find_rows(stated, AskedRows(1e-6))
    fewer = with_few_outputs(stated, found, outputs)
    r = 1 + (stated.entry - 1) * fewer.rows.astype(float)
    information = (r.T * (fewer.weights / (r @ stated.prior))) @ r
    inverse = np.linalg.pinv(information, rcond=1e-9, hermitian=True)
    assert len(fewer.rows) <= outputs < len(found.rows)
    assert fewer.weights.min() > 0
    assert fewer.weights @ r == pytest.approx(np.ones(6), abs=1e-8)
    assert information @ inverse @ stated.gram == pytest.approx(stated.gram, abs=1e-9)
    assert np.trace(stated.gram @ inverse) + stated.constant == pytest.approx(fewer.value, rel=1e-5)
    assert 1 - 1e-5 < fewer.value / found.value < most
    assert fewer.dual is found.dual


def test_as_many_outputs_as_there_are_stay() -> None:
    stated = RowProgramme.of(WorkloadProblem(parse_named_workload("prefixes", 4), epsilon=1))
    found = find_rows(stated, AskedRows(1e-6))
    assert with_few_outputs(stated, found, len(found.rows)) is found


def test_fewer_outputs_than_the_queries_need() -> None:
    stated = RowProgramme.of(WorkloadProblem(parse_named_workload("prefixes", 4), epsilon=1))
    with pytest.raises(NoAnswerError, match="no mechanism with outputs=3 was found; there is one with 4 or more"):
        with_few_outputs(stated, find_rows(stated, AskedRows(1e-4)), 3)


def test_fewer_outputs_than_items_take_rows_in_the_space_of_the_queries() -> None:
    problem = WorkloadProblem(parse_named_workload("ranges:3", 8), epsilon=1)
    stated = RowProgramme.of(problem)
    fewer = with_few_outputs(stated, find_rows(stated, AskedRows(1e-3)), 7)
    assert len(fewer.rows) == 7 == problem.merged.rank < problem.k
    assert fewer.weights @ (1 + (stated.entry - 1) * fewer.rows.astype(float)) == pytest.approx(np.ones(8), abs=1e-8)

"""Tests: few outputs cost little down to a point, all constraints hold, and what cannot be had is refused."""

import numpy as np
import pytest
from wording import refused

from mechdesign.errors import NoAnswerError
from mechdesign.methods.row_designs.fewer_rows import with_few_outputs
from mechdesign.methods.row_designs.programme import RowProgramme
from mechdesign.methods.row_designs.search import RowGeneration
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.workloads.registry import parse_named_workload


@pytest.mark.parametrize(
    ("workload", "outputs", "most"),
    [("prefixes", 16, 1.001), ("prefixes", 9, 1.1), ("ranges:3", 4, 1.2)],
    ids=str,
)
def test_few_outputs(workload: str, outputs: int, most: float) -> None:
    stated = RowProgramme.of(WorkloadProblem(parse_named_workload(workload, 6), epsilon=1))
    found = RowGeneration(stated, 1e-6).run()
    fewer = with_few_outputs(found, outputs)
    r = 1 + (stated.entry - 1) * fewer.rows.astype(float)
    information = (r.T * (fewer.weights / (r @ stated.prior))) @ r
    inverse = np.linalg.pinv(information, rcond=1e-9, hermitian=True)
    assert len(fewer.rows) <= outputs < len(found.rows)
    assert fewer.weights.min() > 0
    assert fewer.weights @ r == pytest.approx(np.ones(6), abs=1e-8)
    assert information @ inverse @ stated.gram == pytest.approx(stated.gram, abs=1e-9)
    assert np.trace(stated.gram @ inverse) + stated.constant == pytest.approx(fewer.variance, rel=1e-5)
    assert 1 - 1e-5 < fewer.variance / found.variance < most
    assert fewer.dual is found.dual


def test_as_many_outputs_as_there_are_stay() -> None:
    stated = RowProgramme.of(WorkloadProblem(parse_named_workload("prefixes", 4), epsilon=1))
    found = RowGeneration(stated, 1e-6).run()
    assert with_few_outputs(found, len(found.rows)) is found


def test_fewer_outputs_than_the_queries_need() -> None:
    stated = RowProgramme.of(WorkloadProblem(parse_named_workload("prefixes", 4), epsilon=1))
    with refused(NoAnswerError):
        with_few_outputs(RowGeneration(stated, 1e-4).run(), 3)


@pytest.mark.slow
def test_fewer_outputs_than_items_take_rows_in_the_space_of_the_queries() -> None:
    problem = WorkloadProblem(parse_named_workload("ranges:3", 8), epsilon=1)
    stated = RowProgramme.of(problem)
    fewer = with_few_outputs(RowGeneration(stated, 1e-3).run(), 7)
    assert len(fewer.rows) == 7 == problem.merged.rank < problem.k
    assert fewer.weights @ (1 + (stated.entry - 1) * fewer.rows.astype(float)) == pytest.approx(np.ones(8), abs=1e-8)

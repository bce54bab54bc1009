"""Tests: searches find the optima that are known, and mechanism, dual and prior fit each other."""

import numpy as np
import pytest
from row_designs import inputs_of

from mechdesign.methods.row_designs.programme import RowProgramme, RowSolution
from mechdesign.methods.row_designs.search import RowGeneration
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.workloads.matrix import MatrixWorkload
from mechdesign.workloads.registry import parse_named_workload


def programme(text: str, k: int, epsilon: str) -> RowProgramme:
    return RowProgramme.of(WorkloadProblem(parse_named_workload(text, k), epsilon=epsilon))


def bound_of(stated: RowProgramme, found: RowSolution) -> float:
    """The bound of the dual, with the largest excess over all 2^K rows."""
    used, dual, prices = found.dual.programme, found.dual.matrix, found.dual.prices
    bits = (np.arange(2**stated.size)[:, None] >> np.arange(stated.size)) & 1
    r = 1 + (stated.entry - 1) * bits
    matrix = dual @ used.gram @ dual
    excess = (((r @ matrix) * r).sum(axis=1) - (r @ used.prior) * (r @ prices)).max()
    return np.trace(dual @ used.gram) ** 2 / (prices.sum() + max(excess, 0.0)) + used.constant


@pytest.mark.parametrize(
    ("workload", "k", "epsilon", "variance"),
    [
        ("prefixes", 8, "1/2", 101.88220),
        ("prefixes", 8, "1", 23.031368),
        ("prefixes", 8, "2", 4.331986),
        ("ranges", 8, "1", 137.522994),
        ("ranges", 8, "2", 24.721492),
        ("ranges:3", 8, "1", 23.24464),
        ("histogram", 4, "3", 0.3473179),
    ],
    ids=str,
)
def test_optimum_of_the_mean(workload: str, k: int, epsilon: str, variance: float) -> None:
    stated = programme(workload, k, epsilon)
    found = RowGeneration(stated, 1e-8).run()
    assert found.variance == pytest.approx(variance, rel=3e-7)
    assert found.weights @ (1 + (stated.entry - 1) * found.rows) == pytest.approx(np.ones(k), abs=1e-12)
    assert inputs_of(stated, found).mean() == pytest.approx(found.variance, rel=1e-8)
    assert 1 - 2e-8 < bound_of(stated, found) / found.variance < 1 + 1e-12


@pytest.mark.parametrize(
    ("workload", "epsilon", "variance"),
    [("prefixes", "1", 23.0523), ("prefixes", "2", 4.3891), ("ranges", "1", 137.6722)],
    ids=str,
)
def test_optimum_of_the_worst_input(workload: str, epsilon: str, variance: float) -> None:
    stated = programme(workload, 8, epsilon)
    found = RowGeneration(stated, 1e-8, worst=True).run()
    inputs = inputs_of(stated, found)
    assert found.variance == pytest.approx(variance, rel=1e-5)
    assert inputs.max() == pytest.approx(found.variance, rel=1e-7)
    assert 1 - 2e-8 < bound_of(stated, found) / inputs.max() < 1 + 1e-12
    fixed = RowGeneration(found.dual.programme, 1e-8).run()
    assert fixed.variance == pytest.approx(found.variance, rel=3e-8)


def test_one_query_is_asked_by_randomised_response() -> None:
    stated = RowProgramme.of(WorkloadProblem(MatrixWorkload.of([[1, 1, 0, 1]]), epsilon=1))
    found = RowGeneration(stated, 1e-9).run()
    assert stated.size == 2
    assert found.rows.tolist() == [[0, 1], [1, 0]]
    assert found.variance == pytest.approx(0.92067, abs=5e-6)

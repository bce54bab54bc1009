"""Tests: rows are drawn with the moments asked for, and designs for many items come close to their bounds."""

import numpy as np
import pytest
from row_designs import inputs_of

from mechdesign.methods.row_designs.programme import RowProgramme, RowSolution
from mechdesign.methods.row_designs.relaxation import relax
from mechdesign.methods.row_designs.sampling import RowSampler
from mechdesign.methods.row_designs.search import RelaxedSearch
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.program.clock import Clock
from mechdesign.workloads.registry import parse_named_workload


def programme(text: str, k: int, epsilon: str) -> RowProgramme:
    found = RowProgramme.of(WorkloadProblem(parse_named_workload(text, k), epsilon=epsilon))
    return RowProgramme(found.entry, found.plain, found.prior, (np.arange(found.size), np.arange(found.size)[::-1]))


def bound_of(found: RowSolution) -> float:
    dual, used = found.dual, found.dual.programme
    return np.trace(dual.matrix @ used.gram) ** 2 / dual.prices.sum() + used.constant


@pytest.mark.slow
def test_drawn_rows_have_the_moments_of_the_relaxation() -> None:
    bound = relax(programme("prefixes", 40, "1"), Clock(None))
    random = np.random.default_rng(5)
    sampler = RowSampler.fitted(bound, random)
    rows = sampler.draw(20000, random).astype(float)
    assert rows.mean(axis=0) == pytest.approx(bound.shares, abs=0.02)
    covariance = bound.together - np.outer(bound.shares, bound.shares)
    lack = np.cov(rows.T) - covariance
    assert np.linalg.norm(lack) < 0.1 * np.linalg.norm(covariance)
    sums = (1 + sampler.step * rows) @ sampler.weights
    assert np.abs(sums - 1).mean() < 0.2 * sampler.step * sampler.weights.min()


@pytest.mark.slow
@pytest.mark.parametrize(("text", "epsilon", "gap"), [("prefixes", "1", 5e-3), ("ranges:3", "1", 2e-3)], ids=str)
def test_designs_come_close_to_their_bounds(text: str, epsilon: str, gap: float) -> None:
    stated = programme(text, 33, epsilon)
    lines: list[str] = []
    found = RelaxedSearch(stated, gap, tell=lines.append).run()
    assert found.weights @ (1 + (stated.entry - 1) * found.rows) == pytest.approx(np.ones(33), abs=1e-9)
    assert found.weights.min() > 0
    assert inputs_of(stated, found).mean() == pytest.approx(found.variance, rel=1e-7)
    bound = bound_of(found)
    assert bound < found.variance < (1 + gap) * bound
    assert lines[0].startswith("relaxation: bound")
    assert "round 1:" in "".join(lines)


@pytest.mark.slow
def test_design_for_the_worst_input_is_bounded_at_its_prior() -> None:
    stated = programme("prefixes", 33, "1")
    found = RelaxedSearch(stated, 5e-3, worst=True).run()
    inputs = inputs_of(stated, found)
    assert bound_of(found) < inputs.max() < 1.006 * bound_of(found)
    assert np.abs(found.dual.programme.prior - 1 / 33).max() > 1e-3

"""The floor in closed form is a bound for every workload, and the best one for a histogram."""

from fractions import Fraction

import numpy as np
import pytest

from mechdesign.certificate.by_levels import bound_by_levels, largest_price, level_proof
from mechdesign.methods.row_designs.floor import floor_by_eigenvalues, variance_floor
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.workloads.fixed_ranges import FixedRanges
from mechdesign.workloads.levels import levels_of
from mechdesign.workloads.marginals import Marginals
from mechdesign.workloads.matrix import MatrixWorkload
from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges

# Certified optima of the mean over inputs, k = 8, at epsilon 1/2, 1 and 2, and how far the floor may be below them.
OPTIMA = {
    "prefixes": (Prefixes(8), {"1/2": 101.8797, "1": 23.0313, "2": 4.3320}),
    "ranges": (Ranges(8), {"1/2": 605.0875, "1": 137.5229, "2": 24.7214}),
    "ranges_of_3": (FixedRanges(8, 3), {"1": 23.2447}),
}
SHORTFALL = {"1/2": 0.1, "1": 0.1, "2": 0.33}


@pytest.mark.parametrize(("name", "epsilon"), [(name, e) for name, (_, optima) in OPTIMA.items() for e in optima])
def test_floor_is_below_the_optimum_by_no_more_than_is_said(name: str, epsilon: str) -> None:
    workload, optima = OPTIMA[name]
    floor = float(variance_floor(WorkloadProblem(workload, epsilon=epsilon)))
    assert floor <= optima[epsilon] * (1 + 1e-4)
    assert floor >= optima[epsilon] * (1 - SHORTFALL[epsilon])


@pytest.mark.parametrize("power", [-99, -30, 20, 99])
def test_floor_goes_with_the_square_of_the_weights(power: int) -> None:
    scale = Fraction(10) ** power
    small, plain = (
        variance_floor(WorkloadProblem(MatrixWorkload.of([[s, 0, 0], [s, s, 2 * s]], "w.csv"), epsilon=1))
        for s in (scale, Fraction(1))
    )
    assert float(small / scale**2) == pytest.approx(float(plain), rel=1e-9)
    assert plain > 0


@pytest.mark.parametrize(
    "workload", [Histogram(6), Marginals((2, 2, 2), 2), Marginals((2,) * 6, 3)], ids=lambda w: w.name
)
def test_floor_is_that_of_the_levels_where_there_are_some(workload: Histogram | Marginals) -> None:
    problem = WorkloadProblem(workload, alpha="2/5")
    levels = levels_of(workload)
    assert levels is not None
    exact = bound_by_levels(levels, problem.alpha, level_proof(levels, problem.alpha))
    assert variance_floor(problem) == exact
    assert 0 <= exact - floor_by_eigenvalues(problem) <= exact / 10**8


def test_one_query_is_randomised_response() -> None:
    problem = WorkloadProblem(MatrixWorkload.of([[1, 0]]), epsilon=1)
    noise = problem.alpha / (1 - problem.alpha) ** 2
    assert float(noise) == pytest.approx(0.92067, abs=1e-5)
    assert 0 <= noise - variance_floor(problem) <= Fraction(1, 10**9)


def test_merged_items_have_the_floor_of_the_items() -> None:
    rows = [[1, 1, 0, 0, 0], [0, 0, 0, 2, 0], [1, 1, 3, 0, 0]]
    problem = WorkloadProblem(MatrixWorkload.of(rows), alpha="1/2")
    assert problem.merged.size == 4
    matrix = np.array(rows, dtype=float)
    roots = np.linalg.svd(matrix - matrix.mean(axis=1, keepdims=True), compute_uv=False)
    constant = ((matrix.mean(axis=1)) ** 2).sum() - (matrix**2).sum() / 5
    expected = roots.sum() ** 2 / float(largest_price(5, Fraction(1, 2))) + constant
    assert float(variance_floor(problem)) == pytest.approx(expected, rel=1e-9)

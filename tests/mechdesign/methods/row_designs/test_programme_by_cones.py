"""Tests: cvxpy's cone solvers, which know nothing of rows generated or duals, find the same optima.

A linear unbiased estimator gives output r the vector z_r, with `sum_r z_r r' = W`; the variance at input u is
`sum_r r_u |z_r|^2 / theta_r` less the square of the answers, which is convex in weights and vectors together.
"""

import cvxpy as cp
import numpy as np
import pytest

from mechdesign.methods.row_designs.programme import RowProgramme
from mechdesign.methods.row_designs.search import RowGeneration
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.workloads.matrix import MatrixWorkload
from mechdesign.workloads.workload import Workload

PREFIXES = [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0]]
SINGULAR = [[1, 1, 0, 0], [0, 1, 1, 0]]
SIGNED = [[2, -1, 0, 3], [0, 1, 1, -1], [1, 0, 0, 1], [0, 0, 5, 1]]


def optimum(queries: list[list[int]], epsilon: float, is_worst: bool) -> float:
    """The least variance over all rows, the mean over inputs or the largest."""
    w = np.array(queries, dtype=float)
    k = w.shape[1]
    r = 1 + np.expm1(epsilon) * ((np.arange(1, 2**k - 1)[:, None] >> np.arange(k)) & 1)
    theta, z, noise = cp.Variable(len(r), nonneg=True), cp.Variable((len(r), len(w))), cp.Variable(len(r))
    cones = cp.SOC(theta + noise, cp.vstack([2 * z.T, cp.reshape(theta - noise, (1, len(r)), order="C")]), axis=0)
    inputs = r.T @ noise - (w**2).sum(axis=0)
    aim = cp.max(inputs) if is_worst else cp.sum(inputs) / k
    cp.Problem(cp.Minimize(aim), [r.T @ theta == 1, z.T @ r == w, cones]).solve(solver=cp.CLARABEL)
    return float(aim.value)


@pytest.mark.slow
@pytest.mark.parametrize("is_worst", [False, True], ids=["mean", "worst"])
@pytest.mark.parametrize("queries", [PREFIXES, SINGULAR, SIGNED], ids=["prefixes", "singular", "signed"])
def test_cone_programme_has_the_same_optimum(queries: list[list[int]], is_worst: bool) -> None:
    workload: Workload = MatrixWorkload.of(queries)
    found = RowGeneration(RowProgramme.of(WorkloadProblem(workload, epsilon=1.25)), 1e-9, is_worst).run()
    assert found.variance == pytest.approx(optimum(queries, 1.25, is_worst), rel=2e-6)

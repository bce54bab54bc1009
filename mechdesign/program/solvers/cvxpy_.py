"""LP solvers by way of cvxpy: an independent second opinion, without a basis."""

import contextlib
import io
import time
import warnings
from unittest.mock import patch

import cvxpy as cp
import highspy
import numpy as np
from cvxpy.atoms.affine.binary_operators import multiply
from cvxpy.atoms.affine.sum import sum as cvxpy_sum
from cvxpy.atoms.elementwise.entr import entr
from scipy.sparse import csr_array

from mechdesign.errors import InputError, reason_of
from mechdesign.program.solvers.highs_ import SilentHighs
from mechdesign.program.solvers.numeric import Flags, Floats, NumericProgram, SolverResult, Status

_STATUSES = {
    cp.OPTIMAL: Status.OPTIMAL,
    cp.OPTIMAL_INACCURATE: Status.OPTIMAL,
    cp.INFEASIBLE: Status.INFEASIBLE,
}
_TIME_OPTIONS = {"CLARABEL": "time_limit", "SCS": "time_limit_secs", "HIGHS": "time_limit", "OSQP": "time_limit"}

TIGHT = {"tol_gap_abs": 1e-11, "tol_gap_rel": 1e-11, "tol_feas": 1e-11, "static_regularization_constant": 1e-10}
"""Clarabel's options for a point that is to be made rational; with more regularisation it stops 1e-7 before it."""

NOTHING = (np.empty(0), np.empty(0))


def installed_solver(name: str) -> str:
    """Find the name of an installed solver as cvxpy spells it."""
    installed = cp.installed_solvers()
    if name.upper() not in installed:
        raise InputError(f"solver must be cvxpy:NAME with NAME among {', '.join(installed)}, got solver=cvxpy:{name}")
    return name.upper()


def solve(program: NumericProgram, time_limit: float | None, name: str) -> SolverResult:
    """Solve one LP through cvxpy; an answer that the solver calls inaccurate is used, since it is checked anyway."""
    n_columns, n_rows = len(program.cost), len(program.row_lower)
    matrix = csr_array((program.value, program.index, program.start), shape=(n_rows, n_columns))
    equal = program.row_lower == program.row_upper
    bounded = np.isfinite(program.column_lower)
    x = cp.Variable(n_columns)
    constraints = [matrix[equal] @ x == program.row_lower[equal]]
    if not equal.all():
        constraints.append(matrix[~equal] @ x >= program.row_lower[~equal])
    constraints.append(x[bounded] >= program.column_lower[bounded])
    task = cp.Problem(cp.Minimize(program.cost @ x), constraints)
    options = {_TIME_OPTIONS[name]: time_limit} if time_limit is not None and name in _TIME_OPTIONS else {}
    started = time.monotonic()
    try:
        with (
            warnings.catch_warnings(),
            contextlib.redirect_stdout(io.StringIO()),  # SCS talks
            patch.object(highspy, "Highs", SilentHighs),
        ):
            warnings.simplefilter("ignore")
            task.solve(solver=name, **options)
    except (cp.error.SolverError, ValueError) as error:  # cvxpy raises ValueError for a solver's unknown status
        return SolverResult(Status.OTHER, reason_of(error), np.empty(0), np.empty(0), None)
    status = _STATUSES.get(task.status, Status.OTHER)
    if task.status == cp.USER_LIMIT:  # a cap on iterations leaves a point that can be checked; a cap on time does not
        in_time = time_limit is None or time.monotonic() - started < time_limit
        status = Status.OPTIMAL if in_time else Status.TIME_LIMIT
    if x.value is None or any(c.dual_value is None for c in constraints):
        unusable = Status.OTHER if status is Status.OPTIMAL else status
        return SolverResult(unusable, task.status, np.empty(0), np.empty(0), None)
    dual = np.zeros(n_rows)
    dual[equal] = -np.atleast_1d(constraints[0].dual_value)
    if not equal.all():
        dual[~equal] = np.atleast_1d(constraints[1].dual_value)
    solution = np.asarray(x.value, dtype=np.float64)
    if not (np.isfinite(solution).all() and np.isfinite(dual).all()):
        return SolverResult(Status.OTHER, "not finite", np.empty(0), np.empty(0), None)
    return SolverResult(status, task.status, solution, dual, None)


def maximise_entropy(program: NumericProgram, scale: Floats, entropic: Flags, time_limit: float | None) -> SolverResult:
    """Maximise the entropy of some columns of an LP's point, each times its scale, by Clarabel; costs are ignored."""
    n_columns, n_rows = len(program.cost), len(program.row_lower)
    matrix = csr_array((program.value, program.index, program.start), shape=(n_rows, n_columns))
    equal = program.row_lower == program.row_upper
    x = cp.Variable(n_columns)
    constraints = [
        matrix[equal] @ x == program.row_lower[equal],
        matrix[~equal] @ x >= program.row_lower[~equal],
        x >= 0,
    ]
    task = cp.Problem(cp.Maximize(cvxpy_sum(entr(multiply(scale[entropic], x[entropic])))), constraints)
    options = {} if time_limit is None else {_TIME_OPTIONS["CLARABEL"]: time_limit}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            task.solve(solver="CLARABEL", **TIGHT, **options)
    except (cp.error.SolverError, ValueError) as error:
        return SolverResult(Status.OTHER, reason_of(error), np.empty(0), np.empty(0), None)
    status = _STATUSES.get(task.status, Status.TIME_LIMIT if task.status == cp.USER_LIMIT else Status.OTHER)
    if x.value is None:
        return SolverResult(Status.OTHER if status is Status.OPTIMAL else status, task.status, *NOTHING, None)
    return SolverResult(status, task.status, np.asarray(x.value, dtype=np.float64), np.empty(0), None)

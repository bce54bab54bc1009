"""The exact optimum of an LP with rows of any length: the basis of a float solver, solved in rationals."""

import time
from dataclasses import dataclass, replace

import numpy as np

from mechdesign.errors import NotCertifiedError
from mechdesign.program.clock import Clock
from mechdesign.program.exact.forest import SingularBasisError
from mechdesign.program.exact.numbers import ZERO, Exact, to_float
from mechdesign.program.general.elimination import solve_sparse
from mechdesign.program.general.program import GeneralProgram, ScaledProgram
from mechdesign.program.solvers.numeric import Basis, Floats, NumericProgram, Solver, SolverResult, Status

SMALLEST_SCALES = (1e-9, 1e-6, 1e-12, 1e-18, 1.0)
"""Tried in this order: scaled too far, feasible programmes were called infeasible."""

REFINEMENTS = 8
LARGEST_MAGNIFICATION = 1e15


@dataclass(frozen=True)
class Vertex:
    """A basic point, its multipliers, and how far they are from the optimum.

    Attributes:
        x: the point.
        y: a multiplier of each row.
        slack: `a x - b` of each row.
        reduced: `cost - A'y` of each variable.
        is_optimal: whether all signs are right.
    """

    x: list[Exact]
    y: list[Exact]
    slack: list[Exact]
    reduced: list[Exact]
    is_optimal: bool


class NoPointError(NotCertifiedError):
    """The error where a solver finds no point; that there is none is not proved by it."""


def find_vertex(program: GeneralProgram, solver: Solver, clock: Clock) -> Vertex:
    """Find the exact optimum of an LP.

    Raises:
        NoPointError: where the solver says that there is no point, by every scaling.
        NotCertifiedError: where no basis is exactly optimal.
        LimitReachedError: when the clock runs out.
    """
    statuses = []
    for smallest in SMALLEST_SCALES:
        scaled = program.scaled(smallest)
        outcome = _run(solver, scaled.numeric, clock)
        statuses.append(outcome.status)
        if outcome.status is Status.INFEASIBLE or outcome.basis is None:
            continue
        vertex = _refined(program, scaled, solver, clock, outcome.basis)
        if vertex is not None:
            return vertex
    if all(status is Status.INFEASIBLE for status in statuses):
        raise NoPointError("not certified: the solver found no table that meets the demands")
    words = ", ".join(dict.fromkeys(status.value for status in statuses))
    raise NotCertifiedError(f"not certified: no basis of the solver is exactly optimal (its status: {words})")


def _run(solver: Solver, numeric: NumericProgram, clock: Clock) -> SolverResult:
    started = time.perf_counter()
    outcome = solver(numeric, clock.left())
    clock.solving += time.perf_counter() - started
    clock.left()
    return outcome


def _refined(
    program: GeneralProgram, scaled: ScaledProgram, solver: Solver, clock: Clock, basis: Basis
) -> Vertex | None:
    """Return the vertex of a basis; while it is not optimal, give the solver its error, magnified."""
    for _ in range(REFINEMENTS):
        try:
            vertex = vertex_of(program, basis)
        except SingularBasisError:
            return None
        if vertex.is_optimal:
            return vertex
        outcome = _run(solver, _error_program(program, scaled, vertex, basis), clock)
        if outcome.basis is None:
            return None
        basis = outcome.basis
    return None


def vertex_of(program: GeneralProgram, basis: Basis) -> Vertex:
    """Solve for the vertex of a basis: rows that are not basic are tight, variables that are not basic are 0.

    Raises:
        SingularBasisError: where there is no such point, or more than one.
    """
    exact = program.exact
    columns, tight = np.flatnonzero(basis.columns).tolist(), np.flatnonzero(~basis.rows).tolist()
    is_basic = basis.columns.tolist()
    inner = {k: {v: a for v, a in exact.rows[k] if is_basic[v]} for k in tight}
    transposed: dict[int, dict[int, Exact]] = {v: {} for v in columns}
    for k, terms in inner.items():
        for v, a in terms.items():
            transposed[v][k] = a
    found = solve_sparse([(inner[k], exact.rhs[k]) for k in tight], columns)
    duals = solve_sparse([(transposed[v], exact.cost[v]) for v in columns], tight)
    x, y = [ZERO] * len(exact.cost), [ZERO] * len(exact.rows)
    for v, value in found.items():
        x[v] = value
    for k, value in duals.items():
        y[k] = value
    return _measured(program, x, y)


def _measured(program: GeneralProgram, x: list[Exact], y: list[Exact]) -> Vertex:
    """Compute slacks and reduced costs of a point and its multipliers."""
    exact = program.exact
    reduced = list(exact.cost)
    slack = []
    for terms, rhs, multiplier in zip(exact.rows, exact.rhs, y, strict=True):
        slack.append(sum((a * x[v] for v, a in terms), -rhs))
        if multiplier:
            for v, a in terms:
                reduced[v] -= a * multiplier
    signs = all(row.is_equation or m >= 0 for row, m in zip(program.rows, y, strict=True))
    holds = all(not s if row.is_equation else s >= 0 for row, s in zip(program.rows, slack, strict=True))
    return Vertex(x, y, slack, reduced, signs and holds and min(x) >= 0 and min(reduced) >= 0)


def _error_program(program: GeneralProgram, scaled: ScaledProgram, vertex: Vertex, basis: Basis) -> NumericProgram:
    """Build the LP for the error of a vertex, magnified (Gleixner, Steffy, Wolter, 2016).

    With `x = x* + scale z / P`: right sides are what rows lack at x*, times P; costs are the reduced costs times D.
    """
    numeric = scaled.numeric
    lower = -_floats(vertex.x) / scaled.scale
    lacking = -_floats(vertex.slack) * scaled.row_scale
    reduced = _floats(vertex.reduced) * scaled.scale / scaled.cost_unit
    is_equation = np.isfinite(numeric.row_upper)
    worst = max(float(lower.max(initial=0.0)), float(np.where(is_equation, np.abs(lacking), lacking).max(initial=0.0)))
    primal = min(LARGEST_MAGNIFICATION, 1 / worst) if worst else 1.0
    least = -float(reduced.min(initial=0.0))
    dual = min(LARGEST_MAGNIFICATION, 1 / least) if least else 1.0
    multipliers = _floats(vertex.y) / scaled.row_scale / scaled.cost_unit
    return replace(
        numeric,
        cost=(reduced + _pulled(numeric, np.where(is_equation, 0.0, multipliers))) * dual,
        column_lower=lower * primal,
        row_lower=lacking * primal,
        row_upper=np.where(is_equation, lacking * primal, np.inf),
        basis=basis,
    )


def _pulled(numeric: NumericProgram, multipliers: Floats) -> Floats:
    """Return `A'y`, which puts the multipliers of inequalities back into the cost."""
    weights = numeric.value * np.repeat(multipliers, np.diff(numeric.start))
    pulled: Floats = np.bincount(numeric.index, weights, minlength=len(numeric.cost)).astype(np.float64)
    return pulled


def _floats(values: list[Exact]) -> Floats:
    return np.array([to_float(value) for value in values])

"""Refinement of an inexact solution: the program of its error, magnified.

Iterative refinement for linear programming (Gleixner, Steffy, Wolter, "Iterative refinement for linear programming",
INFORMS Journal on Computing 28(3), 2016): residuals and reduced costs of the point at hand are formed exactly, scaled
up until the largest is about 1, and given to the same solver as a new LP, warm-started from the same basis. Its basis
repairs what was below the tolerance before; without a basis, its solution adds digits to the point.

With `x = x* + s z / P` (P, D the magnifications, s the scales, mu* and R the exact multipliers and reduced costs):

    minimise   D (sum_v R_v s_v z_v + sum_e mu*_e s_u(e) t_e)
    subject to z_u - c_e z_v - t_e = 0,   t_e >= -P slack*_e / s_u(e)
               sum_v m_v s_v z_v = P (what each equation lacks at x*),   z_v >= P (floor_v - x*_v) / s_v

The slacks are columns of their own because their multipliers are part of the objective.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mechdesign.program.exact.exact_lp import ExactPoint, Residuals
from mechdesign.program.exact.numbers import Exact, exact_float, to_exact, to_float
from mechdesign.program.exact.scaling import Scaling
from mechdesign.program.pair_program import PairProgram
from mechdesign.program.solvers.numeric import Basis, Floats, NumericProgram, SolverResult


@dataclass(frozen=True)
class Magnifier:
    """The limit of the magnification's growth a round: `bits`, or `quiet_bits` without error.

    A bound below `free_below` is taken to be out of reach.
    """

    bits: int
    quiet_bits: int
    free_below: float


FOR_BASIS = Magnifier(bits=900, quiet_bits=0, free_below=-1e15)
"""The basis holds the point: an error is magnified to 1 at once, and what is right already stays on its scale."""

FOR_POINT = Magnifier(bits=16, quiet_bits=16, free_below=-1e6)
"""Interior-point solvers have no basis to hold on to: smaller steps, and no large numbers."""

MOST_BITS = 900
LARGEST_COST = 1e19
"""What costs more than this a unit stays where it is anyway; solvers take 1e20 for infinity."""


def refined_program(
    program: PairProgram, scaling: Scaling, residuals: Residuals, basis: Basis | None, round_number: int
) -> tuple[NumericProgram, Fraction, Fraction]:
    """Build the LP for the error of a point, and return it with the primal and the dual magnification."""
    magnifier = FOR_POINT if basis is None else FOR_BASIS
    scale, up = scaling.scale, program.upper
    slack = _in_units(residuals.slack, [1 / exact_float(s) for s in scale[up].tolist()])
    above = _in_units(residuals.above_floor, [1 / exact_float(s) for s in scale.tolist()])
    error = np.array([to_float(value) for value in residuals.equation_error])
    unit = scaling.cost_unit
    reduced = _in_units(residuals.reduced, [exact_float(s) / unit for s in scale.tolist()])
    duals = _in_units(residuals.row_dual, [exact_float(s) / unit for s in scale[up].tolist()])
    primal = _magnification(max(_worst(slack), _worst(above), float(np.abs(error).max())), magnifier, round_number)
    dual = _magnification(max(_worst(reduced), _worst(duals)), magnifier, round_number)
    n, m, k = program.n_variables, program.n_rows, len(program.equations)
    rows = np.arange(m, dtype=np.int64)
    index = np.stack([program.upper, program.lower, n + rows], axis=1).ravel()
    value = np.stack([np.ones(m), -scaling.coefficient, -np.ones(m)], axis=1).ravel()
    equation_index, equation_value = scaling.equations
    counts = np.concatenate([np.full(m, 3), [len(values) for values in equation_value]]).astype(np.int64)
    with np.errstate(over="ignore"):
        lower = np.concatenate([-above, -slack]) * float(primal)
        cost = np.minimum(np.concatenate([reduced, duals]) * float(dual), LARGEST_COST)
    rhs = np.concatenate([np.zeros(m), error * float(primal)])
    refined = NumericProgram(
        cost=cost,
        column_lower=np.where(lower < magnifier.free_below, -np.inf, lower),
        start=np.concatenate([[0], np.cumsum(counts)]),
        index=np.concatenate([index, *equation_index]),
        value=np.concatenate([value, *equation_value]),
        row_lower=rhs,
        row_upper=rhs,
        basis=None
        if basis is None
        else Basis(
            np.concatenate([basis.columns, basis.rows[:m]]),
            np.concatenate([np.zeros(m, dtype=bool), basis.rows[m : m + k]]),
        ),
    )
    return refined, primal, dual


def basis_of_refined(program: PairProgram, basis: Basis) -> Basis | None:
    """Translate the refined LP's basis to the original rows; None where an equality row ended basic."""
    n, m = program.n_variables, program.n_rows
    if basis.rows[:m].any():
        return None
    return Basis(basis.columns[:n], np.concatenate([basis.columns[n:], basis.rows[m:]]))


def corrected(
    point: ExactPoint, outcome: SolverResult, program: PairProgram, scaling: Scaling, primal: Fraction, dual: Fraction
) -> ExactPoint:
    """Add the solver's correction to a point, where there is no basis to take a vertex from."""
    n, m = program.n_variables, program.n_rows
    step = scaling.scale * outcome.solution[:n]
    unit = scaling.cost_unit / to_exact(dual)
    row_step = _divided(outcome.row_dual[:m], scaling.scale[program.upper])
    return ExactPoint(
        [x + exact_float(z) / to_exact(primal) for x, z in zip(point.x, step.tolist(), strict=True)],
        [y + z * unit for y, z in zip(point.row_dual, row_step, strict=True)],
        [y + exact_float(z) * unit for y, z in zip(point.equation_dual, outcome.row_dual[m:].tolist(), strict=True)],
    )


def float_point(outcome: SolverResult, program: PairProgram, scaling: Scaling) -> ExactPoint:
    """Convert a solver's answer to the scaled LP to an exact point: unscaled, each float as the rational that it is."""
    m, unit = program.n_rows, scaling.cost_unit
    x = (scaling.scale * outcome.solution).tolist()
    rows = _divided(outcome.row_dual[:m], scaling.scale[program.upper])
    return ExactPoint(
        [exact_float(value) for value in x],
        [value * unit for value in rows],
        [exact_float(value) * unit for value in outcome.row_dual[m:].tolist()],
    )


def _divided(values: Floats, scale: Floats) -> list[Exact]:
    """Exact quotients: a tiny scale would overflow a float."""
    return [exact_float(v) / exact_float(s) for v, s in zip(values.tolist(), scale.tolist(), strict=True)]


def _in_units(values: list[Exact], factors: list[Exact]) -> Floats:
    """Floats of exact values times exact factors, so that nothing under- or overflows on the way."""
    return np.array([to_float(v * f) if v else 0.0 for v, f in zip(values, factors, strict=True)])


def _worst(values: Floats) -> float:
    return max(0.0, -float(values.min(initial=0.0)))


def _magnification(violation: float, magnifier: Magnifier, round_number: int) -> Fraction:
    """A power of two near 1/violation, within the magnifier's limits."""
    most = min(MOST_BITS, magnifier.bits * round_number)
    if violation == 0:
        return Fraction(2) ** min(most, magnifier.quiet_bits * round_number)
    return Fraction(2) ** min(most, max(0, -int(np.floor(np.log2(violation)))))

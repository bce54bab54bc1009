"""The certified solution of the LP, as a mechanism."""

from dataclasses import replace
from fractions import Fraction
from functools import partial

from mechdesign.errors import NotCertifiedError
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.methods.answer import EXPORT_BITS, Answer, is_readable, is_wide
from mechdesign.methods.lp.by_outputs import basis_by_outputs
from mechdesign.methods.lp.method import wants_interior_point
from mechdesign.methods.lp.proof_of import prove
from mechdesign.methods.method import OWN_SOLVER
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.program.clock import Clock
from mechdesign.program.exact.exact_lp import ExactPoint, ExactProgram
from mechdesign.program.exact.numbers import to_fraction, whole_values
from mechdesign.program.exact.optimum import Optimum, by_pivots, find_optimum
from mechdesign.program.exact.others import has_other_optima
from mechdesign.program.exact.repair import repair
from mechdesign.program.linear_program import LinearProgram, build, geometric_basis
from mechdesign.program.solvers import highs_
from mechdesign.program.solvers.choice import choose_solver
from mechdesign.program.solvers.highs_ import SMALL_ROWS
from mechdesign.program.solvers.numeric import Solver


def solve_program(problem: DesignProblem, solver: str, folded: bool, exact: bool, clock: Clock) -> Answer:
    """Solve the LP of a problem, rotations merged or not.

    Raises:
        InputError: unknown solver.
        NotCertifiedError, LimitReachedError
    """
    run = choose_solver(solver)
    program = build(problem, symmetric=folded)
    clock.left()
    data = ExactProgram.of(program)
    optimum = _find(program, data, run, clock, is_own=solver.lower() == OWN_SOLVER)
    answer = _answer(program, data, optimum, exact)
    if not optimum.is_exact and (exact or answer is None or is_wide(problem, answer)):
        optimum = by_pivots(program, data, optimum, clock)
        answer = _answer(program, data, optimum, exact)
    if answer is None:
        raise NotCertifiedError("not certified: no exact optimum was found, and no repair satisfies what is asked")
    attempt = optimum.attempt
    has_others = attempt is not None and has_other_optima(attempt.forest, attempt.point, attempt.residuals)
    return replace(answer, has_others=has_others)


def _find(program: LinearProgram, data: ExactProgram, run: Solver, clock: Clock, *, is_own: bool) -> Optimum:
    """Find the optimum in the way that suits the program; a solver of the user's choice has no choice of its own.

    Measured: HiGHS's presolve finds nothing in a small program and takes up to half of the time.
    """
    if is_own and wants_interior_point(program.problem, program.n_rows):
        found = find_optimum(program, data, partial(highs_.solve, method="ipm"), clock)
        if found.is_exact:
            return found
        clock.patience = None
    start = geometric_basis(program)
    if start is None and is_own:
        start = basis_by_outputs(program, clock)
    if is_own and program.n_rows <= SMALL_ROWS:
        run = partial(highs_.solve, presolve="off")
    return find_optimum(program, data, run, clock, start)


def _answer(program: LinearProgram, data: ExactProgram, optimum: Optimum, exact: bool) -> Answer | None:
    """Return the exact vertex where it is short or nothing else is there; else the repair; None without either."""
    vertex = Mechanism.reduced(*_weights(program, optimum.point)) if optimum.is_exact else None
    keeps = vertex is not None and (exact or is_readable(vertex))
    repaired = None if keeps else repair(program, _matrix(program, optimum.point), EXPORT_BITS)
    if vertex is not None and repaired is None:
        proof = prove(program, data, optimum.point, rounded=not program.problem.step.is_exact, priced=True)
        return Answer(vertex, proof, optimum.how)
    if repaired is None:
        return None
    proof = prove(program, data, optimum.point, rounded=True, priced=optimum.is_exact)
    how = optimum.how + (f", rounded to 2^-{EXPORT_BITS}" if optimum.is_exact else "")
    return Answer(Mechanism.reduced(*repaired), proof, how)


def _weights(program: LinearProgram, point: ExactPoint) -> tuple[list[list[int]], int]:
    """Return the matrix of a point as integers over one denominator."""
    size = program.problem.size
    values, denominator = whole_values(point.x[: program.n_variables])
    flat = [values[variable] for variable in program.entry_variables]
    return [flat[i * size : (i + 1) * size] for i in range(size)], denominator


def _matrix(program: LinearProgram, point: ExactPoint) -> list[list[Fraction]]:
    size = program.problem.size
    values = [to_fraction(value) for value in point.x]
    flat = [values[variable] for variable in program.entry_variables]
    return [flat[i * size : (i + 1) * size] for i in range(size)]

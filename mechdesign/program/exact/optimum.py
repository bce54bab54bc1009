"""The exact optimum of the LP: a solver, its exact vertex, refinement, exact pivots."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from mechdesign.errors import NotCertifiedError
from mechdesign.program.clock import Clock
from mechdesign.program.exact.exact_lp import ExactPoint, ExactProgram, Residuals
from mechdesign.program.exact.forest import ForestBasis, SingularBasisError
from mechdesign.program.exact.numbers import exact_float
from mechdesign.program.exact.pivots import PivotLimitError, optimal_point
from mechdesign.program.exact.refinement import basis_of_refined, corrected, float_point, refined_program
from mechdesign.program.exact.scaling import SMALLEST_SCALE, Scaling, numeric_program
from mechdesign.program.pair_program import PairProgram
from mechdesign.program.solvers.numeric import SMALLEST_COEFFICIENT, Basis, NumericProgram, Solver, SolverResult, Status

REFINEMENT_ROUNDS = 16
POINT_ROUNDS = 6
"""Rounds from a basis, and from a solution without one."""

NEARLY_UNSCALED = (1e-3, 1.0)
PATIENCE_SECONDS, PATIENCE_FACTOR = 2.0, 4.0
"""From its second call on a solver may take so long, and so many times what its first call took."""

PIVOTS = (100, 600, 3000)
PIVOT_SECONDS = 10.0
"""After this time a point that is certified to a narrow gap is good enough."""


@dataclass(frozen=True)
class Attempt:
    """An attempt by one scaling: a basis as a forest, its vertex, and the errors there."""

    forest: ForestBasis
    point: ExactPoint
    residuals: Residuals
    how: str

    @property
    def basis(self) -> Basis:
        """The basis itself."""
        return self.forest.basis

    @cached_property
    def errors(self) -> int:
        """The number of errors; 0 means exactly optimal."""
        return self.residuals.errors


@dataclass(frozen=True)
class Optimum:
    """A point of the LP; `is_exact` says that it is feasible and optimal in rationals, `how` how it was found.

    Where it is not exact, `starts` are the bases from which exact pivots could go on. `attempt` is that which led to
    an exact point, None where pivots did.
    """

    point: ExactPoint
    is_exact: bool
    how: str
    starts: tuple[Attempt, ...] = ()
    attempt: Attempt | None = None


def find_optimum(
    program: PairProgram,
    exact: ExactProgram,
    solver: Solver,
    clock: Clock,
    start: Basis | None = None,
    *,
    pivot_seconds: float | None = PIVOT_SECONDS,
) -> Optimum:
    """Find the exact optimum where the solver gives a basis, else a point refined to many digits.

    The solver starts from the basis `start`, that of the geometric mechanism: most rows that are tight there are tight
    at the optimum.
    Exact pivots end after `pivot_seconds`; where that is None their number alone is limited.

    Raises:
        LimitReachedError: when the clock runs out.
        NotCertifiedError: when no scaling gets a usable answer out of the solver.
    """
    attempts, statuses = [], []
    for scaling in _scalings(program):
        numeric = replace(numeric_program(program, scaling), basis=start)
        outcome = _run(solver, numeric, clock)
        statuses.append(outcome.status_text)
        if outcome.basis is not None:
            attempt = _from_basis(program, exact, scaling, solver, clock, outcome.basis)
        elif outcome.status is Status.OPTIMAL:
            return _from_point(program, exact, scaling, solver, clock, outcome)
        else:
            continue
        if attempt is not None and attempt.errors == 0:
            return Optimum(attempt.point, True, attempt.how, attempt=attempt)
        if attempt is not None:
            attempts.append(attempt)
    crash = None if start is None else _attempt(exact, start, "geometric basis")
    if crash is not None:
        attempts.append(crash)
    if not attempts:
        raise NotCertifiedError(f"not certified: the solver gave no usable answer (its status: {', '.join(statuses)})")
    attempts.sort(key=lambda attempt: attempt.errors)
    best = Optimum(attempts[0].point, False, "last basis", tuple(attempts))
    return by_pivots(program, exact, best, clock, pivot_seconds)


def _scalings(program: PairProgram) -> Iterator[Scaling]:
    """Yield full scaling, and milder ones where it makes coefficients so small that the solver drops them.

    The order was found by trying: monotone designs keep their numbers near 1 under full scaling. Hardly any
    scaling comes last, for priors so lopsided that the best design ignores most inputs.
    """
    alpha, n = float(program.alpha), int(program.exponent.max())
    full, floors = [SMALLEST_SCALE], [SMALLEST_COEFFICIENT / 10**4, SMALLEST_COEFFICIENT]
    if alpha**n >= SMALLEST_COEFFICIENT:
        order = [*full, floors[-1]]
    elif program.is_monotone:
        order = [*full, *floors]
    else:
        order = [*floors, *full]
    for smallest in [*order, *NEARLY_UNSCALED]:
        yield Scaling(program, smallest)


def _run(solver: Solver, numeric: NumericProgram, clock: Clock) -> SolverResult:
    """Call the solver once; after the first call, none may take much longer than that one did."""
    started = time.perf_counter()
    limits = [limit for limit in (clock.left(), clock.patience) if limit is not None]
    outcome = solver(numeric, min(limits, default=None))
    took = time.perf_counter() - started
    clock.solving += took
    clock.left()
    if clock.patience is None:
        clock.patience = PATIENCE_SECONDS + PATIENCE_FACTOR * took
    return outcome


def _attempt(exact: ExactProgram, basis: Basis, how: str) -> Attempt | None:
    """Solve for the vertex of a basis; None where it has none."""
    try:
        forest = ForestBasis(exact, basis)
        point = forest.point()
    except SingularBasisError:
        return None
    return Attempt(forest, point, Residuals.of(exact, point), how)


def _from_basis(
    program: PairProgram, exact: ExactProgram, scaling: Scaling, solver: Solver, clock: Clock, basis: Basis
) -> Attempt | None:
    """Solve for the vertex of a basis; while it is not optimal, refine."""
    best: Attempt | None = None
    for rounds in range(REFINEMENT_ROUNDS + 1):
        how = "exact vertex" if not rounds else f"exact vertex, refinement rounds: {rounds}"
        attempt = _attempt(exact, basis, how)
        if attempt is None:
            break
        if best is None or attempt.errors < best.errors:
            best = attempt
        if attempt.errors == 0 or rounds == REFINEMENT_ROUNDS:
            break
        refined, _, _ = refined_program(program, scaling, attempt.residuals, basis, rounds + 1)
        outcome = _run(solver, refined, clock)
        if outcome.status is Status.TIME_LIMIT:
            break
        if outcome.basis is None:  # the warm start was a burden: once more without it
            outcome = _run(solver, replace(refined, basis=None), clock)
        better = None if outcome.basis is None else basis_of_refined(program, outcome.basis)
        if better is None:  # whatever the solver calls its basis, the vertex will tell
            break
        basis = better
    return best


def by_pivots(
    program: PairProgram, exact: ExactProgram, optimum: Optimum, clock: Clock, seconds: float | None = None
) -> Optimum:
    """Improve an optimum by exact pivots from every basis found, first a few each, then many.

    The optimum comes back unchanged where no basis gets there in time.
    """
    scale = [exact_float(value) for value in Scaling(program).scale.tolist()]
    ends = [end for end in (clock.deadline, None if seconds is None else time.monotonic() + seconds) if end is not None]
    for pivots in PIVOTS:
        for start in optimum.starts:
            try:
                point = optimal_point(exact, start.basis, scale, pivots, min(ends, default=None))
            except (PivotLimitError, SingularBasisError):
                continue
            return Optimum(point, True, f"exact vertex, exact pivots from the {start.how}")
    return optimum


def _from_point(
    program: PairProgram, exact: ExactProgram, scaling: Scaling, solver: Solver, clock: Clock, outcome: SolverResult
) -> Optimum:
    """Add digits to a solution without a basis, as long as the solver keeps answering."""
    point = float_point(outcome, program, scaling)
    rounds = 0
    for round_number in range(1, POINT_ROUNDS + 1):
        residuals = Residuals.of(exact, point)
        refined, primal, dual = refined_program(program, scaling, residuals, None, round_number)
        step = _run(solver, refined, clock)
        if step.status is not Status.OPTIMAL:
            break
        point = corrected(point, step, program, scaling, primal, dual)
        rounds += 1
    return Optimum(point, False, f"interior point, refinement rounds: {rounds}")

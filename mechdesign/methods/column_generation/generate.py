"""The loop of column generation, from the first patterns to the exact vertex."""

import time
from dataclasses import dataclass

import highspy
import numpy as np
from flint import fmpq

from mechdesign.methods.column_generation.exact import (
    ExactMaster,
    ExactSolution,
    SingularMasterError,
    cheap_patterns,
    exactly_broken_pairs,
    solve_basis,
)
from mechdesign.methods.column_generation.frame import Frame, Integers
from mechdesign.methods.column_generation.master import Master
from mechdesign.methods.column_generation.pricing import Pattern, best_patterns
from mechdesign.methods.column_generation.rows import ExtraColumn, MasterRow, broken_pairs
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.program.clock import Clock
from mechdesign.program.exact.numbers import exact_float

PRICE_TOLERANCE = 1e-9
"""Reduced costs this far below 0, in units of the objective, bring in a pattern."""

SUM_TOLERANCE = 1e-9
CANCELLED = 1e-4
"""An objective that is a smaller part of the largest cost would make costs that a solver takes for infinite."""

MAX_ROUNDS = 2000
MAX_REFINEMENTS = 12


@dataclass(frozen=True)
class Generated:
    """The result of column generation: vertex and multipliers of its last basis.

    Both are exact; it says whether they are optimal.
    """

    frame: Frame
    master: ExactMaster
    solution: ExactSolution
    is_exact: bool
    how: str


def generate(problem: DesignProblem, clock: Clock) -> Generated | None:
    """Solve a problem on a path by column generation; None where no basis came out.

    Raises:
        LimitReachedError: when the clock runs out.
    """
    frame = Frame.of(problem)
    start = first_patterns(frame)
    master = Master(frame, _cost_unit(frame))
    master.add(start)
    rounds = _converge(master, clock)
    if rounds is None:
        return None
    best: Generated | None = None
    for refinement in range(MAX_REFINEMENTS + 1):
        exact = ExactMaster(frame, tuple(master.rows))
        basic, tight = _basis(master.highs)
        try:
            solution = solve_basis(exact, master.columns, basic, tight)
        except SingularMasterError:
            return best
        clock.left()
        cheap = cheap_patterns(exact, solution.duals)
        broken = exactly_broken_pairs(frame, solution.matrix)
        wrong = _is_wrong(master, exact, solution, tight)
        how = f"column generation: {len(master.columns)} columns in {rounds} rounds"
        how += f", refinement rounds: {refinement}" if refinement else ""
        best = Generated(frame, exact, solution, not (cheap or broken or wrong), how)
        if best.is_exact or not _refine(master, exact, solution, cheap, broken, clock):
            return best
    return best


def first_patterns(frame: Frame) -> list[Pattern]:
    """Make the first patterns, the geometric mechanism's rows and flat ones: feasible, whatever is asked."""
    distances = frame.problem.graph.distances
    peaks = [Pattern(i, tuple(distances[i].tolist())) for i in range(frame.kept)]
    return peaks + [Pattern(i, (0,) * frame.size) for i in range(frame.kept)]


def _cost_unit(frame: Frame) -> float:
    """Estimate the objective by the best remap of the geometric mechanism; 1 in the worst case."""
    if frame.problem.is_worst_case:
        return 1.0
    cost = np.array([[float(value) for value in row] for row in frame.problem.cost])
    kernel = float(frame.problem.step_alpha) ** frame.problem.graph.distances
    ratios = np.diag(kernel, 1)
    taken = ratios / (1 + ratios)  # by a step from the share of each of its ends
    shares = 1 - np.append(taken, 0.0) - np.append(0.0, taken)
    remapped = abs(float(((cost @ kernel).min(axis=0) * shares).sum()))
    return max(remapped, CANCELLED * float(np.abs(cost).max())) or 1.0


def _converge(master: Master, clock: Clock) -> int | None:
    """Add patterns and rows until floating point finds none that help; return the number of rounds, None on trouble."""
    frame = master.frame
    for rounds in range(1, MAX_ROUNDS + 1):
        if _timed_solve(master, clock) != "Optimal":
            return None
        values, exponents = best_patterns(frame, master.reduced(master.duals()))
        cheap = np.flatnonzero(values < -PRICE_TOLERANCE).tolist()
        added = master.add([Pattern(i, tuple(exponents[i].tolist())) for i in cheap])
        broken = _broken(master) if frame.pair_properties else []
        master.add_pairs(broken)
        if not added and not broken:
            return rounds
    return None


def _timed_solve(master: Master, clock: Clock) -> str:
    started = time.perf_counter()
    status = master.solve(clock.left())
    clock.solving += time.perf_counter() - started
    clock.left()
    return status


def _broken(master: Master) -> list[MasterRow]:
    """Find pairs violated by more than rounding and not yet in the master: the worst of each row."""
    matrix = master.matrix()

    def excess(outputs: Integers, upper: Integers, lower: Integers, p: int, q: int) -> list[float]:
        allowed = q * matrix[outputs, upper] * (1 + SUM_TOLERANCE) + SUM_TOLERANCE**2
        found: list[float] = (p * matrix[outputs, lower] - allowed).tolist()
        return found

    held = set(master.rows)
    return [row for row in broken_pairs(master.frame, excess) if row not in held]


def _basis(highs: highspy.Highs) -> tuple[list[int], list[int]]:
    """List the basic columns, and the rows whose own artificial is not basic."""
    basis = highs.getBasis()
    basic = highspy.HighsBasisStatus.kBasic
    return (
        [c for c, status in enumerate(basis.col_status) if status == basic],
        [k for k, status in enumerate(basis.row_status) if status != basic],
    )


def _is_wrong(master: Master, exact: ExactMaster, solution: ExactSolution, tight: list[int]) -> bool:
    """Return whether a weight is negative, a multiplier has the wrong sign, or an equation does not hold."""
    if any(weight < 0 for weight in solution.weights.values()):
        return True
    if any(cost < 0 for cost in _slack_costs(master, solution)):
        return True
    return len(tight) < len(master.rows) and not exact.holds(master.columns, solution.weights)


def _slack_costs(master: Master, solution: ExactSolution) -> list[fmpq]:
    """Reduced costs of the columns that are no patterns."""
    return [
        fmpq(column.cost) - sum((c * solution.duals[k] for k, c in column.coefficients), fmpq(0))
        for column in master.columns
        if isinstance(column, ExtraColumn)
    ]


def _refine(
    master: Master,
    exact: ExactMaster,
    solution: ExactSolution,
    cheap: list[tuple[fmpq, Pattern]],
    broken: list[MasterRow],
    clock: Clock,
) -> bool:
    """Solve the master for its own error, magnified (Gleixner, Steffy, Wolter 2016); False if nothing came out.

    With exact reduced costs d and weights x of a basis: minimise `sum D d_c z_c` with the same equations, right sides 0
    and `z_c >= -P x_c`; P and D bring the largest errors to 1. Patterns are priced in rationals meanwhile.
    """
    master.add([pattern for _, pattern in cheap])
    master.add_pairs(broken)
    exact = ExactMaster(exact.frame, tuple(master.rows))
    duals = [*solution.duals, *([fmpq(0)] * (len(master.rows) - len(solution.duals)))]
    reduced = [exact.reduced_cost(column, duals) for column in master.columns]
    weights = [solution.weights.get(c, fmpq(0)) for c in range(len(master.columns))]
    for k in range(len(solution.duals), len(master.rows)):
        row, values = master.rows[k], solution.matrix[master.rows[k].i]
        p, q = row.ratio
        weights[master.slack_of(k)] = q * values[row.j] - p * values[row.k]
    magnification = -1 / min(reduced) if min(reduced) < 0 else fmpq(1)
    master.magnify([magnification * d for d in reduced], _shrunk(weights))
    tolerance = exact_float(PRICE_TOLERANCE)
    for _ in range(MAX_ROUNDS):
        if _timed_solve(master, clock) != "Optimal":
            return False
        moved = [y + exact_float(dy) / magnification for y, dy in zip(duals, master.duals().tolist(), strict=True)]
        better = [p for value, p in cheap_patterns(exact, moved) if value * magnification < -tolerance]
        clock.left()
        costs = [magnification * exact.reduced_cost(pattern, duals) for pattern in better]
        if not master.add(better, costs):
            return True
    return False


def _shrunk(weights: list[fmpq]) -> list[fmpq]:
    """Bounds `-P x`, the worst violation brought to 1."""
    worst = min([*weights, fmpq(0)])
    return [-weight / -worst if worst else -weight for weight in weights]

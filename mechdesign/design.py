"""`design(problem)`: solve, certify, verify, and only then return."""

import time
from dataclasses import dataclass
from fractions import Fraction

from mechdesign import verify
from mechdesign.certificate.dual import prove
from mechdesign.certificate.exact_lp import ExactPoint, ExactProgram, to_fraction
from mechdesign.certificate.optimum import Clock, Optimum, by_pivots, find_optimum
from mechdesign.certificate.proof import DualProof
from mechdesign.certificate.repair import repair
from mechdesign.errors import NotCertifiedError, RefusedError
from mechdesign.evaluation import problem_loss
from mechdesign.linear_program import LinearProgram, build
from mechdesign.mechanism import Mechanism
from mechdesign.problem import DesignProblem
from mechdesign.properties import holding
from mechdesign.solvers.choice import choose_solver

EXPORT_BITS = 256
"""Denominator, in bits, of a design whose exact vertex is too long to read."""

LONGEST_VERTEX_BITS = 2048
"""A vertex with a longer denominator is rounded unless `exact` is asked."""

GAP_LIMIT = Fraction(1, 10**6)
"""A design whose gap is a larger share of its score is not called certified."""

VANISHING = Fraction(1, 1 << 128)
"""A gap below this share of the largest loss is a rounding of the export, whatever the score."""


@dataclass(frozen=True)
class Seconds:
    """Wall-clock time of the three stages."""

    solve: float
    certify: float
    verify: float


@dataclass(frozen=True)
class Design:
    """A certified mechanism for a problem, with its proof.

    `score` and `lower_bound` are on the scale of scores; no mechanism that satisfies the problem scores below
    `lower_bound`. `holds` lists every property that the mechanism has. `how` tells how it was reached.
    """

    problem: DesignProblem
    mechanism: Mechanism
    proof: DualProof
    score: Fraction
    lower_bound: Fraction
    holds: tuple[str, ...]
    seconds: Seconds
    how: str

    @property
    def gap(self) -> Fraction:
        """Score minus lower bound; 0 means exactly optimal."""
        return self.score - self.lower_bound

    @property
    def status(self) -> str:
        """`exact` where the gap is 0, else `certified`."""
        return "certified" if self.gap else "exact"


def design(
    problem: DesignProblem,
    *,
    solver: str = "highs",
    time_limit: float | None = None,
    exact: bool = False,
    symmetric: bool | None = None,
) -> Design:
    """The best mechanism for a problem, certified.

    Args:
        problem: what is asked.
        solver: `"highs"`, or `"cvxpy:NAME"` with a solver that cvxpy finds installed (CLARABEL, SCS, HIGHS, ...).
        time_limit: seconds; None means none.
        exact: insist on the exact vertex, however long its numbers are and however long it takes.
        symmetric: merge each entry with its rotation; None does so where that is free.

    Returns:
        A `Design` whose mechanism the trusted kernel has passed and whose bound it has recomputed.

    Raises:
        InputError: unknown solver.
        NotCertifiedError, LimitReachedError: no certified mechanism came out.

    >>> design(DesignProblem(n=8, alpha="0.9", properties="WH,CM")).score
    Fraction(114025, 118098)
    """
    run = choose_solver(solver)
    clock = Clock(time_limit)
    started = time.perf_counter()
    program = build(problem, symmetric=symmetric)
    data = ExactProgram.of(program)
    optimum = find_optimum(program, data, run, clock, try_geometric=solver.lower() == "highs")
    result = _assembled(program, data, optimum, exact, started, clock)
    if not optimum.is_exact and (exact or _is_wide(result)):
        optimum = by_pivots(program, data, optimum, clock)
        result = _assembled(program, data, optimum, exact, started, clock)
    if _is_wide(result):
        clock.left()
        raise NotCertifiedError(
            f"not certified: the score {float(result.score):.9g} and its lower bound {float(result.lower_bound):.9g} "
            f"are too far apart; try another --solver"
        )
    return result


def _is_wide(result: Design) -> bool:
    """Is the gap more than a share of the score (or, for a score that cancels to nearly 0, of the largest loss)?"""
    largest = max(abs(value) for row in result.problem.loss.matrix(result.problem.size) for value in row)
    return result.gap > max(GAP_LIMIT * abs(result.score), VANISHING * (largest or 1))


def _assembled(
    program: LinearProgram, data: ExactProgram, optimum: Optimum, exact: bool, started: float, clock: Clock
) -> Design:
    """Mechanism and proof of a point, passed through the kernel."""
    mechanism = _vertex(program, optimum.point, keep=exact) if optimum.is_exact else None
    how = optimum.how
    if mechanism is None:
        matrix = _matrix(program, optimum.point)
        proof = prove(program, data, optimum.point, rounded=True, priced=optimum.is_exact)
        mechanism = Mechanism.from_weights(*repair(program, matrix, EXPORT_BITS))
        how += f", rounded to 2^-{EXPORT_BITS}" if optimum.is_exact else ""
    else:
        proof = prove(program, data, optimum.point, rounded=False, priced=True)
    return checked_design(program.problem, mechanism, proof, how, started, time.perf_counter(), clock.solving)


def _vertex(program: LinearProgram, point: ExactPoint, keep: bool) -> Mechanism | None:
    """The vertex itself, while it is readable or asked for."""
    vertex = Mechanism.from_fractions(_matrix(program, point))
    return vertex if keep or vertex.denominator.bit_length() <= LONGEST_VERTEX_BITS else None


def _matrix(program: LinearProgram, point: ExactPoint) -> list[list[Fraction]]:
    size = program.problem.size
    values = [to_fraction(value) for value in point.x]
    flat = [values[variable] for variable in program.entry_variables]
    return [flat[i * size : (i + 1) * size] for i in range(size)]


def checked_design(
    problem: DesignProblem,
    mechanism: Mechanism,
    proof: DualProof,
    how: str,
    started: float,
    certified: float,
    solving: float,
) -> Design:
    """Pass a mechanism and its proof through the kernel; nothing gets out of this module by another way.

    Raises:
        RefusedError: naming the first defect.
    """
    require_sound(problem, mechanism)
    bound = proof.bound(problem)
    value = problem_loss(mechanism.weights, mechanism.denominator, problem)
    if bound > value:
        raise RefusedError("the lower bound exceeds the score: the proof contradicts the mechanism")
    holds = holding(mechanism.weights, mechanism.denominator, problem.properties)
    verified = time.perf_counter()
    seconds = Seconds(solving, certified - started - solving, verified - certified)
    scale = problem.rescaling
    return Design(problem, mechanism, proof, scale * value, scale * bound, holds, seconds, how)


def require_sound(problem: DesignProblem, mechanism: Mechanism) -> None:
    """Refuse a mechanism in which the kernel finds any defect."""
    alpha = (problem.step_alpha.numerator, problem.step_alpha.denominator)
    for defect in verify.defects(
        mechanism.weights, mechanism.denominator, alpha, problem.graph.edges, problem.properties
    ):
        raise RefusedError(f"refused: {defect}")

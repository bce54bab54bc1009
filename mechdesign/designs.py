"""`design(problem)`: choose a method, solve, certify, verify, and only then return."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from mechdesign import verify
from mechdesign.certificate.proof import DualProof
from mechdesign.certificate.score import problem_loss
from mechdesign.errors import InputError, LimitReachedError, NotCertifiedError, RefusedError
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.methods.answer import Answer, is_wide_gap
from mechdesign.methods.closed_forms.theorems import theorems
from mechdesign.methods.column_generation.method import generate_columns
from mechdesign.methods.lp.solve import solve_program
from mechdesign.methods.plan import AUTO, listed, make_plan, require_memory
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.properties import holding
from mechdesign.program.clock import Clock


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
    `lower_bound`. `holds` lists every property that the mechanism has. `method` and `how` tell how it was reached.
    """

    problem: DesignProblem
    mechanism: Mechanism
    proof: DualProof
    score: Fraction
    lower_bound: Fraction
    holds: tuple[str, ...]
    seconds: Seconds
    how: str
    method: str = ""

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
    method: str = AUTO,
    solver: str = "highs",
    time_limit: float | None = None,
    exact: bool = False,
) -> Design:
    """The best mechanism for a problem, certified.

    Args:
        problem: what is asked.
        method: `"auto"`, `"closed-form"`, `"column-generation"`, `"symmetric"` or `"full"`; `methods.make_plan` says
            which can serve. All give the same score.
        solver: `"highs"`, or `"cvxpy:NAME"` with a solver that cvxpy finds installed (CLARABEL, SCS, HIGHS, ...).
        time_limit: seconds; None means none.
        exact: insist on the exact vertex, however long its numbers are and however long it takes.

    Returns:
        A `Design` whose mechanism the trusted kernel has passed and whose bound it has recomputed.

    Raises:
        InputError: unknown solver, a method that cannot serve the problem, or a problem too large for the memory.
        NotCertifiedError, LimitReachedError: no certified mechanism came out.

    >>> design(DesignProblem(n=8, alpha="0.9", properties="WH,CM")).score
    Fraction(114025, 118098)
    """
    plan = make_plan(problem, method, solver)
    clock = Clock(time_limit)
    started = time.perf_counter()
    for name in plan.order:
        for answer in _answers(problem, name, solver, exact, clock):
            try:
                result = checked_design(problem, answer, name, started, time.perf_counter(), clock.solving)
            except RefusedError:
                if name != "closed-form":  # a theorem's candidate may lack a property that was asked
                    raise
                continue
            if result.gap and name == "closed-form":
                continue
            if not answer.settled and plan.has_small_rest(name):
                return _better(problem, plan.order[-1], result, solver, exact, clock, started)
            _require_narrow(result, clock)
            return result
    if method == "closed-form":
        able = listed([o for o in plan.options if o.serves and o.method != method])
        raise InputError(f"method closed-form cannot serve this problem: no known form is optimal for it; {able} can")
    if method == AUTO:
        require_memory(plan.options[-2:])  # what is left is an LP that was left out for its size
    raise NotCertifiedError("not certified: column generation ended with a gap; try --method full")


def _answers(problem: DesignProblem, method: str, solver: str, exact: bool, clock: Clock) -> Iterator[Answer]:
    """What a method comes up with; nothing where it ends without an answer."""
    if method == "closed-form":
        for theorem in theorems(problem):
            yield Answer(*theorem.make(), f"closed form: {theorem.name}")
    elif method == "column-generation":
        answer = generate_columns(problem, exact, clock)
        if answer is not None:
            yield answer
    else:
        yield solve_program(problem, solver, method == "symmetric", exact, clock)


def _better(
    problem: DesignProblem, method: str, fallback: Design, solver: str, exact: bool, clock: Clock, started: float
) -> Design:
    """The LP's design where it is exact, else the one at hand."""
    try:
        (answer,) = _answers(problem, method, solver, exact, clock)
        result = checked_design(problem, answer, method, started, time.perf_counter(), clock.solving)
    except (NotCertifiedError, LimitReachedError):
        return fallback
    return fallback if result.gap else result


def _require_narrow(result: Design, clock: Clock) -> None:
    """A gap that is too wide to be called certified is an error, that of the clock if it has run out."""
    scale = result.problem.rescaling
    if is_wide_gap(result.problem, result.gap / scale, result.score / scale):
        clock.left()
        raise NotCertifiedError(
            f"not certified: the score {float(result.score):.9g} and its lower bound {float(result.lower_bound):.9g} "
            f"are too far apart; try another --solver"
        )


def checked_design(
    problem: DesignProblem, answer: Answer, method: str, started: float, certified: float, solving: float
) -> Design:
    """Pass an answer through the kernel; nothing gets out of this module by another way.

    Raises:
        RefusedError: naming the first defect.
    """
    mechanism = answer.mechanism
    require_sound(problem, mechanism)
    bound = answer.proof.bound(problem)
    value = problem_loss(mechanism.weights, mechanism.denominator, problem)
    if bound > value:
        raise RefusedError("the lower bound exceeds the score: the proof contradicts the mechanism")
    holds = holding(mechanism.weights, mechanism.denominator, problem.properties)
    verified = time.perf_counter()
    seconds = Seconds(solving, certified - started - solving, verified - certified)
    scale = problem.rescaling
    return Design(problem, mechanism, answer.proof, scale * value, scale * bound, holds, seconds, answer.how, method)


def require_sound(problem: DesignProblem, mechanism: Mechanism) -> None:
    """Refuse a mechanism in which the kernel finds any defect."""
    alpha = (problem.step_alpha.numerator, problem.step_alpha.denominator)
    for defect in verify.defects(
        mechanism.weights, mechanism.denominator, alpha, problem.graph.edges, problem.properties
    ):
        raise RefusedError(f"refused: {defect}")

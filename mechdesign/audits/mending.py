"""Repair of a defective matrix: a certified design, or the distance from the best score."""

import time
from dataclasses import dataclass
from fractions import Fraction

from mechdesign.arguments import checked
from mechdesign.audits.matrices import AnyMatrix, integer_matrix, open_matrix
from mechdesign.certificate.score import problem_loss
from mechdesign.designs import Design, checked_design, design, require_sound
from mechdesign.documents.files import Rows
from mechdesign.errors import InputError, NotCertifiedError, RefusedError
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.methods.answer import Answer
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.program.exact.repair import repair
from mechdesign.program.linear_program import build

REPAIR_BITS = 128


@dataclass(frozen=True)
class RepairedDesign:
    """A repaired design, the best one made from nothing, the score of the matrix as it was, and the largest change."""

    design: Design
    best: Design
    score_before: Fraction
    largest_change: Fraction


@dataclass(frozen=True)
class ScoreComparison:
    """The best design for a problem, and the score that a given matrix has, exactly as it is."""

    best: Design
    score: Fraction

    @property
    def excess(self) -> Fraction:
        """The score minus the proved lower bound; negative only where the matrix lacks something of what is asked."""
        return self.score - self.best.lower_bound


@checked
def compare_with_optimum(problem: DesignProblem, matrix: AnyMatrix) -> ScoreComparison:
    """Compare a square matrix with the best mechanism for a problem, by their scores; errors as `mend`."""
    weights, denominator = integer_matrix(open_matrix(matrix))
    _require_shape(problem, weights)
    return ScoreComparison(design(problem), problem.rescaling * problem_loss(weights, denominator, problem))


def _require_shape(problem: DesignProblem, weights: list[list[int]]) -> None:
    size = problem.size
    if len(weights) != size or any(len(row) != size for row in weights):
        raise InputError(f"matrix must be {size} x {size} for {problem.model.describe()}, got {len(weights)} rows")


@checked
def mend(problem: DesignProblem, matrix: AnyMatrix) -> RepairedDesign:
    """Repair a square matrix by the integer repair; the bound comes from the problem's own optimum.

    `matrix` is taken as `audit` takes it. One in which the kernel finds no defect is kept as it is.

    Raises:
        InputError: if the matrix does not have the problem's shape.
        NotCertifiedError, LimitReachedError: if no bound could be certified.
    """
    size = problem.size
    weights, denominator = integer_matrix(open_matrix(matrix))
    rows = [[Fraction(weight, denominator) for weight in row] for row in weights]
    _require_shape(problem, weights)
    started = time.perf_counter()
    best = design(problem)
    problem = best.problem  # with alpha^unit as tightly enclosed as the bound needs it
    solved = time.perf_counter()
    mechanism = _sound(problem, rows)
    how = "the given matrix, sound as it is"
    if mechanism is None:
        repaired = repair(build(problem, symmetric=False), rows, REPAIR_BITS)
        if repaired is None:
            raise NotCertifiedError("not certified: no repair satisfies what is asked; design a new one instead")
        mechanism = Mechanism.from_weights(*repaired)
        how = "integer repair"
    certified = time.perf_counter()
    answer = Answer(mechanism, best.certificate, how)
    result = checked_design(problem, answer, "repair", started, certified, solved - started)
    change = max(abs(mechanism.fraction(i, j) - rows[i][j]) for i in range(size) for j in range(size))
    before = problem_loss(weights, denominator, problem)
    return RepairedDesign(result, best, problem.rescaling * before, change)


def _sound(problem: DesignProblem, rows: Rows) -> Mechanism | None:
    """Return the matrix itself, if it is a mechanism without a defect."""
    try:
        mechanism = Mechanism.from_fractions(rows)
        require_sound(problem, mechanism)
    except (InputError, RefusedError):
        return None
    return mechanism

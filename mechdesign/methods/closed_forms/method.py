"""Closed forms as a method: a formula that a theorem calls optimal, if its proof holds."""

from collections.abc import Iterator
from dataclasses import replace

from mechdesign.certificate.by_rows import by_rows
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.methods.answer import EXPORT_BITS, Answer, is_readable
from mechdesign.methods.closed_forms.theorems import theorems
from mechdesign.methods.method import Effort, WorkEstimate, matrix_estimate
from mechdesign.problem.design_problem import DesignProblem

SECONDS = 4e-4
"""Measured: for the smallest."""


class ClosedForms:
    """The method of closed forms, where a theorem speaks of the problem."""

    name = "closed-form"
    family = "formulas"
    takes_solver = False
    late_obstacle = "no known form is optimal for it"

    def obstacle(self, problem: DesignProblem) -> str | None:
        """Say that no theorem speaks of the problem, where none does."""
        return None if any(theorems(problem)) else "no closed form is known for it"

    def reason(self, problem: DesignProblem) -> str:
        """Name the forms that are tried."""
        return f"candidates: {', '.join(theorem.name for theorem in theorems(problem))}"

    def doubt(self, problem: DesignProblem) -> str | None:
        """Return None: to try a formula costs little."""
        return None

    def estimate(self, problem: DesignProblem) -> WorkEstimate:
        """Estimate the work: one matrix."""
        matrix = matrix_estimate(problem, copies=1)
        return replace(matrix, seconds=SECONDS + matrix.seconds)

    def answers(self, problem: DesignProblem, effort: Effort) -> Iterator[Answer]:
        """Yield a proposal for each theorem; it may lack a property that was asked, or not be optimal."""
        for theorem in theorems(problem):
            mechanism, proof = theorem.make()
            how = f"closed form: {theorem.name}"
            if not (problem.step.is_exact or effort.exact or is_readable(mechanism)):
                mechanism, how = _shortened(problem, mechanism), f"{how}, rounded to 2^-{EXPORT_BITS}"
            yield Answer(mechanism, by_rows(problem, proof), how, is_proposal=True)


def _shortened(problem: DesignProblem, mechanism: Mechanism) -> Mechanism:
    """Round a mechanism that is not exactly optimal anyway, by the integer repair."""
    from mechdesign.program.exact.repair import repair
    from mechdesign.program.linear_program import build

    inputs = range(problem.size)
    rows = [[mechanism.fraction(i, j) for j in inputs] for i in inputs]
    repaired = repair(build(problem), rows, EXPORT_BITS)
    return mechanism if repaired is None else Mechanism.reduced(*repaired)

"""Offer closed forms as a method: a formula that a theorem calls optimal, taken if its proof holds."""

from collections.abc import Iterator

from mechdesign.methods.answer import Answer
from mechdesign.methods.closed_forms.theorems import theorems
from mechdesign.methods.method import Effort, WorkEstimate, matrix_estimate
from mechdesign.problem.design_problem import DesignProblem


class ClosedForms:
    """Try mechanisms with a formula, where a theorem speaks of the problem."""

    name = "closed-form"
    family = "formulas"
    takes_solver = False
    late_obstacle = "no known form is optimal for it"

    def obstacle(self, problem: DesignProblem) -> str | None:
        """Say that no theorem speaks of the problem, where none does."""
        return None if any(theorems(problem)) else "no theorem speaks of it"

    def reason(self, problem: DesignProblem) -> str:
        """Name the forms that are tried."""
        return f"candidates: {', '.join(theorem.name for theorem in theorems(problem))}"

    def doubt(self, problem: DesignProblem) -> str | None:
        """Return None: to try a formula costs little."""
        return None

    def estimate(self, problem: DesignProblem) -> WorkEstimate:
        """Estimate the work: one matrix."""
        return matrix_estimate(problem, copies=1)

    def answers(self, problem: DesignProblem, effort: Effort) -> Iterator[Answer]:
        """Yield a proposal for each theorem; it may lack a property that was asked, or not be optimal."""
        for theorem in theorems(problem):
            yield Answer(*theorem.make(), f"closed form: {theorem.name}", is_proposal=True)

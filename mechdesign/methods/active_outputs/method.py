"""Active outputs as a method: local mechanisms without properties."""

from collections.abc import Iterator
from dataclasses import replace

from mechdesign.methods.answer import Answer
from mechdesign.methods.method import Effort, WorkEstimate, matrix_estimate
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.program.linear_program import is_folded

SECONDS, SECONDS_AN_INPUT, SECONDS_AN_ENTRY = 4e-3, 1.2e-4, 3.6e-6
"""Measured: at all, for each input, and for each entry of the matrix."""

SECONDS_A_PRODUCT = 2.2e-8
"""Measured, times the square of the number of active entries."""

FIRST_OUTPUTS = 5
"""The search begins with so many."""


class ActiveOutputs:
    """The method of a program over the outputs that are used, the others priced by one pass each."""

    name = "active-outputs"
    family = "outputs"
    takes_solver = False
    late_obstacle = None

    def obstacle(self, problem: DesignProblem) -> str | None:
        """Name what outputs of their own cannot have: neighbours that differ, properties, the worst case."""
        if not problem.graph.is_complete:
            return "not all inputs are neighbours"
        if problem.required:
            return f"{', '.join(prop.name for prop in problem.required)} asks something of every output"
        if problem.is_worst_case:
            return "the worst case needs rows of all entries of a column"
        return None

    def reason(self, problem: DesignProblem) -> str:
        """Say that outputs are priced one by one."""
        return "a local model: outputs join that pay"

    def doubt(self, problem: DesignProblem) -> str | None:
        """Return None: outputs join until all are there."""
        return None

    def estimate(self, problem: DesignProblem) -> WorkEstimate:
        """Estimate the work: of the outputs more are active the smaller alpha is."""
        size = problem.size
        kept = size / 2 if is_folded(problem, None) else size
        active = FIRST_OUTPUTS + kept * float(1 - problem.step_alpha) ** 2
        seconds = SECONDS + SECONDS_AN_INPUT * size + SECONDS_AN_ENTRY * size**2
        return replace(matrix_estimate(problem, copies=4), seconds=seconds + SECONDS_A_PRODUCT * (active * size) ** 2)

    def answers(self, problem: DesignProblem, effort: Effort) -> Iterator[Answer]:
        """Yield the exact optimum."""
        with effort.clock.while_loading():
            from mechdesign.methods.active_outputs.solve import active_outputs

        yield from active_outputs(problem, effort.exact, effort.clock)

"""Active outputs as a method: local mechanisms without properties."""

from collections.abc import Iterator
from dataclasses import replace

from mechdesign.methods.answer import Answer
from mechdesign.methods.method import Effort, WorkEstimate, lopsided_doubt, matrix_estimate
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.program.linear_program import is_folded

SECONDS, SECONDS_AN_INPUT, SECONDS_AN_ENTRY = 2.2e-3, 6e-5, 1e-6
"""Measured: at all, for each input, and for each entry of the matrix, of which the mirror images are for nothing."""

SEARCH_SECONDS = 2.5e-7
"""Measured, times the cube of the number of inputs, where the prior is lopsided: floats do not end there."""


class ActiveOutputs:
    """The method of an interior point that shows which outputs are used, and how."""

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
        """Say how it finds the outputs."""
        return "a local model: few outputs are used, and an interior point shows which"

    def doubt(self, problem: DesignProblem) -> str | None:
        """Return None: where the interior point does not tell, outputs join until all are there."""
        return None

    def estimate(self, problem: DesignProblem) -> WorkEstimate:
        """Estimate the work: steps over all entries; under a lopsided prior the search after them."""
        size, written = problem.size, 1 if is_folded(problem, None) else 2
        seconds = SECONDS + SECONDS_AN_INPUT * size + SECONDS_AN_ENTRY * written * size**2
        if lopsided_doubt(problem) is not None:
            seconds += SEARCH_SECONDS * size**3
        return replace(matrix_estimate(problem, copies=4), seconds=seconds)

    def answers(self, problem: DesignProblem, effort: Effort) -> Iterator[Answer]:
        """Yield the exact optimum, as a vertex."""
        with effort.clock.while_loading():
            from mechdesign.methods.active_outputs.solve import active_outputs

        yield from active_outputs(problem, effort.exact, effort.clock)

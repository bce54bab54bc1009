"""Column generation as a method: rows as mixtures of extreme patterns, on a path."""

from collections.abc import Iterator
from dataclasses import replace

from mechdesign.methods.answer import Answer
from mechdesign.methods.method import (
    Effort,
    WorkEstimate,
    crowd,
    depth_obstacle,
    lopsided_doubt,
    matrix_estimate,
)
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.rational import natural_log

SECONDS, SECONDS_AN_INPUT, SECONDS_AN_ENTRY = 3e-3, 3e-4, 1e-5
"""Measured: at all, for each input, and for each entry of the matrix."""

CROWD_SECONDS = 6e-7
"""Measured, times the square of the crowd, where rows may be anything but monotone, or a floor lifts them."""

WORST_CASE = 2.0
"""Measured: so many times the whole in the worst case."""

SHARED_SECONDS, SHARED_POWER = 1.6e-8, 4.5
"""Measured, seconds and the power of the size, where entries of different rows must be equal."""

LEAST_REACH = 0.15
"""Measured: the part of that where noise reaches few inputs; it grows with the part of them that it reaches."""


class ColumnGeneration:
    """The method of a master LP over patterns that are priced exactly, in linear time."""

    name = "column-generation"
    family = "patterns"
    takes_solver = False
    late_obstacle = None

    def obstacle(self, problem: DesignProblem) -> str | None:
        """Name what patterns cannot have: inputs off a path, some properties and symmetries, a very small alpha."""
        if not problem.graph.is_path:
            return "the inputs do not form a path"
        if problem.asks_rotation and not problem.graph.is_symmetric:
            return "symmetry is asked, and the neighbours are not symmetric"
        if problem.asks_rotation and problem.is_worst_case and not problem.loss.is_symmetric(problem.size):
            return "symmetry is asked, and the loss is not symmetric"
        beyond = [prop.name for prop in problem.required if prop.compares_rows]
        if beyond:
            return f"{', '.join(beyond)} compares rows with each other"
        if problem.floor * problem.size > 1:
            return "the diagonal must be larger than that of the uniform mechanism, with which the search begins"
        return depth_obstacle(problem)

    def reason(self, problem: DesignProblem) -> str:
        """Say that nothing compares rows."""
        return "rows on a path, and no property that compares them"

    def doubt(self, problem: DesignProblem) -> str | None:
        """Name a lopsided prior, under which it rarely ends exactly."""
        return lopsided_doubt(problem)

    def estimate(self, problem: DesignProblem) -> WorkEstimate:
        """Estimate the work: a few matrices; rows that share an entry, as under F, take many more rounds."""
        shared = any(prop.equal is not None and not prop.is_rotation for prop in problem.required)
        size = problem.size
        seconds = SECONDS + SECONDS_AN_INPUT * size + SECONDS_AN_ENTRY * size**2
        if shared:
            reach = 1 / (size * -natural_log(problem.step_alpha))
            seconds += SHARED_SECONDS * size**SHARED_POWER * min(1.0, max(LEAST_REACH, reach))
        elif problem.floor or not any(prop.is_monotone for prop in problem.required):
            seconds += CROWD_SECONDS * crowd(problem) ** 2
        if problem.is_worst_case:
            seconds *= WORST_CASE
        return replace(matrix_estimate(problem, copies=4), seconds=seconds)

    def answers(self, problem: DesignProblem, effort: Effort) -> Iterator[Answer]:
        """Yield one answer, or none where it ended without a narrow gap."""
        with effort.clock.while_loading():
            from mechdesign.methods.column_generation.solve import generate_columns

        answer = generate_columns(problem, effort.exact, effort.clock)
        if answer is not None:
            yield answer

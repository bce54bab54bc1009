"""Split-and-cut as a method: each row of a count's matrix as steps away from its diagonal."""

from collections.abc import Iterator
from dataclasses import replace

from mechdesign.methods.answer import Answer
from mechdesign.methods.method import Effort, WorkEstimate, crowd, depth_obstacle, lopsided_doubt, matrix_estimate
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.program.equalities import ties
from mechdesign.rational import natural_log

MOST_TIED_DEPTH = 40.0
"""Where entries of the diagonal are tied and alpha to the largest distance is below exp(-40), floats do not suffice."""

SECONDS, SECONDS_AN_INPUT, SECONDS_AN_ENTRY, SECONDS_A_CUBE = 3e-3, 3e-4, 4e-6, 8e-9
"""Measured: at all, and for the first three powers of the size: numbers grow longer with it."""

CROWD_SECONDS, CROWD_POWER = 1e-9, 2.5
"""Measured, times this power of the number of steps."""

DENSE = 0.4
"""No more than this part of all entries were seen to be steps."""

TIED_CROWD = 3.0
"""Measured: so many times the steps where entries of the diagonal are tied."""

COMPARING, MONOTONE, COUNTING = 6.0, 6.0, 9.0
"""Measured: so many times the work where rows are compared and no entries tied.

There are more times where they are monotone too, or where the loss counts errors.
"""

MOST_CROWD_SECONDS, MOST_CROWD_POWER = 4.8e-7, 3.5
"""Measured, times this power of the size: no crowd takes more, however near alpha is to 1."""

ROUNDS_OF_MONOTONE_ROWS = {True: 1.5, False: 2.5}
"""Measured: so many times the whole where rows are monotone, by whether they are compared with each other too."""


class SplitAndCut:
    """The method of a program over steps of the scaled matrix, where steps and rows are made as they are needed."""

    name = "split-and-cut"
    family = "steps"
    takes_solver = False
    late_obstacle = None

    def obstacle(self, problem: DesignProblem) -> str | None:
        """Name what steps cannot have: other inputs than counts, rows of many entries, ratios of their own."""
        if problem.graph.name != "path":
            return "the inputs are no counts, each the neighbour of the next"
        if problem.is_worst_case:
            return "the worst case needs rows of all entries of a column"
        odd = [prop.name for prop in problem.needed if prop.pairs is not None and prop.ratio != 1]
        if odd:
            return f"{', '.join(odd)} has a ratio that is no power of alpha"
        if any(entry % (problem.size + 1) for tie in ties(problem) for entry in (tie.first, tie.second)):
            return "entries beside the diagonal must be equal"
        if problem.floor * problem.size > 1:
            return "the diagonal must be larger than that of the uniform mechanism, with which the search begins"
        return depth_obstacle(problem)

    def reason(self, problem: DesignProblem) -> str:
        """Say that privacy away from the diagonal is in the variables."""
        return "counts: each row as steps away from its diagonal"

    def doubt(self, problem: DesignProblem) -> str | None:
        """Name a lopsided prior, and entries that are tied where alpha is small."""
        depth = -natural_log(problem.step_alpha) * problem.size
        if ties(problem) and depth > MOST_TIED_DEPTH and 2 * problem.step_alpha <= 1:
            return "entries of the diagonal are tied, and alpha is small"
        return lopsided_doubt(problem)

    def estimate(self, problem: DesignProblem) -> WorkEstimate:
        """Estimate the work from the size, and from the number of steps that the optimum has."""
        size, tied = problem.size, bool(ties(problem))
        compares = any(prop.compares_rows for prop in problem.needed)
        is_monotone = not tied and any(prop.is_monotone and not prop.compares_rows for prop in problem.needed)
        weight = CROWD_SECONDS
        if compares and not tied:
            weight *= COMPARING * (COUNTING if problem.loss.counts_errors else MONOTONE if is_monotone else 1)
        steps = min(crowd(problem) * (TIED_CROWD if tied else 1), DENSE * size**2)
        seconds = SECONDS + SECONDS_AN_INPUT * size + SECONDS_AN_ENTRY * size**2 + SECONDS_A_CUBE * size**3
        seconds += min(weight * steps**CROWD_POWER, MOST_CROWD_SECONDS * size**MOST_CROWD_POWER)
        if is_monotone:
            seconds *= ROUNDS_OF_MONOTONE_ROWS[compares]
        return replace(matrix_estimate(problem, copies=4), seconds=seconds)

    def answers(self, problem: DesignProblem, effort: Effort) -> Iterator[Answer]:
        """Yield the exact vertex, or what the floats prove."""
        with effort.clock.while_loading():
            from mechdesign.methods.split_and_cut.solve import split_and_cut

        yield from split_and_cut(problem, effort.exact, effort.clock)

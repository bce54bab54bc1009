"""Split-and-cut as a method: each row of a count's matrix as steps away from its diagonal."""

from collections.abc import Iterator
from dataclasses import replace

from mechdesign.methods.answer import Answer
from mechdesign.methods.method import Effort, WorkEstimate, crowd, lopsided_doubt, matrix_estimate
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.program.equalities import ties
from mechdesign.rational import natural_log

MOST_TIED_DEPTH = 40.0
"""Where entries of the diagonal are tied and alpha to the largest distance is below exp(-40), floats do not suffice."""

SECONDS, SECONDS_AN_INPUT, SECONDS_AN_ENTRY, SECONDS_A_CUBE = 3e-3, 3e-4, 4e-6, 2.5e-8
"""Measured: at all, and for the first three powers of the size: numbers grow longer with it."""

CROWD_SECONDS, COMPARING = 8e-8, 2.5
"""Measured, times the square of the number of steps; so many times more where rows are compared with each other."""

DENSE = 0.4
"""No more than this part of all entries were seen to be steps."""

TIED_CROWD, COUNTING_CROWD, COUNTING = 3.0, 4.0, 2.0
"""Measured: so many times the steps where entries are tied, or where the loss counts errors and rows are compared.

In the latter case there is also so many times more work with each.
"""

MONOTONE_ROUNDS = 2.5
"""Measured: so many times the time where rows are monotone and nothing compares them."""


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
        return None

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
        size = problem.size
        compares = any(prop.compares_rows for prop in problem.needed)
        steps = crowd(problem) * (TIED_CROWD if ties(problem) else 1)
        weight = CROWD_SECONDS * (COMPARING if compares else 1)
        if compares and problem.loss.counts_errors:
            steps, weight = COUNTING_CROWD * steps, COUNTING * weight
        steps = min(steps, DENSE * size**2)
        seconds = SECONDS + SECONDS_AN_INPUT * size + SECONDS_AN_ENTRY * size**2 + SECONDS_A_CUBE * size**3
        seconds += weight * steps**2
        if not compares and not ties(problem) and any(prop.is_monotone for prop in problem.needed):
            seconds *= MONOTONE_ROUNDS
        return replace(matrix_estimate(problem, copies=4), seconds=seconds)

    def answers(self, problem: DesignProblem, effort: Effort) -> Iterator[Answer]:
        """Yield the exact vertex, or what the floats prove."""
        with effort.clock.while_loading():
            from mechdesign.methods.split_and_cut.solve import split_and_cut

        yield from split_and_cut(problem, effort.exact, effort.clock)

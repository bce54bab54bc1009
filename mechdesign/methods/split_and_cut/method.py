"""Split-and-cut as a method: counts with properties between columns, or shared entries."""

from collections.abc import Iterator

from mechdesign.methods.answer import Answer
from mechdesign.methods.method import Effort, WorkEstimate
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.program.equalities import ties


class SplitAndCut:
    """The method of a program over steps of the scaled matrix, where steps and rows are made as they are needed."""

    name = "split-and-cut"
    family = "steps"
    takes_solver = False
    late_obstacle = None

    def obstacle(self, problem: DesignProblem) -> str | None:
        """Name what steps cannot have."""
        if problem.graph.name != "path":
            return "the inputs are no counts"
        if problem.is_worst_case:
            return "the worst case has a row of all entries for each input"
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
        return "counts, each row as steps away from its diagonal"

    def doubt(self, problem: DesignProblem) -> str | None:
        return None

    def estimate(self, problem: DesignProblem) -> WorkEstimate:
        return WorkEstimate(problem.size, problem.size, 1, 1.0)

    def answers(self, problem: DesignProblem, effort: Effort) -> Iterator[Answer]:
        """Yield the exact vertex, or what the floats prove."""
        with effort.clock.while_loading():
            from mechdesign.methods.split_and_cut.solve import split_and_cut

        yield from split_and_cut(problem, effort.exact, effort.clock)

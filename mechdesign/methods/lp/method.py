"""The method of the linear program: as it is, or entries merged with their rotations."""

from collections.abc import Iterator
from dataclasses import dataclass

from mechdesign.methods.answer import Answer
from mechdesign.methods.method import Effort, WorkEstimate
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.then import Then
from mechdesign.program.equalities import ties
from mechdesign.program.privacy_rows import form_of, n_privacy_rows
from mechdesign.rational import natural_log

BYTES_A_ROW = 3_000
"""Measured: HiGHS and the exact LP together take 2.4 to 2.8 kB for each two-variable row."""

SECONDS, SECONDS_A_ROW = 1.2e-3, 1e-5
"""Measured, at all and for each row: to load the program, to end it exactly and to prove it."""

SECONDS_A_PRODUCT = 3.5e-8
"""Measured, for each product of a variable and a row, where the optimum is far from the geometric mechanism."""

OUTPUT_SECONDS, OUTPUT_POWER = 7.7e-7, 1.35
"""Measured, times this power of the number of rows, where the program is begun output by output."""

FEWEST_VARIABLES = 2000
"""Measured: it is where there are as many."""

OFF_PATHS = 0.2
"""Measured: the part of that work where inputs are no path, and there is no start either."""

INTERIOR_SECONDS, INTERIOR_POWER = 1.8e-7, 1.65
"""Measured, times this power of the number of rows: an interior point with crossover, ended and proved."""

NEAR_ONE, FEWEST_ROWS = 1.5, 6000
"""Measured: that is the sooner way where noise reaches most inputs, `n ln(1/alpha)` at most this, and rows are many."""

TIED_REACH = 0.4
"""Measured: the part of that work that is left where tied entries allow no start from the geometric mechanism."""


@dataclass(frozen=True)
class ProgramMethod:
    """The method of the LP, in full or `folded`.

    Folded, it merges each entry with its rotation, where S is required or costs nothing.
    """

    name: str
    folded: bool
    family: str = "linear program"
    takes_solver: bool = True
    late_obstacle: str | None = None

    def obstacle(self, problem: DesignProblem) -> str | None:
        """Say, where folded, that symmetry is neither asked nor free. The LP as it is serves every problem."""
        if self.folded and not (problem.symmetry_is_free or problem.asks_rotation):
            return "loss, prior, neighbours or properties change under i -> n-i, and symmetry is not asked"
        return None

    def reason(self, problem: DesignProblem) -> str:
        """Name the form of the privacy rows."""
        form = form_of(problem.graph)
        return f"an LP with privacy as {form}" if form != "pairs" else "an LP with a row for each pair of neighbours"

    def doubt(self, problem: DesignProblem) -> str | None:
        """Return None: an LP has an optimum, and it is found."""
        return None

    def estimate(self, problem: DesignProblem) -> WorkEstimate:
        """Estimate the work from entries and extra variables; rows of privacy, of properties and of column sums."""
        size = problem.size
        rows, extra = n_privacy_rows(problem.graph)
        pairs = sum(prop.n_pairs(size) for prop in problem.needed)
        variables, total = size * (size + extra), size * rows + pairs + size
        if (self.folded or problem.asks_rotation) and problem.graph.is_symmetric:
            variables, total = -(-variables // 2), -(-total // 2)
        seconds = SECONDS + SECONDS_A_ROW * total + SECONDS_A_PRODUCT * variables * total * _reach(problem)
        if wants_interior_point(problem, total):
            seconds = INTERIOR_SECONDS * total**INTERIOR_POWER
        elif variables >= FEWEST_VARIABLES and may_begin_by_outputs(problem):
            seconds = OUTPUT_SECONDS * total**OUTPUT_POWER
        return WorkEstimate(variables, total, BYTES_A_ROW * total, seconds)

    def answers(self, problem: DesignProblem, effort: Effort) -> Iterator[Answer]:
        """Yield the optimum."""
        with effort.clock.while_loading():
            from mechdesign.methods.lp.solve import solve_program

        yield solve_program(problem, effort.solver, self.folded, effort.exact, effort.clock)

    def staged_answer(self, problem: DesignProblem, then: Then, effort: Effort) -> Answer:
        """Return of all optima one that is best for the next problem's loss, then for the one's after it.

        Raises:
            InputError: unknown solver.
            NotCertifiedError, LimitReachedError
        """
        with effort.clock.while_loading():
            from mechdesign.methods.lp.stages import solve_stages

        return solve_stages(problem, then, self.folded, effort)


def wants_interior_point(problem: DesignProblem, n_rows: int) -> bool:
    """Return whether an interior point with crossover is the sooner way: on a path, alpha near 1."""
    near = problem.size * -natural_log(problem.step_alpha) <= NEAR_ONE
    return near and n_rows >= FEWEST_ROWS and problem.graph.is_path and not problem.is_worst_case


def may_begin_by_outputs(problem: DesignProblem) -> bool:
    """Return whether outputs can be 0, rows stay within them, and privacy has many rows an output.

    Measured: nothing is gained on a path, or where all inputs are neighbours.
    """
    if problem.is_worst_case or problem.floor or any(prop.compares_rows for prop in problem.needed):
        return False
    return not (problem.graph.is_path or problem.graph.is_complete)


def _reach(problem: DesignProblem) -> float:
    """Return which part of the work is left from the geometric mechanism on, where the solver begins.

    It is all of it unless every input counts the same: then it grows with the part of the inputs that noise reaches.
    """
    if not problem.graph.is_path:
        return OFF_PATHS
    if problem.is_worst_case or not problem.has_even_prior:
        return 1.0
    reach = min(1.0, 1 / (problem.size * -natural_log(problem.step_alpha)))
    return max(reach, TIED_REACH) if ties(problem) else reach

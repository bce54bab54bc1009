"""The interface of a method: when it serves, what it costs, and its answers.

A new method is one class beside its algorithm and one line in `registry.METHODS`, where `make_plan` and `design` find
it.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Protocol

from mechdesign.machine import readable_bytes
from mechdesign.methods.answer import Answer
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.prior import Prior
from mechdesign.program.clock import Clock
from mechdesign.rational import natural_log

OWN_SOLVER = "highs"
"""The numerical solver of those methods that take no other."""

MODERATE_ROWS = 30_000
"""A method of at most so many rows is tried where an earlier one ended with a gap, though a narrow one."""


@dataclass(frozen=True)
class WorkEstimate:
    """An estimate of a method's work: variables, rows, memory in bytes, and seconds.

    Seconds were measured on one core of a server of 2020; expect between a third and three times as many.
    """

    variables: int
    rows: int
    memory: int
    seconds: float = 0.0

    @property
    def is_moderate(self) -> bool:
        """Whether the work is small enough to be done only to close a gap that is narrow already."""
        return self.rows <= MODERATE_ROWS

    def describe(self) -> str:
        """Describe the work in one line, but for its seconds."""
        return f"about {self.variables} variables, {self.rows} rows, {readable_bytes(self.memory)}"


SECONDS_A_BYTE = 7.5e-9
"""Of matrices of long integers: to make them, to prove them and to check them."""


def matrix_estimate(problem: DesignProblem, copies: int) -> WorkEstimate:
    """Estimate a method that holds a few matrices of integers, as long as alpha to the largest distance makes them."""
    size = problem.size
    distance = size - 1 if problem.model.name == "count" else int(problem.graph.distances.max())
    entry = 64 + distance * problem.step_alpha.denominator.bit_length() // 8
    one = 2 * size * size * entry
    return WorkEstimate(copies * size, size, copies * one, SECONDS_A_BYTE * one)


LOWEST_DECADE = 250.0
"""Methods that add columns have them down to alpha^D; below 10^-250 floating point has no room for their prices."""


def depth_obstacle(problem: DesignProblem) -> str | None:
    """Name an alpha whose power at the largest distance is out of floating point's reach; None for others."""
    depth = -natural_log(problem.step_alpha) / math.log(10) * int(problem.graph.distances.max())
    if depth > LOWEST_DECADE:
        return f"alpha to the largest distance is 1e-{depth:.0f}, out of floating point's reach"
    return None


MOST_LOPSIDED = Fraction(1, 10**12)
"""Where the least weight of a prior is a smaller part of the largest, methods that add columns rarely end exactly."""


def lopsided_doubt(problem: DesignProblem) -> str | None:
    """Name a lopsided prior, under which methods that add columns rarely end exactly; None for others."""
    if _is_lopsided(problem.prior, problem.size):
        return f"the prior is lopsided, its least weight below {float(MOST_LOPSIDED):.0e} of its largest"
    return None


@lru_cache(maxsize=16)
def _is_lopsided(prior: Prior, size: int) -> bool:
    weights = prior.weights(size)
    return min(weights) < MOST_LOPSIDED * max(weights)


def crowd(problem: DesignProblem) -> float:
    """Estimate how many steps of rows are not those of the geometric mechanism: more where alpha is near 1.

    Measured: 3/10 of the inputs times those that noise reaches.
    """
    return 0.3 * problem.size * min(problem.size, 1 / -natural_log(problem.step_alpha))


@dataclass(frozen=True)
class Effort:
    """The effort that a method may take.

    `solver` is the numerical solver of linear programs by name. `exact` insists on the exact vertex, however long its
    numbers are. `clock` knows the time that is left, and adds up the time spent in the solver.
    """

    solver: str
    exact: bool
    clock: Clock


class Method(Protocol):
    """The interface of a method, a way to an optimal mechanism.

    It does not vouch for its answers: `design` passes each through the kernel and prices its proof.
    """

    @property
    def name(self) -> str:
        """The name that users call it by: the value of `--method`."""

    @property
    def family(self) -> str:
        """The kind of program that it solves; of one family `auto` takes the first method that serves."""

    @property
    def takes_solver(self) -> bool:
        """Whether it works with a solver of the user's choice."""

    @property
    def late_obstacle(self) -> str | None:
        """The reason why it cannot serve a problem after all, where none of its answers was proved to be optimal.

        None for a method that searches: that it ended without an answer says nothing about the problem.
        """

    def obstacle(self, problem: DesignProblem) -> str | None:
        """Say why it cannot serve a problem; None where it can."""

    def reason(self, problem: DesignProblem) -> str:
        """Say why it can serve a problem to which it has no obstacle."""

    def doubt(self, problem: DesignProblem) -> str | None:
        """Say why `auto` leaves it out although it can serve a problem; None where `auto` takes it."""

    def estimate(self, problem: DesignProblem) -> WorkEstimate:
        """Estimate its work on a problem."""

    def answers(self, problem: DesignProblem, effort: Effort) -> Iterator[Answer]:
        """Yield its answers, the likeliest first, each worked out when it is asked for; none where it found none.

        Raises:
            InputError: unknown solver.
            NotCertifiedError, LimitReachedError: where nothing useful came out, or not in time.
        """

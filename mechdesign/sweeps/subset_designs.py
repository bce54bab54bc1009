"""Design for the subsets of the properties whose scores do not follow from other designs.

A mechanism made for one subset is feasible for every subset whose properties it happens to have, and no subset scores
below a weaker one; so with designs D made for D.asked,

    max {D.lower_bound : D.asked <= subset}  <=  score of the subset  <=  min {D.score : subset <= D.holds},

and where both ends meet, the score is known exactly.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice

from mechdesign.designs import Design, design
from mechdesign.errors import LimitReachedError, NoAnswerError, RefusedError
from mechdesign.laws.finding import law_for
from mechdesign.laws.law import LawAt
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.properties import ordered, without_implied
from mechdesign.workers.choosing import WorkerChoice
from mechdesign.workers.work_through import Outcome, work_through
from mechdesign.workers.workers import Workers

Subset = frozenset[str]
Names = tuple[str, ...]
Solve = Callable[[DesignProblem, float | None], Design | LawAt]
"""Designs for a problem within so many seconds (None: no limit)."""


@dataclass(frozen=True)
class SubsetDesigns:
    """Solve the subsets of a problem that need it, so many at a time as there are places.

    Args:
        problem: what is asked besides properties.
        time_limit: seconds for all solves together; None means none.
        solve: makes the designs; importable by name where another process works.
    """

    problem: DesignProblem
    time_limit: float | None
    solve: Solve

    def made(
        self, closed: Sequence[Subset], choice: WorkerChoice, on_progress: Callable[[int], None]
    ) -> tuple[Design | LawAt, ...]:
        """Return the designs from which every closed subset's score follows.

        They do not depend on who works: with several at a time some are made that turn out to be needless, and those
        are dropped.

        Args:
            closed: the subsets, shortest first.
            choice: who designs.
            on_progress: told, after each subset, how many are settled.

        Raises:
            NotCertifiedError, LimitReachedError, MachineError: for the first subset without a certified mechanism.
        """
        started = time.monotonic()
        designs: list[Design | LawAt] = []
        waiting = deque(_solving_order(closed))
        with choice.open(len(closed)) as workers:
            while waiting:
                left = None if self.time_limit is None else started + self.time_limit - time.monotonic()
                outcomes = self._solved(list(islice(_open(waiting, designs), workers.places)), left, workers)
                while waiting and (is_settled(waiting[0], designs) or waiting[0] in outcomes):
                    subset = waiting.popleft()
                    if not is_settled(subset, designs):
                        designs.append(_design(subset, outcomes[subset]))
                    on_progress(len(closed) - len(waiting))
        return tuple(designs)

    def _solved(
        self, subsets: Sequence[Subset], seconds: float | None, workers: Workers
    ) -> dict[Subset, Outcome[Design | LawAt]]:
        """Solve subsets at the same time; the first of them must be solved."""
        if subsets and seconds is not None and seconds <= 0:
            raise LimitReachedError(f"the time limit was reached before the subset {shown(subsets[0])} was solved")
        requests = [_Request(self.solve, with_properties(self.problem, subset), seconds) for subset in subsets]
        return {subsets[outcome.place]: outcome for outcome in work_through(_solve, requests, workers)}


@dataclass(frozen=True)
class _Request:
    solve: Solve
    problem: DesignProblem
    seconds: float | None


def _solve(request: _Request) -> Design | LawAt:
    return request.solve(request.problem, request.seconds)


def design_exactly(problem: DesignProblem, seconds: float | None) -> Design | LawAt:
    """Design with an exact vertex, so that equal scores are seen as equal; beyond 128 people a law where one serves."""
    law = law_for(problem, seconds)
    return design(problem, time_limit=seconds, exact=True) if law is None else LawAt(law, problem.n)


def with_properties(problem: DesignProblem, names: Iterable[str]) -> DesignProblem:
    """Return the same problem with other properties."""
    return replace(problem, properties=frozenset(names))


def bracket(subset: Subset, designs: Sequence[Design | LawAt]) -> tuple[Fraction | None, Fraction | None]:
    """Return the best bounds on a subset's score that the designs so far prove; None where there is none."""
    lower = max((d.lower_bound for d in designs if d.problem.properties <= subset), default=None)
    upper = min((d.score for d in designs if subset <= frozenset(d.holds)), default=None)
    if lower is not None and upper is not None and lower > upper:
        raise RefusedError(f"two proofs contradict each other on the subset {shown(subset)}")
    return lower, upper


def is_settled(subset: Subset, designs: Sequence[Design | LawAt]) -> bool:
    """Tell whether the designs so far prove a subset's score."""
    lower, upper = bracket(subset, designs)
    return lower is not None and lower == upper


def generator(subset: Subset) -> Names:
    """Return the properties of a closed subset that imply the rest, in the usual order of properties."""
    return ordered(without_implied(subset))


def shown(subset: Subset) -> str:
    """Write a subset for a message."""
    return ",".join(generator(subset)) or "none"


def _solving_order(closed: Sequence[Subset]) -> list[Subset]:
    """Order from free to strict, but the strictest second: where its score is reached early, all between is settled."""
    return [closed[0], closed[-1], *closed[1:-1]]


def _open(subsets: Iterable[Subset], designs: Sequence[Design | LawAt]) -> Iterator[Subset]:
    return (subset for subset in subsets if not is_settled(subset, designs))


def _design(subset: Subset, outcome: Outcome[Design | LawAt]) -> Design | LawAt:
    try:
        return outcome.result(f"the design for the subset {shown(subset)}")
    except NoAnswerError as error:
        raise type(error)(f"{error} (subset {shown(subset)})") from error

"""Designs for the subsets of the properties whose scores do not follow from others.

A mechanism made for one subset is feasible for every subset whose properties it happens to have, and no subset scores
below a weaker one; so with designs D made for D.asked,

    max {D.lower_bound : D.asked <= subset}  <=  score of the subset  <=  min {D.score : subset <= D.holds},

and where both ends meet, the score is known exactly.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Protocol, TypeVar

from mechdesign.designs import Design, design
from mechdesign.errors import InputError, LimitReachedError, NoAnswerError, RefusedError
from mechdesign.laws.finding import FROM_AUTO, law_for
from mechdesign.laws.law import LawAt
from mechdesign.laws.problem import LawProblem
from mechdesign.methods.plan import make_plan
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.properties import ordered, without_implied
from mechdesign.workers.choosing import WorkerChoice
from mechdesign.workers.work_through import Outcome, work_through
from mechdesign.workers.workers import Workers

Subset = frozenset[str]
Names = tuple[str, ...]


class HasProperties(Protocol):
    """Anything with properties, such as a design."""

    @property
    def properties(self) -> frozenset[str]:
        """Those that are asked."""


class SubsetDesign(Protocol):
    """A design's facts for subsets: `score` and `lower_bound`, numbers or others in an order."""

    @property
    def problem(self) -> HasProperties:
        """What it was made for."""

    @property
    def score(self) -> Any:
        """What it scores."""

    @property
    def lower_bound(self) -> Any:
        """What no mechanism for its problem scores below."""

    @property
    def holds(self) -> tuple[str, ...]:
        """Every property that it has."""


@dataclass(frozen=True)
class SkippedSubset:
    """A subset without a design, and the reason."""

    why: str


Solve = Callable[[Any, float | None], SubsetDesign | SkippedSubset]
"""Designs for a problem within so many seconds (None: no limit)."""

Problem = DesignProblem | LawProblem
P = TypeVar("P", bound=DesignProblem | LawProblem)

LONGEST_MATRIX = 60.0
"""Seconds of a matrix beyond 128 people that is designed without being asked for."""


@dataclass(frozen=True)
class SubsetDesigns:
    """The subsets of a problem that need a design, solved as many at a time as there are workers.

    Args:
        problem: what is asked besides properties.
        time_limit: seconds for all solves together; None means none.
        solve: makes the designs; importable by name where another process works.
    """

    problem: Problem
    time_limit: float | None
    solve: Solve

    def made(
        self, closed: Sequence[Subset], choice: WorkerChoice, on_progress: Callable[[int], None]
    ) -> tuple[tuple[SubsetDesign, ...], dict[Subset, str]]:
        """Return the designs from which the closed subsets' scores follow, and why the others have none.

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
        designs: list[SubsetDesign] = []
        skipped: dict[Subset, str] = {}
        waiting = deque(_solving_order(closed))
        with choice.open(len(closed)) as workers:
            while waiting:
                left = None if self.time_limit is None else started + self.time_limit - time.monotonic()
                outcomes = self._solved(list(islice(_open(waiting, designs), workers.places)), left, workers)
                while waiting and (is_settled(waiting[0], designs) or waiting[0] in outcomes):
                    subset = waiting.popleft()
                    if not is_settled(subset, designs):
                        found = _design(subset, outcomes[subset])
                        if isinstance(found, SkippedSubset):
                            skipped[subset] = found.why
                        else:
                            designs.append(found)
                    on_progress(len(closed) - len(waiting))
        return tuple(designs), {subset: why for subset, why in skipped.items() if not is_settled(subset, designs)}

    def _solved(
        self, subsets: Sequence[Subset], seconds: float | None, workers: Workers
    ) -> dict[Subset, Outcome[SubsetDesign | SkippedSubset]]:
        """Solve subsets at the same time; the first of them must be solved."""
        if subsets and seconds is not None and seconds <= 0:
            raise LimitReachedError(f"the time limit was reached before the subset {shown(subsets[0])} was solved")
        requests = [_Request(self.solve, with_properties(self.problem, subset), seconds) for subset in subsets]
        return {subsets[outcome.place]: outcome for outcome in work_through(_solve, requests, workers)}


@dataclass(frozen=True)
class _Request:
    solve: Solve
    problem: Problem
    seconds: float | None


def _solve(request: _Request) -> SubsetDesign | SkippedSubset:
    return request.solve(request.problem, request.seconds)


def design_exactly(problem: DesignProblem, seconds: float | None) -> Design | LawAt:
    """Design with an exact vertex, so that equal scores are seen as equal; beyond 128 people a law where one serves."""
    law = law_for(problem, seconds)
    return design(problem, time_limit=seconds, exact=True) if law is None else LawAt(law, problem.n)


def design_soon(problem: DesignProblem, seconds: float | None) -> Design | LawAt | SkippedSubset:
    """Design as `design_exactly`, but no matrix of more than 128 people that take a minute or all memory."""
    law = law_for(problem, seconds)
    if law is not None:
        return LawAt(law, problem.n)
    if problem.model.name == "count" and problem.n > FROM_AUTO:
        matrix = f"no law serves; a matrix of {problem.n + 1} x {problem.n + 1}"
        try:
            takes = make_plan(problem).order[0].estimate(problem).seconds
        except InputError as error:
            return SkippedSubset(f"{matrix} cannot be made: {error}")
        if takes > LONGEST_MATRIX:
            return SkippedSubset(f"{matrix} would take about {takes:.0f} s")
    return design(problem, time_limit=seconds, exact=True)


def with_properties(problem: P, names: Iterable[str]) -> P:
    """Return the same problem with other properties."""
    return replace(problem, properties=frozenset(names))


def bracket(subset: Subset, designs: Sequence[SubsetDesign]) -> tuple[Any, Any]:
    """Return the best bounds on a subset's score that the designs so far prove; None where there is none."""
    lower = max((d.lower_bound for d in designs if d.problem.properties <= subset), default=None)
    upper = min((d.score for d in designs if subset <= frozenset(d.holds)), default=None)
    if lower is not None and upper is not None and lower > upper:
        raise RefusedError(f"two proofs contradict each other on the subset {shown(subset)}")
    return lower, upper


def is_settled(subset: Subset, designs: Sequence[SubsetDesign]) -> bool:
    """Return whether the designs so far prove a subset's score."""
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


def _open(subsets: Iterable[Subset], designs: Sequence[SubsetDesign]) -> Iterator[Subset]:
    return (subset for subset in subsets if not is_settled(subset, designs))


def _design(subset: Subset, outcome: Outcome[SubsetDesign | SkippedSubset]) -> SubsetDesign | SkippedSubset:
    try:
        return outcome.result(f"the design for the subset {shown(subset)}")
    except NoAnswerError as error:
        raise type(error)(f"{error} (subset {shown(subset)})") from error

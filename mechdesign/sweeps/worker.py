"""A sweep's worker: what it is sent, what it does, and the row that it sends back."""

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from types import NoneType
from typing import Any, get_args, get_type_hints

from mechdesign.designs import Design, design
from mechdesign.documents.document import law_problem_entry, problem_entry
from mechdesign.documents.tabular import Table
from mechdesign.errors import InputError, NoAnswerError, NotCertifiedError, shorten
from mechdesign.laws.finding import find_law, law_for
from mechdesign.laws.law import LawAt
from mechdesign.laws.problem import LawOfSize
from mechdesign.methods.method import OWN_SOLVER
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.program.clock import Clock
from mechdesign.rational import float_above, fraction_text, nearest_float
from mechdesign.sweeps.grid import SweepGrid
from mechdesign.version import __version__
from mechdesign.workers.workers import PROCESS_DIED

LONGEST_REASON = 300
UNEXPECTED = "unexpected"


class SweepRows(list["SweepRow"]):
    """The rows of a sweep: a list, which can become a table."""

    def tabulate(self) -> Table:
        """Return the cells of all rows by column."""
        return Table({name: [getattr(row, name) for row in self] for name in COLUMNS})


@dataclass(frozen=True)
class Task:
    """A problem and how to solve it; pickled, this is all that a worker needs."""

    problem: DesignProblem | LawOfSize
    solver: str = "highs"
    time_limit: float | None = None
    exact: bool = False

    @cached_property
    def key(self) -> str:
        """A text of all that the row depends on, except times: the whole problem, the solver and the version.

        The time limit is left out, since it decides only whether there is an answer.
        """
        entry = _entry(self.problem)
        del entry["epsilon"]  # a float that follows from alpha
        whole = {"problem": entry, "solver": self.solver.lower(), "exact": self.exact, "version": __version__}
        return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()


def tasks_of(
    grid: SweepGrid, *, solver: str = "highs", time_limit: float | None = None, exact: bool = False
) -> list[Task]:
    """Make the tasks of a grid, in the order of its rows; every problem is checked here, before any work."""
    return [Task(problem, solver, time_limit, exact) for problem in grid.problems()]


@dataclass(frozen=True)
class SweepRow:
    """One design as a row of the table, in the order of its columns.

    Sets of properties are names with spaces between them, or `none`. `epsilon` is the one that was asked for, else that
    of alpha. Exact numbers are texts `p/q`. `status` is
    `exact`, `certified`, `feasible`, or `failed: ` and the reason; a failed design has no score, bound, holds, method,
    how and stages. `method` is `layer` or `fair law` where a law took the place of a matrix; its score at an n beyond
    128 has powers of alpha, and `score` is then rounded up, without `score_exact`, unless it is one fraction.
    """

    model: str
    n: int | None
    k: int | None
    radius: int | None
    alpha: str
    epsilon: float
    properties: str
    loss: str
    aggregate: str
    prior: str | None
    score_exact: str | None
    score: float | None
    lower_bound_exact: str | None
    lower_bound: float | None
    status: str
    holds: str | None
    method: str | None
    how: str | None
    seconds_solve: float | None
    seconds_certify: float | None
    seconds_verify: float | None
    seconds_total: float | None

    @property
    def failed(self) -> bool:
        """Whether no certified mechanism came out."""
        return self.score is None

    @property
    def is_accident(self) -> bool:
        """Whether nothing was found out: its process died, or an error came up that nobody foresaw."""
        return self.status.startswith((f"failed: {PROCESS_DIED}", f"failed: {UNEXPECTED} "))


Work = Callable[[Task], SweepRow]
"""What does one task: `solve_one`, or a scheduler's own way to it."""

COLUMNS = tuple(field.name for field in fields(SweepRow))
COLUMN_TYPES: dict[str, type] = {
    name: next(kind for kind in (get_args(hint) or (hint,)) if kind is not NoneType)
    for name, hint in get_type_hints(SweepRow).items()
}
OPTIONAL = frozenset(name for name, hint in get_type_hints(SweepRow).items() if NoneType in get_args(hint))


def solve_one(task: Task) -> SweepRow:
    """Design one mechanism and say how it went: never raises for a limit that ran out or a missing certificate.

    Plain, of one picklable argument, and without memory of others: any scheduler can call it anywhere.
    """
    started = time.perf_counter()
    try:
        found = _found(task, Clock(task.time_limit))
    except NoAnswerError as error:
        return failed_row(task, str(error), time.perf_counter() - started)
    total = time.perf_counter() - started
    return SweepRow(
        **_asked(task.problem),
        score_exact=fraction_text(found.score) if found.has_exact_score else None,
        score=nearest_float(found.score) if found.has_exact_score else float_above(found.score),
        lower_bound_exact=fraction_text(found.lower_bound),
        lower_bound=nearest_float(found.lower_bound),
        status=found.status,
        holds=_names(found.holds),
        method=found.method,
        how=found.how,
        seconds_solve=round(found.seconds.solve, 6),
        seconds_certify=round(found.seconds.certify, 6),
        seconds_verify=round(found.seconds.verify, 6),
        seconds_total=round(total, 6),
    )


def _found(task: Task, clock: Clock) -> Design | LawAt:
    """Design a law where one serves groups of this size as well, else a matrix."""
    problem = task.problem
    if isinstance(problem, LawOfSize):
        try:
            return LawAt(find_law(problem.law, clock), problem.n)
        except InputError as error:
            raise NotCertifiedError(str(error)) from None
    plain = task.solver.lower() == OWN_SOLVER and not task.exact
    law = law_for(problem, task.time_limit) if plain else None
    if law is not None:
        return LawAt(law, problem.n)
    return design(problem, solver=task.solver, time_limit=clock.left(), exact=task.exact)


def failed_row(task: Task, reason: str, seconds: float | None) -> SweepRow:
    """Make the row of a design that did not come out."""
    values: dict[str, Any] = dict.fromkeys(OPTIONAL)
    values |= _asked(task.problem)
    values["status"] = f"failed: {shorten(' '.join(reason.split()), LONGEST_REASON)}"
    values["seconds_total"] = None if seconds is None else round(seconds, 6)
    return SweepRow(**values)


def _entry(problem: DesignProblem | LawOfSize) -> dict[str, Any]:
    return law_problem_entry(problem.law, problem.n) if isinstance(problem, LawOfSize) else problem_entry(problem)


def _asked(problem: DesignProblem | LawOfSize) -> dict[str, Any]:
    """Return the columns that state the problem."""
    entry = _entry(problem)
    entry["properties"] = _names(entry["properties"])
    entry["epsilon"] = problem.privacy.epsilon
    return {name: entry.get(name) for name in COLUMNS[: COLUMNS.index("score_exact")]}


def _names(properties: tuple[str, ...] | list[str]) -> str:
    return " ".join(properties) or "none"


def row_from(values: object) -> SweepRow | None:
    """Parse a row from JSON values; None if it is not one."""
    if not isinstance(values, Mapping) or set(values) != set(COLUMNS):
        return None
    for name, kind in COLUMN_TYPES.items():
        fits = type(values[name]) is kind or (values[name] is None and name in OPTIONAL)
        if not fits:
            return None
    return SweepRow(**values)

"""Which algorithm serves a problem, what it would cost, and which one is chosen.

- `closed-form`: a formula that a theorem calls optimal; taken if its proof holds.
- `column-generation`: rows as mixtures of extreme patterns, on a path, without CH, CM and OS.
- `symmetric`: the LP with every entry merged with its rotation, where S is asked or costs nothing.
- `full`: the LP as it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mechdesign.errors import InputError
from mechdesign.machine import memory_limit, readable_bytes
from mechdesign.methods.closed_forms.theorems import theorems
from mechdesign.methods.column_generation.frame import SERVED
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.properties import find_property, ordered, without_implied
from mechdesign.program.privacy_rows import form_of, n_privacy_rows
from mechdesign.rational import natural_log

METHODS = ("closed-form", "column-generation", "symmetric", "full")
AUTO = "auto"

LOWEST_PATTERN = 250.0
"""Patterns go down to alpha^D; below 10^-250 floating point has no room for their prices."""

MOST_LOPSIDED = Fraction(1, 10**12)
"""Where the least weight of a prior is a smaller part of the largest, column generation rarely ends exactly."""

BYTES_A_ROW = 3_000
"""Measured: HiGHS and the exact LP together take 2.4 to 2.8 kB for each two-variable row."""

MODERATE_ROWS = 30_000
"""An LP of at most so many rows is solved where column generation ended with a gap, though a narrow one."""


@dataclass(frozen=True)
class Estimate:
    """Size of a method's work: variables, rows, and memory in bytes."""

    variables: int
    rows: int
    memory: int

    def describe(self) -> str:
        return f"about {self.variables} variables, {self.rows} rows, {readable_bytes(self.memory)}"


@dataclass(frozen=True)
class Option:
    """A method for a problem: does it serve, and why or why not."""

    method: str
    serves: bool
    reason: str
    estimate: Estimate


@dataclass(frozen=True)
class Plan:
    """All methods looked at, and those that will be tried, in this order."""

    options: tuple[Option, ...]
    order: tuple[str, ...]
    why: str

    def has_small_rest(self, method: str) -> bool:
        """Does an LP of moderate size come after a method?"""
        last = next(option for option in self.options if option.method == self.order[-1])
        return last.method != method and last.method in METHODS[2:] and last.estimate.rows <= MODERATE_ROWS


def make_plan(problem: DesignProblem, method: str = AUTO, solver: str = "highs") -> Plan:
    """What `design` will do.

    Raises:
        InputError: for a method that does not exist or cannot serve the problem (naming those that can), and for a
            problem that does not fit the memory.
    """
    if method != AUTO and method not in METHODS:
        raise InputError(f"method must be auto, {', '.join(METHODS)}, got method={method}")
    own_solver = solver.lower() == "highs"
    options = tuple(_option(problem, name) for name in METHODS)
    able = [o for o in options if o.serves]
    if method != AUTO:
        chosen = next(o for o in options if o.method == method)
        if not chosen.serves:
            raise InputError(f"method {method} cannot serve this problem: {chosen.reason}; {listed(able)} can")
        if not own_solver and method in METHODS[:2]:
            raise InputError(
                f"solver goes with the methods symmetric and full, got solver={solver} and method={method}"
            )
        require_memory([chosen])
        return Plan(options, (method,), "asked for")
    if not own_solver:
        able = [o for o in able if o.method in METHODS[2:]]
    able = [o for o in able if o.method != "full" or not any(other.method == "symmetric" for other in able)]
    able = [o for o in able if o.method != "column-generation" or not _is_lopsided(problem)]
    require_memory(able)
    order = tuple(o.method for o in able if o.estimate.memory <= memory_limit())
    why = "the first of these that gives a certified answer, from the fastest on"
    return Plan(options, order, why if own_solver else f"--solver {solver} solves LPs")


def listed(options: Sequence[Option]) -> str:
    """`a, b and c`."""
    names = [o.method for o in options]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _option(problem: DesignProblem, method: str) -> Option:
    if method == "closed-form":
        names = [theorem.name for theorem in theorems(problem)]
        reason = f"candidates: {', '.join(names)}" if names else "no theorem speaks of it"
        return Option(method, bool(names), reason, _matrix_estimate(problem, 1))
    if method == "column-generation":
        obstacle = _column_generation_obstacle(problem)
        reason = obstacle or "rows on a path, and no CH, CM or OS"
        return Option(method, obstacle is None, reason, _matrix_estimate(problem, 4))
    folded = method == "symmetric"
    if folded and not (problem.symmetry_is_free or "S" in problem.properties):
        reason = "loss, prior or neighbours change under i -> n-i, and S is not asked"
        return Option(method, False, reason, _lp_estimate(problem, True))
    form = form_of(problem.graph)
    reason = f"an LP with privacy as {form}" if form != "pairs" else "an LP with a row for each pair of neighbours"
    return Option(method, True, reason, _lp_estimate(problem, folded or "S" in problem.properties))


def _column_generation_obstacle(problem: DesignProblem) -> str | None:
    if not problem.graph.is_path:
        return "the inputs do not form a path"
    if "S" in problem.properties and not problem.graph.is_symmetric:
        return "S is asked, and the neighbours are not symmetric"
    if "S" in problem.properties and problem.is_worst_case and not problem.loss.is_symmetric(problem.size):
        return "S is asked, and the loss is not symmetric"
    beyond = ordered({name for name in problem.properties if name not in SERVED})
    if beyond:
        return f"{', '.join(beyond)} compares rows with each other"
    depth = -natural_log(problem.step_alpha) / np.log(10) * int(problem.graph.distances.max())
    if depth > LOWEST_PATTERN:
        return f"alpha to the largest distance is 1e-{depth:.0f}, out of floating point's reach"
    return None


def _is_lopsided(problem: DesignProblem) -> bool:
    weights = problem.prior.weights(problem.size)
    return min(weights) < MOST_LOPSIDED * max(weights)


def _matrix_estimate(problem: DesignProblem, copies: int) -> Estimate:
    """A matrix of integers as long as alpha to the largest distance makes them."""
    size = problem.size
    distance = size - 1 if problem.model.name == "count" else int(problem.graph.distances.max())
    entry = 64 + distance * problem.step_alpha.denominator.bit_length() // 8
    return Estimate(copies * size, size, copies * 2 * size * size * entry)


def _lp_estimate(problem: DesignProblem, folded: bool) -> Estimate:
    size = problem.size
    rows, extra = n_privacy_rows(problem.graph)
    for name in without_implied(problem.properties):
        prop = find_property(name)
        if prop.pairs is not None:
            rows += 2 * (size - 1) if name.startswith("OS") else size - 1
    variables, total = size * (size + extra), size * rows + size
    if folded and problem.graph.is_symmetric:
        variables, total = -(-variables // 2), -(-total // 2)
    return Estimate(variables, total, BYTES_A_ROW * total)


def require_memory(options: Sequence[Option]) -> None:
    """Refuse a problem for which none of the methods would fit.

    Raises:
        InputError: with the least of the estimates, and the way out.
    """
    limit = memory_limit()
    smallest = min(options, key=lambda o: o.estimate.memory)
    if smallest.estimate.memory > limit:
        raise InputError(
            f"the problem must fit the memory ({readable_bytes(limit)} of it may be used), got "
            f"{smallest.estimate.describe()} for method {smallest.method}; choose fewer inputs, or properties and a "
            f"loss with a closed form"
        )

"""An exact simplex method on the forest, for the last few pivots that a floating-point solver could not see.

Phase one walks by dual pivots to a primal feasible basis, with costs shifted so that the start is dual feasible;
phase two walks by primal pivots with the true costs. Every step is exact, so each phase ends at the truth (Bland's
rule, after a run of steps that gain nothing, rules out cycling); the caller caps their number and the time.
"""

import random
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from flint import fmpq

from mechdesign.certificate.exact_lp import ONE, ZERO, Exact, ExactPoint, ExactProgram, Residuals
from mechdesign.certificate.forest import ForestBasis
from mechdesign.solvers.numeric import Basis

MAX_PIVOTS = 5000
PATIENCE = 20
"""Steps without gain before Bland's rule takes over."""

PERTURBATION_BITS = 50
"""Random shifts of the costs are about 2^(20 - 50) of the largest cost."""


class PivotLimitError(ArithmeticError):
    """The cap on pivots or the deadline was reached."""


@dataclass
class _Steps:
    """Counts down the pivots left, and says when Bland's rule is due."""

    left: int
    deadline: float | None
    scale: list[Exact]
    idle: int = 0

    def take(self, gained: bool) -> None:
        self.left -= 1
        self.idle = 0 if gained else self.idle + 1
        if self.left < 0 or (self.deadline is not None and time.monotonic() > self.deadline):
            raise PivotLimitError("the exact pivots reached their limit")

    def choose(self, candidates: list[tuple[Exact, int]]) -> int:
        """The most negative candidate for its scale, or under Bland's rule the first."""
        if self.idle > PATIENCE:
            return min(k for _, k in candidates)
        return min((value / self.scale[k], k) for value, k in candidates)[1]


def optimal_point(
    exact: ExactProgram, start: Basis, scale: Sequence[Exact], deadline: float | None = None
) -> ExactPoint:
    """An exactly optimal vertex, reached from `start` by exact pivots; `scale` is the usual size of each variable.

    What enters and leaves is numbered: two-variable rows, then variables, then column sums (these only leave).

    Raises:
        PivotLimitError, SingularBasisError
    """
    basis = Basis(start.columns.copy(), start.rows.copy())
    steps = _Steps(MAX_PIVOTS, deadline, [*(scale[u] for u in exact.upper), *scale])
    _to_primal_feasible(exact, basis, steps)
    steps.idle = 0
    return _to_dual_feasible(exact, basis, steps)


def _to_primal_feasible(exact: ExactProgram, basis: Basis, steps: _Steps) -> None:
    cost: list[Exact] | None = None
    n_rows, n_columns = len(exact.upper), len(exact.cost)
    while True:
        forest = ForestBasis(exact, basis)
        residuals = Residuals.of(exact, forest.point())
        violated = _negative(enumerate([*residuals.slack, *residuals.above_floor]))
        open_sums = [j for j, error in enumerate(residuals.sum_error) if error]
        if not violated and not open_sums:
            return
        if cost is None:
            cost = _shifted_cost(exact, residuals, steps.scale)
        row_dual, sum_dual = forest.dual(cost)
        reduced = _reduced(exact, cost, row_dual, sum_dual)
        unit = [ZERO] * n_columns
        if open_sums:
            leaving = n_rows + n_columns + open_sums[0]
            sign = -1 if residuals.sum_error[open_sums[0]] > 0 else 1
            for variable, multiplicity in exact.sums[open_sums[0]]:
                unit[variable] += sign * multiplicity
        elif (leaving := steps.choose(violated)) < n_rows:
            unit[exact.upper[leaving]] -= ONE
            unit[exact.lower[leaving]] += exact.ratio[leaving]
        else:
            unit[leaving - n_rows] -= ONE
        row_step, sum_step = forest.dual(unit)
        reduced_step = _reduced(exact, unit, row_step, sum_step)
        entering, length = _ratio_test([*row_dual, *reduced], [*row_step, *reduced_step], _nonbasic(forest))
        _set_basic(basis, n_rows, n_columns, entering, True)
        _set_basic(basis, n_rows, n_columns, leaving, False)
        steps.take(gained=bool(length))


def _to_dual_feasible(exact: ExactProgram, basis: Basis, steps: _Steps) -> ExactPoint:
    n_rows = len(exact.upper)
    while True:
        forest = ForestBasis(exact, basis)
        point = forest.point()
        residuals = Residuals.of(exact, point)
        nonbasic = _nonbasic(forest)
        prices = [*residuals.row_dual, *residuals.reduced]
        wrong = _negative((k, prices[k]) for k in nonbasic)
        if not wrong:
            return point
        entering = steps.choose(wrong)
        offset = {entering: ONE} if entering < n_rows else {}
        ground = [ZERO] * len(exact.cost)
        if entering >= n_rows:
            ground[entering - n_rows] = ONE
        step = forest.primal(offset, ground, [ZERO] * len(exact.sums))
        slack_step = [exact.slack(row, step) for row in range(n_rows)]
        basic = [k for k in range(n_rows + len(exact.cost)) if not _is_nonbasic(forest, k)]
        leaving, length = _ratio_test([*residuals.slack, *residuals.above_floor], [*slack_step, *step], basic)
        _set_basic(basis, n_rows, len(exact.cost), entering, True)
        _set_basic(basis, n_rows, len(exact.cost), leaving, False)
        steps.take(gained=bool(length))


def _shifted_cost(exact: ExactProgram, residuals: Residuals, scale: Sequence[Exact]) -> list[Exact]:
    """Costs under which the basis at hand is dual feasible, and no two steps tie.

    Negative multipliers are paid for in advance; small random amounts on top (fixed seed: the way there varies, the
    optimum does not) keep the dual walk from standing still where many multipliers are zero.
    """
    chance = random.Random(0)
    n_rows = len(exact.upper)
    unit = max((abs(c) * scale[n_rows + v] for v, c in enumerate(exact.cost)), default=ONE) or ONE
    cost = list(exact.cost)
    for k, price in enumerate([*residuals.row_dual, *residuals.reduced]):
        shift = -min(price, ZERO) + unit * fmpq(chance.randrange(1 << 20, 1 << 21), 1 << PERTURBATION_BITS) / scale[k]
        if k < n_rows:
            cost[exact.upper[k]] += shift
            cost[exact.lower[k]] -= exact.ratio[k] * shift
        else:
            cost[k - n_rows] += shift
    return cost


def _reduced(exact: ExactProgram, cost: list[Exact], row_dual: list[Exact], sum_dual: list[Exact]) -> list[Exact]:
    reduced = exact.after_sums(cost, sum_dual)
    for row, dual in enumerate(row_dual):
        if dual:
            reduced[exact.upper[row]] -= dual
            reduced[exact.lower[row]] += exact.ratio[row] * dual
    return reduced


def _negative(values: Iterable[tuple[int, Exact]]) -> list[tuple[Exact, int]]:
    return [(value, k) for k, value in values if value < 0]


def _is_nonbasic(forest: ForestBasis, k: int) -> bool:
    n_rows = len(forest.row_basic)
    return not (forest.row_basic[k] if k < n_rows else forest.column_basic[k - n_rows])


def _nonbasic(forest: ForestBasis) -> list[int]:
    return [k for k in range(len(forest.row_basic) + len(forest.column_basic)) if _is_nonbasic(forest, k)]


def _set_basic(basis: Basis, n_rows: int, n_columns: int, k: int, basic: bool) -> None:
    if k < n_rows:
        basis.rows[k] = basic
    elif k < n_rows + n_columns:
        basis.columns[k - n_rows] = basic
    else:
        basis.rows[k - n_columns] = basic


def _ratio_test(values: list[Exact], steps: list[Exact], candidates: list[int]) -> tuple[int, Exact]:
    """The first candidate that reaches zero when every value moves along its step, and the length moved."""
    limits = [(-values[k] / steps[k], k) for k in candidates if steps[k] < 0]
    if not limits:
        raise PivotLimitError("the exact pivots found an unbounded direction")
    length, first = min(limits)
    return first, length

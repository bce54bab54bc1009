"""The last pivots, exact: a simplex method on the forest, for what floats cannot see.

Two walks alternate until nothing is wrong. Dual pivots lead to a primal feasible basis, under costs that are shifted so
that the start is dual feasible; primal pivots lead to a dual feasible basis with the true costs, under bounds that are
shifted so that the start is primal feasible. Small random amounts on every shift keep both walks from standing still
where many values are zero. Every step is exact, and what is returned has no errors at all; the caller caps the time.
"""

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from flint import fmpq

from mechdesign.program.exact.exact_lp import ExactPoint, ExactProgram, Residuals
from mechdesign.program.exact.forest import ForestBasis
from mechdesign.program.exact.numbers import ONE, ZERO, Exact
from mechdesign.program.solvers.numeric import Basis

MAX_WALKS = 20
PERTURBATION_BITS = 400
"""Random shifts are about 2^-400 of the usual size of what they shift: too small to matter to any vertex."""


class PivotLimitError(ArithmeticError):
    """The error when the cap on pivots or the deadline was reached."""


@dataclass
class _Pivoting:
    """The state of the pivoting: the LP, the basis that moves, and what is left of the caps.

    Candidates are numbered: two-variable rows, then variables, then equations (these only leave the basis).
    `scale` is the usual size of each row's and variable's value.
    """

    exact: ExactProgram
    basis: Basis
    scale: list[Exact]
    left: int
    deadline: float | None
    chance: random.Random = field(default_factory=lambda: random.Random(0))

    @property
    def n_rows(self) -> int:
        return len(self.exact.upper)

    def noise(self) -> Exact:
        return fmpq(self.chance.randrange(1 << 20, 1 << 21), 1 << (PERTURBATION_BITS + 20))

    def swap(self, entering: int, leaving: int) -> None:
        """One pivot: `entering` becomes basic, `leaving` tight."""
        self._set_basic(entering, True)
        self._set_basic(leaving, False)
        self.left -= 1
        if self.left < 0 or (self.deadline is not None and time.monotonic() > self.deadline):
            raise PivotLimitError("the exact pivots reached their limit")

    def _set_basic(self, k: int, basic: bool) -> None:
        n_columns = len(self.exact.cost)
        if k < self.n_rows:
            self.basis.rows[k] = basic
        elif k < self.n_rows + n_columns:
            self.basis.columns[k - self.n_rows] = basic
        else:
            self.basis.rows[k - n_columns] = basic

    def is_basic(self) -> list[bool]:
        return [*self.basis.rows[: self.n_rows].tolist(), *self.basis.columns.tolist()]

    def worst(self, values: Sequence[Exact], weights: Sequence[Exact]) -> int | None:
        """The candidate whose value times weight is most negative."""
        negative = [(value * weights[k], k) for k, value in enumerate(values) if value < 0]
        return min(negative)[1] if negative else None


def optimal_point(
    exact: ExactProgram, start: Basis, scale: Sequence[Exact], pivots: int, deadline: float | None = None
) -> ExactPoint:
    """Find an exactly optimal vertex from a basis by at most `pivots` exact pivots.

    `scale` is the usual size of each variable.

    Raises:
        PivotLimitError, SingularBasisError
    """
    basis = Basis(start.columns.copy(), start.rows.copy())
    walker = _Pivoting(exact, basis, [*(scale[u] for u in exact.upper), *scale], pivots, deadline)
    for _ in range(MAX_WALKS):
        for walk in (_to_primal_feasible, _to_dual_feasible):
            walk(walker)
            point = ForestBasis(exact, basis).point()
            if Residuals.of(exact, point).errors == 0:
                return point
    raise PivotLimitError("the exact pivots did not settle")


def _to_primal_feasible(walker: _Pivoting) -> None:
    exact, n_rows = walker.exact, walker.n_rows
    cost: list[Exact] | None = None
    inverse = [1 / s for s in walker.scale]
    while True:
        forest = ForestBasis(exact, walker.basis)
        x = forest.primal({}, exact.floor, exact.rhs)
        values = _values(exact, x)
        errors = [exact.equation_error(k, x) for k in range(len(exact.equations))]
        open_one = next((k for k, error in enumerate(errors) if error), None)
        unit = [ZERO] * len(exact.cost)
        if open_one is not None:
            leaving = n_rows + len(exact.cost) + open_one
            sign = -1 if errors[open_one] > 0 else 1
            for variable, coefficient in exact.equations[open_one]:
                unit[variable] += sign * coefficient
        else:
            worst = walker.worst(values, inverse)
            if worst is None:
                return
            leaving = worst
            _add_row(exact, leaving, -ONE, unit)
        if cost is None:
            cost = _shifted_cost(walker, forest)
        prices, steps = _prices(exact, forest, cost), _prices(exact, forest, unit)
        nonbasic = [k for k, basic in enumerate(walker.is_basic()) if not basic]
        walker.swap(_first_to_reach_zero(prices, steps, nonbasic), leaving)


def _to_dual_feasible(walker: _Pivoting) -> None:
    exact, n_rows = walker.exact, walker.n_rows
    relaxed: list[Exact] | None = None
    while True:
        forest = ForestBasis(exact, walker.basis)
        is_basic = walker.is_basic()
        prices = _prices(exact, forest, exact.cost)
        entering = walker.worst([ZERO if basic else p for p, basic in zip(prices, is_basic, strict=True)], walker.scale)
        if entering is None:
            return
        if relaxed is None:
            relaxed = _relaxed_bounds(walker, forest, is_basic)
        values = [v + r for v, r in zip(_values(exact, _shifted_point(forest, relaxed)), relaxed, strict=True)]
        ground = [ZERO] * len(exact.cost)
        if entering >= n_rows:
            ground[entering - n_rows] = ONE
        offset = {entering: ONE} if entering < n_rows else {}
        step = forest.primal(offset, ground, [ZERO] * len(exact.equations))
        basic_ones = [k for k, basic in enumerate(is_basic) if basic]
        steps = _values(exact, step, above_zero=True)
        walker.swap(entering, _first_to_reach_zero(values, steps, basic_ones))


def _values(exact: ExactProgram, x: list[Exact], above_zero: bool = False) -> list[Exact]:
    """Return the slack of every row, and the height of every variable above its floor (or above zero)."""
    slack = [exact.slack(row, x) for row in range(len(exact.upper))]
    return [*slack, *x] if above_zero else [*slack, *(value - f for value, f in zip(x, exact.floor, strict=True))]


def _prices(exact: ExactProgram, forest: ForestBasis, cost: Sequence[Exact]) -> list[Exact]:
    """Return the multiplier of every row, and the reduced cost of every variable, under a cost."""
    row_dual, equation_dual = forest.dual(cost)
    reduced = exact.after_equations(cost, equation_dual)
    for row, dual in enumerate(row_dual):
        if dual:
            _add_row(exact, row, -dual, reduced)
    return [*row_dual, *reduced]


def _add_row(exact: ExactProgram, k: int, factor: Exact, vector: list[Exact]) -> None:
    """Add a multiple of the left side of a row, or of a variable's bound, to a vector over the variables."""
    if k < len(exact.upper):
        vector[exact.upper[k]] += factor
        vector[exact.lower[k]] -= exact.ratio[k] * factor
    else:
        vector[k - len(exact.upper)] += factor


def _shifted_cost(walker: _Pivoting, forest: ForestBasis) -> list[Exact]:
    """Return costs under which the basis is dual feasible: each is raised until no multiplier is negative."""
    exact = walker.exact
    unit = max(abs(c) * s for c, s in zip(exact.cost, walker.scale[walker.n_rows :], strict=True)) or ONE
    cost = list(exact.cost)
    is_basic = walker.is_basic()
    for k, price in enumerate(_prices(exact, forest, exact.cost)):
        if not is_basic[k]:
            _add_row(exact, k, unit * walker.noise() / walker.scale[k] - min(price, ZERO), cost)
    return cost


def _relaxed_bounds(walker: _Pivoting, forest: ForestBasis, is_basic: list[bool]) -> list[Exact]:
    """Return how far each bound is lowered so that the basis is primal feasible."""
    relaxed = [walker.noise() * s for s in walker.scale]
    values = _values(walker.exact, _shifted_point(forest, relaxed))
    return [r - min(value, ZERO) if basic else r for r, value, basic in zip(relaxed, values, is_basic, strict=True)]


def _shifted_point(forest: ForestBasis, relaxed: Sequence[Exact]) -> list[Exact]:
    """Return the vertex under lowered bounds."""
    exact, n_rows = forest.exact, len(forest.exact.upper)
    offset = {row: -relaxed[row] for row in range(n_rows) if not forest.row_basic[row]}
    ground = [floor - relaxed[n_rows + v] for v, floor in enumerate(exact.floor)]
    return forest.primal(offset, ground, exact.rhs)


def _first_to_reach_zero(values: list[Exact], steps: list[Exact], candidates: list[int]) -> int:
    """Find the candidate that reaches zero first when every value moves along its step."""
    limits = [(-values[k] / steps[k], k) for k in candidates if steps[k] < 0]
    if not limits:
        raise PivotLimitError("the exact pivots found an unbounded direction")
    return min(limits)[1]

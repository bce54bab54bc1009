"""The program of split-and-cut in HiGHS: the steps and cuts known so far.

    minimise    sum_v g_v cost(v and all beyond)  +  u cost(uniform)
    subject to  sum_v g_v (v and all beyond, in each equation)  +  u (uniform)  =  1
                g_root + u / size >= floor                                  each root, where there is a floor
                z[upper] - rho z[lower]  >=  0                              the cuts known so far
                g, u >= 0

with s = alpha^|i-j|, rho = r s[lower] / s[upper]. The uniform mechanism u, which satisfies all cuts by itself, keeps it
feasible from the start; an exact vertex needs it out of the basis.
"""

from dataclasses import dataclass

import highspy
import numpy as np

from mechdesign.methods.split_and_cut.splits import Splits
from mechdesign.program.exact.scaling import Scaling
from mechdesign.program.solvers.highs_ import DEVEX, new_highs, run_interruptibly, status_text
from mechdesign.program.solvers.numeric import Flags, Floats, Indices

NEAR = 1e-6
"""Steps come with cuts, and cuts are foreseen, where alpha^|i-j| is as large: beyond, solvers lose tiny columns."""

FAR = 1e7
"""In focus, what is right by more units than this is held where it is."""

UNSCALED, RESCALED, UNBOUNDED = 0, 2, "Unbounded"
"""Tiny columns seem unbounded to HiGHS under a scaling of its own; where they do without, that one helps."""

UNIFORM = 0
"""The uniform mechanism is the first column."""


@dataclass(frozen=True)
class SmallPoint:
    """A solution: the step of each variable, u, and multipliers of equations, floors (by root) and cuts."""

    steps: Floats
    uniform: float
    prices: Floats
    floors: Floats
    cuts: Floats


@dataclass(frozen=True)
class SmallBasis:
    """The basis: basic steps, tight equations and cuts, roots at their floor, and whether u is basic."""

    steps: Flags
    tight_equations: Flags
    at_floor: Flags
    tight_cuts: Flags
    has_uniform: bool


class SmallProgram:
    """The program with its columns and cuts so far, in HiGHS between additions."""

    def __init__(self, splits: Splits, scaling: Scaling) -> None:
        program = splits.program
        self.splits, self.scale, self.own_cost, self.cost = splits, scaling.scale, scaling.cost, scaling.cost
        self.outer_cost = splits.outer_sums(scaling.cost)
        self.n_equations = len(program.equations)
        self.columns = np.empty(0, dtype=np.int64)
        self.cuts = np.empty(0, dtype=np.int64)
        self.has_column = np.zeros(program.n_variables, dtype=bool)
        self.has_cut = np.zeros(len(splits.cuts), dtype=bool)
        ratio = np.array([float(r) for r in program.ratios])[program.ratio_of[splits.cuts]]
        self.upper, self.lower = program.upper[splits.cuts], program.lower[splits.cuts]
        self.is_near = self.scale[self.lower] >= NEAR
        self.rho: Floats = ratio * (self.scale[self.lower] / self.scale[self.upper])
        self.floored = splits.roots if program.problem.floor else np.empty(0, dtype=np.int64)
        self.n_fixed = self.n_equations + len(self.floored)
        self._place_terms()
        self.highs: highspy.Highs = new_highs()
        self.highs.setOptionValue("presolve", "off")
        self.highs.setOptionValue("simplex_dual_edge_weight_strategy", DEVEX)
        self.highs.setOptionValue("simplex_scale_strategy", UNSCALED)
        self.unit, self.is_whole = 1.0, True
        self.floor = float(program.problem.floor)
        self.held_rows: Indices = np.empty(0, dtype=np.int64)
        lower = np.concatenate([np.ones(self.n_equations), np.full(len(self.floored), self.floor)])
        upper = np.concatenate([np.ones(self.n_equations), np.full(len(self.floored), highspy.kHighsInf)])
        nothing = np.empty(0, dtype=np.int32)
        self.highs.addRows(len(lower), lower, upper, 0, np.zeros(len(lower), dtype=np.int32), nothing, np.empty(0))
        self._add_uniform()
        self.add_columns(splits.roots)

    def _place_terms(self) -> None:
        """Lay out the equation and the weight of each variable that is in one alone, at its owner."""
        splits = self.splits
        equation, variable, times = splits.terms
        weight = times * self.scale[variable]
        inner = splits.side[variable] != 0
        numbers, weights = np.zeros(len(self.scale)), np.zeros(len(self.scale))
        numbers[variable[inner]], weights[variable[inner]] = equation[inner], weight[inner]
        self.equation_at, self.weight_at = splits.placed(numbers).astype(np.int64), splits.placed(weights)
        self.equation_of, self.weight_of = numbers.astype(np.int64), weights
        self.root_terms = (equation[~inner], variable[~inner], weight[~inner])

    def _add_uniform(self) -> None:
        splits, size = self.splits, self.splits.size
        equation, _, times = splits.terms
        inner = np.bincount(equation, weights=times, minlength=self.n_equations) / size
        values = np.concatenate([inner, np.full(len(self.floored), 1 / size)])
        self.uniform_cost = float((self.cost / self.scale).sum()) / size
        index = np.arange(len(values), dtype=np.int32)
        self.highs.addCol(self.uniform_cost, 0.0, highspy.kHighsInf, len(index), index, values)

    def _keep(self, status: highspy.HighsStatus) -> None:
        """Note whether HiGHS took rows or columns: it takes none with a number above 10^15, as a tiny alpha^n makes."""
        self.is_whole = self.is_whole and status != highspy.HighsStatus.kError

    def add_columns(self, variables: Indices) -> None:
        """Add the steps at these variables, none of which is there already."""
        cut, column, value = self._in_cuts(self.cuts, variables)
        equation, also, weight = self._in_equations(variables)
        floor_row, floor_column = np.nonzero(self.floored[:, None] == variables)
        index, start, value = _compressed(
            np.concatenate([also, floor_column, column]),
            np.concatenate([equation, floor_row + self.n_equations, cut + self.n_fixed]),
            np.concatenate([weight, np.ones(len(floor_row)), value]),
            (len(variables), self.n_fixed + len(self.cuts)),
        )
        n = len(variables)
        costs = self.unit * self.outer_cost[variables]
        most = np.full(n, highspy.kHighsInf)
        self._keep(self.highs.addCols(n, costs, np.zeros(n), most, len(index), start, index, value))
        self.columns = np.concatenate([self.columns, variables])
        self.has_column[variables] = True

    def _in_equations(self, variables: Indices) -> tuple[Indices, Indices, Floats]:
        """Return what steps at these variables bring to equations: (equation, place among them, value)."""
        splits = self.splits
        side, row, column = splits.side[variables], splits.row[variables], splits.column[variables]
        first = np.where(side > 0, column, 0)
        counts = np.where(side > 0, splits.size - column, np.where(side < 0, column + 1, 0))
        place, beyond = _ranges(row * splits.size + first, counts)
        parts = [(self.equation_at.ravel()[beyond], place, self.weight_at.ravel()[beyond])]
        diagonal = splits.grid[np.arange(splits.kept), np.arange(splits.kept)]
        for root in np.flatnonzero(side == 0).tolist():
            rows = diagonal == variables[root]
            equation, variable, weight = self.root_terms
            own = variable == variables[root]
            equations = np.concatenate([self.equation_at[rows].ravel(), equation[own]])
            weights = np.concatenate([self.weight_at[rows].ravel(), weight[own]])
            parts.append((equations, np.full(len(equations), root), weights))
        equations, places, weights = (np.concatenate(part) for part in zip(*parts, strict=True))
        return equations, places, weights

    def _in_cuts(self, cuts: Indices, variables: Indices) -> tuple[Indices, Indices, Floats]:
        """Return what steps at these variables bring to these cuts: (cut, step, value), both by their place."""
        above, by = self._lifts(variables, self.upper[cuts])
        below, also = self._lifts(variables, self.lower[cuts])
        values = np.concatenate([np.ones(len(above)), -self.rho[cuts][below]])
        return np.concatenate([above, below]), np.concatenate([by, also]), values

    def _lifts(self, variables: Indices, others: Indices) -> tuple[Indices, Indices]:
        """List which variables are lifted by steps at which others, in their rows and no farther out, by place."""
        splits = self.splits
        side = splits.side[variables]
        inner, roots = np.flatnonzero(side), np.flatnonzero(side == 0)
        place, found = _equals(splits.row[variables[inner]], splits.row[others])
        place = inner[place]
        apart = splits.column[others[found]] - splits.column[variables[place]]
        beyond = apart * side[place] >= 0
        root_place, all_found = _equals(variables[roots], splits.root_of[others])
        return np.concatenate([found[beyond], all_found]), np.concatenate([place[beyond], roots[root_place]])

    def add_cuts(self, cuts: Indices) -> None:
        """Add cuts by their place among all, none of which is there already."""
        n = len(cuts)
        cut, column, value = self._in_cuts(cuts, self.columns)
        index, start, value = _compressed(cut, column + 1, value, (n, len(self.columns) + 1))
        most = np.full(n, highspy.kHighsInf)
        self._keep(self.highs.addRows(n, np.zeros(n), most, len(index), start, index, value))
        self.cuts = np.concatenate([self.cuts, cuts])
        self.has_cut[cuts] = True

    def charge_uniform(self, cost: float) -> None:
        """Make the uniform mechanism cost so much more."""
        self.uniform_cost += cost
        self.highs.changeColCost(UNIFORM, self.unit * self.uniform_cost)

    def focus(self, point: SmallPoint, unit: float, tolerance: float) -> None:
        """Charge steps and multipliers at the reduced costs of a point, in small units: errors become visible.

        What is within the tolerance at its place counts as 0; what is right by more than `FAR` units is held there.
        """
        cuts, floors, steps = (
            np.where(np.abs(values) < tolerance * place, 0.0, values * unit) for values, place in self.by_place(point)
        )
        self._hold(steps > FAR, floors > FAR, cuts > FAR)
        cuts, floors, steps = (np.where(values > FAR, 0.0, values) for values in (cuts, floors, steps))
        self._charge(steps + self.splits.outer_sums(self._of_cuts(cuts)) + floors)
        self.highs.changeColBounds(UNIFORM, 0.0, 0.0)

    def by_place(self, point: SmallPoint) -> list[tuple[Floats, Floats]]:
        """Return multipliers of cuts and floors and reduced costs of steps, each with the scale of its places."""
        steps = self.step_costs(point)
        return [(point.cuts, self.scale[self.upper]), (point.floors, self.scale), (steps, self.scale)]

    def lean(self, share: float) -> None:
        """Charge entries for their distance from the diagonal too, up to this share of the largest cost."""
        apart = np.abs(self.splits.row - self.splits.column) / self.splits.size
        self.cost = self.own_cost + share * self.scale * apart
        self.release()

    def release(self) -> None:
        """End a focus: all is charged at its cost, and nothing held."""
        nothing = np.zeros(len(self.scale), dtype=bool)
        self._hold(nothing, nothing, np.zeros(len(self.has_cut), dtype=bool))
        self._charge(self.splits.outer_sums(self.cost))
        self.highs.changeColBounds(UNIFORM, 0.0, highspy.kHighsInf)

    def _charge(self, outer_cost: Floats) -> None:
        """Let the steps have these costs."""
        self.outer_cost, n = outer_cost, len(self.columns) + 1
        costs = self.unit * np.append(self.uniform_cost, outer_cost[self.columns])
        self.highs.changeColsCost(n, np.arange(n, dtype=np.int32), costs)

    def _hold(self, steps: Flags, floors: Flags, cuts: Flags) -> None:
        """Hold these steps at 0, these roots at their floor and these cuts tight, and no others."""
        n, infinite = len(self.columns), highspy.kHighsInf
        most = np.where(steps[self.columns], 0.0, infinite)
        self.highs.changeColsBounds(n, np.arange(1, n + 1, dtype=np.int32), np.zeros(n), most)
        rows = np.flatnonzero(np.append(floors[self.floored], cuts[self.cuts])) + self.n_equations
        for row in np.setxor1d(rows, self.held_rows).tolist():
            least = self.unit * self.floor if row < self.n_fixed else 0.0
            self.highs.changeRowBounds(row, least, infinite if row in self.held_rows else least)
        self.held_rows = rows

    def magnify(self, unit: float) -> None:
        """Measure costs and probabilities in smaller units, `unit` of them to 1: the solver's tolerances stay."""
        self.release()
        self.unit = unit
        for row in range(self.n_equations):
            self.highs.changeRowBounds(row, unit, unit)
        for row in range(self.n_equations, self.n_fixed):
            self.highs.changeRowBounds(row, unit * self.floor, highspy.kHighsInf)
        self._charge(self.outer_cost)

    def solve(self, time_limit: float | None) -> str:
        """Solve the program; return HiGHS's word for how it ended, `Optimal` where it is usable."""
        if not self.is_whole:
            return "Model error"
        if time_limit is not None:
            self.highs.setOptionValue("time_limit", self.highs.getRunTime() + max(time_limit, 0.0))
        run_interruptibly(self.highs)
        if status_text(self.highs) == UNBOUNDED:
            self.highs.setOptionValue("simplex_scale_strategy", RESCALED)
            run_interruptibly(self.highs)
            self.highs.setOptionValue("simplex_scale_strategy", UNSCALED)
        return status_text(self.highs)

    def point(self) -> SmallPoint:
        """Return the solution of the last run."""
        solution = self.highs.getSolution()
        values, duals = np.array(solution.col_value) / self.unit, np.array(solution.row_dual) / self.unit
        steps, floors = np.zeros(len(self.scale)), np.zeros(len(self.scale))
        cuts = np.zeros(len(self.has_cut))
        steps[self.columns] = values[1:]
        floors[self.floored] = duals[self.n_equations : self.n_fixed]
        cuts[self.cuts] = duals[self.n_fixed :]
        return SmallPoint(steps, float(values[UNIFORM]), duals[: self.n_equations], floors, cuts)

    def basis(self) -> SmallBasis:
        """Return the basis of the last run."""
        basis, basic = self.highs.getBasis(), highspy.HighsBasisStatus.kBasic
        columns = np.array([status == basic for status in basis.col_status])
        rows = np.array([status == basic for status in basis.row_status])
        steps, at_floor = np.zeros(len(self.scale), dtype=bool), np.zeros(len(self.scale), dtype=bool)
        tight = np.zeros(len(self.has_cut), dtype=bool)
        steps[self.columns] = columns[1:]
        at_floor[self.floored] = ~rows[self.n_equations : self.n_fixed]
        tight[self.cuts] = ~rows[self.n_fixed :]
        return SmallBasis(steps, ~rows[: self.n_equations], at_floor, tight, bool(columns[UNIFORM]))

    def broken(self, point: SmallPoint, tolerance: float, sweeps: int = 1) -> Indices:
        """Return the cuts that a point breaks, the worst first.

        With more than one sweep also those near the diagonal that it would break when what the others lack is raised.
        """
        z = self.splits.heights(point.steps)
        known, found = self.has_cut.copy(), [np.empty(0, dtype=np.int64)]
        for _ in range(sweeps):
            lack = self.rho * z[self.lower] - z[self.upper]
            new = np.flatnonzero((lack > tolerance) & ~known)
            if not len(new):
                break
            found.append(new[np.argsort(-lack[new], kind="stable")])
            known |= ~self.is_near
            known[new] = True
            np.maximum.at(z, self.upper[new], self.rho[new] * z[self.lower[new]])
            z = self.splits.risen(z)
        return np.concatenate(found)

    def partners(self, cuts: Indices) -> Indices:
        """Return the steps at both ends of cuts near the diagonal that are not there; none for a cut below a root."""
        cuts = cuts[(self.splits.side[self.upper[cuts]] != 0) & self.is_near[cuts]]
        ends: Indices = np.union1d(self.upper[cuts], self.lower[cuts])
        found: Indices = ends[(self.splits.side[ends] != 0) & ~self.has_column[ends]]
        return found

    def step_costs(self, point: SmallPoint) -> Floats:
        """Return the reduced cost of each step at the multipliers of a point."""
        found: Floats = self.splits.outer_sums(self.reduced_costs(point.prices, point.cuts)) - point.floors
        return found

    def reduced_costs(self, prices: Floats, cuts: Floats) -> Floats:
        """Return what each variable costs beyond the prices of the equations and the multipliers of cuts."""
        equation, variable, times = self.splits.terms
        taken = _totals(variable, times * self.scale[variable] * prices[equation], len(self.scale))
        found: Floats = self.cost - taken - self._of_cuts(cuts)
        return found

    def _of_cuts(self, multipliers: Floats) -> Floats:
        """Return what multipliers of cuts make of each variable."""
        cuts = np.flatnonzero(multipliers)
        values = np.concatenate([multipliers[cuts], -multipliers[cuts] * self.rho[cuts]])
        return _totals(np.concatenate([self.upper[cuts], self.lower[cuts]]), values, len(self.scale))

    def cheap(self, point: SmallPoint, tolerance: float) -> Indices:
        """Return the steps of negative reduced cost that are the least along their side of a row, the least first.

        Those far from the diagonal come when none near it pays: many tiny columns at once seem unbounded to HiGHS.
        """
        splits = self.splits
        inner = splits.side != 0
        each = np.where(inner, self.step_costs(point) / self.scale, 0.0)
        grid = splits.placed(each)
        least = (grid <= np.roll(grid, 1, axis=1)) & (grid <= np.roll(grid, -1, axis=1))
        found = np.flatnonzero((each < -tolerance) & inner & ~self.has_column & least.ravel()[splits.owner])
        near = found[self.scale[found] >= NEAR]
        found = near if len(near) else found
        return found[np.argsort(each[found], kind="stable")]


def _totals(groups: Indices, values: Floats, n_groups: int) -> Floats:
    """Add up values by group."""
    found: Floats = np.bincount(groups, values, minlength=n_groups).astype(np.float64)
    return found


def _equals(keys: Indices, others: Indices) -> tuple[Indices, Indices]:
    """List the places of equal numbers in two arrays."""
    order = np.argsort(others, kind="stable")
    first, last = (np.searchsorted(others[order], keys, side) for side in ("left", "right"))
    places, found = _ranges(first, last - first)
    return places, order[found]


def _ranges(first: Indices, counts: Indices) -> tuple[Indices, Indices]:
    """List for each place so many numbers on from its first one: (place, number)."""
    places = np.repeat(np.arange(len(counts)), counts)
    begun = counts.cumsum() - counts
    return places, first[places] + np.arange(len(places)) - begun[places]


def _compressed(
    major: Indices, minor: Indices, values: Floats, shape: tuple[int, int]
) -> tuple[Indices, Indices, Floats]:
    """Add up entries at the same place, drop zeros: minor indices, where each major line starts, and values."""
    keys, inverse = np.unique(major * shape[1] + minor, return_inverse=True)
    sums = _totals(inverse.reshape(-1), values, len(keys))
    kept = np.flatnonzero(sums)
    start = np.searchsorted(keys[kept] // shape[1], np.arange(shape[0]))
    return (keys[kept] % shape[1]).astype(np.int32), start.astype(np.int32), sums[kept]

"""The program of split-and-cut in HiGHS: the steps and cuts known so far.

    minimise    sum_v g_v cost(v and all beyond)  +  u cost(uniform)
    subject to  sum_v g_v (v and all beyond, in each equation)  +  u (uniform)  =  1
                g_root + u / size >= floor                                  each root, where there is a floor
                z[upper] - rho z[lower] + u (1-r) / (size s[upper]) >= 0    the cuts known so far
                g, u >= 0

with s = alpha^|i-j|, rho = r s[lower] / s[upper]. The uniform mechanism u keeps it feasible from the start; an exact
vertex needs it out of the basis.
"""

from dataclasses import dataclass

import highspy
import numpy as np

from mechdesign.methods.split_and_cut.splits import Splits
from mechdesign.program.exact.scaling import Scaling
from mechdesign.program.solvers.highs_ import DEVEX, new_highs, run_interruptibly, status_text
from mechdesign.program.solvers.numeric import Flags, Floats, Indices

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
        self.splits, self.scale, self.cost = splits, scaling.scale, scaling.cost
        self.outer_cost = splits.outer_sums(scaling.cost)
        self.n_equations = len(program.equations)
        self.columns = np.empty(0, dtype=np.int64)
        self.cuts = np.empty(0, dtype=np.int64)
        self.has_column = np.zeros(program.n_variables, dtype=bool)
        self.has_cut = np.zeros(len(splits.cuts), dtype=bool)
        ratio = np.array([float(r) for r in program.ratios])[program.ratio_of[splits.cuts]]
        self.upper, self.lower = program.upper[splits.cuts], program.lower[splits.cuts]
        self.rho: Floats = ratio * (self.scale[self.lower] / self.scale[self.upper])
        self.spare: Floats = (1 - ratio) / splits.size / self.scale[self.upper]
        self.floored = splits.roots if program.problem.floor else np.empty(0, dtype=np.int64)
        self.n_fixed = self.n_equations + len(self.floored)
        self._place_terms()
        self.highs: highspy.Highs = new_highs()
        self.highs.setOptionValue("presolve", "off")
        self.highs.setOptionValue("simplex_dual_edge_weight_strategy", DEVEX)
        self.unit, self.is_whole = 1.0, True
        lower = np.concatenate([np.ones(self.n_equations), np.full(len(self.floored), float(program.problem.floor))])
        upper = np.concatenate([np.ones(self.n_equations), np.full(len(self.floored), highspy.kHighsInf)])
        self._add_rows(lower, upper, [])
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

    def _add_rows(self, lower: Floats, upper: Floats, entries: list[tuple[Indices, Floats]]) -> None:
        counts = [len(index) for index, _ in entries] or [0] * len(lower)
        start = np.concatenate([[0], np.cumsum(counts)])[:-1].astype(np.int32)
        index = np.concatenate([np.empty(0, dtype=np.int64), *(i for i, _ in entries)]).astype(np.int32)
        value = np.concatenate([np.empty(0), *(v for _, v in entries)])
        self._keep(self.highs.addRows(len(lower), lower, upper, len(index), start, index, value))

    def _keep(self, status: highspy.HighsStatus) -> None:
        """Note whether HiGHS took rows or columns: it takes none with a number above 10^15, as a tiny alpha^n makes."""
        self.is_whole = self.is_whole and status != highspy.HighsStatus.kError

    def add_columns(self, variables: Indices) -> None:
        """Add the steps at these variables, none of which is there already."""
        in_cuts = self._in_cuts(self.cuts, variables)
        floor_row = {int(v): self.n_equations + k for k, v in enumerate(self.floored)}
        entries = []
        for place, v in enumerate(variables.tolist()):
            sums = self._in_equations(v)
            index, value = [np.flatnonzero(sums)], [sums[sums != 0]]
            if v in floor_row:
                index.append(np.array([floor_row[v]]))
                value.append(np.ones(1))
            held = np.flatnonzero(in_cuts[:, place])
            index.append(held + self.n_fixed)
            value.append(in_cuts[held, place])
            entries.append((np.concatenate(index), np.concatenate(value)))
        start = np.concatenate([[0], np.cumsum([len(i) for i, _ in entries])])
        n = len(variables)
        added = self.highs.addCols(
            n,
            self.unit * self.outer_cost[variables],
            np.zeros(n),
            np.full(n, highspy.kHighsInf),
            int(start[-1]),
            start[:-1].astype(np.int32),
            np.concatenate([i for i, _ in entries]).astype(np.int32),
            np.concatenate([v for _, v in entries]),
        )
        self._keep(added)
        self.columns = np.concatenate([self.columns, variables])
        self.has_column[variables] = True

    def _in_equations(self, v: int) -> Floats:
        """Return what a step at v brings to each equation."""
        splits, n = self.splits, self.n_equations
        if splits.side[v]:
            i, j = int(splits.row[v]), int(splits.column[v])
            beyond = slice(j, None) if splits.side[v] > 0 else slice(0, j + 1)
            return _totals(self.equation_at[i, beyond], self.weight_at[i, beyond], n)
        rows = np.flatnonzero(splits.grid[np.arange(splits.kept), np.arange(splits.kept)] == v)
        sums = _totals(self.equation_at[rows].ravel(), self.weight_at[rows].ravel(), n)
        equation, variable, weight = self.root_terms
        own = variable == v
        return sums + _totals(equation[own], weight[own], n)

    def _in_cuts(self, cuts: Indices, variables: Indices) -> Floats:
        """Return what steps at these variables bring to these cuts; shape (cuts, variables)."""
        upper, lower = self.upper[cuts], self.lower[cuts]
        return self._lifts(variables, upper) - self.rho[cuts][:, None] * self._lifts(variables, lower)

    def _lifts(self, variables: Indices, others: Indices) -> Floats:
        """Return whether a step at a variable lifts another one: it is that one or nearer in its row."""
        splits = self.splits
        side, column = splits.side[variables], splits.column[variables]
        same_row = splits.row[variables] == splits.row[others][:, None]
        beyond = (splits.column[others][:, None] - column) * side >= 0
        along = same_row & beyond & (side != 0)
        from_root = (side == 0) & (splits.root_of[others][:, None] == variables)
        lifts: Floats = (along | from_root).astype(np.float64)
        return lifts

    def add_cuts(self, cuts: Indices) -> None:
        """Add cuts by their place among all, none of which is there already."""
        values = np.concatenate([self.spare[cuts][:, None], self._in_cuts(cuts, self.columns)], axis=1)
        entries = [(np.flatnonzero(line), line[line != 0]) for line in values]
        self._add_rows(np.zeros(len(cuts)), np.full(len(cuts), highspy.kHighsInf), entries)
        self.cuts = np.concatenate([self.cuts, cuts])
        self.has_cut[cuts] = True

    def charge_uniform(self, cost: float) -> None:
        """Make the uniform mechanism cost so much more."""
        self.uniform_cost += cost
        self.highs.changeColCost(UNIFORM, self.unit * self.uniform_cost)

    def magnify(self, unit: float) -> None:
        """Measure costs and probabilities in smaller units, `unit` of them to 1: the solver's tolerances stay."""
        n, fixed = len(self.columns) + 1, self.highs.getLp().row_lower_[: self.n_fixed]
        costs = np.concatenate([[self.uniform_cost], self.outer_cost[self.columns]])
        self.highs.changeColsCost(n, np.arange(n, dtype=np.int32), unit * costs)
        for k, value in enumerate(fixed):
            upper = highspy.kHighsInf if k >= self.n_equations else value * unit / self.unit
            self.highs.changeRowBounds(k, value * unit / self.unit, upper)
        self.unit = unit

    def solve(self, time_limit: float | None) -> str:
        """Solve the program; return HiGHS's word for how it ended, `Optimal` where it is usable."""
        if not self.is_whole:
            return "Model error"
        if time_limit is not None:
            self.highs.setOptionValue("time_limit", self.highs.getRunTime() + max(time_limit, 0.0))
        run_interruptibly(self.highs)
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

    def broken(self, point: SmallPoint, tolerance: float) -> Indices:
        """Return the cuts that a point breaks, the worst first."""
        z = self.splits.heights(point.steps)
        lack = self.rho * z[self.lower] - z[self.upper] - point.uniform * self.spare
        found = np.flatnonzero((lack > tolerance) & ~self.has_cut)
        return found[np.argsort(-lack[found], kind="stable")]

    def cheap(self, point: SmallPoint, tolerance: float) -> Indices:
        """Return the steps of negative reduced cost that are the least along their side of a row, the least first."""
        splits = self.splits
        reduced = self.cost - self.weight_of * point.prices[self.equation_of]
        np.subtract.at(reduced, self.upper[self.cuts], point.cuts[self.cuts])
        np.add.at(reduced, self.lower[self.cuts], point.cuts[self.cuts] * self.rho[self.cuts])
        inner = splits.side != 0
        each = np.where(inner, splits.outer_sums(reduced) / self.scale, 0.0)
        grid = splits.placed(each)
        least = (grid <= np.roll(grid, 1, axis=1)) & (grid <= np.roll(grid, -1, axis=1))
        found = np.flatnonzero((each < -tolerance) & inner & ~self.has_column & least.ravel()[splits.owner])
        return found[np.argsort(each[found], kind="stable")]


def _totals(groups: Indices, values: Floats, n_groups: int) -> Floats:
    """Add up values by group."""
    found: Floats = np.bincount(groups, values, minlength=n_groups).astype(np.float64)
    return found

"""The master LP: the best mixture of the patterns known so far.

    minimise    sum_c cost_c x_c                          or t, for the worst case
    subject to  (sum j)    sum_c column_c[j] x_c = 1
                (floor i)  P[i,i] - s = floor
                (tied)     P[i,j] - f = 0                 f the variable of the entry's class
                (pair)     q P[i,j] - p P[i,k] - s = 0    added as they are violated
                (loss j)   loss_j + s - t = 0             worst case
                x, s, f, t >= 0

All rows are equations with columns of their own for the slacks: that way the same matrix serves for iterative
refinement, where only costs, bounds and right sides change.
"""

import highspy
import numpy as np
from flint import fmpq

from mechdesign.methods.column_generation.frame import Floats, Frame
from mechdesign.methods.column_generation.pricing import Pattern
from mechdesign.methods.column_generation.rows import (
    ExtraColumn,
    MasterRow,
    first_extras,
    first_rows,
    pattern_coefficients,
)
from mechdesign.program.solvers.highs_ import new_highs, run_interruptibly, status_text

Column = Pattern | ExtraColumn

LARGEST = 10**15
"""Magnified costs and bounds beyond this are as good as out of reach."""


class Master:
    """The LP with its columns so far, in HiGHS between additions."""

    def __init__(self, frame: Frame, cost_unit: float) -> None:
        self.frame, self.cost_unit = frame, cost_unit
        self.rows: list[MasterRow] = first_rows(frame)
        self.columns: list[Column] = []
        self.known: set[Pattern] = set()
        self.powers = (float(frame.beta.p) / float(frame.beta.q)) ** np.arange(
            int(frame.problem.graph.distances.max()) + 1
        )
        self.float_cost: Floats = np.array([[float(c.p) / float(c.q) for c in row] for row in frame.cost]) / cost_unit
        self.float_loss: Floats = np.array([[float(value) for value in row] for row in frame.loss[: frame.kept]])
        self.highs: highspy.Highs = new_highs()
        right = np.array([float(row.rhs) for row in self.rows])
        empty = np.empty(0)
        self.highs.addRows(
            len(right), right, right, 0, np.zeros(len(right), dtype=np.int32), empty.astype(np.int32), empty
        )
        self._add_extras(first_extras(self.rows))

    def add(self, patterns: list[Pattern], costs: list[fmpq] | None = None) -> int:
        """Add the patterns that are new, at their cost or (magnified) at the given ones; return how many were."""
        floats = [self._pattern_cost(p) for p in patterns] if costs is None else [as_float(c) for c in costs]
        new = {p: c for p, c in zip(patterns, floats, strict=True) if p not in self.known}
        if new:
            self.known |= set(new)
            self._add(list(new), [self._pattern_column(p) for p in new], list(new.values()))
        return len(new)

    def magnify(self, costs: list[fmpq], bounds: list[fmpq]) -> None:
        """Replace costs and lower bounds by these and right sides by 0, for refinement."""
        n = len(self.columns)
        every = np.arange(n, dtype=np.int32)
        lower = np.array([as_float(bound) for bound in bounds])
        lower[lower <= -LARGEST] = -highspy.kHighsInf
        self.highs.changeColsCost(n, every, np.array([as_float(cost) for cost in costs]))
        self.highs.changeColsBounds(n, every, lower, np.full(n, highspy.kHighsInf))
        for k in range(len(self.rows)):
            self.highs.changeRowBounds(k, 0.0, 0.0)

    def slack_of(self, k: int) -> int:
        """Find the column that is the slack of a row."""
        return next(
            c
            for c, column in enumerate(self.columns)
            if isinstance(column, ExtraColumn) and column.name == "slack" and column.coefficients[0][0] == k
        )

    def add_pairs(self, pairs: list[MasterRow]) -> None:
        """Add rows `q P[i,j] - p P[i,k] - s = 0`."""
        patterns = [(c, column) for c, column in enumerate(self.columns) if isinstance(column, Pattern)]
        for row in pairs:
            held = [(c, self._coefficient(row, p)) for c, p in patterns if p.row == row.i]
            index = np.array([c for c, _ in held], dtype=np.int32)
            self.highs.addRow(0.0, 0.0, len(held), index, np.array([v for _, v in held]))
            self.rows.append(row)
            self._add_extras([ExtraColumn("slack", ((len(self.rows) - 1, -1),))])

    def solve(self, time_limit: float | None) -> str:
        """Solve the LP; return the solver's status, `Optimal` when it is usable."""
        if time_limit is not None:
            self.highs.setOptionValue("time_limit", self.highs.getRunTime() + max(time_limit, 0.0))
        run_interruptibly(self.highs)
        return status_text(self.highs)

    def duals(self) -> Floats:
        """Return multipliers of the rows, in units of the cost."""
        return np.array(self.highs.getSolution().row_dual)

    def weights(self) -> Floats:
        """Return the weight of each column."""
        return np.array(self.highs.getSolution().col_value)

    def matrix(self) -> Floats:
        """Return the kept rows of P in floating point; shape (kept, size)."""
        frame = self.frame
        matrix = np.zeros((frame.kept, frame.size))
        for column, weight in zip(self.columns, self.weights().tolist(), strict=True):
            if isinstance(column, Pattern) and weight > 0:
                values = self.powers[list(column.exponents)]
                matrix[column.row] += weight * (values + values[::-1] if frame.is_middle(column.row) else values)
        return matrix

    def reduced(self, duals: Floats) -> Floats:
        """Return reduced costs of a unit in each place of the kept rows; shape (kept, size)."""
        frame, kept, size = self.frame, self.frame.kept, self.frame.size
        result = self.float_cost.copy()
        sums = duals[:kept]
        if frame.folded:
            spread = np.array([sums[min(j, size - 1 - j)] for j in range(size)])
            if size % 2:
                spread[size // 2] *= 2
        else:
            spread = sums
        result -= spread
        for row, y in zip(self.rows[kept:], duals[kept:].tolist(), strict=True):
            if y and row.kind == "loss":
                result[:, row.j] -= y * self.float_loss[:, row.j]
                if frame.folded:
                    result[:, size - 1 - row.j] -= y * self.float_loss[:, size - 1 - row.j]
            elif y:
                for j, factor in pattern_coefficients(frame, row):
                    result[row.i, j] -= y * factor
        return result

    def _add_extras(self, extras: list[ExtraColumn]) -> None:
        columns = [
            (np.array([r for r, _ in e.coefficients], dtype=np.int32), np.array([float(c) for _, c in e.coefficients]))
            for e in extras
        ]
        self._add(list(extras), columns, [float(extra.cost) / self.cost_unit for extra in extras])

    def _add(self, columns: list[Column], entries: list[tuple[np.ndarray, Floats]], costs: list[float]) -> None:
        if not columns:
            return
        counts = [len(index) for index, _ in entries]
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int32)
        self.highs.addCols(
            len(columns),
            np.array(costs),
            np.zeros(len(columns)),
            np.full(len(columns), highspy.kHighsInf),
            sum(counts),
            starts,
            np.concatenate([index for index, _ in entries]),
            np.concatenate([value for _, value in entries]),
        )
        self.columns += columns

    def _pattern_cost(self, pattern: Pattern) -> float:
        return float(self.float_cost[pattern.row] @ self.powers[list(pattern.exponents)])

    def _pattern_column(self, pattern: Pattern) -> tuple[np.ndarray, Floats]:
        frame, kept = self.frame, self.frame.kept
        values = self.powers[list(pattern.exponents)]
        mirrored = values[::-1]
        sums = values[:kept] + (mirrored[:kept] if frame.folded else 0.0)
        rest = [(k, self._coefficient(row, pattern)) for k, row in enumerate(self.rows[kept:], start=kept)]
        index = np.array([*range(kept), *(k for k, value in rest if value)], dtype=np.int32)
        return index, np.concatenate([sums, [value for _, value in rest if value]])

    def _coefficient(self, row: MasterRow, pattern: Pattern) -> float:
        """What a pattern brings to a row other than a column sum."""
        frame, size = self.frame, self.frame.size
        if row.kind == "loss":
            loss, j = self.float_loss[pattern.row], row.j
            value = loss[j] * self.powers[pattern.exponents[j]]
            if frame.folded:
                value += loss[size - 1 - j] * self.powers[pattern.exponents[size - 1 - j]]
            return float(value)
        if pattern.row != row.i:
            return 0.0
        return float(sum(factor * self.powers[pattern.exponents[j]] for j, factor in pattern_coefficients(frame, row)))


def as_float(value: fmpq) -> float:
    """Return the nearest float, at most `LARGEST` in size."""
    if abs(value) >= LARGEST:
        return float(LARGEST if value > 0 else -LARGEST)
    return int(value.p) / int(value.q)

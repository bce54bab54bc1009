"""A basis of the master in rationals, and its faults."""

from dataclasses import dataclass
from functools import cached_property

from flint import fmpq, fmpq_mat

from mechdesign.methods.column_generation.frame import Frame, Integers
from mechdesign.methods.column_generation.master import Column
from mechdesign.methods.column_generation.pricing import Pattern, best_pattern
from mechdesign.methods.column_generation.rows import MasterRow, broken_pairs, pattern_coefficients

ZERO = fmpq(0)


class SingularMasterError(ArithmeticError):
    """The error when the basic columns do not determine one point."""


class Powers(dict[int, fmpq]):
    """The powers of a rational, each worked out when it is asked for."""

    def __init__(self, base: fmpq) -> None:
        super().__init__()
        self.base = base

    def __missing__(self, exponent: int) -> fmpq:
        self[exponent] = self.base**exponent
        return self[exponent]


@dataclass(frozen=True)
class ExactMaster:
    """The rows and columns of a master in rationals."""

    frame: Frame
    rows: tuple[MasterRow, ...]

    @cached_property
    def powers(self) -> "Powers":
        """The powers beta^e of those exponents e that occur."""
        return Powers(self.frame.beta)

    @cached_property
    def loss(self) -> list[list[fmpq]]:
        """The loss that is minimised, in FLINT's rationals."""
        return [[fmpq(x.numerator, x.denominator) for x in row] for row in self.frame.loss]

    def entries(self, column: Column) -> dict[int, fmpq]:
        """Return the coefficients of one column by row number."""
        if not isinstance(column, Pattern):
            return {k: fmpq(c) for k, c in column.coefficients}
        frame, kept, last = self.frame, self.frame.kept, self.frame.size - 1
        values = [self.powers[e] for e in column.exponents]
        entries = {j: values[j] + values[last - j] if frame.folded else values[j] for j in range(kept)}
        for k in self.rows_of[column.row]:
            entries[k] = sum((factor * values[j] for j, factor in pattern_coefficients(frame, self.rows[k])), ZERO)
        for k in self.loss_rows:
            loss, j = self.loss[column.row], self.rows[k].j
            entries[k] = loss[j] * values[j] + (loss[last - j] * values[last - j] if frame.folded else ZERO)
        return entries

    @cached_property
    def rows_of(self) -> list[list[int]]:
        """The numbers of floors, ties and pairs for each kept output."""
        found: list[list[int]] = [[] for _ in range(self.frame.kept)]
        for k, row in enumerate(self.rows):
            if row.i >= 0:
                found[row.i].append(k)
        return found

    @cached_property
    def loss_rows(self) -> list[int]:
        """The numbers of the loss rows."""
        return [k for k, row in enumerate(self.rows) if row.kind == "loss"]

    def holds(self, columns: list[Column], weights: dict[int, fmpq]) -> bool:
        """Return whether all equations hold."""
        left = [ZERO] * len(self.rows)
        for c, weight in weights.items():
            for k, value in self.entries(columns[c]).items():
                left[k] += weight * value
        return all(
            value == fmpq(row.rhs.numerator, row.rhs.denominator) for value, row in zip(left, self.rows, strict=True)
        )

    def cost(self, column: Column) -> fmpq:
        """Return the cost of a column."""
        if not isinstance(column, Pattern):
            return fmpq(column.cost)
        return sum(
            (c * self.powers[e] for c, e in zip(self.frame.cost[column.row], column.exponents, strict=True) if c), ZERO
        )

    def reduced_cost(self, column: Column, duals: list[fmpq]) -> fmpq:
        """Return the reduced cost of a column: its cost minus its coefficients times their multipliers."""
        return self.cost(column) - sum(
            (value * duals[k] for k, value in self.entries(column).items() if duals[k]), ZERO
        )

    def reduced(self, i: int, duals: list[fmpq]) -> list[fmpq]:
        """Return the reduced costs of a unit in each place of a kept row."""
        frame, last = self.frame, self.frame.size - 1
        result = [c - y for c, y in zip(frame.cost[i], frame.spread(duals[: frame.kept]), strict=True)]
        for k in self.rows_of[i]:
            for j, factor in pattern_coefficients(frame, self.rows[k]):
                result[j] -= factor * duals[k]
        for k in self.loss_rows:
            j = self.rows[k].j
            for place in {j, last - j} if frame.folded else {j}:
                result[place] -= duals[k] * self.loss[i][place] * (2 if frame.folded and 2 * j == last else 1)
        return result


@dataclass(frozen=True)
class ExactSolution:
    """Weights of the basic columns, multipliers of all rows, and the kept rows of P; signs are not checked."""

    weights: dict[int, fmpq]
    duals: list[fmpq]
    matrix: list[list[fmpq]]


def solve_basis(master: ExactMaster, columns: list[Column], basic: list[int], tight: list[int]) -> ExactSolution:
    """Solve for the point at which the tight rows hold with the basic columns alone, and for its multipliers.

    A row whose slack is basic has no multiplier and settles that slack; it is left out of the system.

    Raises:
        SingularMasterError
    """
    slack_of = {c: slack for c in basic if (slack := _as_slack(columns[c])) is not None}
    loose = {row for row, _ in slack_of.values()}
    rows = [k for k in tight if k not in loose]
    inner = [c for c in basic if c not in slack_of]
    if len(rows) != len(inner):
        raise SingularMasterError(f"{len(inner)} columns for {len(rows)} rows")
    entries = {c: master.entries(columns[c]) for c in inner}
    position = {k: line for line, k in enumerate(rows)}
    table = [[ZERO] * len(inner) for _ in rows]
    for place, c in enumerate(inner):
        for k, value in entries[c].items():
            if k in position:
                table[position[k]][place] = value
    system = fmpq_mat(table)
    rhs = [fmpq(master.rows[k].rhs.numerator, master.rows[k].rhs.denominator) for k in rows]
    try:
        x = system.solve(fmpq_mat([[value] for value in rhs])).entries()
        y = system.transpose().solve(fmpq_mat([[master.cost(columns[c])] for c in inner])).entries()
    except ZeroDivisionError:
        raise SingularMasterError("the system is singular") from None
    weights = dict(zip(inner, x, strict=True))
    duals = [ZERO] * len(master.rows)
    for k, value in zip(rows, y, strict=True):
        duals[k] = value
    for c, (row, sign) in slack_of.items():
        left = sum((weights[other] * entries[other].get(row, ZERO) for other in inner), ZERO)
        target = master.rows[row].rhs
        weights[c] = (fmpq(target.numerator, target.denominator) - left) / sign
    return ExactSolution(weights, duals, _matrix(master, columns, weights))


def _as_slack(column: Column) -> tuple[int, int] | None:
    """(row, coefficient) of a slack; None for other columns."""
    if isinstance(column, Pattern) or column.name != "slack":
        return None
    return column.coefficients[0]


def _matrix(master: ExactMaster, columns: list[Column], weights: dict[int, fmpq]) -> list[list[fmpq]]:
    frame = master.frame
    matrix = [[ZERO] * frame.size for _ in range(frame.kept)]
    for c, weight in weights.items():
        column = columns[c]
        if isinstance(column, Pattern) and weight:
            values = [weight * master.powers[e] for e in column.exponents]
            if frame.is_middle(column.row):
                values = [a + b for a, b in zip(values, reversed(values), strict=True)]
            matrix[column.row] = [a + b for a, b in zip(matrix[column.row], values, strict=True)]
    return matrix


def cheap_patterns(master: ExactMaster, duals: list[fmpq]) -> list[tuple[fmpq, Pattern]]:
    """Find the kept rows whose best pattern has a negative reduced cost: (reduced cost, pattern) of each."""
    found = (best_pattern(master.frame, i, master.reduced(i, duals)) for i in range(master.frame.kept))
    return [(value, pattern) for value, pattern in found if value < 0]


def exactly_broken_pairs(frame: Frame, matrix: list[list[fmpq]]) -> list[MasterRow]:
    """Return the most violated pair of each kept row of an exact matrix."""

    def excess(outputs: Integers, upper: Integers, lower: Integers, p: int, q: int) -> list[fmpq]:
        places = zip(outputs.tolist(), upper.tolist(), lower.tolist(), strict=True)
        return [p * matrix[i][k] - q * matrix[i][j] for i, j, k in places]

    return broken_pairs(frame, excess)

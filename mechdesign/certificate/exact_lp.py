"""The LP in exact rationals, points of it, and how far a point is from optimal.

Rationals here are FLINT's `fmpq` (through python-flint): the same numbers as `fractions.Fraction`, several times
faster in the loops that walk every row.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq

from mechdesign.linear_program import LinearProgram

Exact = fmpq
ZERO, ONE = fmpq(0), fmpq(1)


def to_exact(value: Fraction) -> Exact:
    return fmpq(value.numerator, value.denominator)


def to_fraction(value: Exact) -> Fraction:
    return Fraction(int(value.p), int(value.q))


def exact_float(value: float) -> Exact:
    """The binary rational that a float is."""
    return fmpq(*value.as_integer_ratio())


def nearest_float(value: Exact) -> float:
    return int(value.p) / int(value.q)


@dataclass(frozen=True)
class ExactPoint:
    """Primal `x`, multipliers of the two-variable rows and of the column sums; nothing is promised about signs."""

    x: list[Exact]
    row_dual: list[Exact]
    sum_dual: list[Exact]


@dataclass(frozen=True)
class ExactProgram:
    """The numbers of a `LinearProgram` as plain lists.

    Row e says `x[upper[e]] >= ratio[e] x[lower[e]]`; sum j says `sum_(v,m) in sums[j] m x[v] = 1`, and `sums_of[v]`
    lists the (j, m) of a variable.
    """

    cost: list[Exact]
    floor: list[Exact]
    upper: list[int]
    lower: list[int]
    ratio: list[Exact]
    sums: list[list[tuple[int, int]]]
    sums_of: list[list[tuple[int, int]]]

    @classmethod
    def of(cls, program: LinearProgram) -> "ExactProgram":
        ratios = [to_exact(ratio) for ratio in program.ratios]
        sums = [list(zip(s.variables.tolist(), s.multiplicity.tolist(), strict=True)) for s in program.sums]
        sums_of: list[list[tuple[int, int]]] = [[] for _ in range(program.n_variables)]
        for j, members in enumerate(sums):
            for variable, multiplicity in members:
                sums_of[variable].append((j, multiplicity))
        return cls(
            [to_exact(value) for value in program.cost],
            [to_exact(value) for value in program.floor],
            program.upper.tolist(),
            program.lower.tolist(),
            [ratios[k] for k in program.ratio_of.tolist()],
            sums,
            sums_of,
        )

    def slack(self, row: int, x: Sequence[Exact]) -> Exact:
        """`x[upper] - ratio x[lower]` of one row."""
        return x[self.upper[row]] - self.ratio[row] * x[self.lower[row]]

    def sum_value(self, j: int, x: Sequence[Exact]) -> Exact:
        return sum((m * x[v] for v, m in self.sums[j]), ZERO)

    def after_sums(self, cost: Sequence[Exact], sum_dual: Sequence[Exact]) -> list[Exact]:
        """`cost` less what the column sums' multipliers account for."""
        reduced = list(cost)
        for variable, members in enumerate(self.sums_of):
            for j, multiplicity in members:
                reduced[variable] -= multiplicity * sum_dual[j]
        return reduced

    def reduced_costs(self, row_dual: Sequence[Exact], sum_dual: Sequence[Exact]) -> list[Exact]:
        """`cost - A^T y` over all rows."""
        reduced = self.after_sums(self.cost, sum_dual)
        for row, dual in enumerate(row_dual):
            if dual:
                reduced[self.upper[row]] -= dual
                reduced[self.lower[row]] += self.ratio[row] * dual
        return reduced


@dataclass(frozen=True)
class Residuals:
    """Exact errors of a point.

    Feasible: `slack` and `above_floor` nonnegative, `sum_error` zero. Optimal as well: `row_dual` and `reduced`
    nonnegative at a vertex.
    """

    slack: list[Exact]
    above_floor: list[Exact]
    sum_error: list[Exact]
    reduced: list[Exact]
    row_dual: list[Exact]

    @classmethod
    def of(cls, exact: ExactProgram, point: ExactPoint) -> "Residuals":
        return cls(
            [exact.slack(row, point.x) for row in range(len(exact.upper))],
            [x - floor for x, floor in zip(point.x, exact.floor, strict=True)],
            [ONE - exact.sum_value(j, point.x) for j in range(len(exact.sums))],
            exact.reduced_costs(point.row_dual, point.sum_dual),
            point.row_dual,
        )

    @property
    def errors(self) -> int:
        """How many signs are wrong, primal and dual; 0 at a vertex means exactly optimal."""
        signs = (self.slack, self.above_floor, self.row_dual, self.reduced)
        return sum(value < 0 for values in signs for value in values) + sum(bool(e) for e in self.sum_error)

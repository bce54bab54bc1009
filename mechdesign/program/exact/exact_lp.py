"""The LP in exact rationals, and the distance of a point from the optimum.

Rationals here are FLINT's `fmpq` (through python-flint): the same numbers as `fractions.Fraction`, several times
faster in the loops that walk every row.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from mechdesign.program.exact.numbers import ZERO, Exact, each_once, to_exact
from mechdesign.program.pair_program import PairProgram
from mechdesign.program.solvers.numeric import Basis


@dataclass(frozen=True)
class ExactPoint:
    """A point `x` with multipliers of the two-variable rows and of the equations; signs are not checked.

    `basis` is the basis whose vertex it is; None for a point that is no vertex.
    """

    x: list[Exact]
    row_dual: list[Exact]
    equation_dual: list[Exact]
    basis: Basis | None = field(default=None, compare=False)


@dataclass(frozen=True)
class ExactProgram:
    """The numbers of a `PairProgram` as plain lists of rationals.

    Row e says `x[upper[e]] >= ratio[e] x[lower[e]]`; equation k says `sum_(v,m) in equations[k] m x[v] = rhs[k]`, and
    `equations_of[v]` lists the (k, m) of a variable.
    """

    cost: list[Exact]
    floor: list[Exact]
    upper: list[int]
    lower: list[int]
    ratio: list[Exact]
    equations: list[list[tuple[int, Exact]]]
    equations_of: list[list[tuple[int, Exact]]]
    rhs: list[Exact]

    @classmethod
    def of(cls, program: PairProgram) -> "ExactProgram":
        """Convert an LP to rationals."""
        ratios = [to_exact(ratio) for ratio in program.ratios]
        equations = [
            list(zip(e.variables.tolist(), each_once(to_exact, e.coefficients), strict=True)) for e in program.equations
        ]
        equations_of: list[list[tuple[int, Exact]]] = [[] for _ in range(program.n_variables)]
        for k, members in enumerate(equations):
            for variable, coefficient in members:
                equations_of[variable].append((k, coefficient))
        return cls(
            [Exact(value, program.cost_denominator) for value in program.cost],
            each_once(to_exact, program.floor),
            program.upper.tolist(),
            program.lower.tolist(),
            [ratios[k] for k in program.ratio_of.tolist()],
            equations,
            equations_of,
            [to_exact(e.rhs) for e in program.equations],
        )

    def slack(self, row: int, x: Sequence[Exact]) -> Exact:
        """Return `x[upper] - ratio x[lower]` of one row."""
        return x[self.upper[row]] - self.ratio[row] * x[self.lower[row]]

    def equation_error(self, k: int, x: Sequence[Exact]) -> Exact:
        """Return the right side of an equation minus its left side."""
        return self.rhs[k] - sum((m * x[v] for v, m in self.equations[k]), ZERO)

    def after_equations(self, cost: Sequence[Exact], equation_dual: Sequence[Exact]) -> list[Exact]:
        """Return `cost - E^T y` for the multipliers y of the equations E."""
        reduced = list(cost)
        for variable, members in enumerate(self.equations_of):
            for k, coefficient in members:
                reduced[variable] -= coefficient * equation_dual[k]
        return reduced

    def reduced_costs(self, row_dual: Sequence[Exact], equation_dual: Sequence[Exact]) -> list[Exact]:
        """Return the reduced costs `cost - A^T y` over all rows."""
        reduced = self.after_equations(self.cost, equation_dual)
        for row, dual in enumerate(row_dual):
            if dual:
                reduced[self.upper[row]] -= dual
                reduced[self.lower[row]] += self.ratio[row] * dual
        return reduced


@dataclass(frozen=True)
class Residuals:
    """The exact errors of a point.

    Feasible: `slack` and `above_floor` nonnegative, `equation_error` zero. Optimal as well: `row_dual` and `reduced`
    nonnegative at a vertex.
    """

    slack: list[Exact]
    above_floor: list[Exact]
    equation_error: list[Exact]
    reduced: list[Exact]
    row_dual: list[Exact]

    @classmethod
    def of(cls, exact: ExactProgram, point: ExactPoint) -> "Residuals":
        """Compute the errors of a point of an LP."""
        return cls(
            [exact.slack(row, point.x) for row in range(len(exact.upper))],
            [x - floor for x, floor in zip(point.x, exact.floor, strict=True)],
            [exact.equation_error(k, point.x) for k in range(len(exact.equations))],
            exact.reduced_costs(point.row_dual, point.equation_dual),
            point.row_dual,
        )

    @property
    def errors(self) -> int:
        """Number of wrong signs, primal and dual, and of broken equations; 0 at a vertex means exactly optimal."""
        signs = (self.slack, self.above_floor, self.row_dual, self.reduced)
        return sum(value < 0 for values in signs for value in values) + sum(bool(e) for e in self.equation_error)

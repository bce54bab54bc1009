"""Linear programs for symbolic alpha: ratios are monomials, all else are integers or polynomials."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm

import numpy as np

from mechdesign.formulas.polynomials import Polynomial
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.privacy import Privacy
from mechdesign.program.linear_program import LinearProgram, build
from mechdesign.program.pair_program import Equation
from mechdesign.program.privacy_rows import PAIRS


class AmbiguousRatioError(ArithmeticError):
    """The error at an alpha where two ratios of the program happen to be equal."""


@dataclass(frozen=True)
class Ratio:
    """The ratio `top / bottom a^power` of a row."""

    top: int
    bottom: int
    power: int

    def at(self, alpha: Fraction) -> Fraction:
        """Return its value."""
        return Fraction(self.top, self.bottom) * alpha**self.power


EQUAL = Ratio(1, 1, 0)


Value = int | Polynomial
"""A number of a program, up to a unit."""


@dataclass(frozen=True)
class SymbolicProgram:
    """A program over `cost_unit`, `floor_unit` and `line_unit` of each equation, which are positive on (0, 1).

    Row r says `x[upper[r]] >= ratio[r] x[lower[r]]`; `ratios` are all that occur.
    """

    cost: Sequence[Value]
    cost_unit: Value
    floor: Sequence[int]
    floor_unit: int
    upper: Sequence[int]
    lower: Sequence[int]
    ratio: Sequence[Ratio]
    ratios: tuple[Ratio, ...]
    equations: Sequence[Sequence[tuple[int, Value]]]
    rhs: Sequence[Value]
    line_unit: Sequence[Value]


@dataclass(frozen=True)
class DesignProgram(SymbolicProgram):
    """The program of a design problem: all but its ratios are integers."""

    source: LinearProgram

    @classmethod
    def of(cls, source: LinearProgram) -> "DesignProgram":
        """Read the program at one alpha for all of them.

        Raises:
            AmbiguousRatioError: where that alpha does not tell the ratios apart.
        """
        floor, floor_unit = _whole(source.floor)
        ratios = tuple(_ratio_of(value, source) for value in source.ratios)
        lines = [_whole([*e.coefficients, e.rhs]) for e in source.equations]
        return cls(
            list(source.cost),
            source.cost_denominator,
            floor,
            floor_unit,
            source.upper.tolist(),
            source.lower.tolist(),
            [ratios[k] for k in source.ratio_of.tolist()],
            ratios,
            [
                list(zip(e.variables.tolist(), values[:-1], strict=True))
                for e, (values, _) in zip(source.equations, lines, strict=True)
            ],
            [values[-1] for values, _ in lines],
            [unit for _, unit in lines],
            source,
        )


def _whole(values: Sequence[Fraction]) -> tuple[list[int], int]:
    unit = lcm(*(value.denominator for value in values))
    return [value.numerator * (unit // value.denominator) for value in values], unit


def _ratio_of(value: Fraction, source: LinearProgram) -> Ratio:
    """Find which function of alpha has a value."""
    constants = {Fraction(1), *(prop.ratio for prop in source.problem.needed if prop.pairs is not None)}
    powers = range(1, int(source.problem.graph.distances.max()) + 1)
    known = [Ratio(c.numerator, c.denominator, 0) for c in constants] + [Ratio(1, 1, d) for d in powers]
    found = [ratio for ratio in known if ratio.at(source.alpha) == value]
    if len(found) != 1:
        raise AmbiguousRatioError(f"{len(found)} ratios have one value")
    return found[0]


def program_at(problem: DesignProblem, alpha: Fraction) -> LinearProgram:
    """Build the program of a problem at one alpha, privacy as pairs of entries."""
    return build(problem.with_privacy(Privacy(alpha)), form=PAIRS)


def relaxed_at(problem: DesignProblem, alpha: Fraction) -> LinearProgram:
    """Build the program that asks how much columns must exceed 1: `sum_i P[i,j] - s_j = 1`, least sum of the s.

    That is 0 exactly where some mechanism has what is asked; else its dual proves that none has.
    """
    plain = DesignProblem(model=problem.model, alpha=alpha, properties=problem.properties)
    program = build(plain, form=PAIRS)
    before, count = program.n_variables, len(program.equations)
    return replace(
        program,
        exponent=np.concatenate([program.exponent, np.zeros(count, dtype=np.int64)]),
        cost=(0,) * before + (1,) * count,
        cost_denominator=1,
        floor=program.floor + (Fraction(0),) * count,
        equations=tuple(_with_excess(e, before + k) for k, e in enumerate(program.equations)),
    )


def _with_excess(equation: Equation, variable: int) -> Equation:
    return replace(
        equation,
        variables=np.append(equation.variables, variable),
        coefficients=(*equation.coefficients, Fraction(-1)),
    )

"""LPs with rows of any length: minimise `cost x` over `x >= 0` subject to rows `a x >= b` and `a x = b`."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from mechdesign.program.exact.numbers import Exact, to_exact
from mechdesign.program.solvers.numeric import Floats, NumericProgram


@dataclass(frozen=True)
class Row:
    """A row: `sum_v terms[v] x[v] >= rhs`, or `= rhs` where it is an equation."""

    terms: Mapping[int, Fraction]
    rhs: Fraction
    is_equation: bool = False


@dataclass(frozen=True)
class GeneralProgram:
    """An LP in rationals, and what a float solver should know of its numbers.

    Attributes:
        cost: of each variable.
        rows: on variables by their position.
        scale: the usual size of each variable, positive.
        cost_unit: the usual size of the least cost.
    """

    cost: tuple[Fraction, ...]
    rows: tuple[Row, ...]
    scale: Floats
    cost_unit: float = 1.0

    @cached_property
    def exact(self) -> "ExactRows":
        """The numbers in FLINT's rationals."""
        return ExactRows(
            [to_exact(value) for value in self.cost],
            [[(v, to_exact(value)) for v, value in row.terms.items()] for row in self.rows],
            [to_exact(row.rhs) for row in self.rows],
        )

    def scaled(self, smallest: float) -> "ScaledProgram":
        """Scale it for floats: variables by their size, but for sizes below `smallest`, and rows to 1."""
        scale = np.maximum(self.scale, smallest)
        start = np.concatenate([[0], np.cumsum([len(row.terms) for row in self.rows])]).astype(np.int64)
        index = np.array([v for row in self.rows for v in row.terms], dtype=np.int64)
        value = np.array([float(x) for row in self.rows for x in row.terms.values()]) * scale[index]
        row_scale = 1 / np.maximum.reduceat(np.abs(value), start[:-1])
        value *= np.repeat(row_scale, np.diff(start))
        rhs = np.array([float(row.rhs) for row in self.rows]) * row_scale
        cost = np.array([float(value) for value in self.cost]) * scale / self.cost_unit
        is_equation = np.array([row.is_equation for row in self.rows])
        numeric = NumericProgram(
            cost=cost,
            column_lower=np.zeros(len(cost)),
            start=start,
            index=index,
            value=value,
            row_lower=rhs,
            row_upper=np.where(is_equation, rhs, np.inf),
        )
        return ScaledProgram(numeric, scale, row_scale, self.cost_unit)


@dataclass(frozen=True)
class ExactRows:
    """Costs, rows and right sides in FLINT's rationals."""

    cost: list[Exact]
    rows: list[list[tuple[int, Exact]]]
    rhs: list[Exact]


@dataclass(frozen=True)
class ScaledProgram:
    """An LP in floats: `x = scale z`, row k times `row_scale[k]`, the cost divided by `cost_unit`."""

    numeric: NumericProgram
    scale: Floats
    row_scale: Floats
    cost_unit: float

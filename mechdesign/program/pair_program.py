"""LPs whose rows have two variables each, `x_u >= ratio x_v`, and a few equations."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self

from mechdesign.program.privacy_rows import Indices
from mechdesign.rational import over_common_denominator


@dataclass(frozen=True)
class Equation:
    """`sum_k coefficients[k] x[variables[k]] = rhs` for the input `column`; `kind` is `sum` or `loss`."""

    kind: str
    column: int
    variables: Indices
    coefficients: tuple[Fraction, ...]
    rhs: Fraction


@dataclass(frozen=True)
class PairProgram:
    """An LP: minimise `cost x / cost_denominator` over `x >= floor` subject to rows of two variables and equations.

    Rows are `x[upper] >= ratio x[lower]` with `ratio = ratios[ratio_of]`. `exponent[v]` is the usual size of a variable
    as a power of alpha; `is_monotone` says that rows keep neighbouring entries of one size.
    """

    alpha: Fraction
    is_monotone: bool
    exponent: Indices
    cost: tuple[int, ...]
    cost_denominator: int
    floor: tuple[Fraction, ...]
    ratios: tuple[Fraction, ...]
    ratio_of: Indices
    upper: Indices
    lower: Indices
    equations: tuple[Equation, ...]

    def with_cost(self, cost: Sequence[Fraction]) -> Self:
        """Return the same program with another cost of each variable."""
        whole, denominator = over_common_denominator(cost)
        return replace(self, cost=tuple(whole), cost_denominator=denominator)

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.cost)

    @property
    def n_rows(self) -> int:
        """Number of two-variable rows; the equations come on top."""
        return len(self.upper)

"""The best weak mechanism that can be derived from GM: an LP, solved exactly.

Its rows have three entries in a row of the matrix.

    maximise    sum_i P[i,i]
    subject to  P GM^-1 >= 0,  RM,  CM (which gives WH),  sum_i P[i,j] = 1,  P >= 0

An optimal mechanism need not be the only one. Whether some optimal one can be had from GM is asked of this LP, and not
of the one that a solver happened to find.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat

from mechdesign.errors import RefusedError
from mechdesign.problem.properties import PROPERTIES
from mechdesign.program.exact.numbers import ZERO, Exact, to_exact, to_fraction
from mechdesign.program.solvers import highs_
from mechdesign.program.solvers.numeric import Basis, NumericProgram
from mechdesign.rational import number_text

Terms = dict[int, Exact]


@dataclass(frozen=True)
class Constraint:
    """A row `sum_v terms[v] x[v] >= 0`, or `= 1` for a column sum.

    Entry (i, j) is the variable `i * size + j`.
    """

    terms: Terms
    is_sum: bool = False

    @property
    def rhs(self) -> Exact:
        """The right-hand side, 0 or 1."""
        return fmpq(int(self.is_sum))


def best_derived_score(n: int, alpha: Fraction) -> Fraction:
    """Compute the least L0 score (uniform prior) of a mechanism with WH, RM and CM derived from GM; exact.

    Raises:
        RefusedError: if the basis that the solver ended with is not exactly optimal.
    """
    rows = [*_derivation_rows(n, alpha), *_monotone_rows(n), *_sum_rows(n)]
    cost = [fmpq(-int(v % (n + 2) == 0)) for v in range((n + 1) ** 2)]
    basis = highs_.solve(_numeric(rows, cost)).basis
    value = None if basis is None else _value_if_optimal(rows, cost, basis)
    if value is None:
        raise RefusedError(
            f"the best mechanism derived from GM at n = {n}, alpha = {number_text(alpha)} was not proved optimal"
        )
    return (n + 1 + to_fraction(value)) / n


def _derivation_rows(n: int, alpha: Fraction) -> Iterator[Constraint]:
    """`P GM^-1 >= 0`, each column scaled by a positive number."""
    a = to_exact(alpha)
    for i in range(n + 1):
        at = i * (n + 1)
        yield Constraint({at: fmpq(1), at + 1: -a})
        yield Constraint({at + n: fmpq(1), at + n - 1: -a})
        for j in range(at + 1, at + n):
            yield Constraint({j - 1: -a, j: 1 + a * a, j + 1: -a})


def _monotone_rows(n: int) -> Iterator[Constraint]:
    for name in ("RM", "CM"):
        pairs = PROPERTIES[name].pairs
        assert pairs is not None
        for upper, lower in zip(*(entries.tolist() for entries in pairs(n + 1)), strict=True):
            yield Constraint({upper: fmpq(1), lower: fmpq(-1)})


def _sum_rows(n: int) -> Iterator[Constraint]:
    for j in range(n + 1):
        yield Constraint({i * (n + 1) + j: fmpq(1) for i in range(n + 1)}, is_sum=True)


def _numeric(rows: list[Constraint], cost: list[Exact]) -> NumericProgram:
    lower = np.array([float(row.is_sum) for row in rows])
    return NumericProgram(
        cost=np.array([_float(c) for c in cost]),
        column_lower=np.zeros(len(cost)),
        start=np.cumsum([0, *(len(row.terms) for row in rows)]).astype(np.int64),
        index=np.array([v for row in rows for v in row.terms], dtype=np.int64),
        value=np.array([_float(m) for row in rows for m in row.terms.values()]),
        row_lower=lower,
        row_upper=np.where(lower > 0, lower, np.inf),
    )


def _float(value: Exact) -> float:
    return float(to_fraction(value))


def _value_if_optimal(rows: list[Constraint], cost: list[Exact], basis: Basis) -> Exact | None:
    """The cost of the basic solution, if it and its multipliers are feasible in rationals: then it is the optimum."""
    basic = np.flatnonzero(basis.columns).tolist()
    tight = [row for row, is_basic in zip(rows, basis.rows.tolist(), strict=True) if not is_basic]
    if len(basic) != len(tight):
        return None
    matrix = fmpq_mat([[row.terms.get(v, ZERO) for v in basic] for row in tight])
    if not matrix.det():
        return None
    found = matrix.solve(fmpq_mat([[row.rhs] for row in tight])).entries()
    prices = matrix.transpose().solve(fmpq_mat([[cost[v]] for v in basic])).entries()
    x = [ZERO] * len(cost)
    for v, value in zip(basic, found, strict=True):
        x[v] = value
    reduced = list(cost)
    for row, price in zip(tight, prices, strict=True):
        for v, m in row.terms.items():
            reduced[v] -= m * price
    slacks = [sum((m * x[v] for v, m in row.terms.items()), ZERO) - row.rhs for row in rows]
    feasible = min(x) >= 0 and all(s == 0 if row.is_sum else s >= 0 for row, s in zip(rows, slacks, strict=True))
    multipliers = all(row.is_sum or price >= 0 for row, price in zip(tight, prices, strict=True))
    if not (feasible and multipliers and min(reduced) >= 0):
        return None
    return sum((cost[v] * x[v] for v in basic), ZERO)

"""The types that pass between mechdesign and a floating-point LP solver."""

import enum
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]

FEASIBILITY_TOLERANCE = 1e-9
"""Primal and dual feasibility asked of a solver, in its scaled variables."""

SMALLEST_COEFFICIENT = 1e-12
"""HiGHS drops matrix entries below this."""


class Status(enum.Enum):
    """The status at the end of a solver's run; only OPTIMAL carries a usable solution."""

    OPTIMAL = "optimal"
    TIME_LIMIT = "time limit"
    INFEASIBLE = "infeasible"
    OTHER = "other"


@dataclass(frozen=True)
class Basis:
    """The basic columns and rows; nonbasic ones are at their lower bound (or are equalities)."""

    columns: Flags
    rows: Flags


@dataclass(frozen=True)
class NumericProgram:
    """An LP in floats: minimise `cost x` subject to `row_lower <= A x <= row_upper`, `x >= column_lower`.

    `A` has `len(row_lower)` rows, stored by row: row r holds `value[start[r]:start[r+1]]` in the columns
    `index[start[r]:start[r+1]]`. A cost above `most_cost` is of no interest: the solver may stop there, for instance
    long before it finds that no point is feasible.
    Columns that are `whole` are integers.
    """

    cost: Floats
    column_lower: Floats
    start: Indices
    index: Indices
    value: Floats
    row_lower: Floats
    row_upper: Floats
    basis: Basis | None = None
    most_cost: float | None = None
    whole: Flags | None = None


@dataclass(frozen=True)
class SolverResult:
    """A solver's answer; `status_text` is its status in its own words.

    `row_dual` are multipliers y with reduced costs `cost - A^T y`.
    """

    status: Status
    status_text: str
    solution: Floats
    row_dual: Floats
    basis: Basis | None


Solver = Callable[[NumericProgram, float | None], SolverResult]
"""`solve(program, seconds_left)`; None means no limit."""

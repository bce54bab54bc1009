"""Patterns of rows: which entries are at the top, which at the bottom, and which few are loose between.

A point near the middle of all optima has the pattern of each row. Then a small linear program over tops and loose
entries finds a vertex.
"""

from dataclasses import dataclass

import numpy as np
from flint import fmpz_mat, nmod_mat

from mechdesign.methods.active_outputs.interior_point import InteriorPoint
from mechdesign.methods.active_outputs.table import KeptTable, Wholes
from mechdesign.program.clock import Clock
from mechdesign.program.solvers.highs_ import solve
from mechdesign.program.solvers.numeric import Flags, Floats, Indices, NumericProgram, Status

NOTHING = 1e-9
"""In units of the largest: what the vertex has less of it has not."""

LOOSE = 1.0
"""From this looseness on an entry is between its bounds in some optimum: near the middle of all it is far from both.

So it is with rows and their tops.
"""

PRIME = 2**31 - 1


@dataclass(frozen=True)
class Patterns:
    """The rows that some optimum uses, at their top where `high`; entries that leave it, as pairs (place, input)."""

    outputs: Indices
    high: Flags
    loose_row: Indices
    loose_input: Indices

    @classmethod
    def of(cls, table: KeptTable, point: InteriorPoint) -> "Patterns":
        """Tell by a point near the middle of all optima what is in some of them."""
        outputs = np.flatnonzero(point.top / point.top.max() > LOOSE * _worth(table, point))
        high = point.below_dual[outputs] > point.above_dual[outputs]
        return cls(outputs, high, *np.nonzero(point.looseness[outputs] > LOOSE))


def _worth(table: KeptTable, point: InteriorPoint) -> Floats:
    """Return what the best row of each output costs beyond the prices, for a top of 1."""
    reduced = table.costs - point.prices[table.place]
    worth: Floats = np.where(reduced < 0, reduced, table.alpha * reduced).sum(axis=1)
    return worth


@dataclass(frozen=True)
class Support:
    """Parts of a vertex: shape s adds `x_s shapes[s]` to row `outputs[s]`; entries are p, q, their difference and 0.

    After those that the vertex has come the parts of other optima, at 0 here: all cost what they are worth. No part
    does what others do together.
    """

    outputs: Indices
    shapes: Wholes


def vertex(table: KeptTable, patterns: Patterns, clock: Clock) -> Support | None:
    """Return the parts of the best mechanism with these patterns; None where there is none."""
    if not len(patterns.outputs):
        return None
    outcome = solve(_program(table, patterns), clock.left())
    clock.left()
    if outcome.status is not Status.OPTIMAL:
        return None
    n_rows = len(patterns.outputs)
    tops, loose = outcome.solution[:n_rows], outcome.solution[n_rows:]
    nothing = NOTHING * tops.max()
    p, q = table.problem.step_alpha.numerator, table.problem.step_alpha.denominator
    shapes = _chosen(patterns.high, q, p)
    singles = np.zeros((len(loose), table.problem.size), dtype=object)
    is_high = patterns.high[patterns.loose_row, patterns.loose_input]
    singles[np.arange(len(loose)), patterns.loose_input] = _chosen(is_high, p - q, q - p)
    taken = loose >= tops[patterns.loose_row] - nothing
    used, whole = tops > nothing, shapes.copy()
    np.add.at(whole, patterns.loose_row[taken], singles[taken])
    between = ~taken & (loose > nothing)
    of_single = patterns.outputs[patterns.loose_row]
    outputs = [patterns.outputs[used], of_single[between], patterns.outputs, of_single]
    parts = [whole[used], singles[between], shapes, singles]
    return _independent(table, Support(np.concatenate(outputs), np.concatenate(parts)))


def _chosen(flags: Flags, one: int, other: int) -> Wholes:
    """Return one whole number where a flag is set, else the other; of any length."""
    return np.where(flags, np.array(one, dtype=object), np.array(other, dtype=object))


def _independent(table: KeptTable, support: Support) -> Support:
    """Leave out the parts that those before them make up; modulo a prime none is kept too many."""
    sums = nmod_mat(fmpz_mat(table.add_up(support.shapes).T.tolist()), PRIME)
    reduced, rank = sums.rref()
    chosen, start = [], 0
    for line in range(rank):
        start = next(k for k in range(start, sums.ncols()) if int(reduced[line, k]))
        chosen.append(start)
    return Support(support.outputs[chosen], support.shapes[chosen])


def _program(table: KeptTable, patterns: Patterns) -> NumericProgram:
    """State the program: a column for each top and each loose entry's change, which is at most its top's."""
    n_rows, n_loose = len(patterns.outputs), len(patterns.loose_row)
    shapes = np.where(patterns.high, 1.0, table.alpha)
    sign = np.where(patterns.high[patterns.loose_row, patterns.loose_input], table.alpha - 1, 1 - table.alpha)
    costs = table.costs[patterns.outputs]
    sums, n_equations = table.add_up(shapes), len(table.right)
    entries: list[tuple[Indices, Floats]] = []
    place = table.place[patterns.loose_input]
    for k in range(n_equations):
        inside = np.flatnonzero(place == k)
        entries.append((np.concatenate([np.arange(n_rows), n_rows + inside]), np.append(sums[:, k], sign[inside])))
    pairs = np.stack([patterns.loose_row, n_rows + np.arange(n_loose)], axis=1)
    counts = np.concatenate([np.full(n_loose, 2), [len(index) for index, _ in entries]])
    right = np.array([float(value) for value in table.right])
    return NumericProgram(
        cost=np.append((shapes * costs).sum(axis=1), sign * costs[patterns.loose_row, patterns.loose_input]),
        column_lower=np.zeros(n_rows + n_loose),
        start=np.concatenate([[0], np.cumsum(counts)]),
        index=np.concatenate([pairs.ravel(), *(index for index, _ in entries)]),
        value=np.concatenate([np.tile([1.0, -1.0], n_loose), *(value for _, value in entries)]),
        row_lower=np.append(np.zeros(n_loose), right),
        row_upper=np.append(np.full(n_loose, np.inf), right),
    )

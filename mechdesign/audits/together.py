"""The test whether one matrix near a given one meets all demands at once: an LP, whose optimum is exact and proved.

The matrices are `Q = P + half (a - b)` with `a + b <= t` for every entry, and the LP finds the least t: so many times
as far as an entry may be off must one be. All demands hold for one matrix of the box iff `t <= 1`. Entries without a
half do not move, and rows that hold in the whole box are left out.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mechdesign.errors import NotCertifiedError
from mechdesign.program.clock import Clock
from mechdesign.program.general.optimum import find_vertex
from mechdesign.program.general.program import GeneralProgram, Row
from mechdesign.program.solvers.choice import choose_solver

LARGEST = 300
"""Entries up to which it is worth asking."""


@dataclass(frozen=True)
class Demands:
    """Demands on a matrix, its entries numbered row by row.

    `ratios` has (u, v, r): entry u is at least r times entry v; `equal` has entries that are equal, `floors` the least
    values of some; all columns of `width` inputs sum to 1.
    """

    width: int
    ratios: Sequence[tuple[int, int, Fraction]]
    equal: Sequence[tuple[int, int]]
    floors: Sequence[tuple[int, Fraction]]


def can_meet_together(values: Sequence[Fraction], halves: Sequence[Fraction], demands: Demands) -> bool | None:
    """Return whether one matrix, each entry within its half of the given one, meets all demands; None if undecided."""
    own = _Near(values, halves)
    rows = list(own.rows(demands))
    if any(not terms and (rhs > 0 or (is_equation and rhs)) for terms, rhs, is_equation in rows):
        return False
    kept = [Row(terms, rhs, is_equation) for terms, rhs, is_equation in rows if terms]
    most = own.most
    kept += [Row({most: Fraction(1), k: Fraction(-1), k + 1: Fraction(-1)}, Fraction(0)) for k in range(0, most, 2)]
    program = GeneralProgram((*[Fraction(0)] * most, Fraction(1)), tuple(kept), np.ones(most + 1))
    try:
        vertex = find_vertex(program, choose_solver("highs"), Clock(None))
    except NotCertifiedError:
        return None
    return bool(vertex.x[most] <= 1)


class _Near:
    """The rows of demands in the moves of a matrix: entry e is moved by variables 2k and 2k + 1, up and down."""

    def __init__(self, values: Sequence[Fraction], halves: Sequence[Fraction]) -> None:
        self.values, self.halves = values, halves
        moved = [e for e, half in enumerate(halves) if half]
        self.place = {e: 2 * k for k, e in enumerate(moved)}
        self.most = 2 * len(moved)

    def rows(self, demands: Demands) -> Iterator[tuple[dict[int, Fraction], Fraction, bool]]:
        """Yield the terms of each row, its right side, and whether it is an equation."""
        for u, v, ratio in demands.ratios:
            yield from self._unless_sure([(u, Fraction(1)), (v, -ratio)], Fraction(0))
        for entry, floor in (*((e, Fraction(0)) for e in self.place), *demands.floors):
            yield from self._unless_sure([(entry, Fraction(1))], floor)
        for u, v in demands.equal:
            yield self._row([(u, Fraction(1)), (v, Fraction(-1))], Fraction(0), is_equation=True)
        for j in range(demands.width):
            column = [(e, Fraction(1)) for e in range(j, len(self.values), demands.width)]
            yield self._row(column, Fraction(1), is_equation=True)

    def _unless_sure(
        self, terms: list[tuple[int, Fraction]], rhs: Fraction
    ) -> Iterator[tuple[dict[int, Fraction], Fraction, bool]]:
        """Yield `sum a Q[e] >= rhs`, unless every matrix of the box has it."""
        if sum(a * self.values[e] - abs(a) * self.halves[e] for e, a in terms) < rhs:
            yield self._row(terms, rhs, is_equation=False)

    def _row(
        self, terms: Iterable[tuple[int, Fraction]], rhs: Fraction, is_equation: bool
    ) -> tuple[dict[int, Fraction], Fraction, bool]:
        """Write a row on entries as one on moves, of coefficients up to 1."""
        moves: dict[int, Fraction] = {}
        for entry, a in terms:
            rhs -= a * self.values[entry]
            if entry in self.place:
                moves[self.place[entry]] = a * self.halves[entry]
        unit = max(map(abs, moves.values()), default=Fraction(1))
        both = {k + side: (1 - 2 * side) * move / unit for k, move in moves.items() for side in (0, 1)}
        return both, rhs / unit, is_equation

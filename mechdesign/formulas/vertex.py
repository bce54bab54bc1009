"""A basis solved for symbolic alpha: its vertex, its multipliers, and what must not be negative.

Along a tree of tight rows `x_u = r x_v`, with monomials r, every variable is a monomial times one unknown: its *slope*.
Left is one line for each column sum. The multiplier of a tight row is the sum of `slope x residual` over the part of
the tree beyond it, divided by the slope of the row's upper end. So nothing but monomials is ever divided by, apart from
the two determinants, and `c a^i - c' a^j` where a tree closes a cycle.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import lcm
from typing import Generic, TypeVar

from flint import fmpq

from mechdesign.formulas.elimination import solve
from mechdesign.formulas.polynomials import ONE, ZERO, Polynomial, lowest_terms, monomial, without_content
from mechdesign.formulas.program import SymbolicProgram
from mechdesign.program.exact.forest import ForestBasis, Tree


@dataclass(frozen=True)
class Multiplier:
    """The multiplier of a tight row: `numerator / (weight unit determinant)`, the last two those of the prices."""

    row: int
    numerator: Polynomial
    weight: Polynomial


ProgramT = TypeVar("ProgramT", bound=SymbolicProgram)


class Vertex(Generic[ProgramT]):
    """The vertex and the multipliers of one basis, as functions of alpha.

    Args:
        program: for symbolic alpha.
        forest: the basis, at the sample.
        sample: an alpha at which it is optimal.
    """

    def __init__(self, program: ProgramT, forest: ForestBasis, sample: fmpq) -> None:
        self.program, self.forest, self.sample = program, forest, sample
        self.slope = [ONE] * len(program.cost)
        for tree in forest.trees:
            self._set_slopes(tree)
        self.matrix = self._matrix()
        self.x, self.denominator = self._primal()
        self.prices, self.determinant = self._dual()
        """Of tight equations: price k is `line_unit prices[k] / (cost_unit determinant)`."""
        self.multipliers: list[Multiplier] = []
        self.excess: list[Polynomial] = []
        """Of each tree that stands on a bound: the reduced cost of its root, up to what is positive."""
        self.cycles: list[Polynomial] = []
        for tree in forest.trees:
            self._set_multipliers(tree)

    def _set_slopes(self, tree: Tree) -> None:
        """Give each variable of a tree its monomial: whole factors and powers, as small as possible."""
        program, root = self.program, tree.order[0]
        factor, power = {root: fmpq(1)}, {root: 0}
        for v in tree.order[1:]:
            row = tree.parent_row[v]
            ratio, up, low = program.ratio[row], program.upper[row], program.lower[row]
            if v == up:
                factor[v], power[v] = factor[low] * ratio.top / ratio.bottom, power[low] + ratio.power
            else:
                factor[v], power[v] = factor[up] * ratio.bottom / ratio.top, power[up] - ratio.power
        unit = lcm(*(int(value.q) for value in factor.values()))
        least = min(power.values())
        for v in tree.order:
            self.slope[v] = monomial(int((factor[v] * unit).p), power[v] - least)

    def _matrix(self) -> list[list[Polynomial]]:
        """Return the coefficients of the unknowns in the tight equations."""
        forest, lines = self.forest, self.program.equations
        matrix = [[ZERO] * len(forest.free) for _ in forest.tight_equations]
        for row, k in zip(matrix, forest.tight_equations, strict=True):
            for v, coefficient in lines[k]:
                if (unknown := forest.unknown_of[v]) >= 0:
                    row[unknown] += coefficient * self.slope[v]
        return matrix

    def _primal(self) -> tuple[list[Polynomial], Polynomial]:
        """Solve for the variables: numerators and their common denominator."""
        program, forest = self.program, self.forest
        on_floor = [tree for tree in forest.trees if tree.grounded and program.floor[tree.order[0]]]
        scale = ONE * program.floor_unit
        if on_floor:
            roots = [self.slope[tree.order[0]] for tree in on_floor]
            scale *= monomial(lcm(*(int(p[p.degree()]) for p in roots)), max(int(p.degree()) for p in roots))
        fixed: dict[int, Polynomial] = {}
        for tree in on_floor:
            root = tree.order[0]
            share = scale * program.floor[root] / program.floor_unit / self.slope[root]
            fixed |= {v: share * self.slope[v] for v in tree.order}
        right = []
        for k in forest.tight_equations:
            side = scale * program.rhs[k]
            for v, coefficient in program.equations[k]:
                if v in fixed:
                    side -= coefficient * fixed[v]
            right.append(side)
        unknowns, determinant = solve(self.matrix, right)
        values = [
            self.slope[v] * unknowns[k] if (k := forest.unknown_of[v]) >= 0 else fixed.get(v, ZERO) * determinant
            for v in range(len(program.cost))
        ]
        return lowest_terms(values, determinant * scale, self.sample)

    def _dual(self) -> tuple[dict[int, Polynomial], Polynomial]:
        """Solve for the multipliers of the tight equations."""
        costs = [
            sum((self.program.cost[v] * self.slope[v] for v in tree.order if self.program.cost[v]), ZERO)
            for tree in self.forest.free
        ]
        values, determinant = solve([list(column) for column in zip(*self.matrix, strict=True)], costs)
        values, determinant = lowest_terms(values, determinant, self.sample)
        return dict(zip(self.forest.tight_equations, values, strict=True)), determinant

    @cached_property
    def _residual(self) -> list[Polynomial]:
        """The cost of each variable without what the equations pay, over unit and determinant of the dual."""
        residual = [cost * self.determinant if cost else ZERO for cost in self.program.cost]
        for k, price in self.prices.items():
            if price:
                for v, coefficient in self.program.equations[k]:
                    residual[v] -= coefficient * price
        return residual

    def _set_multipliers(self, tree: Tree) -> None:
        """Take leaves off a tree: what is left at them is carried by the rows that lead to them."""
        program = self.program
        beyond = {v: self.slope[v] * self._residual[v] for v in tree.order}
        cleared = ONE
        if tree.cycle_row is not None:
            cleared = self._close_cycle(tree, tree.cycle_row, beyond)
        for v in reversed(tree.order[1:]):
            row = tree.parent_row[v]
            up, low = program.upper[row], program.lower[row]
            sign = 1 if v == up else -1
            self.multipliers.append(Multiplier(row, sign * beyond[v], self.slope[up] * cleared))
            beyond[low if v == up else up] += beyond[v]
        if tree.grounded:
            self.excess.append(beyond[tree.order[0]])
        elif beyond[tree.order[0]]:
            raise AssertionError("a free tree has a reduced cost")

    def _close_cycle(self, tree: Tree, row: int, beyond: dict[int, Polynomial]) -> Polynomial:
        """Give the last row of a cycle its multiplier; what is beyond is then multiplied by what comes back."""
        program = self.program
        up, low, ratio = program.upper[row], program.lower[row], program.ratio[row]
        there = ratio.bottom * self.slope[up]
        back = monomial(ratio.top, ratio.power) * self.slope[low]
        total, imbalance = sum(beyond.values(), ZERO), there - back
        if imbalance(self.sample) < 0:
            total, imbalance = -total, -imbalance
        self.cycles.append(imbalance)
        self.multipliers.append(Multiplier(row, ratio.bottom * total, imbalance))
        for v in tree.order:
            beyond[v] *= imbalance
        beyond[up] -= there * total
        beyond[low] += back * total
        return imbalance

    def signs(self) -> Iterator[Polynomial]:
        """Yield polynomials, 0 left out, that are positive wherever this basis is optimal, and so its interval."""
        for polynomial in itertools.chain(self.feasibility(), self.optimality(), self._orders()):
            if polynomial:
                yield without_content(polynomial)

    def feasibility(self) -> Iterator[Polynomial]:
        """Yield what must not be negative for the vertex to be feasible; its denominator is one of them."""
        program, forest, x = self.program, self.forest, self.x
        for row, basic in enumerate(forest.row_basic):
            if basic:
                ratio, up, low = program.ratio[row], program.upper[row], program.lower[row]
                yield ratio.bottom * x[up] - monomial(ratio.top, ratio.power) * x[low]
        for v, floor in enumerate(program.floor):
            if forest.column_basic[v]:
                yield program.floor_unit * x[v] - floor * self.denominator if floor else x[v]
        yield self.denominator

    def optimality(self) -> Iterator[Polynomial]:
        """Yield what must not be negative for the multipliers to be feasible; their denominators are among them."""
        yield from (self.determinant, *self.cycles)
        yield from self.excess
        for multiplier in self.multipliers:
            yield multiplier.numerator

    def _orders(self) -> Iterator[Polynomial]:
        """Yield the differences of ratios that cross: of two rows between the same variables the larger was kept."""
        ratios = self.program.ratios
        for number, one in enumerate(ratios):
            for other in ratios[:number]:
                difference = monomial(one.top * other.bottom, one.power) - monomial(other.top * one.bottom, other.power)
                yield difference if difference(self.sample) > 0 else -difference

    @property
    def objective(self) -> tuple[Polynomial, Polynomial]:
        """The least value of the program, in lowest terms."""
        program = self.program
        value = sum((cost * x for cost, x in zip(program.cost, self.x, strict=True) if cost), ZERO)
        (top,), bottom = lowest_terms([value], program.cost_unit * self.denominator, self.sample)
        return top, bottom

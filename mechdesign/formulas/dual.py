"""The proof of one basis, in the words of its document: multipliers of the whole linear program.

Where entries were merged with their rotations because that costs nothing, a multiplier is split evenly over a row and
its rotation. Where they were merged because S was asked, whoever checks takes the mean. What a merged diagonal entry
has left over is carried to the others by the rows that say they are equal, and pays for its floor.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm

from mechdesign.formulas.polynomials import ZERO, Polynomial, common_factor, common_multiple, monomial
from mechdesign.formulas.program import EQUAL, DesignProgram, Ratio
from mechdesign.formulas.vertex import Vertex
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.program.equalities import carry_multipliers, trees


@dataclass(frozen=True)
class DualRow:
    """A multiplier of the row `P[upper] >= ratio P[lower]`; of a floor both are its entry, and the ratio is None."""

    kind: str
    upper: int
    lower: int
    ratio: Ratio | None
    multiplier: Polynomial


@dataclass(frozen=True)
class Dual:
    """Multipliers over one denominator: prices of the columns, rows between entries, in the worst case the prior."""

    denominator: Polynomial
    prices: Sequence[Polynomial]
    rows: Sequence[DualRow]
    prior: Sequence[Polynomial] | None

    def times(self, factor: int) -> "Dual":
        """Multiply everything."""
        return Dual(
            self.denominator * factor,
            [price * factor for price in self.prices],
            [replace(row, multiplier=row.multiplier * factor) for row in self.rows],
            None if self.prior is None else [weight * factor for weight in self.prior],
        )

    def reduced(self) -> "Dual":
        """Cancel what everything has in common, up to its sign on (0, 1), and leave out rows with nothing."""
        rows = [row for row in self.rows if row.multiplier]
        common = common_factor([self.denominator, *self.prices, *(row.multiplier for row in rows), *(self.prior or ())])
        return Dual(
            self.denominator / common,
            [price / common for price in self.prices],
            [replace(row, multiplier=row.multiplier / common) for row in rows],
            None if self.prior is None else [weight / common for weight in self.prior],
        )


def dual_of(vertex: Vertex[DesignProgram], problem: DesignProblem, *, is_bound: bool) -> Dual:
    """Write the multipliers of a vertex for the problem, as a bound, or as a proof that no mechanism is feasible."""
    dual = _unfolded(vertex)
    if is_bound and problem.is_worst_case:
        dual = _weighed(dual, problem)
    diagonal = _Diagonal(problem, is_bound)
    dual = diagonal.with_floors(diagonal.with_equal_entries(dual)).reduced()
    if dual.denominator(vertex.sample) > 0:
        return dual
    return dual.times(-1)


def _unfolded(vertex: Vertex[DesignProgram]) -> Dual:
    """Split multipliers over rows and columns that were merged, all over one denominator."""
    program, source = vertex.program, vertex.program.source
    weights = common_multiple(one.weight for one in vertex.multipliers if one.numerator)
    halved = source.symmetric and not source.problem.asks_rotation
    last = source.problem.size**2 - 1
    upper, lower = (nodes.tolist() for nodes in source.row_nodes)
    rows = []
    for one in vertex.multipliers:
        if one.numerator:
            u, v = upper[one.row], lower[one.row]
            multiplier = one.numerator * (weights / one.weight)
            for pair in ((u, v), (last - u, last - v)) if halved else ((u, v),):
                rows.append(DualRow(source.row_kind[one.row], *pair, program.ratio[one.row], multiplier))
    scale = weights * (2 if halved else 1)
    prices, losses = (_by_column(vertex, kind, scale, halved) for kind in ("sum", "loss"))
    return Dual(
        vertex.determinant * scale * program.cost_unit,
        prices,
        rows,
        [-value for value in losses] if source.problem.is_worst_case else None,
    )


def _by_column(vertex: Vertex[DesignProgram], kind: str, scale: Polynomial, halved: bool) -> list[Polynomial]:
    """Return what the equations of one kind pay, by column."""
    source = vertex.program.source
    size = source.problem.size
    paid = [ZERO] * size
    for k, price in vertex.prices.items():
        if source.equations[k].kind == kind:
            j = source.equations[k].column
            columns = {j, size - 1 - j} if halved else {j}
            for column in columns:
                paid[column] = price * scale * vertex.program.line_unit[k] / len(columns)
    return paid


def _weighed(dual: Dual, problem: DesignProblem) -> Dual:
    """Undo, for the worst case, that the program has losses between 0 and 1; what the prior lacks goes to input 0."""
    values = [value for row in problem.loss.matrix(problem.size) for value in row]
    low, span = min(values), (max(values) - min(values)) or Fraction(1)
    unit = lcm(low.denominator, span.denominator)
    prior = list(dual.prior or ())
    prior[0] += dual.denominator - sum(prior, ZERO)
    factor, offset = int(span * unit), int(low * unit)
    return Dual(
        dual.denominator * unit,
        [price * factor + weight * offset for price, weight in zip(dual.prices, prior, strict=True)],
        [replace(row, multiplier=row.multiplier * factor) for row in dual.rows],
        [weight * unit for weight in prior],
    )


@dataclass(frozen=True)
class _Diagonal:
    """Rows that the program does not have: where it made equal entries one variable, and the floors of variables."""

    problem: DesignProblem
    is_bound: bool

    def with_equal_entries(self, dual: Dual) -> Dual:
        """Even out what entries of one variable have left over."""
        problem = self.problem
        found = [[node for node, _, _ in tree] for tree in trees(problem)]
        last = problem.size**2 - 1
        members = {node: {node, last - node} if problem.asks_rotation else {node} for nodes in found for node in nodes}
        counts = [sum(len(members[node]) for node in nodes) for nodes in found]
        dual = dual.times(lcm(*counts, self._unit(dual)))
        supply: dict[int, Polynomial] = {}
        for nodes, count in zip(found, counts, strict=True):
            left = {node: sum((self._left(dual, e) for e in members[node]), ZERO) for node in nodes}
            mean = sum(left.values(), ZERO) / count
            supply |= {node: left[node] - mean * len(members[node]) for node in nodes}
        carried = [DualRow(tie.kind, tie.first, tie.second, EQUAL, m) for tie, m in carry_multipliers(problem, supply)]
        return replace(dual, rows=[*dual.rows, *carried])

    def with_floors(self, dual: Dual) -> Dual:
        """Let what entries of the diagonal have left over pay for their floors."""
        problem = self.problem
        if not problem.floor:
            return dual
        kind = max(problem.needed, key=lambda prop: prop.floor).kind
        dual = dual.times(lcm(2, self._unit(dual)))
        diagonal = range(0, problem.size**2, problem.size + 1)
        left = [self._left(dual, e) for e in diagonal]
        if problem.asks_rotation:
            left = [(one + other) / 2 for one, other in zip(left, reversed(left), strict=True)]
        floors = [DualRow(kind, e, e, None, value) for e, value in zip(diagonal, left, strict=True)]
        return replace(dual, rows=[*dual.rows, *floors])

    def _unit(self, dual: Dual) -> int:
        """Return a number whose multiples keep what is left whole."""
        bottoms = {row.ratio.bottom for row in dual.rows if row.ratio is not None}
        diagonal = range(self.problem.size)
        return lcm(*bottoms, *(self._price(j).denominator for j in diagonal))

    def _price(self, j: int) -> Fraction:
        """Return what an entry of the diagonal costs; in the worst case, for each share of the prior."""
        if not self.is_bound:
            return Fraction(0)
        problem = self.problem
        return problem.loss.matrix(problem.size)[j][j] if problem.is_worst_case else problem.cost[j][j]

    def _left(self, dual: Dual, entry: int) -> Polynomial:
        """Return what an entry of the diagonal costs without what rows and column pay."""
        j = entry % self.problem.size
        price = self._price(j)
        weight = dual.denominator if dual.prior is None or not self.is_bound else dual.prior[j]
        left = weight * price.numerator / price.denominator - dual.prices[j]
        for row in dual.rows:
            if row.upper == entry:
                left -= row.multiplier
            if row.lower == entry and row.ratio is not None:
                left += monomial(row.ratio.top, row.ratio.power) * row.multiplier / row.ratio.bottom
        return left

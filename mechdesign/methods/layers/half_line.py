"""Two LPs over the half line: the best layer of a depth, and the prices that prove it.

The prices prove it best at every size.

A layered law of depth b is the geometric mechanism `c a^|i-j|`, `c = (1-a)/(1+a)`, but for its b first rows and,
mirrored, its b last. Row i < b is `X[i][0], .., X[i][b-1]`, and from there on each entry is a times the one before.
Then every sum over a column, every row of privacy and every property is one of X and c alone, whatever n is (docs:
any-n).

The layer. Minimise the losses of the b first rows over all columns 0, 1, .. of the half line, subject to

    sum_i X[i][j] = 1 - a^(b-j) / (1+a)                 what the rows from b on leave of column j
    privacy and properties inside X, and between its last row and row b, `c a^(b-j)`
    X[i][i] >= t                                        the floor of WH, t = 1/(n+1)

The prices. Column j has the price s_j where j < B; from B on it has a price in closed form for which every geometric
row costs nothing, `s + (k0 + k1 j) a^j` (`Tail`). What is left is an LP in the B first rows, of which all columns from
B on may be scaled as one, and in the common factor g of the rows from B on:

    minimise   sum loss(i,j) x[i][j] + sum_i W(i) x[i][B] + K g      W, K: with the prices from B on taken off
    subject to sum_i x[i][j] + a^(B-1-j) g = 1                       j < B; its multiplier is the price s_j
               privacy and properties among the entries of the B first rows

Its multipliers of properties, and the prices, are the dual of a law. Its value is E', and E is that of the layer, each
without what B or b columns cost in the middle; E = E' says that no mechanism of any large size is better.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mechdesign.problem.neighbours import NeighbourGraph
from mechdesign.problem.property import Property
from mechdesign.program.pair_program import Equation, PairProgram
from mechdesign.program.privacy_rows import PairRows, edge_pairs
from mechdesign.program.solvers.numeric import Basis
from mechdesign.rational import over_common_denominator
from mechdesign.verify.layer_duals import NO_PENALTIES


@dataclass(frozen=True)
class Geometric:
    """The sums of the geometric mechanism on a line, for the loss `|i-j|^power` (power 0: 1 off the diagonal).

    `sums[m]` is `sum_k k^m a^k` over k >= 0; `cost` is the loss of a column in the middle, s. To the loss those of the
    powers 0, 1 and 2 are added, each as often as `penalties` says.
    """

    alpha: Fraction
    power: int
    penalties: tuple[int, int, int] = NO_PENALTIES

    @property
    def weights(self) -> tuple[int, ...]:
        """How often the loss has those of the powers 0, 1 and 2."""
        return tuple(penalty + (k == self.power) for k, penalty in enumerate(self.penalties))

    @property
    def weight(self) -> Fraction:
        """The diagonal entry c of a row in the middle."""
        return (1 - self.alpha) / (1 + self.alpha)

    @property
    def sums(self) -> tuple[Fraction, Fraction, Fraction, Fraction]:
        """The sums of `k^m a^k` for m = 0, 1, 2, 3."""
        a = self.alpha
        one = 1 - a
        return 1 / one, a / one**2, a * (1 + a) / one**3, a * (1 + 4 * a + a * a) / one**4

    @property
    def cost(self) -> Fraction:
        """The loss s of a column in the middle, `sum_d c a^|d| |d|^power` over all distances."""
        constant, *rest = self.weights
        grows = sum((w * one for w, one in zip(rest, self.sums[1:], strict=False)), Fraction(0))
        return constant * (1 - self.weight) + 2 * self.weight * grows

    def loss(self, i: int, j: int) -> Fraction:
        """Return the loss of output i on input j."""
        constant, linear, square = self.weights
        return Fraction(constant * (i != j) + linear * abs(i - j) + square * (i - j) ** 2)

    def tail_loss(self, distance: int) -> Fraction:
        """Return `sum_k a^k loss` over k >= 0, at the distances d, d+1, .. from the diagonal, d >= 0."""
        zero, one, two, _ = self.sums
        sums = (zero - (distance == 0), distance * zero + one, distance**2 * zero + 2 * distance * one + two)
        return self._weighed(sums)

    def far_loss(self, depth: int) -> Fraction:
        """Return `c sum_(d > depth) (d - depth) a^d d^power`: what rows from b on lose on columns before 0."""
        _, one, two, three = self.sums
        b = depth
        sums = (one, b * one + two, b * b * one + 2 * b * two + three)
        return self.weight * self.alpha**b * self._weighed(sums)

    def _weighed(self, sums: Sequence[Fraction]) -> Fraction:
        """Add up what belongs to the powers 0, 1 and 2."""
        return sum((w * one for w, one in zip(self.weights, sums, strict=True)), Fraction(0))


@dataclass(frozen=True)
class Tail:
    """The prices of the columns from B on, `s + (k0 + k1 j) a^j`: with them, a far geometric row costs nothing."""

    line: Geometric
    k0: Fraction
    k1: Fraction

    @classmethod
    def of(cls, line: Geometric) -> "Tail":
        """Find the two numbers: 0 under L0."""
        a, (_, linear, square) = line.alpha, line.weights
        zero, one, _, _ = line.sums
        k1 = -2 * a * zero * square
        k0 = -linear * a * zero - (k1 / 2 + k1 * a * a / (1 - a * a) + 2 * square * a * (zero + one))
        return cls(line, k0, k1)

    def total(self, first: int) -> Fraction:
        """Return the sum of the prices above s of all columns from `first` on."""
        zero, one, _, _ = self.line.sums
        return self.line.alpha**first * ((self.k0 + self.k1 * first) * zero + self.k1 * one)

    def row_cost(self, i: int, first: int) -> Fraction:
        """Return W(i), `sum_k a^k (loss(i, first + k) - price)` over k >= 0."""
        a = self.line.alpha
        mine = a**first * ((self.k0 + self.k1 * first) / (1 - a * a) + self.k1 * a * a / (1 - a * a) ** 2)
        return self.line.tail_loss(first - i) - self.line.cost / (1 - a) - mine

    def far_cost(self, first: int) -> Fraction:
        """Return what the rows from `first` on cost together, for `a^-j` of each in column j < first (K of the LP)."""
        a, s = self.line.alpha, self.line.cost
        steps = sum((a**-j for j in range(first)), Fraction(0))
        constant, *rest = self.line.weights
        if not any(rest):
            return constant * (steps - a ** (1 - first) / (1 + a))
        q0, q1 = a * a / (1 - a * a), a * a / (1 - a * a) ** 2
        lines = self.line.tail_loss(1) - s * self.line.sums[0]
        above = self.k0 * (1 - first) - self.k1 * first * (first - 1) / 2 + self.k0 * q0 + self.k1 * q1 + a * lines
        return s * steps - above


@dataclass(frozen=True)
class HalfLineProgram(PairProgram):
    """One of the two LPs; entry (i, j) is the variable `i * width + j`, and the common factor comes last.

    `row_kind` is the property of each row, `DP` for privacy, and empty for a row that ties the layer to row b.
    """

    depth: int
    width: int
    row_kind: tuple[str, ...]

    @property
    def geometric_basis(self) -> Basis:
        """The basis of the geometric mechanism: every privacy row that points away from the diagonal is tight."""
        away = [
            kind == "DP" and abs(u // self.width - u % self.width) > abs(v // self.width - v % self.width)
            for kind, u, v in zip(self.row_kind, self.upper.tolist(), self.lower.tolist(), strict=True)
        ]
        rows = np.concatenate([~np.array(away, dtype=bool), np.zeros(len(self.equations), dtype=bool)])
        return Basis(np.ones(self.n_variables, dtype=bool), rows)


def layer_program(line: Geometric, depth: int, properties: Sequence[Property], floor: Fraction) -> HalfLineProgram:
    """State the LP of the best layer of a depth, with `floor` on its diagonal."""
    a, b = line.alpha, depth
    cost = [line.loss(i, j) if j < b - 1 else line.tail_loss(b - 1 - i) for i in range(b) for j in range(b)]
    equations = [
        Equation("sum", j, np.arange(b, dtype=np.int64) * b + j, (Fraction(1),) * b, 1 - a ** (b - j) / (1 + a))
        for j in range(b)
    ]
    bulk = Equation("bulk", b, np.array([b * b]), (Fraction(1),), line.weight)
    blocks = [*_inner_rows(a, b, b, properties), *_ties_to_row_below(a, b, properties)]
    return _program(line, (b, b), blocks, [*cost, Fraction(0)], [*equations, bulk], floor)


def price_program(tail: Tail, depth: int, properties: Sequence[Property], floor: Fraction) -> HalfLineProgram:
    """State the LP of the best prices of a depth, with `floor` on the diagonal."""
    line, b = tail.line, depth
    a, width = line.alpha, b + 1
    cost = [line.loss(i, j) if j < b else tail.row_cost(i, b) for i in range(b) for j in range(width)]
    factor = a ** (b - 1)
    equations = [
        Equation(
            "sum",
            j,
            np.array([*(i * width + j for i in range(b)), b * width]),
            (*(Fraction(1),) * b, factor * a**-j),
            Fraction(1),
        )
        for j in range(b)
    ]
    blocks = _inner_rows(a, b, width, properties)
    return _program(line, (b, width), blocks, [*cost, factor * tail.far_cost(b)], equations, floor)


def _inner_rows(alpha: Fraction, depth: int, width: int, properties: Sequence[Property]) -> list[PairRows]:
    """State privacy and properties among the entries of the first rows, as matrices state them."""
    blocks = list(edge_pairs(NeighbourGraph.path(width), alpha, range(depth)))
    last = depth * width
    for prop in properties:
        if prop.pairs is not None:
            upper, lower = prop.pairs(width)
            inside = (upper < last) & (lower < last)
            blocks.append(PairRows(prop.kind, prop.ratio, upper[inside], lower[inside]))
    return blocks


def _ties_to_row_below(alpha: Fraction, depth: int, properties: Sequence[Property]) -> list[PairRows]:
    """State CH and CM between the layer and row b, `c a^|b-j|`; the variable b*b is c."""
    b, kinds = depth, {prop.kind for prop in properties}
    bulk = np.array([b * b])
    if "CM" in kinds:
        above = [PairRows("", alpha ** (b - j), np.array([(b - 1) * b + j]), bulk) for j in range(b)]
        return [*above, PairRows("", alpha, bulk, np.array([b * b - 1]))]
    if "CH" in kinds:
        above = [PairRows("", alpha ** (b - j), np.array([j * b + j]), bulk) for j in range(b)]
        return [*above, PairRows("", alpha, np.repeat(bulk, b), np.arange(b, dtype=np.int64) * b + b - 1)]
    return []


def _program(
    line: Geometric,
    shape: tuple[int, int],
    blocks: Sequence[PairRows],
    cost: Sequence[Fraction],
    equations: Sequence[Equation],
    floor: Fraction,
) -> HalfLineProgram:
    depth, width = shape
    entries = np.arange(depth * width, dtype=np.int64)
    ratios = tuple(dict.fromkeys(block.ratio for block in blocks))
    sizes = [len(block.upper) for block in blocks]
    diagonal = {i * width + i for i in range(depth)}
    nothing = np.zeros(0, dtype=np.int64)
    whole_cost, denominator = over_common_denominator(cost)
    return HalfLineProgram(
        alpha=line.alpha,
        is_monotone=any(block.kind in ("RM", "CM") for block in blocks),
        exponent=np.append(np.abs(entries // width - entries % width), 0),
        cost=tuple(whole_cost),
        cost_denominator=denominator,
        floor=tuple(floor if v in diagonal else Fraction(0) for v in range(len(cost))),
        ratios=ratios,
        ratio_of=np.repeat(np.array([ratios.index(block.ratio) for block in blocks], dtype=np.int64), sizes),
        upper=np.concatenate([nothing, *(block.upper for block in blocks)]),
        lower=np.concatenate([nothing, *(block.lower for block in blocks)]),
        equations=tuple(equations),
        depth=depth,
        width=width,
        row_kind=tuple(kind for block, size in zip(blocks, sizes, strict=True) for kind in (block.kind,) * size),
    )

"""The best score for groups of every size as a function of alpha, near one alpha: a law for symbolic alpha.

Under L0 a layer X of depth b and prices s_j, j < B, prove `E = b c - sum_i X[i][i] = sum_j (s_j - s)` the best excess
for every n >= max(2b-1, 2B-1) (docs: any-n, theorem 1). Then the least score is that of GM and `g / n` more, `g = 2 E +
s`. No condition has n in it. Those on X say that a vertex is feasible: the best layer's. Those on the prices, at
outputs < B, say that multipliers are feasible: of the best prices. What is left is (G), a walk `v_j = 1 - s_j +
min(a v, v/a)` that ends at 1/(1+a) or above. With both bases kept, and the signs in the walk, all of them are
polynomials in alpha that are not negative on an interval around the sample, whose ends are roots.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq

from mechdesign.errors import NotCertifiedError
from mechdesign.formulas.any_size.half_line import DOWN, UP, symbolic_layer, symbolic_prices
from mechdesign.formulas.ends import End
from mechdesign.formulas.interval import Interval, interval_around
from mechdesign.formulas.pieces import RationalFunction
from mechdesign.formulas.polynomials import (
    ZERO,
    A,
    Coefficients,
    Polynomial,
    coefficients,
    evaluate,
    lowest_terms,
    monomial,
    without_content,
)
from mechdesign.formulas.program import SymbolicProgram
from mechdesign.formulas.roots import Roots
from mechdesign.formulas.vertex import Vertex
from mechdesign.laws.finding import exact_layer
from mechdesign.laws.problem import LawProblem
from mechdesign.methods.layers.half_line import HalfLineProgram, layer_program, price_program
from mechdesign.program.clock import Clock
from mechdesign.program.exact.exact_lp import ExactProgram
from mechdesign.program.exact.forest import ForestBasis
from mechdesign.program.solvers.numeric import Basis

Table = tuple[tuple[Coefficients, ...], ...]


@dataclass(frozen=True)
class SymbolicLaw:
    """A layer and its prices for symbolic alpha: `layer / layer_denominator`, `prices / price_denominator`.

    Multipliers `(kind, i, j, k, h, numerator, denominator)` are those of properties, as in a law's dual.
    """

    layer: Table
    layer_denominator: Coefficients
    prices: tuple[Coefficients, ...]
    price_denominator: Coefficients
    multipliers: tuple[tuple[str, int, int, int, int, Coefficients, Coefficients], ...]

    @property
    def least(self) -> int:
        """The n from which on it is proved."""
        return 2 * max(len(self.layer), len(self.prices)) - 1

    def layer_at(self, alpha: Fraction) -> list[list[Fraction]]:
        """Return the layer at an alpha that is no root of its denominator."""
        under = evaluate(self.layer_denominator, alpha)
        return [[evaluate(entry, alpha) / under for entry in row] for row in self.layer]

    def prices_at(self, alpha: Fraction) -> list[Fraction]:
        """Return the prices."""
        under = evaluate(self.price_denominator, alpha)
        return [evaluate(price, alpha) / under for price in self.prices]

    def multipliers_at(self, alpha: Fraction) -> list[tuple[str, int, int, int, int, Fraction]]:
        """Return the multipliers."""
        return [(*row[:5], evaluate(row[5], alpha) / evaluate(row[6], alpha)) for row in self.multipliers]


@dataclass(frozen=True)
class LawPart:
    """A range of alpha on which one layer and one list of prices prove the score for every n from `law.least` on."""

    start: End
    end: End
    law: SymbolicLaw


@dataclass(frozen=True)
class LawPiece:
    """A range of alpha on which the least score is `2a/(1+a) + gain(a) / n` for every n >= least."""

    start: End
    end: End
    gain: RationalFunction
    parts: tuple[LawPart, ...]

    @property
    def least(self) -> int:
        """The n from which on that is proved for every alpha of the range."""
        return max(part.law.least for part in self.parts)


@dataclass(frozen=True)
class Found:
    """A law at a sample, what it gains on GM, and where that holds."""

    law: SymbolicLaw
    gain: RationalFunction
    interval: Interval


def law_around(problem: LawProblem, roots: Roots, clock: Clock) -> Found | None:
    """Find the law at the alpha of a problem, and the largest interval around it on which its bases prove it.

    It is None at an alpha where something that must not be negative is 0 and is not beside it.

    Raises:
        InputError, LimitReachedError, NotCertifiedError: where there is no law at this alpha.
    """
    half, layer, prices = exact_layer(problem, clock)
    alpha, nothing = half.line.alpha, Fraction(0)
    sample = fmpq(alpha.numerator, alpha.denominator)
    own_program = layer_program(half.line, layer.depth, half.properties, nothing)
    dual_program = price_program(half.tail, prices.depth, half.properties, nothing)
    own = _vertex(own_program, symbolic_layer(own_program), layer.basis, sample)
    dual = _vertex(dual_program, symbolic_prices(dual_program), prices.basis, sample)
    b, unit = layer.depth, UP * dual.determinant
    paid = [dual.prices.get(j, ZERO) for j in range(prices.depth)]
    excess, bound = _excess(own, b), _bound(paid, unit)
    if excess[0] * bound[1] != bound[0] * excess[1]:
        return None
    signs = [sign for sign in (*own.feasibility(), *dual.optimality(), *walked(paid, unit, sample)) if sign]
    interval = interval_around(sample, map(without_content, signs), roots)
    if interval is None:
        return None
    (top,), bottom = lowest_terms([2 * excess[0] + 2 * A * own.denominator], excess[1], sample)
    law = SymbolicLaw(
        tuple(tuple(coefficients(own.x[i * b + j]) for j in range(b)) for i in range(b)),
        coefficients(own.denominator),
        tuple(map(coefficients, paid)),
        coefficients(unit),
        tuple(_multipliers(dual, dual_program)),
    )
    return Found(law, RationalFunction(coefficients(top), coefficients(bottom)), interval)


def _vertex(
    source: HalfLineProgram, program: SymbolicProgram, basis: Basis | None, sample: fmpq
) -> Vertex[SymbolicProgram]:
    if basis is None:
        raise NotCertifiedError("not certified: a law was found without its basis")
    return Vertex(program, ForestBasis(ExactProgram.of(source), basis), sample)


def _excess(own: Vertex[SymbolicProgram], depth: int) -> tuple[Polynomial, Polynomial]:
    """Return `E = b c - sum_i X[i][i]` as a quotient."""
    trace = sum((own.x[i * depth + i] for i in range(depth)), ZERO)
    return DOWN * depth * own.denominator - UP * trace, UP * own.denominator


def _bound(prices: Sequence[Polynomial], unit: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Return `E' = sum_j (s_j - s)` as a quotient; `unit` is under the prices."""
    return sum(prices, ZERO) * UP - unit * A * (2 * len(prices)), unit * UP


def walked(prices: Sequence[Polynomial], unit: Polynomial, sample: fmpq) -> Iterator[Polynomial]:
    """Yield what must not be negative for (G): steps of the walk with their signs at the sample, and its end.

    A step is `top / (unit a^power)`. At a step that is 0 for every alpha either way goes on.
    """
    top, power = ZERO, 0
    for number, price in enumerate(prices):
        if top(sample) < 0:
            power += 1
        else:
            top *= A
        top += (unit - price) * monomial(1, power)
        if number < len(prices) - 1:
            yield top if top(sample) >= 0 else -top
    yield top * UP - unit * monomial(1, power)


def _multipliers(
    dual: Vertex[SymbolicProgram], source: HalfLineProgram
) -> Iterator[tuple[str, int, int, int, int, Coefficients, Coefficients]]:
    """Yield the multipliers of properties."""
    for one in dual.multipliers:
        if one.numerator and source.row_kind[one.row] != "DP":
            places = (divmod(nodes[one.row], source.width) for nodes in (dual.program.upper, dual.program.lower))
            (i, j), (k, h) = places
            under = one.weight * UP * dual.determinant
            yield source.row_kind[one.row], i, j, k, h, coefficients(one.numerator), coefficients(under)

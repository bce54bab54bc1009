"""The linear programs of a law under L0 for symbolic alpha: of its layer, and of the prices that prove it.

They are those of `mechdesign.methods.layers.half_line`, whose costs and equations are polynomials over `1 - a` or `1 +
a`.
"""

from collections.abc import Sequence
from fractions import Fraction

from mechdesign.errors import NotCertifiedError
from mechdesign.formulas.polynomials import ONE, ZERO, A, Polynomial, coefficients, evaluate, monomial
from mechdesign.formulas.program import Ratio, SymbolicProgram, Value
from mechdesign.methods.layers.half_line import HalfLineProgram

UP, DOWN = ONE + A, ONE - A


def symbolic_layer(program: HalfLineProgram) -> SymbolicProgram:
    """Return the program of a layer for every alpha.

    Raises:
        NotCertifiedError: where its numbers are not those of the program at its alpha.
    """
    b = program.depth
    last = [ONE - DOWN * (i == b - 1) for i in range(b)]  # sum_k a^k over all inputs from b-1 on, times 1-a
    cost = [last[i] if j == b - 1 else DOWN * (i != j) for i in range(b) for j in range(b)]
    sums = [[(i * b + j, UP) for i in range(b)] for j in range(b)]
    sides = [UP - monomial(1, b - j) for j in range(b)]
    return _stated(program, [*cost, ZERO], DOWN, [*sums, [(b * b, UP)]], [*sides, DOWN], UP)


def symbolic_prices(program: HalfLineProgram) -> SymbolicProgram:
    """Return the program of prices for every alpha; errors as `symbolic_layer`."""
    b, width = program.depth, program.width
    cost = [ONE if j == b else UP * (i != j) for i in range(b) for j in range(width)]
    far = UP * sum((monomial(1, k) for k in range(b)), ZERO) - ONE
    sums = [[*((i * width + j, ONE) for i in range(b)), (b * width, monomial(1, b - 1 - j))] for j in range(b)]
    return _stated(program, [*cost, far], UP, sums, [ONE] * b, ONE)


def _stated(
    program: HalfLineProgram,
    cost: Sequence[Polynomial],
    cost_unit: Polynomial,
    equations: Sequence[Sequence[tuple[int, Polynomial]]],
    rhs: Sequence[Polynomial],
    line_unit: Polynomial,
) -> SymbolicProgram:
    powers = {program.alpha**d: d for d in range(program.width + 1)}
    ratios = tuple(Ratio(1, 1, powers[value]) for value in program.ratios)
    found = SymbolicProgram(
        cost,
        cost_unit,
        [0] * len(cost),
        1,
        program.upper.tolist(),
        program.lower.tolist(),
        [ratios[k] for k in program.ratio_of.tolist()],
        ratios,
        equations,
        rhs,
        [line_unit] * len(rhs),
    )
    if any(program.floor) or not _is_at(found, program):
        raise NotCertifiedError("not certified: the program of a law is another one at its alpha")
    return found


def _is_at(found: SymbolicProgram, program: HalfLineProgram) -> bool:
    """Return whether costs and equations have the values of a program at its alpha."""

    def value(top: Value, bottom: Value) -> Fraction:
        return evaluate(coefficients(ONE * top), program.alpha) / evaluate(coefficients(ONE * bottom), program.alpha)

    cost = [Fraction(one, program.cost_denominator) for one in program.cost]
    lines = [dict(zip(e.variables.tolist(), e.coefficients, strict=True)) for e in program.equations]
    units = found.line_unit
    return (
        cost == [value(one, found.cost_unit) for one in found.cost]
        and lines == [{v: value(m, unit) for v, m in line} for line, unit in zip(found.equations, units, strict=True)]
        and [e.rhs for e in program.equations] == [value(one, unit) for one, unit in zip(found.rhs, units, strict=True)]
    )

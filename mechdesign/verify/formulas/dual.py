"""That no matrix scores less, or that there is none, for every alpha between the ends of a part."""

from collections.abc import Iterator
from math import lcm

from .. import kernel
from .polynomials import add_to, product, times, total_of, trimmed
from .primal import Score
from .program import ABOVE, LEAST, Program
from .reading import Coefficients, Dual
from .signs import Signs

Reduced = list[list[list[int]]]


def bound_defects(program: Program, dual: Dual, score: Score | None, signs: Signs) -> Iterator[str]:
    """Yield what a dual fails; the score is None where it must show that nothing is feasible."""
    cost, cost_unit = program.cost
    unit = lcm(cost_unit, program.floor.denominator, program.beta.denominator)
    if dual.denominator is not None and not signs.is_positive(dual.denominator):
        yield "the denominator of the dual is not positive"
        return
    if dual.prior is not None:
        yield from _prior_defects(dual, signs)
    factors = [[value * (unit // cost_unit) for value in row] for row in cost]
    reduced = _costs(factors, dual, unit)
    constant = times(total_of(dual.prices), unit)
    extra: dict[tuple[int, int, int], list[int]] = {}
    for kind, place, multiplier in dual.rows:
        ratio = program.ratio(kind, place)
        if ratio is None:
            yield f"there is no row {kind if kind in program.kinds else 'of such a kind'} on {place}"
            return
        if kind not in kernel.EQUALITIES and not signs.is_never_negative(multiplier):
            yield f"the multiplier of the row {kind} on {place} is not shown to be at least 0"
        i, j, k, h = place
        factor, d = int(ratio[0] * unit), ratio[1]
        if kind == LEAST:
            add_to(reduced[i][j], multiplier, -unit)
            add_to(extra.setdefault((i, k, h), []), multiplier, unit)
        elif kind == ABOVE:
            add_to(extra.setdefault((i, k, h), []), multiplier, -unit)
            add_to(reduced[i][j], multiplier, factor, d)
        else:
            add_to(reduced[i][j], multiplier, -unit)
            add_to(reduced[k][h], multiplier, factor, d)
        if kind == kernel.FLOOR:
            add_to(constant, multiplier, int(unit * program.floor))
    yield from _reduced_defects(program, reduced, extra, signs)
    yield from _constant_defects(program, dual, score, trimmed(constant), unit, signs)


def _prior_defects(dual: Dual, signs: Signs) -> Iterator[str]:
    assert dual.prior is not None
    for j, weight in enumerate(dual.prior):
        if not signs.is_never_negative(weight):
            yield f"the prior of input {j} is not shown to be at least 0"
    if tuple(total_of(dual.prior)) != dual.denominator:
        yield "the prior does not sum to the denominator of the dual"


def _costs(factors: list[list[int]], dual: Dual, unit: int) -> Reduced:
    """Return `unit (F c[i][j] - y[j])`."""
    denominator = dual.denominator or ()
    bases: list[Coefficients] = [denominator] * len(dual.prices) if dual.prior is None else dual.prior
    found: Reduced = []
    for row in factors:
        found.append([times(base, factor) for base, factor in zip(bases, row, strict=True)])
        for left, price in zip(found[-1], dual.prices, strict=True):
            add_to(left, price, -unit)
    return found


def _reduced_defects(
    program: Program, reduced: Reduced, extra: dict[tuple[int, int, int], list[int]], signs: Signs
) -> Iterator[str]:
    if program.has_rotation:  # twice the means
        turned = [[list(left) for left in row[::-1]] for row in reversed(reduced)]
        for row, other in zip(reduced, turned, strict=True):
            for left, more in zip(row, other, strict=True):
                add_to(left, more)
    for i, row in enumerate(reduced):
        for j, left in enumerate(row):
            if not signs.is_never_negative(trimmed(left)):
                yield f"the reduced cost ({i},{j}) is not shown to be at least 0"
    for (i, k, h), left in extra.items():
        if not signs.is_never_negative(trimmed(left)):
            yield f"what is left of the least of ({i},{k}) to ({i},{h}) is not shown to be at least 0"


def _constant_defects(
    program: Program, dual: Dual, score: Score | None, constant: list[int], unit: int, signs: Signs
) -> Iterator[str]:
    """Yield that the constant, `unit` times the bound and F, proves another score, or is not above 0."""
    if score is None or dual.denominator is None:
        if not signs.is_positive(constant):
            yield "the combination is not shown to be above 0"
        return
    s, t = program.rescaling.as_integer_ratio()
    signs.work.charge_product(constant, score[1])
    signs.work.charge_product(dual.denominator, score[0])
    if times(product(constant, score[1]), s) != times(product(dual.denominator, score[0]), t * unit):
        yield "the bound is not the score"

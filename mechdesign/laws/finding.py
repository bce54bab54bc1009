"""Design of laws: one mechanism for counts of every size.

A layer is searched and proved before a law is returned.
"""

import math
import time
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from functools import partial

from mechdesign.arguments import checked
from mechdesign.errors import InputError, NotCertifiedError, RefusedError
from mechdesign.laws.law import Law, layer_of
from mechdesign.laws.problem import LawProblem, no_law
from mechdesign.mechanism.fair import FairMechanism
from mechdesign.mechanism.layered import LARGEST_MATRIX, LayeredMechanism
from mechdesign.methods.answer import LONGEST_VERTEX_BITS
from mechdesign.methods.layers.half_line import Geometric
from mechdesign.methods.layers.remap import best_remap
from mechdesign.methods.layers.search import (
    DEEPEST,
    ExactLayer,
    ExactPrices,
    HalfLine,
    first_depth,
    prices_of_remap,
    search,
    too_deep,
)
from mechdesign.methods.plan import make_plan
from mechdesign.problem.design_problem import AGGREGATES, DesignProblem
from mechdesign.problem.loss import Loss
from mechdesign.problem.privacy import Privacy, chosen_privacy
from mechdesign.problem.properties import find_property, ordered, parse_properties, without_implied
from mechdesign.program.clock import Clock, Seconds
from mechdesign.rational import Number, over_common_denominator
from mechdesign.verify import layer_duals as duals
from mechdesign.verify import layers as kernel
from mechdesign.verify.certificates import FAIR, LAYER, Certificate
from mechdesign.verify.layer_duals import LayerDual
from mechdesign.verify.layers import Layer

FAIR_FROM = 2
"""The fair law is stated from this n on."""

FROM_AUTO = 128
"""Up to this n a matrix is designed unless a law is asked for."""

NARROW = Fraction(1, 10**9)
"""Beyond, a law serves where its gap at its own alpha is at most this part of the score."""

AUTO_DEPTH = 64
"""Layers of so many rows at most are searched for groups of one size, whatever the machine, before their matrix is."""

FORMULAS = "formulas"
"""The family of methods that are exact by a theorem."""

PRICE_TRIES = 4

SHORT = ", with numbers short enough to check,"


@checked
def design_law(
    *,
    alpha: Number | None = None,
    epsilon: Number | None = None,
    privacy: Privacy | None = None,
    properties: str | Iterable[str] = (),
    loss: str | Loss = "L0",
    aggregate: str = AGGREGATES[0],
    time_limit: float | None = None,
) -> Law:
    """Design the best mechanism for counts over any number of people, and certify it.

    Away from its ends the mechanism is the geometric one; a layer of rows at each end does not depend on n. Under L0 it
    is optimal for every n from `least` on. Under L1 and L2 its certified gap falls like a power of alpha (docs: any-n).

    Args:
        alpha: `exp(-epsilon)` in (0, 1), a decimal or fraction.
        epsilon: instead of alpha.
        privacy: instead of alpha and epsilon.
        properties: any of WH, RH, RM, CH, CM, S, FE, and F under L0.
        loss: L0, L1 or L2.
        aggregate: `expected`, or under L0 `worst`; then the law is the explicit fair mechanism, with any properties.
        time_limit: seconds; None means none.

    Raises:
        InputError: where no law serves what is asked, saying what does.
        NotCertifiedError, LimitReachedError

    >>> law = design_law(alpha="4/5", properties="WH,CM")
    >>> law.least, law.score(10**6)[0]
    (11, Fraction(341333401, 384000000))
    """
    stated = LawProblem(
        chosen_privacy(alpha, epsilon, privacy),
        parse_properties(properties),
        Loss.parse(loss) if isinstance(loss, str) else loss,
        aggregate,
    )
    return find_law(stated, Clock(time_limit))


def find_law(problem: LawProblem, clock: Clock, deepest: int = DEEPEST) -> Law:
    """Find the law of a problem with at most `deepest` rows at each end, and check it by the kernel.

    No law is made in another way.
    """
    started = time.perf_counter()
    if problem.is_fair:
        took = time.perf_counter() - started
        how = "no mechanism has a larger least diagonal entry, by its middle column"
        fair, plain = FairMechanism(problem.privacy.alpha), Certificate(FAIR, 1, {})
        return Law(problem, fair, plain, Seconds(0.0, 0.0, took), how, FAIR, least=FAIR_FROM)
    mechanism, own, dual, floor = _found(problem, clock, deepest)
    own, dual = (_with_best_column(one, problem) for one in (own, dual))
    certified = time.perf_counter()
    layer = layer_of(mechanism)
    least = _least(problem, layer, dual, floor)
    for defect in kernel.layer_defects(layer, problem.properties, least):
        raise RefusedError(f"refused: {defect}")
    how = f"depth of the layers {mechanism.depth}, of the prices {dual.depth}"
    proof = dual.certificate(problem.power)
    other = None if own == dual else own
    law = Law(problem, mechanism, proof, Seconds(0, 0, 0), how, LAYER, least=least, own_dual=other)
    if law.lower_bound(least) > law.score(least)[1]:
        raise RefusedError("the lower bound exceeds the score: the proof contradicts the mechanism")
    seconds = Seconds(clock.solving, certified - started - clock.solving, time.perf_counter() - certified)
    return replace(law, seconds=seconds)


def law_for(problem: DesignProblem, time_limit: float | None = None) -> Law | None:
    """Design the law that serves groups of one size as well as a matrix of their own; None where a matrix does better.

    Raises:
        LimitReachedError: where the time limit ends the search.
    """
    is_plain = problem.model.name == "count" and problem.prior.name == "uniform"
    if not is_plain or no_law(problem.properties, problem.loss, problem.aggregate):
        return None
    stated = LawProblem(problem.privacy, problem.properties, problem.loss, problem.aggregate)
    return serving_law(stated, problem.n, time_limit)


def serving_law(problem: LawProblem, n: int, time_limit: float | None = None) -> Law | None:
    """Design a law for groups of n; None where a matrix serves better.

    Up to 128 people a matrix does. So it does to 4095 where a short closed form is exact, where more than 64
    rows would differ at each end, or where its gap at n, at its own alpha, is more than 1e-9 of the score.

    Raises:
        LimitReachedError: where the time limit ends the search.
    """
    if n <= FROM_AUTO or has_formula(problem, n):
        return None
    is_free = n <= LARGEST_MATRIX
    try:
        law = find_law(problem, Clock(time_limit), AUTO_DEPTH if is_free else DEEPEST)
        law.require_size(n)
    except (InputError, NotCertifiedError):
        return None
    return law if not is_free or law.own_gap(n) <= NARROW else None


def has_formula(problem: LawProblem, n: int) -> bool:
    """Return whether a closed form is optimal at this n under L1 or L2, where a law is certified alone.

    That is the remapped geometric mechanism: without properties, and with any of them where each output is its own best
    answer. One with numbers of more than 2048 bits does not count: its matrix takes minutes, and nobody reads
    it.
    """
    alpha = problem.privacy.alpha
    if not problem.power or n * alpha.denominator.bit_length() > LONGEST_VERTEX_BITS:
        return False
    remap = best_remap(Geometric(alpha, problem.power), DEEPEST)
    if problem.properties - {"S"} and (remap is None or any(answer != y for y, answer in enumerate(remap))):
        return False
    return make_plan(problem.of_size(n)).order[0].family == FORMULAS


def _least(problem: LawProblem, layer: Layer, dual: LayerDual, floor: Fraction) -> int:
    """Return the n from which a law is proved: its ends must not meet, and it must have what is asked at every n.

    What fails at small n is the floor of WH; the layer has what is asked once 1/(n+1) is at most `floor` or c.
    """
    low = max(2 * layer.depth - 1, 2 * dual.depth - 1, duals.proved_from(dual, problem.power))
    diagonal = [Fraction(row[i], layer.denominator) for i, row in enumerate(layer.rows)]
    weight = (1 - layer.alpha) / (1 + layer.alpha)
    highest = floor or min(weight, *diagonal)
    high = max(low, math.ceil(1 / highest) - 1 if "WH" in problem.properties and highest else low)
    while low < high:
        middle = (low + high) // 2
        fails = next(kernel.layer_defects(layer, problem.properties, middle), "")
        low, high = (middle + 1, high) if fails else (low, middle)
    return low


def _half_line(problem: LawProblem, alpha: Fraction, clock: Clock, deepest: int) -> HalfLine:
    """State what is asked at one end of a group, at the mechanism's alpha or at that of the bound."""
    needed = tuple(
        find_property(name) for name in ordered(without_implied(problem.properties)) if name not in ("S", "FE")
    )
    return HalfLine(Geometric(alpha, problem.power), needed, clock, deepest)


def expected_depth(problem: LawProblem, deepest: int = DEEPEST) -> int:
    """Estimate, without designing, how many rows at each end differ from the geometric mechanism; 0 of the fair one.

    Raises:
        InputError: where it is more than `deepest`.
    """
    return 0 if problem.is_fair else first_depth(_half_line(problem, problem.privacy.alpha, Clock(None), deepest))


def _found(problem: LawProblem, clock: Clock, deepest: int) -> tuple[LayeredMechanism, LayerDual, LayerDual, Fraction]:
    """Search the layer, its dual at the mechanism's alpha and at that of the bound, and the floor they serve."""
    alpha, bound_alpha = problem.privacy.alpha, problem.privacy.bound_alpha
    clock.patience = math.inf  # the same law on every machine: no call of the solver is cut short
    half = _half_line(problem, alpha, clock, deepest)
    is_proof = partial(_is_proof, problem, alpha)
    if half.remap is not None:
        mechanism = LayeredMechanism.remapped(alpha, half.remap, bool(half.floor_kind))
        prices, floor = prices_of_remap(half, half.remap), _highest_floor(mechanism)
        if not is_proof(prices):
            raise too_deep(half, SHORT)
    else:
        layer, prices, slopes = search(half, is_proof)
        mechanism, floor = LayeredMechanism.of(alpha, layer.table, slopes), prices.floor if slopes else Fraction(0)
    own = _dual(alpha, prices)
    if problem.privacy.is_exact:
        return mechanism, own, own, floor
    bound_half = _half_line(problem, bound_alpha, clock, deepest)
    if bound_half.remap is not None:
        prices = prices_of_remap(bound_half, bound_half.remap)
        if not _is_proof(problem, bound_alpha, prices):
            raise too_deep(bound_half, SHORT)
        return mechanism, own, _dual(bound_alpha, prices), floor
    for depth in range(prices.depth, prices.depth + PRICE_TRIES):
        found = bound_half.prices(depth, prices.floor)
        if found is not None and _is_proof(problem, bound_alpha, found):
            return mechanism, own, _dual(bound_alpha, found), floor
    raise NotCertifiedError("not certified: no prices were found for the alpha of the bound; state alpha instead")


def exact_layer(problem: LawProblem, clock: Clock) -> tuple[HalfLine, ExactLayer, ExactPrices]:
    """Search a layer and prices that meet under L0, at the alpha of a problem, and return what they solve too.

    Raises:
        InputError, LimitReachedError
    """
    alpha = problem.privacy.alpha
    clock.patience = math.inf
    half = _half_line(problem, alpha, clock, DEEPEST)
    layer, prices, _ = search(half, partial(_is_proof, problem, alpha))
    return half, layer, prices


def _is_proof(problem: LawProblem, alpha: Fraction, prices: ExactPrices) -> bool:
    """Return whether prices prove a bound: the kernel's word."""
    try:
        duals.dual_excess(_dual(alpha, prices), problem.power, problem.properties)
    except ValueError:
        return False
    return True


def _highest_floor(mechanism: LayeredMechanism) -> Fraction:
    """Return the largest 1/(n+1) under which a remap has its floor: by the diagonal, and what output 0 has to give."""
    if mechanism.slopes is None or mechanism.remap is None:
        return Fraction(0)
    unit, tables = mechanism.denominator, zip(mechanism.rows, mechanism.slopes, strict=True)
    pairs = [(rows[i], slopes[i]) for i, (rows, slopes) in enumerate(tables)]
    given = -mechanism.slopes[mechanism.remap[0]][0] * (1 + mechanism.alpha)
    return min(unit / given, *(Fraction(x, unit - slope) for x, slope in pairs if slope < unit))


def _with_best_column(dual: LayerDual, problem: LawProblem) -> LayerDual:
    """Choose the column whose price is lowered at finite n, among a few: that with the highest bound.

    Without multipliers the last column was best wherever that was tried, and the first where all are of WH.
    """
    if not problem.power:
        return dual
    if {row[0] for row in dual.multipliers} <= {"WH"}:
        return replace(dual, lowered=0 if dual.multipliers else dual.depth - 1)
    n = duals.proved_from(dual, problem.power) + 2 * dual.depth
    columns = sorted({*range(min(4, dual.depth + 1)), dual.depth // 2, dual.depth - 1, dual.depth})
    return max(
        (replace(dual, lowered=column) for column in columns),
        key=lambda one: duals.bound_sum(one, problem.power, problem.properties, n),
    )


def _dual(alpha: Fraction, prices: ExactPrices) -> LayerDual:
    """Write prices and multipliers over one denominator."""
    whole, denominator = over_common_denominator([*prices.prices, *(row[-1] for row in prices.multipliers)])
    depth = prices.depth
    rows = tuple((*row[:5], m) for row, m in zip(prices.multipliers, whole[depth:], strict=True))
    return LayerDual(alpha, depth, denominator, tuple(whole[:depth]), rows)

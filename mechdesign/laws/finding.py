"""Design of laws: one mechanism for counts of every size.

A layer is searched and proved before a law is returned.
"""

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

from mechdesign.arguments import checked
from mechdesign.errors import InputError, NotCertifiedError, RefusedError
from mechdesign.laws.law import Law, layer_of
from mechdesign.laws.problem import MATRIX, LawProblem, no_law, parse_law_then
from mechdesign.laws.stage import LawStage
from mechdesign.mechanism.fair import FairMechanism
from mechdesign.mechanism.layered import LARGEST_MATRIX, MOST_PEOPLE, LayeredMechanism
from mechdesign.methods.answer import GAP_LIMIT, LONGEST_VERTEX_BITS
from mechdesign.methods.layers.half_line import Geometric
from mechdesign.methods.layers.remap import best_remap
from mechdesign.methods.layers.search import (
    DEEPEST,
    ExactLayer,
    ExactPrices,
    HalfLine,
    first_depth,
    meeting,
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
from mechdesign.verify.certificates import FAIR, LAYER, ONLY, Certificate
from mechdesign.verify.layer_duals import NO_PENALTIES, LayerDual, Penalties, counted
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

PENALTY_BITS = range(4, 25, 2)
"""Penalties on what came before are tried from 16 on; 16 served at alpha = 3/4, 2^12 at 9/10."""

FINER_BITS = (60, 80, 120)
"""To so many bits alpha is taken nearer to `exp(-epsilon)` where penalties make a gap wide."""

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
    then: str | Iterable[str] = (),
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
        then: further losses, each once: of all that are best so far, the layer that is best for the next one too.
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
    return find_law(stated, Clock(time_limit), then=parse_law_then(then, stated))


def find_law(problem: LawProblem, clock: Clock, deepest: int = DEEPEST, *, then: Sequence[LawProblem] = ()) -> Law:
    """Find the law of a problem, and of further respects, with at most `deepest` rows at each end.

    The kernel checks it. No law is made in another way. Asked by epsilon, a bound's gap is multiplied by penalties:
    where that is wide, alpha is taken nearer to `exp(-epsilon)`.
    """
    law = _find_law(problem, clock, deepest)
    if not then:
        return law
    staged = _with_stages(law, then, clock, deepest)
    for bits in FINER_BITS:
        if problem.privacy.is_exact or staged.largest_gap(MOST_PEOPLE) <= GAP_LIMIT:
            break
        finer = replace(problem, privacy=problem.privacy.finer(bits))
        further = [replace(one, privacy=finer.privacy) for one in then]
        staged = _with_stages(_find_law(finer, clock, deepest), further, clock, deepest)
    return staged


def _find_law(problem: LawProblem, clock: Clock, deepest: int) -> Law:
    started = time.perf_counter()
    if problem.is_fair:
        took = time.perf_counter() - started
        how = "no mechanism has a larger least diagonal entry, by its middle column"
        fair, plain = FairMechanism(problem.privacy.alpha), Certificate(FAIR, 1, {})
        return Law(problem, fair, plain, Seconds(0.0, 0.0, took), how, FAIR, least=FAIR_FROM)
    mechanism, own, dual, floor = _found(problem, clock, deepest)
    own, dual = (_with_best_column(one, problem) for one in (own, dual))
    certified = time.perf_counter()
    least = _least(problem, layer_of(mechanism), [(dual, problem.power)], floor)
    how = f"depth of the layers {mechanism.depth}, of the prices {dual.depth}"
    proof = dual.certificate(problem.power)
    other = None if own == dual else own
    law = Law(problem, mechanism, proof, Seconds(0, 0, 0), how, LAYER, least=least, own_dual=other)
    if law.lower_bound(least) > law.score(least)[1]:
        raise RefusedError("the lower bound exceeds the score: the proof contradicts the mechanism")
    seconds = Seconds(clock.solving, certified - started - clock.solving, time.perf_counter() - certified)
    return replace(law, seconds=seconds)


def _with_stages(law: Law, then: Sequence[LawProblem], clock: Clock, deepest: int) -> Law:
    """Give a law further respects: it is best in them where no other is as good, else another layer is.

    Raises:
        InputError: where no layer is found that is best in all respects.
    """
    every = (law.problem, *then)
    if law.is_only:
        plain = Certificate(ONLY, 1, {})
        return replace(law, stages=tuple(LawStage(one, every[:k], (), plain) for k, one in enumerate(every))[1:])
    if law.dual is None or law.layer is None or law.layer.slopes is not None:
        which = "a law with WH, without CH and CM, under L1 or L2"
        raise InputError(f"then must be left out for {which}, got then={then[0].loss.name}; {MATRIX}")
    started, layer, shares = time.perf_counter(), law.layer, [1]
    stages: list[LawStage] = []
    proofs = [(law.dual, law.problem.power)]
    for k, one in enumerate(then, 1):
        layer, dual, penalties = _next_layer(every[: k + 1], layer, shares, clock, deepest)
        stages.append(LawStage(one, every[:k], penalties, dual.certificate(one.power)))
        proofs.append((dual, one.power))
        shares = [*(2 * penalty for penalty in penalties), 1]
    mechanism = LayeredMechanism(layer.alpha, layer.rows, layer.denominator)
    how = f"depth of the layers {layer.depth}, of the prices {', '.join(str(dual.depth) for dual, _ in proofs)}"
    least = _least(law.problem, layer, proofs, Fraction(0))
    seconds = replace(law.seconds, certify=law.seconds.certify + time.perf_counter() - started)
    staged = replace(law, mechanism=mechanism, how=how, least=least, stages=tuple(stages), seconds=seconds)
    if staged.excess != law.excess or min(one.gap(layer, least) for one in stages) < 0:
        raise RefusedError("the proof of a further respect contradicts the mechanism")
    return staged


def _next_layer(
    respects: Sequence[LawProblem], layer: Layer, shares: Sequence[int], clock: Clock, deepest: int
) -> tuple[Layer, LayerDual, tuple[int, ...]]:
    """Find of all layers that are as good as one in the respects so far one that is best in the last.

    A sum `loss + u (share_0 loss_0 + ..)` is minimised as one loss is. A layer that is best for it, and as good as the
    one before in all respects but the last, is the best in that; so it is where u is large. Return the prices for the
    alpha of bounds, and the penalties too.

    Raises:
        InputError: where no u is large enough.
    """
    *before, own = respects
    goals = [kernel.layer_excess(layer, one.power) for one in before]
    for bits in PENALTY_BITS:
        penalties = tuple(share << bits for share in shares)
        extra = counted([one.power for one in before], penalties)
        half = _half_line(own, own.privacy.alpha, clock, deepest, extra, layer.depth)
        try:
            found, prices = meeting(half, Fraction(0), partial(_is_proof, own, own.privacy.alpha, extra))
        except InputError:
            continue  # too small a penalty asks for deep layers
        mechanism = LayeredMechanism.of(own.privacy.alpha, found.table, None)
        if [kernel.layer_excess(layer_of(mechanism), one.power) for one in before] == goals:
            dual = _dual_of_bound(own, prices, clock, deepest, extra)
            return layer_of(mechanism), _with_best_column(dual, own), penalties
    raise too_deep(half, f" that is best in {own.loss.name} too")


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


def serving_law(
    problem: LawProblem, n: int, time_limit: float | None = None, then: Sequence[LawProblem] = ()
) -> Law | None:
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
        law = find_law(problem, Clock(time_limit), AUTO_DEPTH if is_free else DEEPEST, then=then)
        law.require_size(n)
    except (InputError, NotCertifiedError):
        return None
    stages = max((law.stage_gap(one, n) for one in law.stages), default=Fraction(0))
    return law if not is_free or (law.own_gap(n) <= NARROW and stages <= GAP_LIMIT) else None


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


def _least(problem: LawProblem, layer: Layer, proofs: Sequence[tuple[LayerDual, int]], floor: Fraction) -> int:
    """Return the n from which a law is proved: its ends must not meet, and it must have what is asked at every n.

    What fails at small n is the floor of WH; the layer has what is asked once 1/(n+1) is at most `floor` or c.

    Raises:
        RefusedError: where it does not have it there.
    """
    from_depth = (max(2 * dual.depth - 1, duals.proved_from(dual, power)) for dual, power in proofs)
    low = max(2 * layer.depth - 1, *from_depth)
    diagonal = [Fraction(row[i], layer.denominator) for i, row in enumerate(layer.rows)]
    weight = (1 - layer.alpha) / (1 + layer.alpha)
    highest = floor or min(weight, *diagonal)
    high = max(low, math.ceil(1 / highest) - 1 if "WH" in problem.properties and highest else low)
    while low < high:
        middle = (low + high) // 2
        fails = next(kernel.layer_defects(layer, problem.properties, middle), "")
        low, high = (middle + 1, high) if fails else (low, middle)
    for defect in kernel.layer_defects(layer, problem.properties, low):
        raise RefusedError(f"refused: {defect}")
    return low


def _half_line(
    problem: LawProblem,
    alpha: Fraction,
    clock: Clock,
    deepest: int,
    penalties: Penalties = NO_PENALTIES,
    begin: int = 0,
) -> HalfLine:
    """State what is asked at one end of a group, at the mechanism's alpha or at that of the bound."""
    needed = tuple(
        find_property(name) for name in ordered(without_implied(problem.properties)) if name not in ("S", "FE")
    )
    return HalfLine(Geometric(alpha, problem.power, penalties), needed, clock, deepest, begin)


def expected_depth(problem: LawProblem, deepest: int = DEEPEST) -> int:
    """Estimate, without designing, how many rows at each end differ from the geometric mechanism; 0 of the fair one.

    Raises:
        InputError: where it is more than `deepest`.
    """
    return 0 if problem.is_fair else first_depth(_half_line(problem, problem.privacy.alpha, Clock(None), deepest))


def _found(problem: LawProblem, clock: Clock, deepest: int) -> tuple[LayeredMechanism, LayerDual, LayerDual, Fraction]:
    """Search the layer, its dual at the mechanism's alpha and at that of the bound, and the floor they serve."""
    alpha = problem.privacy.alpha
    clock.patience = math.inf  # the same law on every machine: no call of the solver is cut short
    half = _half_line(problem, alpha, clock, deepest)
    is_proof = partial(_is_proof, problem, alpha, NO_PENALTIES)
    if half.remap is not None:
        mechanism = LayeredMechanism.remapped(alpha, half.remap, bool(half.floor_kind))
        prices, floor = prices_of_remap(half, half.remap), _highest_floor(mechanism)
        if not is_proof(prices):
            raise too_deep(half, SHORT)
    else:
        layer, prices, slopes = search(half, is_proof)
        mechanism, floor = LayeredMechanism.of(alpha, layer.table, slopes), prices.floor if slopes else Fraction(0)
    return mechanism, _dual(alpha, prices), _dual_of_bound(problem, prices, clock, deepest), floor


def _dual_of_bound(
    problem: LawProblem,
    prices: ExactPrices,
    clock: Clock,
    deepest: int,
    penalties: Penalties = NO_PENALTIES,
) -> LayerDual:
    """Return the dual at the alpha of the bound, of the depth of that at the mechanism's or a little deeper."""
    bound_alpha = problem.privacy.bound_alpha
    if problem.privacy.is_exact:
        return _dual(bound_alpha, prices, penalties)
    half = _half_line(problem, bound_alpha, clock, deepest, penalties)
    if half.remap is not None:
        found = prices_of_remap(half, half.remap)
        if not _is_proof(problem, bound_alpha, penalties, found):
            raise too_deep(half, SHORT)
        return _dual(bound_alpha, found, penalties)
    for depth in range(prices.depth, prices.depth + PRICE_TRIES):
        tried = half.prices(depth, prices.floor)
        if tried is not None and _is_proof(problem, bound_alpha, penalties, tried):
            return _dual(bound_alpha, tried, penalties)
    raise NotCertifiedError("not certified: no prices were found for the alpha of the bound; state alpha instead")


def exact_layer(problem: LawProblem, clock: Clock) -> tuple[HalfLine, ExactLayer, ExactPrices]:
    """Search a layer and prices that meet under L0, at the alpha of a problem, and return what they solve too.

    Raises:
        InputError, LimitReachedError
    """
    alpha = problem.privacy.alpha
    clock.patience = math.inf
    half = _half_line(problem, alpha, clock, DEEPEST)
    layer, prices, _ = search(half, partial(_is_proof, problem, alpha, NO_PENALTIES))
    return half, layer, prices


def _is_proof(problem: LawProblem, alpha: Fraction, penalties: Penalties, prices: ExactPrices) -> bool:
    """Return whether prices prove a bound: the kernel's word."""
    try:
        duals.dual_excess(_dual(alpha, prices, penalties), problem.power, problem.properties)
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
    if not problem.power and not any(dual.penalties):
        return dual
    if {row[0] for row in dual.multipliers} <= {"WH"}:
        return replace(dual, lowered=0 if dual.multipliers else dual.depth - 1)
    n = duals.proved_from(dual, problem.power) + 2 * dual.depth
    columns = sorted({*range(min(4, dual.depth + 1)), dual.depth // 2, dual.depth - 1, dual.depth})
    return max(
        (replace(dual, lowered=column) for column in columns),
        key=lambda one: duals.bound_sum(one, problem.power, problem.properties, n),
    )


def _dual(alpha: Fraction, prices: ExactPrices, penalties: Penalties = NO_PENALTIES) -> LayerDual:
    """Write prices and multipliers over one denominator."""
    whole, denominator = over_common_denominator([*prices.prices, *(row[-1] for row in prices.multipliers)])
    depth = prices.depth
    rows = tuple((*row[:5], m) for row, m in zip(prices.multipliers, whole[depth:], strict=True))
    return LayerDual(alpha, depth, denominator, tuple(whole[:depth]), rows, penalties=penalties)

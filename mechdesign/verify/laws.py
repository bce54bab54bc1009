"""Laws, one design for every number of people, with each claim proved or refuted.

A law may be the best in further respects. Its dual of one bounds `loss + sum_t u_t loss_t`, with penalties u_t on the
losses of the respects before. Let v_t be the loss of the law in one of these, added up over all inputs. A mechanism
whose losses are at most v_t has a loss in this respect of at least that bound less `sum_t u_t v_t`.

Where the layer has depth 1 the law is the geometric mechanism, and under L0 no other is as good: let y_j be 1/(1+a) for
the first and the last input and c for the others, so that `sum_j a^|i-j| y_j = 1` for each i. A private mechanism P has
`P[i,j] >= a^|i-j| P[i,i]`, hence `P[i,i] <= sum_j y_j P[i,j]`. So its diagonal sums to at most `sum_j y_j`, and where
it sums to that, `P[i,j] = a^|i-j| P[i,i]` for all j. Its columns sum to 1, which determines the P[i,i], since the
matrix `a^|i-j|` has an inverse.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .certificates import FAIR, LAYER, ONLY, read_certificate
from .document import BY_EPSILON, LISTED_PROPERTIES, Privacy, read_privacy, require_remarks
from .enclosures import LONGEST_EXACT
from .fair import fair_sum
from .layer_duals import NO_PENALTIES, LayerDual, Penalties, bound_sum, counted, dual_excess, proved_from
from .layers import (
    LARGEST_N,
    MOST_DEPTH,
    Layer,
    layer_defects,
    layer_excess,
    layer_holds,
    remapped_layer,
    score_sum,
    work_fault,
)
from .proving import LEAST, MEANING, NARROW, ROUNDING, Claim, enclosure_claims, epsilon_claim, short_text
from .texts import UnreadableError, different_texts, entries, integer, items, number, rational, shown, text, whole

FORMAT = "mechdesign-design/3"
FORMAT_OF_STAGES = "mechdesign-design/5"
FORMATS = (FORMAT, FORMAT_OF_STAGES)
TOP = (
    *("format", "problem", "mechanism", "dual", "score", "lower_bound", "status", "holds"),
    *("seconds", "version", "method", "how"),
)
ASKED = ("model", "n", "alpha", "epsilon", "properties", "loss", "aggregate", "prior")
OF_LAYER = ("depth", "denominator", "rows")
OF_STAGE = ("loss", "excess", "score", "lower_bound", "penalties", "dual")
LOSSES = ("L0", "L1", "L2")
MOST_PENALTY = 1 << 256
AGGREGATES = ("expected", "worst")
PROPERTIES = (*LISTED_PROPERTIES, "FE")
FAIR_FROM = 2

LONGEST_ALPHA = 1024
"""Bits of the denominators of alpha and bound_alpha."""

WIDEST = Fraction(1, 10**30)
LONGEST_DENOMINATOR = 512
"""Numbers that are no rationals are enclosed within this share, by rationals whose denominators have so many bits."""


@dataclass(frozen=True)
class Stated:
    """A number of a document: low and high are its exact value where that is stated."""

    exact: Fraction | None
    value: Fraction
    low: Fraction
    high: Fraction


@dataclass(frozen=True)
class Layered:
    """The layer and the dual of a law, and E and E' as they are stated, each with its slope in 1/(n+1)."""

    layer: Layer
    dual: LayerDual
    excess: tuple[Fraction, Fraction]
    of_bound: tuple[Fraction, Fraction]


@dataclass(frozen=True)
class LawStage:
    """A further respect, with E and E' of its loss as they are stated.

    `before` are the powers of the losses before it. `dual` is None where the law is said to be the only one that is
    best in the first respect.
    """

    power: int
    before: tuple[int, ...]
    penalties: tuple[int, ...]
    dual: LayerDual | None
    excess: tuple[Fraction, Fraction]
    score: Stated
    lower_bound: Stated


@dataclass(frozen=True)
class LawDocument:
    """The document of a law, for n or, where `onward`, for every larger one too.

    `layered` is None for the fair law, which has no further respects.
    """

    words: str
    aim: str
    privacy: Privacy
    epsilon: Fraction
    properties: tuple[str, ...]
    power: int
    n: int
    onward: bool
    layered: Layered | None
    score: Stated
    lower_bound: Stated
    status: str
    holds: list[str]
    stages: tuple[LawStage, ...]


def read_law(data: Any) -> LawDocument:
    """Read a law from JSON values, the keys and types of FORMAT.md alone.

    Raises:
        UnreadableError: saying what is none of it.
    """
    form = data.get("format") if isinstance(data, dict) else None
    if not isinstance(data, dict) or form not in FORMATS:
        raise UnreadableError(f"file must be a law (format {' or '.join(FORMATS)})")
    kind = data["mechanism"].get("kind") if isinstance(data.get("mechanism"), dict) else None
    if type(kind) is not str or kind not in (LAYER, FAIR):
        raise UnreadableError(f"kind of the mechanism must be {LAYER} or {FAIR}, got {shown(kind)}")
    staged = form == FORMAT_OF_STAGES
    if staged and kind != LAYER:
        raise UnreadableError(f"kind of the mechanism of a law with stages must be {LAYER}, got {kind}")
    keys = (*TOP, *(("excess",) if kind == LAYER else ()), *(("stages",) if staged else ()))
    entries(data, "law", keys, ("x",))
    require_remarks(data)
    problem = data["problem"]
    by_epsilon = BY_EPSILON if isinstance(problem, dict) and BY_EPSILON[1] in problem else ()
    entries(problem, "problem", (*ASKED, *by_epsilon))
    privacy = read_privacy(problem)
    if max(privacy.alpha.denominator, privacy.bound_alpha.denominator).bit_length() > LONGEST_ALPHA:
        raise UnreadableError(
            f"alpha of a law must have a denominator of at most {LONGEST_ALPHA} bits, got a longer one"
        )
    n, onward = _size(problem["n"])
    power, is_worst = _aim(problem)
    properties = _properties(problem["properties"], kind, power, is_worst)
    layered = None
    if kind == LAYER:
        layered = _layered(data, privacy, properties, power)
    else:
        for part in ("mechanism", "dual"):
            if entries(data[part], part, ("kind",))["kind"] != FAIR:
                raise UnreadableError(f"kind of the {part} must be {FAIR}, got {shown(data[part]['kind'])}")
    enclosed = n > LONGEST_EXACT and (power > 0 or layered is None)
    counts = f"counts 0..n for every n >= {n}" if onward else f"counts 0..{n}"
    asked = ", ".join(properties) or "no properties"
    aim = f"loss L{power}, {'worst case' if is_worst else 'prior ' + shown('uniform')}"
    return LawDocument(
        f"{counts}, neighbours differ by 1, {privacy.words}, {asked}, {aim}",
        aim,
        privacy,
        number(problem["epsilon"], "epsilon"),
        properties,
        power,
        n,
        onward,
        layered,
        _stated(data["score"], "score", enclosed),
        _stated(data["lower_bound"], "lower_bound", enclosed),
        text(data["status"], "status"),
        different_texts(data["holds"], "holds"),
        _stages(data["stages"], privacy, power, n) if staged and layered else (),
    )


def _stages(value: object, privacy: Privacy, power: int, n: int) -> tuple[LawStage, ...]:
    """Read the further respects, each with another loss than those before it."""
    found: list[LawStage] = []
    for k, item in enumerate(items(value, "stages", lambda item, name: entries(item, name, OF_STAGE))):
        before = (power, *(one.power for one in found))
        if type(item["loss"]) is not str or item["loss"] not in LOSSES or LOSSES.index(item["loss"]) in before:
            raise UnreadableError(f"loss of stage {k + 1} must be another of {', '.join(LOSSES)}")
        own = LOSSES.index(item["loss"])
        dual = item["dual"]
        only = isinstance(dual, dict) and dual.get("kind") == ONLY
        if only:
            entries(dual, "dual", ("kind",))
        penalties = items(item["penalties"], "penalties", integer, 0 if only else len(before))
        if any(not 0 <= penalty <= MOST_PENALTY for penalty in penalties):
            raise UnreadableError("penalties must be integers from 0 to 2^256")
        excess = entries(item["excess"], "excess", ("layer", "bound"))
        found.append(
            LawStage(
                *(own, before, tuple(penalties)),
                None if only else _dual(dual, privacy.bound_alpha, True, counted(before, penalties)),
                (rational(excess["layer"], "layer"), rational(excess["bound"], "bound")),
                *(_stated(item[key], key, n > LONGEST_EXACT and own > 0) for key in ("score", "lower_bound")),
            )
        )
    if not found:
        raise UnreadableError("stages must be at least one")
    return tuple(found)


def _size(value: object) -> tuple[int, bool]:
    if isinstance(value, dict):
        return whole(entries(value, "n", ("from",))["from"], "from", 1, LARGEST_N), True
    return whole(value, "n", 1, LARGEST_N), False


def _aim(problem: dict[str, Any]) -> tuple[int, bool]:
    """Read the power of the loss, and whether it is the worst case that counts."""
    for key, known in (("model", ("count",)), ("aggregate", AGGREGATES), ("loss", LOSSES)):
        if type(problem[key]) is not str or problem[key] not in known:
            raise UnreadableError(f"{key} of a law must be one of {', '.join(known)}, got {shown(problem[key])}")
    is_worst = problem["aggregate"] == AGGREGATES[1]
    if problem["prior"] is not None if is_worst else problem["prior"] != "uniform":
        raise UnreadableError(
            f"prior of a law must be uniform, or null in the worst case, got {shown(problem['prior'])}"
        )
    return LOSSES.index(problem["loss"]), is_worst


def _properties(value: object, kind: str, power: int, is_worst: bool) -> tuple[str, ...]:
    """Read the asked properties: the fair law meets them with F or in the worst case, under L0, else a layer does."""
    names = different_texts(value, "properties")
    for name in names:
        if name not in PROPERTIES:
            raise UnreadableError(f"properties of a law must be among {', '.join(PROPERTIES)}, got {shown(name)}")
    if ("F" in names or is_worst) != (kind == FAIR) or (kind == FAIR and power > 0):
        raise UnreadableError(
            f"kind of the mechanism must be {FAIR} for F or the worst case, with L0, and {LAYER} for others, got {kind}"
        )
    return tuple(names)


def _layered(data: dict[str, Any], privacy: Privacy, properties: tuple[str, ...], power: int) -> Layered:
    by_remap = "remap" in data["mechanism"]
    mechanism = entries(
        data["mechanism"],
        "mechanism",
        ("kind", "remap") if by_remap else ("kind", *OF_LAYER),
        ("slopes",) * (not by_remap),
    )
    dual = _dual(data["dual"], privacy.bound_alpha, power > 0)
    has_slopes = power > 0 and "WH" in properties and not {"CH", "CM"} & set(properties)
    if "slopes" in mechanism and not has_slopes:
        raise UnreadableError("slopes must be with WH, without CH and CM, under L1 or L2, got them elsewhere")
    layer = _remapped(mechanism["remap"], privacy.alpha, has_slopes) if by_remap else _tables(mechanism, privacy.alpha)
    keys = ("layer", "bound", "layer_slope", "bound_slope") if layer.slopes is not None else ("layer", "bound")
    excess = entries(data["excess"], "excess", keys)
    values = [rational(excess[key], key) for key in keys] + [Fraction(0)] * (4 - len(keys))
    return Layered(layer, dual, (values[0], values[2]), (values[1], values[3]))


def _dual(value: object, alpha: Fraction, has_tails: bool, penalties: Penalties = NO_PENALTIES) -> LayerDual:
    """Read prices and multipliers; `has_tails` says that the loss is not L0 alone."""
    if not isinstance(value, dict) or value.get("kind") != LAYER:
        raise UnreadableError(f"dual must be a JSON object of the kind {LAYER}, got {shown(value)}")
    depth = whole(value.get("depth"), "depth of the dual", 1, MOST_DEPTH)
    certificate = read_certificate(value, LAYER, "dual", {"prices": depth}, absent=() if has_tails else ("lowered",))
    if certificate.scale <= 0:
        raise UnreadableError("the denominator of the dual must be positive")
    numbers = [certificate.scale, *certificate["prices"], *(row[5] for row in certificate["rows"]), *penalties]
    _require_little(depth, alpha, numbers)
    return LayerDual.of(alpha, certificate, penalties)


def _tables(mechanism: dict[str, Any], alpha: Fraction) -> Layer:
    """Read the tables of a layer."""
    denominator = integer(mechanism["denominator"], "denominator of the mechanism")
    if denominator <= 0:
        raise UnreadableError("the denominator of the mechanism must be positive")
    depth = whole(mechanism["depth"], "depth of the mechanism", 1, MOST_DEPTH)
    keys = [key for key in ("rows", "slopes") if key in mechanism]
    tables = []
    for key in keys:
        rows = items(mechanism[key], key, lambda row, name: items(row, name, integer, depth), depth)
        tables.append(tuple(map(tuple, rows)))
    _require_little(depth, alpha, [denominator, *(x for table in tables for row in table for x in row)])
    return Layer(alpha, depth, denominator, tables[0], tables[1] if len(tables) > 1 else None)


def _remapped(value: object, alpha: Fraction, has_slopes: bool) -> Layer:
    """Read the answers to the outputs 0, 1, .. of the geometric mechanism, and write the tables out."""
    remap = items(value, "remap", lambda item, name: whole(item, name, 0, MOST_DEPTH - 1))
    if not 1 <= len(remap) <= MOST_DEPTH or max(remap) >= len(remap):
        raise UnreadableError(f"remap must be 1 to {MOST_DEPTH} outputs below its length, got {shown(value)}")
    _require_little(len(remap), alpha, [alpha.denominator ** len(remap)])
    return remapped_layer(alpha, remap, has_slopes)


def _require_little(depth: int, alpha: Fraction, integers: list[int]) -> None:
    fault = work_fault(depth, alpha, max(map(int.bit_length, integers)))
    if fault:
        raise UnreadableError(fault)


def _stated(value: object, name: str, enclosed: bool) -> Stated:
    """Read a number: exact, or enclosed where it is long."""
    entry = entries(value, name, ("exact", "value", *(("low", "high") if enclosed else ())))
    near = number(entry["value"], f"{name} value")
    if not enclosed:
        exact = rational(entry["exact"], name)
        return Stated(exact, near, exact, exact)
    low, high = (rational(entry[key], f"{key} of {name}") for key in ("low", "high"))
    if entry["exact"] is not None or max(x.denominator.bit_length() for x in (low, high)) > LONGEST_DENOMINATOR:
        raise UnreadableError(f"{name} must be null with low and high of short denominators")
    return Stated(None, near, low, high)


def law_claims(law: LawDocument) -> Iterator[Claim]:
    """Yield every claim of a law, with the verdict of the kernel."""
    n, layered = law.n, law.layered
    least = FAIR_FROM
    if layered is not None:
        depths = [layered.layer.depth, layered.dual.depth, *(one.dual.depth for one in law.stages if one.dual)]
        least = 2 * max(depths) - 1
    yield Claim(f"n is at least {least}", n >= least, f"it is {n}")
    if n < least:
        return
    yield from enclosure_claims(law.privacy)
    if layered is None:
        having = list(LISTED_PROPERTIES)
    else:
        fault = next(layer_defects(layered.layer, (), n), "")
        yield Claim(f"the layer is that of a private mechanism for every n >= {n}", not fault, fault)
        having = layer_holds(layered.layer, n)
    for name in law.properties:
        yield Claim(f"{name}: {MEANING[name]}", name in having or name == "FE", f"property {name} does not hold")
    having += [name for name in law.properties if name == "FE"]
    yield Claim(
        f"the properties listed are exactly those that hold for every n >= {n} ({', '.join(having)})",
        set(law.holds) == set(having),
        f"it lists {shown(', '.join(sorted(law.holds)))}",
    )
    if law.onward:
        yield _from(law, least)
    if layered is not None:
        yield from _excess_claims(law, layered)
    yield _score(law)
    yield _bound(law)
    numbers = [("score", law.score), ("lower bound", law.lower_bound)]
    for stage in law.stages:
        assert layered is not None
        yield from _stage_claims(law, layered, stage)
        name = LOSSES[stage.power]
        numbers += [(f"score of {name}", stage.score), (f"lower bound of {name}", stage.lower_bound)]
    yield _status(law)
    for name, stated in numbers:
        off = max(abs(stated.value - stated.low), abs(stated.value - stated.high))
        near = off <= ROUNDING * abs(stated.low) + LEAST
        yield Claim(f"the value of the {name} is its number rounded", near, f"that is {short_text(stated.low)}")
    yield epsilon_claim(law.privacy.alpha, law.epsilon)


def _from(law: LawDocument, least: int) -> Claim:
    """Test that a law does not begin later than it might."""
    claim = f"it is proved for every n >= {law.n}, and its proof for no smaller one"
    if law.layered is None:
        return Claim(claim, law.n == least, f"it is proved from {least} on")
    try:
        proofs = [(law.layered.dual, law.power), *((one.dual, one.power) for one in law.stages if one.dual)]
        first = max(least, *(proved_from(dual, power) for dual, power in proofs))
    except ValueError as error:
        return Claim(claim, False, f"the proof is invalid: {error}")
    if law.n > first and not next(layer_defects(law.layered.layer, law.properties, law.n - 1), ""):
        return Claim(claim, False, f"it is proved from {law.n - 1} on")
    return Claim(claim, law.n >= first, f"it is proved from {first} on")


def _excess_claims(law: LawDocument, layered: Layered) -> Iterator[Claim]:
    """Test E and E', on which score and bound depend for every n."""
    stated, found = layered.excess, layer_excess(layered.layer, law.power)
    yield Claim(f"the excess of the layer is {_sloping(stated)}", found == stated, f"it is {_sloping(found)}")
    claim = f"the dual is one for every n >= {law.n}, of excess {_sloping(layered.of_bound)}"
    try:
        found = dual_excess(layered.dual, law.power, law.properties)
    except ValueError as error:
        yield Claim(claim, False, str(error))
    else:
        yield Claim(claim, found == layered.of_bound, f"it is {_sloping(found)}")


def _sloping(pair: tuple[Fraction, Fraction]) -> str:
    return short_text(pair[0]) + (f" and {short_text(pair[1])}/(n+1)" if pair[1] else "")


def _scale(n: int, power: int) -> int:
    """Return what the sum of the losses of all columns is divided by for the score."""
    return n if power == 0 else n + 1


def _score(law: LawDocument) -> Claim:
    claim = f"the score at n = {law.n} is {short_text(law.score.low)}"
    return _score_claim(claim, law, law.power, law.score)


def _score_claim(claim: str, law: LawDocument, power: int, stated: Stated) -> Claim:
    try:
        total = fair_sum(law.privacy.alpha, law.n)
        if law.layered is not None:
            total = score_sum(law.layered.layer, power, law.n)
    except ValueError as error:
        return Claim(claim, False, str(error))
    low, high = (x / _scale(law.n, power) for x in total)
    return Claim(claim, _encloses(stated, low, high), f"it is {short_text(low)}")


def _stage_claims(law: LawDocument, layered: Layered, stage: LawStage) -> Iterator[Claim]:
    """Test a further respect: E and E', score and bound."""
    name = LOSSES[stage.power]
    found = layer_excess(layered.layer, stage.power)[0]
    yield Claim(
        f"the excess of the layer in {name} is {short_text(stage.excess[0])}",
        found == stage.excess[0] and layered.layer.slopes is None,
        f"it is {short_text(found)}",
    )
    yield _score_claim(
        f"the score of {name} at n = {law.n} is {short_text(stage.score.low)}", law, stage.power, stage.score
    )
    if stage.dual is None:
        claim = "it is the geometric mechanism, and no other has its score"
        is_only = law.power == 0 and layered.layer.depth == 1 and law.privacy.epsilon is None
        yield Claim(claim, is_only, "others may")
        yield _score_claim(f"no other is better in {name}", law, stage.power, stage.lower_bound)
        yield Claim(f"so its excess is {short_text(found)}", stage.excess[1] == found, f"it is {short_text(found)}")
        return
    yield from _stage_bounds(law, layered, stage, stage.dual)


def _stage_bounds(law: LawDocument, layered: Layered, stage: LawStage, dual: LayerDual) -> Iterator[Claim]:
    """Test E' of a further respect, and its bound at n."""
    name, stated = LOSSES[stage.power], stage.lower_bound
    claim = f"the dual of {name} is one for every n >= {law.n}, of excess {short_text(stage.excess[1])}"
    paid = list(zip(stage.penalties, stage.before, strict=True))
    try:
        least = dual_excess(dual, stage.power, law.properties)[0]
        least -= sum(u * layer_excess(layered.layer, power)[0] for u, power in paid)
    except ValueError as error:
        yield Claim(claim, False, str(error))
        return
    yield Claim(claim, least == stage.excess[1], f"it is {short_text(least)}")
    claim = (
        f"at n = {law.n} none that is as good in the respects before scores in {name} below {short_text(stated.low)}"
    )
    try:
        proved = bound_sum(dual, stage.power, law.properties, law.n)
        proved -= sum(u * score_sum(layered.layer, power, law.n)[1] for u, power in paid)
    except ValueError as error:
        yield Claim(claim, False, f"the proof is invalid: {error}")
        return
    proved /= _scale(law.n, stage.power)
    if not stated.low <= proved:
        yield Claim(claim, False, f"the dual proves {short_text(proved)}")
    elif not _is_narrow(stated):
        yield Claim(claim, False, "low and high are too far apart")
    else:
        yield Claim(claim, stated.low <= stage.score.high, "that is above the score")


def _encloses(stated: Stated, low: Fraction, high: Fraction) -> bool:
    return stated.low <= low <= high <= stated.high and _is_narrow(stated)


def _is_narrow(stated: Stated) -> bool:
    return stated.low == stated.high or 0 <= stated.high - stated.low <= WIDEST * stated.low


def _bound(law: LawDocument) -> Claim:
    stated, layered = law.lower_bound, law.layered
    at = "alpha" if law.privacy.epsilon is None else "epsilon"
    claim = f"at n = {law.n} no mechanism that meets these demands at this {at} scores below {short_text(stated.low)}"
    if layered is None:
        low, high = (x / _scale(law.n, law.power) for x in fair_sum(law.privacy.bound_alpha, law.n))
        return Claim(claim, _encloses(stated, low, high), f"the least score is {short_text(low)}")
    try:
        proved = bound_sum(layered.dual, law.power, law.properties, law.n) / _scale(law.n, law.power)
    except ValueError as error:
        return Claim(claim, False, f"the proof is invalid: {error}")
    if stated.low != proved and (law.power == 0 or not 0 < stated.low < proved):
        return Claim(claim, False, f"the dual proves {short_text(proved)}")
    if not _is_narrow(stated):
        return Claim(claim, False, "low and high are too far apart")
    return Claim(claim, stated.low <= law.score.high, "that is above the score")


def _status(law: LawDocument) -> Claim:
    score, bound = law.score, law.lower_bound
    equal = law.layered is None or (score.exact is not None and score.exact == bound.exact)
    equal = equal and all(stage.dual is None for stage in law.stages)
    ends = [(score, bound), *((stage.score, stage.lower_bound) for stage in law.stages if stage.dual)]
    wide = any(above.high - below.low > NARROW * above.high for above, below in ends)
    status = "exact" if equal and law.privacy.epsilon is None else "feasible" if wide else "certified"
    words = {"exact": "score and bound are equal", "certified": "the gap is narrow", "feasible": "the gap is wide"}
    return Claim(
        f"the status is {shown(law.status)}: {words.get(law.status, 'which is none')}",
        law.status == status,
        f"it is {status}",
    )

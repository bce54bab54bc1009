"""Workload designs, read and proved or refuted claim by claim."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .bounds import proved_bound
from .certificates import Certificate, read_certificate
from .document import BY_EPSILON, Privacy, read_privacy, require_remarks
from .matrices import SingularError
from .proving import LEAST, ROUNDING, Claim, enclosure_claims, epsilon_claim, short_text
from .texts import (
    UnreadableError,
    entries,
    integer,
    items,
    number,
    rational,
    shown,
    text,
    whole,
)
from .variances import Rows, Variances, variances_of
from .workloads import MOST_ITEMS, Workload, read_queries, workload_of

FORMAT = "mechdesign-workload/1"
FORMAT_BY_EPSILON = "mechdesign-workload/2"
TOP = (
    *("format", "problem", "variance", "inputs", "floor", "gap", "rows", "weights", "denominator"),
    *("seconds", "version", "method", "how", "certificate"),
)
ASKED = ("model", "k", "alpha", "epsilon", "workload", "aggregate")
KINDS = ("rows", "relaxation", "levels")
GAP_ROUNDING = Fraction(1, 10**12)
"""A stated gap may be above the true one by this."""

MOST_LETTERS = 1 << 25
"""Letters of all rows together."""

MOST_CUTS = 1 << 14

_BITS = re.compile(r"[01]+")


@dataclass(frozen=True)
class RowDesign:
    """The document of a workload design.

    `upper` is the exact variance (None where it is not stated exactly) and its value, `lower` the same of the bound;
    `bits` has the bits of each row as an integer, item 0 lowest, and `inputs` least, mean and largest v_u.
    """

    words: str
    workload: Workload
    privacy: Privacy
    epsilon: Fraction
    is_worst: bool
    upper: tuple[Fraction | None, Fraction]
    lower: tuple[Fraction, Fraction]
    inputs: dict[str, Fraction]
    floor: Fraction
    gap: Fraction | None
    bits: list[int]
    weights: list[int]
    denominator: int
    certificate: Certificate


def read_row_design(data: Any) -> RowDesign:
    """Read a workload design from JSON values, the keys and types of FORMAT.md alone.

    Raises:
        UnreadableError: saying what is none of it.
    """
    entries(data, "workload design", TOP, ("x",))
    require_remarks(data)
    problem = _entry_of_problem(data["problem"], BY_EPSILON if data["format"] == FORMAT_BY_EPSILON else ())
    k = whole(problem["k"], "k", 2, MOST_ITEMS)
    privacy = read_privacy(problem)
    name = text(problem["workload"], "workload")
    queries = read_queries(problem["queries"], k) if "queries" in problem else None
    workload = workload_of(name, k, queries)
    if workload.size < 2:
        raise UnreadableError(f"workload must tell at least two items apart, got {shown(name)}")
    if problem["aggregate"] not in ("expected", "worst"):
        raise UnreadableError(f"aggregate must be expected or worst, got {shown(problem['aggregate'])}")
    asked = shown(name) if queries is None else f"of the {len(queries)} queries given as {shown(name)}"
    aim = "worst input" if problem["aggregate"] == "worst" else "mean over inputs"
    bits = items(data["rows"], "rows", lambda row, key: _bits(row, key, k))
    if len(bits) * k > MOST_LETTERS:
        raise UnreadableError(f"rows must have at most {MOST_LETTERS} letters together, got more")
    if not bits or len(set(bits)) < len(bits):
        raise UnreadableError("rows must be different, and at least one")
    return RowDesign(
        f"{k} items, all are neighbours, {privacy.words}, workload {asked}, {aim}",
        workload,
        privacy,
        number(problem["epsilon"], "epsilon"),
        problem["aggregate"] == "worst",
        *_variance(data["variance"]),
        _inputs(data["inputs"]),
        number(data["floor"], "floor"),
        None if data["gap"] is None else number(data["gap"], "gap"),
        bits,
        items(data["weights"], "weights", integer, len(bits)),
        _positive(data["denominator"], "denominator"),
        _certificate(data["certificate"], workload.size),
    )


def _entry_of_problem(value: object, more: tuple[str, ...]) -> dict[str, Any]:
    problem = entries(value, "problem", (*ASKED, *more), ("queries",))
    if problem["model"] != "ldp":
        raise UnreadableError(f"model of a workload design must be ldp, got {shown(problem['model'])}")
    return problem


def _positive(value: object, name: str) -> int:
    found = integer(value, name)
    if found <= 0:
        raise UnreadableError(f"{name} must be positive, got {shown(value)}")
    return found


def _bits(value: object, name: str, k: int) -> int:
    if type(value) is not str or len(value) != k or not _BITS.fullmatch(value):
        raise UnreadableError(f"{name} must be texts of {k} letters 0 and 1, got {shown(value)}")
    return int(value[::-1], 2)


def _variance(value: object) -> tuple[tuple[Fraction | None, Fraction], tuple[Fraction, Fraction]]:
    both = entries(value, "variance", ("upper", "lower"))
    upper, lower = (entries(both[name], name, ("exact", "value")) for name in ("upper", "lower"))
    exact = None if upper["exact"] is None else rational(upper["exact"], "upper")
    bound = rational(lower["exact"], "lower")
    return (exact, number(upper["value"], "upper value")), (bound, number(lower["value"], "lower value"))


def _inputs(value: object) -> dict[str, Fraction]:
    found = entries(value, "inputs", ("least", "mean", "largest"))
    return {name: number(found[name], f"inputs {name}") for name in ("least", "mean", "largest")}


def _certificate(value: object, size: int) -> Certificate:
    if not isinstance(value, dict):
        raise UnreadableError(f"certificate must be a JSON object, got {shown(value)}")
    kind = value.get("kind")
    if type(kind) is not str or kind not in KINDS:
        raise UnreadableError(f"kind of a certificate must be one of {', '.join(KINDS)}, got {shown(kind)}")
    prices = 1 if kind == "levels" else size
    lengths = {"prior": size, "prices": prices, "dual": size, "diagonal": size + 1, "cuts": size + 1}
    found = read_certificate(value, kind, "certificate", lengths)
    _positive(value["scale"], "scale")
    if min(found["prior"]) < 0 or not any(found["prior"]):
        raise UnreadableError("prior must be integers of at least 0, not all 0")
    if len(found.get("cuts") or ()) > MOST_CUTS:
        raise UnreadableError(f"cuts must be at most {MOST_CUTS}, got {len(found['cuts'])}")
    return found


def row_claims(design: RowDesign) -> Iterator[Claim]:
    """Yield every claim of a workload design, with a verdict."""
    negative = next((row for row, weight in enumerate(design.weights) if weight <= 0), None)
    yield Claim("every weight is positive", negative is None, f"that of row {negative} is not")
    unequal = _unequal_column(design)
    yield Claim("every column sums to the denominator", unequal is None, f"that of item {unequal} does not")
    words = "every output has two probabilities, of which one is alpha times the other"
    yield Claim(f"alpha-LDP with alpha = {short_text(design.privacy.alpha)}: {words}", True)
    apart = _apart(design)
    yield Claim("items that the workload does not tell apart are treated alike", apart is None, f"not item {apart}")
    uniform = design.is_worst or _is_uniform(design)
    yield Claim("the prior is the one that was asked for", uniform, "it is not that of equally likely items")
    if negative is None and unequal is None and apart is None:
        yield from _variance_claims(design)
    else:
        yield Claim("the variance is as stated", False, "there is no mechanism to compute it for")
    yield from _bound_claims(design)
    yield from enclosure_claims(design.privacy)
    yield epsilon_claim(design.privacy.alpha, design.epsilon)


def _unequal_column(design: RowDesign) -> int | None:
    """Return an item whose column does not sum to the denominator, if there is one."""
    p, q = design.privacy.alpha.as_integer_ratio()
    k = design.workload.k
    ones = [0] * k
    for bits, weight in zip(design.bits, design.weights, strict=True):
        for item in range(k):
            if bits >> item & 1:
                ones[item] += weight
    wanted = p * (design.denominator - sum(design.weights))
    return next((item for item, weight in enumerate(ones) if (q - p) * weight != wanted), None)


def _apart(design: RowDesign) -> int | None:
    """Return an item whose bits differ from those of the first of its group, if there is one."""
    first: dict[int, int] = {}
    for item, group in enumerate(design.workload.group_of):
        other = first.setdefault(group, item)
        if other != item and any((bits >> item ^ bits >> other) & 1 for bits in design.bits):
            return item
    return None


def _is_uniform(design: RowDesign) -> bool:
    """Whether the prior is that of equally likely items."""
    prior, k = design.certificate["prior"], design.workload.k
    return all(weight * k == size * sum(prior) for weight, size in zip(prior, design.workload.sizes, strict=True))


def _variance_claims(design: RowDesign) -> Iterator[Claim]:
    workload, (exact, value) = design.workload, design.upper
    firsts = [workload.group_of.index(group) for group in range(workload.size)]
    groups = design.bits
    if workload.size < workload.k:
        groups = [sum((bits >> item & 1) << group for group, item in enumerate(firsts)) for bits in design.bits]
    rows, prior = Rows(groups, design.weights, design.denominator), design.certificate["prior"]
    try:
        found = variances_of(workload, design.privacy.alpha, rows, prior, exact is not None and not design.is_worst)
    except SingularError:
        yield Claim("the answers can be estimated without a bias", False, "the outputs do not tell all of them")
        return
    except ValueError as error:
        yield Claim("the variance is as stated", False, str(error))
        return
    yield Claim("the answers can be estimated without a bias", True)
    low, high = _aim(design, found)
    if exact is None:
        yield Claim(
            f"the variance for each user is at most {_decimals(value)}", high <= value, f"it is {short_text(high)}"
        )
    else:
        yield Claim(
            f"the variance for each user is {short_text(exact)}", low == exact == high, f"it is {short_text(high)}"
        )
    near = high <= value <= low + ROUNDING * abs(low) + LEAST
    yield Claim("the variance in decimals is rounded up", near, f"it is {short_text(high)}")
    sides = (found.low, found.high)
    for name, (least, most) in (
        ("least", map(min, sides)),
        ("mean", (_mean(side, workload.sizes) for side in sides)),
        ("largest", map(max, sides)),
    ):
        stated = design.inputs[name]
        off = ROUNDING * abs(least) + LEAST
        words = f"the {name} variance over the items is {_decimals(stated)}"
        yield Claim(words, most - off <= stated <= least + off, f"it is {short_text(least)}")


def _aim(design: RowDesign, variances: Variances) -> tuple[Fraction, Fraction]:
    """Return what is minimised, between two rationals."""
    if variances.exact is not None:
        return variances.exact, variances.exact
    if design.is_worst:
        return max(variances.low), max(variances.high)
    prior = design.certificate["prior"]
    return _mean(variances.low, prior), _mean(variances.high, prior)


def _mean(values: list[Fraction], weights: Sequence[int]) -> Fraction:
    return sum((weight * value for weight, value in zip(weights, values, strict=True)), Fraction(0)) / sum(weights)


def _decimals(value: Fraction) -> str:
    """Write a number of a document, which doubles can carry."""
    return f"{float(value):.15g}"


def _bound_claims(design: RowDesign) -> Iterator[Claim]:
    exact, value = design.lower
    upper = design.upper[1] if design.upper[0] is None else design.upper[0]
    where = "for the worst item" if design.is_worst else "at equally frequent items"
    at = "alpha" if design.privacy.epsilon is None else "epsilon"
    claim = f"{where} no mechanism at this {at} has unbiased linear answers of a variance below {short_text(exact)}"
    try:
        proved = proved_bound(design.workload, design.privacy.bound_alpha, design.certificate)
        detail = "" if proved == exact else f"the certificate proves {short_text(proved)}"
        detail = detail or ("" if exact <= upper else "that is above the variance")
    except ValueError as error:
        detail = f"the proof is invalid: {error}"
    yield Claim(claim, not detail, detail)
    near = exact - ROUNDING * abs(exact) - LEAST <= value <= exact
    yield Claim("the bound in decimals is rounded down", near, f"it is {short_text(exact)}")
    if design.floor > 0:  # no variance is below 0
        yield Claim("the floor is at most the bound", design.floor <= exact, "it is above")
    if exact <= 0:
        yield Claim("no gap is stated, since the bound is not above 0", design.gap is None, "one is")
        return
    gap = upper / exact - 1
    near = design.gap is not None and gap <= design.gap <= gap * (1 + ROUNDING) + GAP_ROUNDING
    yield Claim("the gap is (variance - bound) / bound, rounded up", near, f"it is {short_text(gap)}")

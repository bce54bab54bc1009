"""Noise tables for counts, proved or refuted: what an office asks, (epsilon, delta), and the bound of all tables.

Row j is the law of the noise of a true count j; the last row, J, serves all larger counts. With `P[i|j]` the chance of
the output i, delta at r is the largest of `sum_i max(0, P[i|a] - r P[i|b])` over neighbours a, b from a start on.

The bound is a Lagrangian one. A test of (a, b) has weights `0 <= y_i <= z`, and whatever the table,

    z delta >= sum_i y_i (P[i|a] - r P[i|b]).

Every demand is taken into the cost with its multiplier, tests with theirs; where delta is part of the objective, the z
of its tests sum to its weight at most. A row is a probability vector, so it pays the least of its costs.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any

from .certificates import NOISE, Certificate, read_certificate
from .document import require_remarks
from .enclosures import loss_bounds
from .proving import LEAST, NARROW, ROUNDING, Claim, short_text
from .texts import UnreadableError, entries, integer, items, number, rational, shown, text, whole

FORMAT = "mechdesign-noise-table/1"
TOP = (
    *("format", "problem", "rows", "denominator", "delta", "objective", "lower_bound", "status"),
    *("seconds", "version", "method", "how", "dual"),
)
ASKED = (
    *("noise", "variance", "variance_equal", "block", "zeros", "shape", "symmetric", "stay", "keys"),
    *("guarantees", "objective"),
)
LARGEST_NOISE, MOST_GUARANTEES, LARGEST_EPSILON = 40, 20, 20
MOST_KEYS = 1 << 16
LARGE, ENTROPY = "large", "entropy"
LOG_UNIT = 1 << 64
NEAR = Fraction(1, 10**9)
"""Ratios around `exp(epsilon)` are apart by less than this of them."""

Table = list[dict[int, int]]

Stated = tuple[Fraction, int | str, Fraction, Fraction]
"""Epsilon, start, exact delta, value."""

Test = tuple[int, int, int, int, tuple[tuple[int, int], ...]]
"""Guarantee, counts a and b, z, and (output, y) of the outputs that have a weight."""


@dataclass(frozen=True)
class Guarantee:
    """A guarantee: delta at epsilon from a count on, capped or weighed; with rationals around `exp(epsilon)`."""

    epsilon: Fraction
    ratio: Fraction
    bound_ratio: Fraction
    delta: Fraction | None
    start: int | str
    weight: Fraction


@dataclass(frozen=True)
class Problem:
    """The demands on a table."""

    noise: int
    variance: Fraction
    variance_equal: bool
    block: int
    zeros: str
    shape: str
    symmetric: bool
    stay: Fraction
    keys: int | None
    guarantees: tuple[Guarantee, ...]
    objective: str

    @property
    def last(self) -> int:
        """J, the row of all larger counts."""
        return self.noise + self.block + 1 if self.block else self.noise

    def support(self, count: int) -> list[int]:
        """Return the noises that a row may have."""
        if count == 0 and self.zeros == "fixed":
            return [0]
        around = range(-self.noise, self.noise + 1)
        if 1 <= count <= self.block and self.variance == count * (self.block + 1 - count):
            return [-count, self.block + 1 - count]  # no other law without bias has so small a variance
        return [v for v in around if count + v == 0 or count + v > self.block]

    def start(self, guarantee: Guarantee) -> int:
        """Return the least count of a guarantee."""
        return self.last if guarantee.start == LARGE else int(guarantee.start)

    def cost(self, count: int, noise: int) -> Fraction:
        """Return what a noise costs beside delta."""
        if self.objective in ("delta", ENTROPY) or count == 0:
            return Fraction(0)
        charge = {"variance": noise * noise, "L1": abs(noise), "L0": 1 if noise else 0}[self.objective]
        return Fraction(charge, self.last)

    def shape_pairs(self, count: int) -> Iterator[tuple[int, int]]:
        """Yield (nearer, farther) noises of a row of which the first is at least as likely."""
        if self.shape == "none":
            return
        support = self.support(count)
        below = [v for v in support if v <= 0]
        yield from ((below[k + 1], below[k]) for k in range(len(below) - 1))
        above = [v for v in support if v >= 0] if self.shape == "unimodal" else []
        yield from ((above[k], above[k + 1]) for k in range(len(above) - 1))


@dataclass(frozen=True)
class NoiseTableDocument:
    """The document of a noise table."""

    words: str
    problem: Problem
    rows: Table
    denominator: int
    deltas: tuple[Stated, ...]
    objective: tuple[Fraction | None, Fraction]
    lower_bound: tuple[Fraction, Fraction]
    status: str
    certificate: Certificate


def read_noise_table(data: Any) -> NoiseTableDocument:
    """Read a noise table from JSON values, the keys and types of FORMAT.md alone.

    Raises:
        UnreadableError: saying what is none of it.
    """
    entries(data, "noise table", TOP, ("x",))
    if data["format"] != FORMAT:
        raise UnreadableError(f"format must be {FORMAT}, got {shown(data['format'])}")
    require_remarks(data)
    problem = _read_problem(data["problem"])
    rows = items(data["rows"], "rows", _read_row, problem.last + 1)
    denominator = integer(data["denominator"], "denominator")
    if denominator <= 0:
        raise UnreadableError("denominator must be positive, got another")
    lengths = {"means": len(rows), "variances": len(rows), "stay": len(rows), "mirror": problem.noise}
    return NoiseTableDocument(
        _words(problem),
        problem,
        rows,
        denominator,
        tuple(items(data["delta"], "delta", _read_delta, len(problem.guarantees))),
        _read_objective(data["objective"], problem),
        _read_pair(data["lower_bound"], "lower_bound"),
        text(data["status"], "status"),
        read_certificate(data["dual"], NOISE, "dual", lengths),
    )


def _words(problem: Problem) -> str:
    zeros = "zeros stay zero" if problem.zeros == "fixed" else "zeros perturbed"
    blocked = f", results 1..{problem.block} blocked" if problem.block else ""
    return f"a noise table, noise up to {problem.noise}, variance {short_text(problem.variance)}{blocked}, {zeros}"


def _read_problem(value: object) -> Problem:
    found = entries(value, "problem", ASKED)
    noise = whole(found["noise"], "noise", 1, LARGEST_NOISE)
    for name, known in (
        ("zeros", ("fixed", "perturbed")),
        ("shape", ("none", "left", "unimodal")),
        ("objective", ("entropy", "delta", "variance", "L0", "L1")),
    ):
        if found[name] not in known:
            raise UnreadableError(f"{name} must be one of {', '.join(known)}, got {shown(found[name])}")
    for name in ("variance_equal", "symmetric"):
        if type(found[name]) is not bool:
            raise UnreadableError(f"{name} must be true or false, got {shown(found[name])}")
    guarantees = tuple(items(found["guarantees"], "guarantees", _read_guarantee))
    if len(guarantees) > MOST_GUARANTEES:
        raise UnreadableError(f"guarantees must be at most {MOST_GUARANTEES}, got {len(guarantees)}")
    problem = Problem(
        noise,
        rational(found["variance"], "variance"),
        found["variance_equal"],
        whole(found["block"], "block", 0, noise),
        found["zeros"],
        found["shape"],
        found["symmetric"],
        rational(found["stay"], "stay"),
        None if found["keys"] is None else whole(found["keys"], "keys", 2, MOST_KEYS),
        guarantees,
        found["objective"],
    )
    if any(one.start != LARGE and int(one.start) > problem.last for one in guarantees):
        raise UnreadableError(f"start must be at most {problem.last}, the last row, got more")
    if problem.objective != "delta" and any(one.delta is None for one in guarantees):
        raise UnreadableError("delta of a guarantee must be given where it is no part of the objective, got null")
    return problem


def _read_guarantee(value: object, name: str) -> Guarantee:
    found = entries(value, name, ("epsilon", "ratio", "bound_ratio", "delta", "start", "weight"))
    start = found["start"] if found["start"] == LARGE else whole(found["start"], "start", 0, 2 * LARGEST_NOISE + 1)
    one = Guarantee(
        rational(found["epsilon"], "epsilon"),
        rational(found["ratio"], "ratio"),
        rational(found["bound_ratio"], "bound_ratio"),
        None if found["delta"] is None else rational(found["delta"], "delta"),
        start,
        rational(found["weight"], "weight"),
    )
    if not 0 < one.epsilon <= LARGEST_EPSILON or not 1 <= one.ratio <= one.bound_ratio or one.weight <= 0:
        raise UnreadableError(
            f"{name} must have epsilon in (0, {LARGEST_EPSILON}], 1 <= ratio <= bound_ratio, weight > 0"
        )
    return one


def _read_row(value: object, name: str) -> dict[int, int]:
    pairs = items(value, name, _read_weight)
    found = dict(pairs)
    if len(found) < len(pairs):
        raise UnreadableError(f"{name} must have every noise once, got one twice")
    return found


def _read_weight(value: object, name: str) -> tuple[int, int]:
    if isinstance(value, list) and len(value) == 2:
        return whole(value[0], name, -LARGEST_NOISE, LARGEST_NOISE), integer(value[1], name)
    raise UnreadableError(f"{name} must have pairs [noise, weight], got {shown(value)}")


def _read_delta(value: object, name: str) -> Stated:
    found = entries(value, name, ("epsilon", "start", "exact", "value"))
    start = found["start"] if found["start"] == LARGE else whole(found["start"], "start", 0, 2 * LARGEST_NOISE + 1)
    return rational(found["epsilon"], "epsilon"), start, *_pair_of(found, name)


def _read_objective(value: object, problem: Problem) -> tuple[Fraction | None, Fraction]:
    if problem.objective != ENTROPY:
        return _read_pair(value, "objective")
    found = entries(value, "objective", ("exact", "value"))
    if found["exact"] is not None:
        raise UnreadableError(f"exact of an entropy must be null, got {shown(found['exact'])}")
    return None, number(found["value"], "objective value")


def _read_pair(value: object, name: str) -> tuple[Fraction, Fraction]:
    return _pair_of(entries(value, name, ("exact", "value")), name)


def _pair_of(found: dict[str, Any], name: str) -> tuple[Fraction, Fraction]:
    return rational(found["exact"], name), number(found["value"], f"{name} value")


def noise_claims(document: NoiseTableDocument) -> Iterator[Claim]:
    """Yield every claim of a noise table, with a verdict."""
    problem, rows, denominator = document.problem, document.rows, document.denominator
    yield _first(
        "no weight is negative", (f"row {j} has one" for j, row in enumerate(rows) if min(row.values(), default=0) < 0)
    )
    sums = (f"row {j} does not" for j, row in enumerate(rows) if sum(row.values()) != denominator)
    yield _first("every row sums to the denominator", sums)
    if any(not 0 <= w <= denominator for row in rows for w in row.values()):
        yield Claim("every weight is a share of the denominator", False, "one is not; nothing else was looked at")
        return
    yield from office_claims(problem, rows, denominator)
    for epsilon, ratio, bound_ratio in dict.fromkeys((x.epsilon, x.ratio, x.bound_ratio) for x in problem.guarantees):
        yield _enclosed(epsilon, ratio, bound_ratio)
    reached = [delta(problem, rows, denominator, one.ratio, problem.start(one)) for one in problem.guarantees]
    for one, stated, own in zip(problem.guarantees, document.deltas, reached, strict=True):
        yield from _delta_claims(one, stated, own)
    paid = objective_of(problem, rows, denominator)
    exact, value = document.objective
    if exact is not None:
        yield Claim(f"the objective is {short_text(exact)}", exact == paid, f"it is {short_text(paid)}")
    near = abs(value - paid) <= ROUNDING * abs(paid) + LEAST and (exact is not None or value >= paid)
    words = "its value is the exact number rounded" if exact is not None else "minus the entropy is rounded up, in bits"
    yield Claim(words, near, f"it is {short_text(paid)}")
    yield from _bound_claims(document, paid)


def _delta_claims(one: Guarantee, stated: Stated, own: Fraction) -> Iterator[Claim]:
    epsilon, start, exact, value = stated
    words = f"delta at epsilon = {short_text(epsilon)} is at most {short_text(exact)} for {_of_counts(start)}"
    same = (epsilon, start) == (one.epsilon, one.start)
    yield Claim(words, same and exact == own, f"it is {short_text(own)}" if same else "that was not asked")
    near = exact <= value <= exact * (1 + ROUNDING) + LEAST
    yield Claim(f"the value of delta at {short_text(epsilon)} is its exact number rounded up", near, "it is not")
    if one.delta is not None:
        yield Claim(f"that is no more than {short_text(one.delta)}", own <= one.delta, f"it is {short_text(own)}")


def _of_counts(start: int | str) -> str:
    return "counts of the last row" if start == LARGE else "all counts" if start == 0 else f"counts from {start} on"


def _first(claim: str, defects: Iterator[str]) -> Claim:
    found = next(defects, "")
    return Claim(claim, not found, found)


def office_claims(problem: Problem, rows: Table, denominator: int) -> Iterator[Claim]:
    """Yield a claim for each demand beside privacy."""
    counts = range(problem.last + 1)
    blocked = f", and none is in 1..{problem.block}" if problem.block else ""
    zeros = "; a true 0 stays 0" if problem.zeros == "fixed" else ""
    beyond = (f"row {j} does not" for j in counts if {v for v, w in rows[j].items() if w} - set(problem.support(j)))
    yield _first(f"every row has noise of at most {problem.noise}, no result is negative{blocked}{zeros}", beyond)
    means = [sum(v * w for v, w in row.items()) for row in rows]
    yield _first("every row from 1 on has the mean 0", (f"row {j} does not" for j in counts[1:] if means[j]))
    squares = [Fraction(sum(v * v * w for v, w in row.items()), denominator) for row in rows]
    over = (f"row {j} has {short_text(squares[j])}" for j in counts if squares[j] > problem.variance)
    yield _first(f"the mean square of the noise is at most {short_text(problem.variance)} in every row", over)
    if problem.variance_equal:
        under = (f"row {j} has {short_text(squares[j])}" for j in counts[1:] if squares[j] != problem.variance)
        yield _first("it is exactly that in every row from 1 on", under)
    if problem.shape != "none":
        side = "below 0" if problem.shape == "left" else "on either side"
        bent = (
            f"row {j}, noise {farther}"
            for j in counts
            for near, farther in problem.shape_pairs(j)
            if rows[j].get(near, 0) < rows[j].get(farther, 0)
        )
        yield _first(f"chances fall away from the noise 0 {side}", bent)
    if problem.symmetric:
        last = rows[problem.last]
        lopsided = (f"noise {v}" for v in range(1, problem.noise + 1) if last.get(v, 0) != last.get(-v, 0))
        yield _first("the last row is symmetric", lopsided)
    if problem.stay:
        leaving = (
            f"row {j} does not"
            for j in counts
            if 0 in problem.support(j) and rows[j].get(0, 0) < problem.stay * denominator
        )
        yield _first(f"the noise 0 has at least {short_text(problem.stay)} where it may be", leaving)

    if problem.keys:
        parts = (f"row {j} has others" for j in counts if any(w * problem.keys % denominator for w in rows[j].values()))
        yield _first(f"every chance is a whole number of {problem.keys} keys", parts)


def _enclosed(epsilon: Fraction, ratio: Fraction, bound_ratio: Fraction) -> Claim:
    below = loss_bounds(1 / ratio)[1] <= epsilon
    above = epsilon <= loss_bounds(1 / bound_ratio)[0]
    words = f"ratio and bound_ratio enclose exp({short_text(epsilon)}), within 1e-9"
    return Claim(words, below and above and bound_ratio < ratio * (1 + NEAR), "that is not shown")


def delta(problem: Problem, rows: Table, denominator: int, ratio: Fraction, start: int) -> Fraction:
    """Return delta of a table at a ratio, for neighbours from a count on."""
    p, q = ratio.as_integer_ratio()
    largest = 0
    for j in range(start, problem.last + 1):
        low = {j + v: w for v, w in rows[j].items()}
        high = {j + 1 + v: w for v, w in rows[min(j + 1, problem.last)].items()}
        for a, b in ((low, high), (high, low)):
            largest = max(largest, sum(max(0, q * w - p * b.get(i, 0)) for i, w in a.items()))
    return Fraction(largest, q * denominator)


def objective_of(problem: Problem, rows: Table, denominator: int) -> Fraction:
    """Compute the objective of a table; of entropy, with its sign changed, a number that is just above it."""
    shares = [(j, v, Fraction(w, denominator)) for j, row in enumerate(rows) for v, w in row.items() if w]
    if problem.objective == ENTROPY:
        return sum((share * log2_bounds(share)[1] for _, _, share in shares), Fraction(0))
    free = (one for one in problem.guarantees if one.delta is None)
    deltas = (one.weight * delta(problem, rows, denominator, one.ratio, problem.start(one)) for one in free)
    return sum((share * problem.cost(j, v) for j, v, share in shares), Fraction(0)) + sum(deltas, Fraction(0))


def log2_bounds(share: Fraction) -> tuple[Fraction, Fraction]:
    """Return rationals below and above the binary logarithm of a chance, 2^-63 apart at most."""
    low, high = loss_bounds(share)
    least, most = loss_bounds(Fraction(1, 2))
    return Fraction(floor(-high / least * LOG_UNIT), LOG_UNIT), Fraction(ceil(-low / most * LOG_UNIT), LOG_UNIT)


def tangent_costs(problem: Problem, rows: Table, denominator: int) -> dict[tuple[int, int], Fraction]:
    """Return what noises cost at a table where entropy is the objective: entropy lies below its tangent there.

    `sum_v x_v log2 x_v >= sum_v x_v log2 t_v` for all laws x, so with costs of at most `log2 t_v` a bound of the cost
    is one of the entropy, with its sign changed.

    Raises:
        ValueError: for a noise that may be and has no chance.
    """
    costs = {}
    for j in range(problem.last + 1):
        for v in problem.support(j):
            if rows[j].get(v, 0) <= 0:
                raise ValueError(f"noise {v} of row {j} has no chance, and entropy no tangent")
            costs[j, v] = log2_bounds(Fraction(rows[j][v], denominator))[0]
    return costs


def costs_of(problem: Problem, rows: Table, denominator: int) -> dict[tuple[int, int], Fraction]:
    """Return what each noise costs beside delta; errors as `tangent_costs`."""
    if problem.objective == ENTROPY:
        return tangent_costs(problem, rows, denominator)
    return {(j, v): problem.cost(j, v) for j in range(problem.last + 1) for v in problem.support(j)}


def _bound_claims(document: NoiseTableDocument, paid: Fraction) -> Iterator[Claim]:
    problem, (exact, value) = document.problem, document.lower_bound
    limit = f"an objective below {short_text(exact)}"
    if problem.objective == ENTROPY:
        limit = f"an entropy above {short_text(-exact)} bits"
    words = f"no table that meets these demands at these epsilons has {limit}"
    try:
        costs = costs_of(problem, document.rows, document.denominator)
        proved = proved_bound(problem, document.certificate, costs, at_bound=True)
        own = proved_bound(problem, document.certificate, costs, at_bound=False)
    except ValueError as error:
        yield Claim(words, False, f"the proof is invalid: {error}")
        return
    yield Claim(words, proved == exact, f"the dual proves {short_text(proved)}")
    yield Claim("its value is rounded down", exact - ROUNDING * abs(exact) - LEAST <= value <= exact, "it is not")
    status = status_of(paid, own)
    meaning = {
        "exact": "at the lower ratios the dual proves the objective itself",
        "certified": "the gap is narrow",
        "feasible": "the gap is wide",
    }
    said = f"the status is {shown(document.status)}: {meaning.get(document.status, 'which is none')}"
    yield Claim(said, status == document.status, f"it is {status}")


def status_of(paid: Fraction, bound: Fraction) -> str:
    """Say how far an objective is from the bound at the same ratios: `exact`, `certified` or `feasible`."""
    return "exact" if bound == paid else "certified" if paid - bound <= NARROW * abs(paid) else "feasible"


def proved_bound(
    problem: Problem, certificate: Certificate, charged: Mapping[tuple[int, int], Fraction] | None, at_bound: bool
) -> Fraction:
    """Return the lower bound of the objective of every table that a certificate proves.

    Args:
        problem: the demands.
        certificate: the multipliers.
        charged: what each noise costs; None where nothing is charged, deltas neither, so that a positive bound says
            that no table meets the demands.
        at_bound: at the ratios above `exp(epsilon)`, else at those below.

    Raises:
        ValueError: for multipliers that prove nothing.
    """
    unit = certificate.scale
    if unit <= 0:
        raise ValueError("the denominator is not positive")
    cells = ((j, v) for j in range(problem.last + 1) for v in problem.support(j))
    costs = dict.fromkeys(cells, Fraction(0)) if charged is None else dict(charged)
    bound = _charge_rows(problem, certificate, costs)
    spent = [Fraction(0)] * len(problem.guarantees)
    for test in certificate["tests"]:
        t, weight = _charge_test(problem, test, unit, costs, at_bound)
        spent[t] += weight
    for one, z in zip(problem.guarantees, spent, strict=True):
        if one.delta is not None:
            bound -= one.delta * z
        elif z > (0 if charged is None else one.weight):
            raise ValueError("tests of a guarantee weigh more than it does")
    return bound + sum(min(costs[j, v] for v in problem.support(j)) for j in range(problem.last + 1))


def _charge_test(
    problem: Problem, test: Test, unit: int, costs: dict[tuple[int, int], Fraction], at_bound: bool
) -> tuple[int, Fraction]:
    """Take a test into the costs; return its guarantee and its weight."""
    t, a, b, z, weights = test
    if not 0 <= t < len(problem.guarantees):
        raise ValueError("a test is of no guarantee")
    one = problem.guarantees[t]
    if abs(a - b) != 1 or not problem.start(one) <= min(a, b) <= problem.last:
        raise ValueError("a test is of no neighbours that a guarantee speaks of")
    if z < 0:
        raise ValueError("a test has a negative weight")
    if len({i for i, _ in weights}) < len(weights):
        raise ValueError("a test has an output twice")
    ratio = one.bound_ratio if at_bound else one.ratio
    own, other = min(a, problem.last), min(b, problem.last)
    for i, y in weights:
        if not 0 <= y <= z or (own, i - a) not in costs:
            raise ValueError("a test has a weight above its own, or of an output that is none")
        costs[own, i - a] += Fraction(y, unit)
        if (other, i - b) in costs:
            costs[other, i - b] -= ratio * Fraction(y, unit)
    return t, Fraction(z, unit)


def _charge_rows(problem: Problem, certificate: Certificate, costs: dict[tuple[int, int], Fraction]) -> Fraction:
    """Take the demands beside privacy into the costs; return what their right sides are worth."""
    unit, bound = certificate.scale, Fraction(0)
    for j in range(problem.last + 1):
        mean, spread, stay = (Fraction(certificate[name][j], unit) for name in ("means", "variances", "stay"))
        if j == 0 and mean:
            raise ValueError("row 0 need not have the mean 0")
        if spread < 0 and not (problem.variance_equal and j):
            raise ValueError("a multiplier of a variance is negative")
        if stay < 0 or (stay and 0 not in problem.support(j)):
            raise ValueError("a multiplier of the noise 0 is negative, or of a row that cannot have it")
        bound += stay * problem.stay - spread * problem.variance
        for v in problem.support(j):
            costs[j, v] += spread * v * v - mean * v - (stay if v == 0 else 0)
    for j, near, farther, m in certificate["shape"]:
        if m < 0 or not 0 <= j <= problem.last or (near, farther) not in set(problem.shape_pairs(j)):
            raise ValueError("a multiplier of the shape is negative, or of no pair of noises")
        costs[j, near] -= Fraction(m, unit)
        costs[j, farther] += Fraction(m, unit)
    for v, m in enumerate(certificate["mirror"], 1):
        if m and not problem.symmetric:
            raise ValueError("the last row need not be symmetric")
        costs[problem.last, v] -= Fraction(m, unit)
        costs[problem.last, -v] += Fraction(m, unit)
    return bound

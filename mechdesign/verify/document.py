"""Design problems, rebuilt from documents: FORMAT.md, apart from the rest of the package.

Neighbours, loss and prior follow from the names in the document; the matrix, the proof and the claims are taken as they
stand, for `mechdesign.verify.proving` to test.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import comb, lcm
from typing import Any

from . import kernel
from .certificates import MULTIPLIERS, Certificate, read_certificate
from .enclosures import encloses_power, loss_bounds
from .singles import Single
from .texts import (
    LARGEST,
    MOST_TEXT,
    UnreadableError,
    different_texts,
    entries,
    integer,
    items,
    number,
    parameter,
    rational,
    shown,
    text,
    whole,
)

FORMAT = "mechdesign-design/1"
FORMAT_BY_EPSILON = "mechdesign-design/2"
FORMAT_OF_STAGES = "mechdesign-design/4"
FORMATS = (FORMAT, FORMAT_BY_EPSILON, FORMAT_OF_STAGES)
LARGEST_LOSS_OF_PRIVACY = 200
MOST_INPUTS = 4096
MOST_POWER = 256
MOST_POINTS = 512
MOST_UNITS = 20_000
LONGEST_RATIO = 1 << 24
"""Bits of a ratio of privacy over an edge."""

Table = list[list[Fraction]]
Lengths = list[list[int]]

_SMALL = re.compile(r"0|[1-9][0-9]{0,5}")
"""p and d in `Lp:d`."""

TOP = (
    *("format", "problem", "denominator", "weights", "score", "lower_bound", "status", "holds"),
    *("seconds", "version", "method", "how", "dual"),
)
AIM = ("loss", "aggregate", "prior")
ASKED = ("model", "alpha", "epsilon", "properties", *AIM)
OF_STAGE = (*AIM, "score", "lower_bound", "penalties", "dual")
OF_SINGLE = ("rotations", "penalties", "dual")
OF_MODEL = {
    "count": ("n",),
    "ldp": ("k",),
    "lldp": ("k", "radius"),
    "metric": ("k", "distances", "unit", "step_alpha"),
}
BY_EPSILON = ("bound_alpha", "asked_epsilon")
"""Further keys of a problem that was asked by epsilon."""

PLAIN_PROPERTIES = ("WH", "RH", "RM", "CH", "CM", "F", "S", "FE")
LISTED_PROPERTIES = ("WH", "RH", "RM", "CH", "CM", "F", "S")
"""`holds` says of each of these whether it holds; of the others only where they are asked."""


@dataclass(frozen=True)
class Privacy:
    """Alpha, that of the bound, and the epsilon that was asked for; None where alpha was, which then is both."""

    alpha: Fraction
    bound_alpha: Fraction
    epsilon: Fraction | None
    words: str = field(compare=False)


@dataclass(frozen=True)
class Problem:
    """A problem as the kernel takes it.

    `words` describe it, `aim` loss and prior. The ratio over an edge of length 1 is `high` for the matrix and
    `low` for the bound: those of the privacy parameter, but for a metric. `prior` is None for the worst case.
    `is_rounded` tells whether distances were made shorter to fit the unit.
    """

    words: str
    aim: str
    size: int
    privacy: Privacy
    low: Fraction
    high: Fraction
    edges: kernel.Edges
    is_metric: bool
    is_rounded: bool
    properties: tuple[str, ...]
    loss: list[list[int]]
    loss_denominator: int
    prior: list[Fraction] | None
    rescaling: Fraction


@dataclass(frozen=True)
class Stage:
    """A further respect in which the mechanism is best, of all that are best so far.

    `problem` is the document's with the loss and the prior of this stage.
    """

    problem: Problem
    score: tuple[Fraction, Fraction]
    lower_bound: tuple[Fraction, Fraction]
    penalties: list[list[Fraction]]
    certificate: Certificate


@dataclass(frozen=True)
class Document:
    """The parsed document; `score` and `lower_bound` are (exact, value)."""

    problem: Problem
    epsilon: Fraction
    weights: list[list[int]]
    denominator: int
    score: tuple[Fraction, Fraction]
    lower_bound: tuple[Fraction, Fraction]
    status: str
    holds: list[str]
    certificate: Certificate
    stages: tuple[Stage, ...] = ()
    single: Single | None = None

    @property
    def respects(self) -> "list[Document | Stage]":
        """All respects in which it is best: the first one is the document's own."""
        return [self, *self.stages]

    @property
    def words(self) -> str:
        """What was asked for."""
        return self.problem.words

    @property
    def privacy(self) -> Privacy:
        """How private it must be."""
        return self.problem.privacy


def read_document(data: Any) -> Document:
    """Read a design document from JSON values, the keys and types of FORMAT.md alone.

    Raises:
        UnreadableError: saying what is none of it.
    """
    form = data.get("format") if isinstance(data, dict) else None
    if form not in FORMATS:
        raise UnreadableError(f"file must be a design document (format {' or '.join(FORMATS)}), got {shown(form)}")
    has_stages = form == FORMAT_OF_STAGES
    entries(
        data, "design document", (*TOP, *(["stages"] if has_stages else [])), ("x", *(["single"] if has_stages else []))
    )
    by_epsilon = form == FORMAT_BY_EPSILON or (has_stages and _names_any(data["problem"], BY_EPSILON))
    problem = _problem(data["problem"], data["weights"], BY_EPSILON if by_epsilon else ())
    denominator = integer(data["denominator"], "denominator")
    if denominator <= 0:
        raise UnreadableError("denominator must be positive")
    require_remarks(data)
    size = problem.size
    return Document(
        problem,
        number(data["problem"]["epsilon"], "epsilon"),
        items(data["weights"], "weights", lambda row, name: items(row, name, integer, size), size),
        denominator,
        _exact(data["score"], "score"),
        _exact(data["lower_bound"], "lower_bound"),
        text(data["status"], "status"),
        different_texts(data["holds"], "holds"),
        _certificate(data["dual"], "dual", problem),
        tuple(_stages(data["stages"], problem)) if has_stages else (),
        _single(data["single"]) if "single" in data else None,
    )


def _certificate(value: object, name: str, problem: Problem) -> Certificate:
    absent = ["prior"] * (problem.prior is not None)
    return read_certificate(value, MULTIPLIERS, name, {}, optional=["prices"], absent=absent)


def _stages(value: object, problem: Problem) -> list[Stage]:
    """Read the further stages, one at least."""
    stages: list[Stage] = items(value, "stages", lambda entry, name: _stage(entry, name, problem))
    if not stages:
        raise UnreadableError("stages must be at least one, got none")
    return stages


def _stage(value: object, name: str, problem: Problem) -> Stage:
    if not isinstance(value, dict):
        raise UnreadableError(f"{name} must be a JSON object, got {shown(value)}")
    entry = entries(value, name, (*OF_STAGE, *table_keys(value)))
    own = replace(problem, **_aim(entry, problem.size))
    return Stage(
        own,
        _exact(entry["score"], f"{name} score"),
        _exact(entry["lower_bound"], f"{name} lower_bound"),
        _penalties(entry["penalties"], f"{name} penalties"),
        _certificate(entry["dual"], f"{name} dual", own),
    )


def _penalties(value: object, name: str) -> list[list[Fraction]]:
    found: list[list[Fraction]] = items(value, name, lambda row, key: items(row, key, rational))
    return found


def _single(value: object) -> Single:
    """Read the proof that no other mechanism has these scores."""
    entry = entries(value, "single", OF_SINGLE)
    if type(entry["rotations"]) is not bool:
        raise UnreadableError(f"single rotations must be true or false, got {shown(entry['rotations'])}")
    proof = read_certificate(entry["dual"], MULTIPLIERS, "single dual", {}, absent=["prior", "prices"])
    return Single(entry["rotations"], _penalties(entry["penalties"], "single penalties"), proof)


def _names_any(value: object, keys: Collection[str]) -> bool:
    return isinstance(value, dict) and any(key in value for key in keys)


def require_remarks(data: dict[str, Any]) -> None:
    """Refuse remarks of a wrong type; nothing follows from them."""
    times = entries(data["seconds"], "seconds", ("solve", "certify", "verify"))
    if min(number(times[name], f"seconds {name}") for name in times) < 0:
        raise UnreadableError("seconds must be at least 0")
    for key in ("version", "method", "how"):
        text(data[key], key)


def _exact(value: object, name: str) -> tuple[Fraction, Fraction]:
    entry = entries(value, name, ("exact", "value"))
    return rational(entry["exact"], name), number(entry["value"], f"{name} value")


def read_privacy(entry: dict[str, Any]) -> Privacy:
    """Read alpha, and what stands beside it where epsilon was asked for; whether they belong together is a claim.

    Raises:
        UnreadableError: for one that is out of range.
    """
    alpha = rational(entry["alpha"], "alpha")
    if not 0 < alpha < 1 or loss_bounds(alpha)[0] > LARGEST_LOSS_OF_PRIVACY:
        raise UnreadableError(
            f"alpha must be in (0, 1), above exp(-{LARGEST_LOSS_OF_PRIVACY}), got {shown(entry['alpha'])}"
        )
    words = f"alpha = {shown(entry['alpha'])}"
    if "asked_epsilon" not in entry:
        return Privacy(alpha, alpha, None, words)
    bound, asked = (rational(entry[key], key) for key in BY_EPSILON)
    if not 0 < bound < 1:
        raise UnreadableError(f"bound_alpha must be in (0, 1), got {shown(entry['bound_alpha'])}")
    if not 0 < asked <= LARGEST_LOSS_OF_PRIVACY:
        raise UnreadableError(
            f"asked_epsilon must be in (0, {LARGEST_LOSS_OF_PRIVACY}], got {shown(entry['asked_epsilon'])}"
        )
    return Privacy(alpha, bound, asked, f"epsilon = {shown(entry['asked_epsilon'])}, {words}")


def _problem(value: object, weights: object, more: tuple[str, ...]) -> Problem:
    if not isinstance(value, dict):
        raise UnreadableError(f"problem must be a JSON object, got {shown(value)}")
    model = value.get("model")
    if type(model) is not str or model not in OF_MODEL:
        raise UnreadableError(f"model must be one of {', '.join(OF_MODEL)}, got {shown(model)}")
    entry = entries(value, "problem", (*ASKED, *more, *OF_MODEL[model], *table_keys(value)))
    privacy = read_privacy(entry)
    size, radius, words = read_inputs(model, entry)
    if not isinstance(weights, list) or len(weights) != size:
        raise UnreadableError(f"weights must be {size} x {size} for {words}, got {shown(weights)}")
    if model == "metric":
        low, high, edges, is_rounded = _metric(entry, privacy)
    else:
        low, high, edges, is_rounded = privacy.bound_alpha, privacy.alpha, band(size, radius), False
    properties = read_properties(entry["properties"])
    aim = _aim(entry, size)
    return Problem(
        f"{words}, {privacy.words}, {', '.join(properties) or 'no properties'}, {aim['aim']}",
        size=size,
        privacy=privacy,
        low=low,
        high=high,
        edges=edges,
        is_metric=model == "metric",
        is_rounded=is_rounded,
        properties=properties,
        **aim,
    )


def _aim(entry: dict[str, Any], size: int) -> dict[str, Any]:
    """Read loss, aggregate and prior as the fields of a problem."""
    loss, loss_denominator = read_loss(entry, size)
    prior = read_prior(entry, size)
    return {
        "aim": aim_words(entry),
        "loss": loss,
        "loss_denominator": loss_denominator,
        "prior": prior,
        "rescaling": rescaling(entry["loss"], size),
    }


def table_keys(entry: dict[str, Any]) -> list[str]:
    """Return the further keys of a problem whose loss or prior is a table."""
    tables = (("loss_matrix", "loss", "matrix"), ("prior_weights", "prior", "weights"))
    return [key for key, table, word in tables if entry.get(table) == word]


def aim_words(entry: dict[str, Any]) -> str:
    """Say in words what is to be small."""
    prior = "worst case" if entry["prior"] is None else f"prior {shown(entry['prior'])}"
    return f"loss {entry['loss']}, {prior}"


def rescaling(loss: str, size: int) -> Fraction:
    """Return what a loss is multiplied by to give the score."""
    return Fraction(size, size - 1) if loss.partition(":")[0] == "L0" else Fraction(1)


def read_inputs(model: str, entry: dict[str, Any]) -> tuple[int, int, str]:
    """Return the number of inputs, how far apart neighbours are at most (0 for a metric), and words for both."""
    if model == "count":
        n = whole(entry["n"], "n", 1, MOST_INPUTS - 1)
        return n + 1, 1, f"counts 0..{n}, neighbours differ by 1"
    if model == "metric":
        k = len(entry["distances"]) if isinstance(entry["distances"], list) else 0
        return whole(entry["k"], "k", k, k), 0, f"{k} points of a metric, unit of distance {shown(entry['unit'])}"
    k = whole(entry["k"], "k", 2, MOST_INPUTS)
    if model == "ldp":
        return k, k - 1, f"{k} items, all are neighbours"
    radius = whole(entry["radius"], "radius", 1, k - 1)
    return k, radius, f"{k} items, neighbours up to {radius} apart"


def band(size: int, radius: int) -> kernel.Edges:
    """List the pairs up to a radius apart, each of length 1; all pairs of more than two inputs are None."""
    if radius == size - 1 > 1:
        return None
    return tuple((j, k, 1) for j in range(size) for k in range(j + 1, min(size, j + radius + 1)))


def _metric(entry: dict[str, Any], privacy: Privacy) -> tuple[Fraction, Fraction, kernel.Edges, bool]:
    """Return low and high of a step, the edges, and whether distances were rounded."""
    distances = read_distances(entry["distances"])
    unit = rational(entry["unit"], "unit")
    lengths = in_units(distances, unit)
    step = entries(entry["step_alpha"], "step_alpha", ("low", "high"))
    low, high = (rational(step[key], f"step_alpha {key}") for key in ("low", "high"))
    if not encloses_power(
        *(value.as_integer_ratio() for value in (low, high, privacy.bound_alpha, unit, privacy.alpha))
    ):
        raise UnreadableError("step_alpha must have 0 < low <= alpha^unit <= high < 1, got what is not shown to")
    edges = edges_of(lengths)
    bits = max(value.denominator.bit_length() for value in (low, high))
    if bits * max((d for _, _, d in edges or ()), default=1) > LONGEST_RATIO:
        raise UnreadableError(
            f"step_alpha to the power of the longest edge must have at most {LONGEST_RATIO} bits, got more"
        )
    pairs = [pair for rows in zip(distances, lengths, strict=True) for pair in zip(*rows, strict=True)]
    rounded = any(d != unit * length for d, length in pairs)
    return low, high, edges, rounded


def read_distances(value: object) -> Table:
    """Read distances: symmetric, 0 on and positive off the diagonal, with the triangle inequality.

    Raises:
        UnreadableError: for anything else.
    """
    size = len(value) if isinstance(value, list) else 0
    if not 2 <= size <= MOST_POINTS:
        raise UnreadableError(f"distances must be for 2 to {MOST_POINTS} points, got {size}")
    rows = items(value, "distances", lambda row, name: items(row, name, rational, size), size)
    for j, row in enumerate(rows):
        if row[j] != 0 or any(d <= 0 for k, d in enumerate(row) if k != j):
            raise UnreadableError("distances must be 0 on the diagonal alone and positive elsewhere")
        if any(d != rows[k][j] for k, d in enumerate(row)):
            raise UnreadableError("distances must be symmetric")
    common = lcm(*{d.denominator for row in rows for d in row})
    whole = [[d.numerator * (common // d.denominator) for d in row] for row in rows]
    if shortest_paths(whole) != whole:
        raise UnreadableError("distances must satisfy the triangle inequality")
    return rows


def in_units(distances: Table, unit: Fraction) -> Lengths:
    """Round distances down to whole units, and take the shortest ways.

    Raises:
        UnreadableError: for a unit that is not positive, above a distance, or too small.
    """
    if unit <= 0:
        raise UnreadableError(f"unit must be positive, got {shown(str(unit))}")
    values = [d for row in distances for d in row if d]
    if min(values) < unit or max(values) > MOST_UNITS * unit:
        raise UnreadableError(f"distances must be 1 to {MOST_UNITS} units, got others")
    return shortest_paths([[int(d // unit) for d in row] for row in distances])


def shortest_paths(lengths: Lengths) -> Lengths:
    """Return the lengths of the shortest ways over any inputs in between."""
    found = [list(row) for row in lengths]
    for m, middle in enumerate(found):
        for row in found:
            first = row[m]
            row[:] = [min(straight, first + rest) for straight, rest in zip(row, middle, strict=True)]
    return found


def edges_of(lengths: Lengths) -> kernel.Edges:
    """Return the edges (j, k, length) that no third input lies on; None where all pairs are left, at length 1.

    `alpha^d(j,k)` follows from `alpha^d(j,m) alpha^d(m,k)` where d(j,k) = d(j,m) + d(m,k).
    """
    size = len(lengths)
    kept: list[kernel.Edge] = []
    for j in range(size):
        for k in range(j + 1, size):
            straight, ways = lengths[j][k], zip(lengths[j], lengths[k], strict=True)
            between = (m for m, (a, b) in enumerate(ways) if a + b == straight and m not in (j, k))
            if next(between, None) is None:
                kept.append((j, k, straight))
    pairs = size * (size - 1) // 2
    return None if size > 2 and len(kept) == pairs and all(d == 1 for _, _, d in kept) else tuple(kept)


def read_properties(value: object) -> tuple[str, ...]:
    """Read the asked properties: each kind once, parameters in lowest terms."""
    names = different_texts(value, "properties")
    kinds = [name.partition(":")[0] for name in names]
    for name, kind in zip(names, kinds, strict=True):
        if name in PLAIN_PROPERTIES:
            continue
        beta = parameter(name.partition(":")[2], "properties") if kind in ("WH", "OS") else Fraction(0)
        if beta <= 0 or (kind == "OS" and beta > 1) or (kind == "WH" and beta == 1):
            known = ", ".join(PLAIN_PROPERTIES)
            raise UnreadableError(
                f"properties must be among {known}, WH:a/b and OS:a/b, as they are written, got {shown(name)}"
            )
    if len(set(kinds)) < len(kinds):
        raise UnreadableError(f"properties must be one of each kind, got {shown(value)}")
    return tuple(names)


def read_loss(entry: dict[str, Any], size: int) -> tuple[list[list[int]], int]:
    """Build the loss by the kernel's statement of it."""
    name = text(entry["loss"], "loss")
    table = None
    if name == "matrix":
        rows = items(entry["loss_matrix"], "loss_matrix", lambda row, key: items(row, key, rational, size), size)
        table = [[value.as_integer_ratio() for value in row] for row in rows]
    elif name.startswith("PB:"):
        parameter(name.removeprefix("PB:"), "loss")
    else:
        power, colon, tolerance = name.removeprefix("L").partition(":")
        for digits in (power, tolerance) if colon else (power,):
            if not _SMALL.fullmatch(digits):
                raise UnreadableError(f"loss must be Lp, Lp:d, PB:a/b or matrix, got {shown(name)}")
        if int(power) > MOST_POWER:
            raise UnreadableError(f"loss must have a power of at most {MOST_POWER}, got {shown(name)}")
    try:
        loss, denominator = kernel.loss_matrix(name, size, table)
    except ValueError:
        raise UnreadableError(f"loss must be Lp, Lp:d, PB:a/b or matrix, got {shown(name)}") from None
    if max(abs(value) for row in loss for value in row) > LARGEST * denominator:
        raise UnreadableError("loss must have entries of at most 1e300, got a larger one")
    return loss, denominator


def read_prior(entry: dict[str, Any], size: int) -> list[Fraction] | None:
    """Return the chance of each input; None for the worst case."""
    aggregate, name = entry["aggregate"], entry["prior"]
    if (aggregate, name) == ("worst", None):
        return None
    if aggregate != "expected" or type(name) is not str:
        raise UnreadableError(
            f"aggregate must be expected with a prior or worst with null, got {shown(aggregate)} with {shown(name)}"
        )
    if name == "uniform":
        return [Fraction(1, size)] * size
    if name == "weights":
        chances = items(entry["prior_weights"], "prior_weights", rational, size)
        if min(chances) < 0 or sum(chances) != 1:
            raise UnreadableError("prior_weights must be probabilities that sum to 1")
        return chances
    word, _, chance = name.partition(":")
    p = parameter(chance, "prior") if word == "binomial" and len(chance) <= MOST_TEXT else Fraction(-1)
    if not 0 <= p <= 1:
        raise UnreadableError(f"prior must be uniform, binomial:p/q or weights, got {shown(name)}")
    return [comb(size - 1, j) * p**j * (1 - p) ** (size - 1 - j) for j in range(size)]

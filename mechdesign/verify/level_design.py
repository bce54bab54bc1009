"""Designs of levels, for prefixes, ranges or arcs of any number of items, proved or refuted."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from . import circles, lines
from .certificates import FLOOR, RECURSION, Certificate, read_certificate
from .circles import PAIRS, Circle, Level, block_level, cell_level, variance_floor
from .document import BY_EPSILON, Privacy, read_privacy, require_remarks
from .lines import Partitions
from .prefix_bound import Multipliers, bound_by_multipliers, knot_count
from .proving import LEAST, ROUNDING, Claim, enclosure_claims, epsilon_claim, short_text
from .texts import UnreadableError, entries, integer, items, number, rational, shown, text, whole

FORMAT = "mechdesign-workload/3"
TOP = (
    *("format", "problem", "variance", "gap", "status", "places", "levels"),
    *("seconds", "version", "method", "how", "certificate"),
)
ASKED = ("model", "k", "alpha", "epsilon", "workload", "aggregate")
LINE = "prefixes"
"""The workload whose levels are of a line; those of the others are of a circle."""

LEAST_ITEMS, MOST_ITEMS = 4, 1 << 24
MOST_LEVELS, MOST_CELLS, MOST_BITS, LARGEST_WEIGHT = 256, 32, 6, 10**9

MOST_SHIFTS, LARGEST_DENSITY = 64, 1 << 15
MOST_PROVED = 1 << 10
"""Items up to which the variance of prefixes is proved: it takes half a minute there, and k^3 steps."""

LARGEST_LINE = 1 << 20
"""The most items of a design for prefixes: the checker takes a minute for the bound."""

COMPUTED, PROBED = "computed", "probed"
"""How a variance was measured: in floats, or at some of the queries."""

CERTIFIED, FEASIBLE = "certified", "feasible"
STATUSES = {
    CERTIFIED: "variance and bound are proved",
    FEASIBLE: "the bound alone is proved",
}

MOST_TERMS = 1 << 26
"""Numbers that are added up to tell what levels do: seconds for the checker (`circles.terms`)."""

LONGEST_ALPHA = 1 << 12
"""Bits of the denominator of alpha: each level has fractions of some ten times as many."""

GAP_ROUNDING = Fraction(1, 10**12)
"""A stated gap may be above the true one by this."""

_ROW = re.compile(r"[01]+")


@dataclass(frozen=True)
class BlockEntry:
    """A level of `blocks` that are as even as can be: a report holds `below` of `2^bits` buckets of them."""

    weight: int
    blocks: int
    bits: int
    below: int

    def level(self, alpha: Fraction, places: int) -> Level:
        """State its numbers."""
        return block_level(alpha, self.weight, places, self.blocks, self.bits, self.below)


@dataclass(frozen=True)
class RowEntry:
    """A level of cells: a report is a turn of a row, a text with a letter `1` for each cell that it holds."""

    weight: int
    row: str

    def level(self, alpha: Fraction, places: int) -> Level:
        """State its numbers."""
        return cell_level(alpha, self.weight, places, tuple(letter == "1" for letter in self.row))


@dataclass(frozen=True)
class WarpedEntry:
    """A level of a line: shifted partitions into some `blocks`, whose cuts have the given density along the items.

    A report holds `below` of `2^bits` buckets of the labels, or without bits `below` of the `blocks + 1` cells.
    """

    weight: int
    blocks: int
    shifts: int
    bits: int
    below: int
    densities: tuple[int, ...]

    @property
    def labels(self) -> int:
        """How many labels cells have: with bits a power of 2."""
        return 1 << self.blocks.bit_length() if self.bits else self.blocks + 1

    def partitions(self) -> Partitions:
        """State its numbers."""
        held = self.labels * self.below >> self.bits if self.bits else self.below
        return Partitions(self.weight, self.labels, held, self.blocks, self.shifts, self.densities)


LevelEntry = BlockEntry | RowEntry | WarpedEntry


class Measured(NamedTuple):
    """Between which numbers a variance was measured to be, which nobody has proved, and how."""

    low: Fraction
    high: Fraction
    how: str


@dataclass(frozen=True)
class LevelDesignDocument:
    """The document of a design of levels: `upper` and `lower`, with a value.

    `upper` bounds its variance, `lower` that of every mechanism, each with a value in decimals. Of many prefixes
    `upper` is what was measured.
    """

    words: str
    workload: str
    circle: Circle
    privacy: Privacy
    epsilon: Fraction
    levels: tuple[LevelEntry, ...]
    upper: tuple[Fraction, Fraction]
    measured: Measured | None
    lower: tuple[Fraction, Fraction]
    gap: Fraction | None
    status: str
    certificate: Certificate


def read_level_design(data: Any) -> LevelDesignDocument:
    """Read a design of levels from JSON values, the keys and types of FORMAT.md alone.

    Raises:
        UnreadableError: saying what is none of it.
    """
    entries(data, "workload design", TOP, ("x",))
    require_remarks(data)
    problem = entries(data["problem"], "problem", ASKED, BY_EPSILON)
    if sum(key in problem for key in BY_EPSILON) == 1:
        raise UnreadableError(f"problem must have {' and '.join(BY_EPSILON)}, or neither, got one of them")
    if problem["model"] != "ldp" or problem["aggregate"] != "expected":
        raise UnreadableError("model and aggregate of a design of levels must be ldp and expected, got others")
    name = text(problem["workload"], "workload")
    if name not in PAIRS:
        raise UnreadableError(f"workload of a design of levels must be prefixes, ranges or circular, got {shown(name)}")
    is_line = name == LINE
    k = whole(problem["k"], "k", LEAST_ITEMS, LARGEST_LINE if is_line else MOST_ITEMS)
    places = whole(data["places"], "places", k, k if is_line else min(2 * k, MOST_ITEMS))
    read = _line_level if is_line else _level
    levels = tuple(items(data["levels"], "levels", lambda value, key: read(value, key, places)))
    if not 0 < len(levels) <= MOST_LEVELS or len(set(levels)) < len(levels):
        raise UnreadableError(f"levels must be different, and 1 to {MOST_LEVELS}")
    privacy = read_privacy(problem)
    if max(alpha.denominator.bit_length() for alpha in (privacy.alpha, privacy.bound_alpha)) > LONGEST_ALPHA:
        raise UnreadableError(f"alpha of a design of levels must have at most {LONGEST_ALPHA} bits, got more")
    circle = Circle(k, places)
    terms = 0 if is_line else circles.terms(circle, _circle_levels(levels, privacy.alpha, places))
    if terms > MOST_TERMS:
        raise UnreadableError(f"levels must have at most {MOST_TERMS} turns of distances between ends, got {terms}")
    both = entries(data["variance"], "variance", ("upper", "lower"))
    lower = entries(both["lower"], "lower", ("exact", "value"))
    is_measured = is_line and k > MOST_PROVED
    upper = entries(both["upper"], "upper", ("exact", "value", *(("interval", "how") if is_measured else ())))
    if is_measured and upper["exact"] is not None:
        raise UnreadableError(f"exact of what was measured must be null, got {shown(upper['exact'])}")
    value = number(upper["value"], "upper value")
    if is_measured and data["gap"] is not None:
        raise UnreadableError(f"gap must be null where the variance is measured, got {shown(data['gap'])}")
    rest = "; its variance was measured, and is not proved" if is_measured else ""
    return LevelDesignDocument(
        f"{k} items, all are neighbours, {privacy.words}, workload {shown(name)}, mean over inputs{rest}",
        name,
        circle,
        privacy,
        number(problem["epsilon"], "epsilon"),
        levels,
        (value if is_measured else rational(upper["exact"], "upper"), value),
        _measured(upper, value) if is_measured else None,
        (rational(lower["exact"], "lower"), number(lower["value"], "lower value")),
        None if is_measured else number(data["gap"], "gap"),
        text(data["status"], "status"),
        _certificate(data["certificate"], k, is_line),
    )


def _certificate(value: object, k: int, is_line: bool) -> Certificate:
    kinds = (FLOOR, RECURSION) if is_line else (FLOOR,)
    kind = next((one for one in kinds if isinstance(value, dict) and value.get("kind") == one), None)
    if kind is None:
        raise UnreadableError(f"kind of a certificate of levels must be {' or '.join(kinds)}, got {shown(value)}")
    found = read_certificate(value, kind, "certificate", {"multipliers": knot_count(k)})
    if kind == RECURSION and not all(0 < knot <= LARGEST_WEIGHT for knot in found["multipliers"]):
        raise UnreadableError(f"multipliers must be from 1 to {LARGEST_WEIGHT}, got others")
    return found


def _measured(upper: dict[str, Any], value: Fraction) -> Measured:
    low, high = items(upper["interval"], "interval", number, 2)
    if not low <= value <= high:
        raise UnreadableError("interval of what was measured must hold the value, got one beside it")
    if upper["how"] not in (COMPUTED, PROBED):
        raise UnreadableError(f"how of what was measured must be {COMPUTED} or {PROBED}, got {shown(upper['how'])}")
    return Measured(low, high, upper["how"])


def _line_level(value: object, name: str, k: int) -> LevelEntry:
    """Read a level of single items, or of blocks of a line."""
    if isinstance(value, dict) and "densities" not in value:
        found = _level(value, name, k)
        if not isinstance(found, BlockEntry) or found.blocks != k:
            raise UnreadableError(f"a level of a line without densities must be one of {k} blocks, got {shown(value)}")
        return found
    keys = ("weight", "blocks", "shifts", "bits", "below", "densities")
    entry = entries(value, name, keys)
    blocks = whole(entry["blocks"], f"{name} blocks", 1, k)
    bits = whole(entry["bits"], f"{name} bits", 0, min(MOST_BITS, blocks.bit_length()))
    densities = items(
        entry["densities"],
        f"{name} densities",
        lambda density, key: whole(density, key, 1, LARGEST_DENSITY),
        len(lines.stretches(k)) - 1,
    )
    return WarpedEntry(
        _weight(entry["weight"], name),
        blocks,
        whole(entry["shifts"], f"{name} shifts", 1, MOST_SHIFTS),
        bits,
        whole(entry["below"], f"{name} below", 1, (1 << bits) - 1 if bits else blocks),
        tuple(densities),
    )


def _level(value: object, name: str, places: int) -> LevelEntry:
    """Read a level of blocks or of cells that fits the circle."""
    if isinstance(value, dict) and "row" in value:
        entry = entries(value, name, ("weight", "row"))
        row = text(entry["row"], f"{name} row")
        if not _ROW.fullmatch(row) or len(row) > min(MOST_CELLS, places) or len(set(row)) < 2:
            raise UnreadableError(
                f"row must have a letter 0 or 1 for each of at most {MOST_CELLS} cells that {places} places are cut "
                f"into, and both letters, got {shown(row)}"
            )
        return RowEntry(_weight(entry["weight"], name), row)
    entry = entries(value, name, ("weight", "blocks", "bits", "below"))
    blocks = whole(entry["blocks"], f"{name} blocks", 2, places)
    bits = whole(entry["bits"], f"{name} bits", 1, min(MOST_BITS, (blocks - 1).bit_length()))
    return BlockEntry(
        _weight(entry["weight"], name), blocks, bits, whole(entry["below"], f"{name} below", 1, (1 << bits) - 1)
    )


def _weight(value: object, name: str) -> int:
    found = integer(value, f"{name} weight")
    if not 0 < found <= LARGEST_WEIGHT:
        raise UnreadableError(f"{name} weight must be from 1 to {LARGEST_WEIGHT}, got {shown(value)}")
    return found


def level_claims(design: LevelDesignDocument) -> Iterator[Claim]:
    """Yield every claim of a design of levels, with a verdict."""
    alpha = design.privacy.alpha
    words = "every output has two probabilities at its level and shift, of which one is alpha times the other"
    yield Claim(f"alpha-LDP with alpha = {short_text(alpha)}: {words}", True)
    yield from _variance_claims(design)
    yield from _bound_claims(design)
    status = FEASIBLE if design.measured else CERTIFIED
    said = f"the status is {shown(design.status)}: {STATUSES.get(design.status, 'which is none')}"
    yield Claim(said, design.status == status, f"it is {status}")
    yield from enclosure_claims(design.privacy)
    yield epsilon_claim(alpha, design.epsilon)


def _variance_claims(design: LevelDesignDocument) -> Iterator[Claim]:
    unbiased = "the answers can be estimated without a bias"
    if design.measured:
        has_items = any(isinstance(entry, BlockEntry) for entry in design.levels)
        yield Claim(unbiased, has_items, "no level has single items")
        return
    exact, value = design.upper
    claim = f"the variance for each user is at most {short_text(exact)}"
    try:
        above = _variance_above(design)
    except ValueError as error:
        yield Claim(unbiased, False, str(error))
        yield Claim(claim, False, "there is no estimate to compute it for")
    else:
        yield Claim(unbiased, True)
        yield Claim(claim, above <= exact, f"what is shown is {short_text(above)}")
    near = exact <= value <= exact + ROUNDING * abs(exact) + LEAST
    yield Claim("the variance in decimals is rounded up", near, f"it is {short_text(exact)}")


def _variance_above(design: LevelDesignDocument) -> Fraction:
    alpha, circle = design.privacy.alpha, design.circle
    if design.workload == LINE:
        return lines.variance_above(circle.k, alpha, [entry_partitions(entry, circle.k) for entry in design.levels])
    return circles.variance_above(design.workload, circle, _circle_levels(design.levels, alpha, circle.places))


def _circle_levels(entries_of_circle: Sequence[LevelEntry], alpha: Fraction, places: int) -> list[Level]:
    return [entry.level(alpha, places) for entry in entries_of_circle if not isinstance(entry, WarpedEntry)]


def entry_partitions(entry: LevelEntry, k: int) -> Partitions:
    """State the numbers of a level of a line of k items."""
    if isinstance(entry, WarpedEntry):
        return entry.partitions()
    assert isinstance(entry, BlockEntry)
    labels = 1 << (k - 1).bit_length()
    return Partitions(entry.weight, labels, labels * entry.below >> entry.bits, k, 1, None)


def _floor(design: LevelDesignDocument) -> Fraction:
    """Return the bound that the certificate shows."""
    circle, alpha = design.circle, design.privacy.bound_alpha
    if design.certificate.kind == RECURSION:
        return bound_by_multipliers(Multipliers(circle.k, design.certificate["multipliers"]), alpha)
    sines = circle.sines if circle.places == circle.k else None
    return variance_floor(design.workload, circle.k, alpha, sines)


def _bound_claims(design: LevelDesignDocument) -> Iterator[Claim]:
    exact, value = design.lower
    at = "alpha" if design.privacy.epsilon is None else "epsilon"
    where = "at equally frequent items"
    claim = f"{where} no mechanism at this {at} has unbiased linear answers of a variance below {short_text(exact)}"
    floor = _floor(design)
    detail = "" if exact <= floor else f"the floor is {short_text(floor)}"
    most = design.measured.high if design.measured else design.upper[0]
    yield Claim(claim, not detail and exact <= most, detail or "that is above the variance")
    near = exact - ROUNDING * abs(exact) - LEAST <= value <= exact
    yield Claim("the bound in decimals is rounded down", near, f"it is {short_text(exact)}")
    if design.gap is None:
        return
    if exact <= 0:
        yield Claim("the bound is above 0", False, "there is no gap to it")
        return
    gap = design.upper[0] / exact - 1
    near = gap <= design.gap <= gap * (1 + ROUNDING) + GAP_ROUNDING
    yield Claim("the gap is (variance - bound) / bound, rounded up", near, f"it is {short_text(gap)}")

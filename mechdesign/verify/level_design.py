"""Read a design of levels, for ranges or arcs of any number of items, and prove or refute everything that it claims."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .certificates import FLOOR, read_certificate
from .circles import PAIRS, Circle, Level, block_level, cell_level, variance_above, variance_floor
from .document import BY_EPSILON, Privacy, read_privacy, require_remarks
from .proving import LEAST, ROUNDING, Claim, enclosure_claims, epsilon_claim, short_text
from .texts import UnreadableError, entries, integer, items, number, rational, shown, text, whole

FORMAT = "mechdesign-workload/3"
TOP = (
    *("format", "problem", "variance", "gap", "places", "levels"),
    *("seconds", "version", "method", "how", "certificate"),
)
ASKED = ("model", "k", "alpha", "epsilon", "workload", "aggregate")
LEAST_ITEMS, MOST_ITEMS = 4, 1 << 22
MOST_LEVELS, MOST_CELLS, MOST_BITS, LARGEST_WEIGHT = 256, 32, 6, 10**9

MOST_TERMS = 1 << 28
"""Levels times places: a minute or two for the checker."""

GAP_ROUNDING = Fraction(1, 10**12)
"""A stated gap may be above the true one by this."""

_ROW = re.compile(r"[01]+")


@dataclass(frozen=True)
class BlockEntry:
    """A level of blocks of `length` places: a report holds `below` of `2^bits` buckets of them."""

    weight: int
    length: int
    bits: int
    below: int

    def level(self, alpha: Fraction, places: int) -> Level:
        """State its numbers."""
        return block_level(alpha, self.weight, places, self.length, self.bits, self.below)


@dataclass(frozen=True)
class RowEntry:
    """A level of cells: a report is a turn of a row, a text with a letter `1` for each cell that it holds."""

    weight: int
    row: str

    def level(self, alpha: Fraction, places: int) -> Level:
        """State its numbers."""
        return cell_level(alpha, self.weight, places, tuple(letter == "1" for letter in self.row))


LevelEntry = BlockEntry | RowEntry


@dataclass(frozen=True)
class LevelDesignDocument:
    """What a design of levels says: `upper` bounds its variance, `lower` that of every mechanism, with its value."""

    words: str
    workload: str
    circle: Circle
    privacy: Privacy
    epsilon: Fraction
    levels: tuple[LevelEntry, ...]
    upper: Fraction
    lower: tuple[Fraction, Fraction]
    gap: Fraction


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
    k = whole(problem["k"], "k", LEAST_ITEMS, MOST_ITEMS)
    name = text(problem["workload"], "workload")
    if name not in PAIRS:
        raise UnreadableError(f"workload of a design of levels must be {' or '.join(sorted(PAIRS))}, got {shown(name)}")
    places = whole(data["places"], "places", k, 2 * k)
    levels = tuple(items(data["levels"], "levels", lambda value, key: _level(value, key, places)))
    if not 0 < len(levels) <= MOST_LEVELS or len(set(levels)) < len(levels):
        raise UnreadableError(f"levels must be different, and 1 to {MOST_LEVELS}")
    if len(levels) * places > MOST_TERMS:
        raise UnreadableError(f"levels times places must be at most {MOST_TERMS}, got {len(levels)} times {places}")
    read_certificate(data["certificate"], FLOOR, "certificate", {})
    if data["certificate"]["kind"] != FLOOR:
        raise UnreadableError(f"kind of a certificate of levels must be {FLOOR}, got {shown(data['certificate'])}")
    both = entries(data["variance"], "variance", ("upper", "lower"))
    upper, lower = (entries(both[key], key, ("exact", "value")) for key in ("upper", "lower"))
    if upper["exact"] is not None:
        raise UnreadableError(f"upper of a design of levels must be exact null, got {shown(upper['exact'])}")
    privacy = read_privacy(problem)
    return LevelDesignDocument(
        f"{k} items, all are neighbours, {privacy.words}, workload {shown(name)}, mean over inputs",
        name,
        Circle(k, places),
        privacy,
        number(problem["epsilon"], "epsilon"),
        levels,
        number(upper["value"], "upper value"),
        (rational(lower["exact"], "lower"), number(lower["value"], "lower value")),
        number(data["gap"], "gap"),
    )


def _level(value: object, name: str, places: int) -> LevelEntry:
    """Read a level of blocks or of cells that fits the circle."""
    if isinstance(value, dict) and "row" in value:
        entry = entries(value, name, ("weight", "row"))
        row = text(entry["row"], f"{name} row")
        if not _ROW.fullmatch(row) or len(row) > MOST_CELLS or len(set(row)) < 2 or places % len(row):
            raise UnreadableError(
                f"row must have a letter 0 or 1 for each of at most {MOST_CELLS} cells that {places} places are cut "
                f"into, and both letters, got {shown(row)}"
            )
        return RowEntry(_weight(entry["weight"], name), row)
    entry = entries(value, name, ("weight", "length", "bits", "below"))
    length = whole(entry["length"], f"{name} length", 1, places // 2)
    if places % length:
        raise UnreadableError(f"length must divide {places} places, got {length}")
    most = min(MOST_BITS, (places // length - 1).bit_length())
    bits = whole(entry["bits"], f"{name} bits", 1, most)
    return BlockEntry(
        _weight(entry["weight"], name), length, bits, whole(entry["below"], f"{name} below", 1, (1 << bits) - 1)
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
    circle = design.circle
    levels = [entry.level(alpha, circle.places) for entry in design.levels]
    told = "the answers can be estimated without a bias"
    claim = f"the variance for each user is at most {float(design.upper):.15g}"
    try:
        above = variance_above(design.workload, circle, levels)
    except ValueError as error:
        yield Claim(told, False, str(error))
        yield Claim(claim, False, "there is no estimate to compute it for")
    else:
        yield Claim(told, True)
        yield Claim(claim, above <= design.upper, f"what is shown is {short_text(above)}")
    yield from _bound_claims(design)
    yield from enclosure_claims(design.privacy)
    yield epsilon_claim(alpha, design.epsilon)


def _bound_claims(design: LevelDesignDocument) -> Iterator[Claim]:
    exact, value = design.lower
    at = "alpha" if design.privacy.asked is None else "epsilon"
    where = "at equally frequent items"
    claim = f"{where} no mechanism at this {at} has unbiased linear answers of a variance below {short_text(exact)}"
    circle = design.circle
    floor = variance_floor(
        design.workload, circle.k, design.privacy.bound_alpha, circle.sines if circle.places == circle.k else None
    )
    detail = "" if exact <= floor else f"the floor is {short_text(floor)}"
    yield Claim(claim, not detail and exact <= design.upper, detail or "that is above the variance")
    near = exact - ROUNDING * abs(exact) - LEAST <= value <= exact
    yield Claim("the bound in decimals is rounded down", near, f"it is {short_text(exact)}")
    if exact <= 0:
        yield Claim("the bound is above 0", False, "there is no gap to it")
        return
    gap = design.upper / exact - 1
    near = gap <= design.gap <= gap * (1 + ROUNDING) + GAP_ROUNDING
    yield Claim("the gap is (variance - bound) / bound, rounded up", near, f"it is {short_text(gap)}")

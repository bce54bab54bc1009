"""The structural properties: their names, and which follow from which.

Those of the lattice are Cormode, Kulkarni, Srivastava's ("Constrained Private Mechanisms for Count Data", ICDE 2018,
section III), and S. Beside them stand `FE`, the two ends of the diagonal are equal, and two with a parameter: `WH:BETA`
and `OS:BETA`. A new property is one entry of `PROPERTIES` or of `FAMILIES` here, and its definition in the kernel.
"""

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache

import numpy as np

from mechdesign.errors import InputError, argument, shorten
from mechdesign.names import require_known
from mechdesign.problem.neighbours import Weights
from mechdesign.problem.property import Entries, Pairs, Property, kept, rotation
from mechdesign.rational import as_rational, fraction_text


def _grid(size: int) -> tuple[Entries, Entries]:
    rows, columns = np.divmod(np.arange(size * size, dtype=np.int64), size)
    return rows, columns


@kept
def _row_honest(size: int) -> Pairs:
    i, j = _grid(size)
    off = i != j
    return (i * size + i)[off], (i * size + j)[off]


@kept
def _row_monotone(size: int) -> Pairs:
    i, j = _grid(size)
    off = i != j
    return (i * size + j - np.sign(j - i))[off], (i * size + j)[off]


@kept
def _column_honest(size: int) -> Pairs:
    return _transposed(_row_honest(size), size)


@kept
def _column_monotone(size: int) -> Pairs:
    return _transposed(_row_monotone(size), size)


def _transposed(pairs: Pairs, size: int) -> Pairs:
    upper, lower = (entries % size * size + entries // size for entries in pairs)
    return upper, lower


@kept
def _fair(size: int) -> Pairs:
    diagonal = np.arange(size, dtype=np.int64) * (size + 1)
    return np.full(size - 1, diagonal[0]), diagonal[1:]


@kept
def _fair_ends(size: int) -> Pairs:
    return np.array([0]), np.array([size * size - 1])


@kept
def _symmetric(size: int) -> Pairs:
    entries = np.arange(size * size, dtype=np.int64)
    first = entries[entries < rotation(entries, size)]
    return first, rotation(first, size)


@kept
def _smooth(size: int) -> Pairs:
    entries = np.arange(size * (size - 1), dtype=np.int64)
    return np.concatenate([entries, entries + size]), np.concatenate([entries + size, entries])


PROPERTIES: dict[str, Property] = {
    p.name: p
    for p in (
        Property("WH", "weak honesty", "P[i,i] >= 1/(n+1)", floor=Fraction(1)),
        Property("RH", "row honesty", "P[i,i] >= P[i,j]", pairs=_row_honest),
        Property(
            "RM", "row monotonicity", "row i never increases away from column i", pairs=_row_monotone, is_monotone=True
        ),
        Property("CH", "column honesty", "P[j,j] >= P[i,j]", pairs=_column_honest),
        Property(
            "CM",
            "column monotonicity",
            "column j never increases away from row j",
            pairs=_column_monotone,
            is_monotone=True,
        ),
        Property("F", "fairness", "the diagonal is constant", equal=_fair),
        Property("S", "symmetry", "P[i,j] = P[n-i,n-j]", equal=_symmetric, is_rotation=True),
        Property("FE", "fair ends", "P[0,0] = P[n,n]", equal=_fair_ends, in_lattice=False),
    )
}
"""Those without a parameter, from weak to strict; this is also the order in which they are shown."""

LATTICE = tuple(name for name, prop in PROPERTIES.items() if prop.in_lattice)
"""Those whose subsets a landscape compares, and that `all` stands for."""


@dataclass(frozen=True)
class Family:
    """A family of properties `KIND:BETA` with rational beta; the largest implies the others.

    `largest` is the largest beta that makes sense, None for any. `plain` is the beta for which the name without a
    parameter stands.
    """

    kind: str
    make: Callable[[str, Fraction], Property]
    largest: Fraction | None = None
    plain: Fraction | None = None

    def parse(self, text: str) -> Fraction:
        """Parse beta from a text.

        Raises:
            InputError: where it is not a number in range.
        """
        beta = as_rational(text, f"{self.kind}:BETA")
        if not beta > 0 or (self.largest is not None and beta > self.largest):
            allowed = "above 0" if self.largest is None else f"in (0, {self.largest}]"
            raise InputError(f"{self.kind}:BETA must have beta {allowed}, got {self.kind}:{text}")
        return beta

    def name(self, beta: Fraction) -> str:
        """Write the name of the property with this beta."""
        return self.kind if beta == self.plain else f"{self.kind}:{fraction_text(beta)}"


FAMILIES = {
    family.kind: family
    for family in (
        Family(
            "WH",
            lambda name, beta: Property(name, "weak honesty", "P[i,i] >= beta/(n+1)", floor=beta, in_lattice=False),
            plain=Fraction(1),
        ),
        Family(
            "OS",
            lambda name, beta: Property(
                name,
                "output smoothness",
                "P[i,j] >= beta P[i+1,j] and back",
                pairs=_smooth,
                ratio=beta,
                in_lattice=False,
            ),
            largest=Fraction(1),
        ),
    )
}
"""Those with a parameter."""

WITH_BETA = tuple(f"{kind}:BETA" for kind in FAMILIES)
KNOWN = (*PROPERTIES, *WITH_BETA)
"""What may be asked, for people."""


@cache
def find_property(name: str) -> Property:
    """Return the property of a canonical name.

    >>> find_property("OS:9/10").ratio
    Fraction(9, 10)
    """
    kind, colon, beta = name.partition(":")
    return FAMILIES[kind].make(name, Fraction(beta)) if colon else PROPERTIES[name]


NAMED_SETS = {"WM": "WH,RM,CM"}
"""Sets of properties that have a name as mechanisms, and are asked for by their members."""

COLUMN_PROPERTIES = frozenset({"CH", "CM"})

_IMPLICATIONS: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset({"RM"}), "RH"),
    (frozenset({"CM"}), "CH"),
    (frozenset({"CH"}), "WH"),
    (frozenset({"F", "RH"}), "CH"),
    (frozenset({"F", "CH"}), "RH"),
    (frozenset({"F"}), "FE"),
    (frozenset({"S"}), "FE"),
)


def parse_properties(names: str | Iterable[str]) -> frozenset[str]:
    """Parse a set of property names from `"WH,CM"`, `"none"`, `"all"`, or any iterable of names, in any case.

    `OS:0.9` becomes `OS:9/10`; of several with one parameter the largest is kept, since it implies the others; `WH:1`
    is `WH`, and `all` is the whole lattice.

    Raises:
        InputError: for a name that is no property, or a parameter out of range.
    """
    words = names.split(",") if isinstance(names, str) else list(names)
    given = [str(word).strip().upper() for word in words]
    if given in (["NONE"], [""], []):
        return frozenset()
    if isinstance(names, str) and ";" in names:
        got, one = shorten(names), shorten(names.replace(";", ","))
        raise InputError(f"properties must be separated by commas, got {got}; write {argument('properties')} {one}")
    parsed: set[str] = set()
    largest: dict[str, Fraction] = {}
    for word in (name for text in given for name in (LATTICE if text == "ALL" else (text,))):
        kind, colon, beta = word.partition(":")
        family = FAMILIES.get(kind)
        if family is not None and (colon or family.plain is not None):
            asked = family.parse(beta) if colon else family.plain
            assert asked is not None
            largest[kind] = max(asked, largest.get(kind, asked))
        else:
            parsed.add(require_known(word, PROPERTIES, "properties", (*WITH_BETA, "none", "all"), NAMED_SETS))
    return frozenset(parsed | {FAMILIES[kind].name(beta) for kind, beta in largest.items()})


def smoothness(names: Iterable[str]) -> Fraction | None:
    """Find the beta of `OS:BETA`, None where it is not among the names."""
    return next((find_property(name).ratio for name in names if name.startswith("OS:")), None)


def _following(names: Iterable[str]) -> set[str]:
    """Everything without a parameter that follows from the given properties."""
    known = set(names)
    while True:
        new = {then for given, then in _IMPLICATIONS if given <= known}
        if "OS:1" in known:  # every column is constant: the uniform mechanism
            new |= PROPERTIES.keys()
        floor = max((find_property(name).floor for name in known), default=Fraction(0))
        new |= {name for name, prop in PROPERTIES.items() if 0 < prop.floor <= floor}
        if new <= known:
            return known
        known |= new


def closure(names: Iterable[str]) -> frozenset[str]:
    """Return the properties of the lattice that follow from the given ones, and those themselves."""
    given = frozenset(names)
    return given | (_following(given) & set(LATTICE))


def without_implied(names: Iterable[str]) -> frozenset[str]:
    """Return a subset of the given properties that implies the rest: fewer rows, the same mechanisms."""
    return _without_implied(frozenset(names))


@lru_cache(maxsize=256)
def _without_implied(names: frozenset[str]) -> frozenset[str]:
    kept = set(names)
    for name in ordered(kept):
        if _follows(name, kept - {name}):
            kept.remove(name)
    return frozenset(kept)


def _follows(name: str, names: Iterable[str]) -> bool:
    """Return whether a property follows from others; a floor also from a higher one."""
    following = _following(names)
    highest = max((find_property(other).floor for other in following), default=Fraction(0))
    return name in following or 0 < find_property(name).floor <= highest


def implied_by(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return which properties follow from the given ones, and for each a smallest part of them that implies it.

    Given ones are listed too, where the others imply them; of two that imply each other the one shown first follows.

    >>> implied_by(["WH", "CM"])
    {'WH': ('CM',), 'CH': ('CM',)}
    """
    kept = without_implied(names)
    follow = (_following(kept) | set(names)) - kept
    return {name: _causes(name, kept) for name in ordered(follow)}


def _causes(name: str, names: frozenset[str]) -> tuple[str, ...]:
    """Return the first of the smallest parts of the names that imply a property."""
    parts = (part for count in range(1, len(names) + 1) for part in itertools.combinations(ordered(names), count))
    return next(part for part in parts if _follows(name, part))


def ordered(names: Iterable[str]) -> tuple[str, ...]:
    """Return names in the one order in which they are always shown."""
    return _ordered(frozenset(names))


@lru_cache(maxsize=256)
def _ordered(names: frozenset[str]) -> tuple[str, ...]:
    kinds = [*PROPERTIES, *FAMILIES]
    return tuple(sorted(names, key=lambda name: (kinds.index(find_property(name).kind), name)))


def properties_of(weights: Weights, denominator: int, names: Iterable[str] = ()) -> tuple[str, ...]:
    """Return every property of the lattice that a square integer matrix has, and of the others those asked."""
    tested = {*LATTICE, *names}
    return tuple(sorted(name for name in tested if find_property(name).holds(weights, denominator)))

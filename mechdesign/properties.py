"""The seven structural properties, each stated once: as rows of the LP, and so as a check of a matrix.

All are linear in `P` (Cormode, Kulkarni, Srivastava, "Constrained Private Mechanisms for Count Data", ICDE 2018,
section III). A property is made of at most three kinds of statement about entries (i, j) of an m x m matrix:
pairs `P[a] >= P[b]`, equal entries, and a floor on the diagonal. Entries are numbered `i * m + j`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError
from mechdesign.privacy import Weights

Entries = NDArray[np.int64]
Pairs = tuple[Entries, Entries]


@dataclass(frozen=True)
class Property:
    """One property: its statement, and the statements about entries that make it up.

    `pairs(m)` gives arrays (upper, lower) with `P[upper] >= P[lower]`; `equal(m)` gives arrays (first, second)
    with `P[first] == P[second]`; `floor` says that the diagonal is at least 1/m.
    """

    name: str
    title: str
    statement: str
    pairs: Callable[[int], Pairs] | None = None
    equal: Callable[[int], Pairs] | None = None
    floor: bool = False

    def holds(self, weights: Weights, denominator: int) -> bool:
        """Does a square integer matrix over `denominator` have this property, exactly?"""
        size = len(weights)
        flat = [weight for row in weights for weight in row]
        if self.pairs is not None:
            upper, lower = self.pairs(size)
            if any(flat[a] < flat[b] for a, b in zip(upper.tolist(), lower.tolist(), strict=True)):
                return False
        if self.equal is not None:
            first, second = self.equal(size)
            if any(flat[a] != flat[b] for a, b in zip(first.tolist(), second.tolist(), strict=True)):
                return False
        return not self.floor or all(size * weights[i][i] >= denominator for i in range(size))


def _grid(size: int) -> tuple[Entries, Entries]:
    rows, columns = np.divmod(np.arange(size * size, dtype=np.int64), size)
    return rows, columns


def _row_honest(size: int) -> Pairs:
    i, j = _grid(size)
    off = i != j
    return (i * size + i)[off], (i * size + j)[off]


def _row_monotone(size: int) -> Pairs:
    i, j = _grid(size)
    off = i != j
    return (i * size + j - np.sign(j - i))[off], (i * size + j)[off]


def _transposed(pairs: Callable[[int], Pairs]) -> Callable[[int], Pairs]:
    def columns(size: int) -> Pairs:
        upper, lower = pairs(size)
        return _transpose(upper, size), _transpose(lower, size)

    return columns


def _transpose(entries: Entries, size: int) -> Entries:
    rows, columns = np.divmod(entries, size)
    return columns * size + rows


def _fair(size: int) -> Pairs:
    diagonal = np.arange(size, dtype=np.int64) * (size + 1)
    return np.full(size - 1, diagonal[0]), diagonal[1:]


def rotation(entries: Entries, size: int) -> Entries:
    """Entry (n-i, n-j) for entry (i, j)."""
    return size * size - 1 - entries


def _symmetric(size: int) -> Pairs:
    entries = np.arange(size * size, dtype=np.int64)
    first = entries[entries < rotation(entries, size)]
    return first, rotation(first, size)


PROPERTIES: dict[str, Property] = {
    p.name: p
    for p in (
        Property("WH", "weak honesty", "P[i,i] >= 1/(n+1)", floor=True),
        Property("RH", "row honesty", "P[i,i] >= P[i,j]", pairs=_row_honest),
        Property("RM", "row monotonicity", "row i never increases away from column i", pairs=_row_monotone),
        Property("CH", "column honesty", "P[j,j] >= P[i,j]", pairs=_transposed(_row_honest)),
        Property(
            "CM", "column monotonicity", "column j never increases away from row j", pairs=_transposed(_row_monotone)
        ),
        Property("F", "fairness", "the diagonal is constant", equal=_fair),
        Property("S", "symmetry", "P[i,j] = P[n-i,n-j]", equal=_symmetric),
    )
}
"""All seven, from weak to strict; this is also the order in which they are shown."""

COLUMN_PROPERTIES = frozenset({"CH", "CM"})

_IMPLICATIONS: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset({"RM"}), "RH"),
    (frozenset({"CM"}), "CH"),
    (frozenset({"CH"}), "WH"),
    (frozenset({"F", "RH"}), "CH"),
    (frozenset({"F", "CH"}), "RH"),
)


def parse_properties(names: str | Iterable[str]) -> frozenset[str]:
    """A set of property names from `"WH,CM"`, `"none"`, `"all"`, or any iterable of names; case does not matter."""
    words = names.split(",") if isinstance(names, str) else list(names)
    given = [str(word).strip().upper() for word in words]
    if given in (["NONE"], [""], []):
        return frozenset()
    if given == ["ALL"]:
        return frozenset(PROPERTIES)
    for word in given:
        if word not in PROPERTIES:
            allowed = ", ".join(PROPERTIES)
            raise InputError(f"properties must be among {allowed} (or none, or all), got {word or 'an empty name'!r}")
    return frozenset(given)


def closure(names: Iterable[str]) -> frozenset[str]:
    """All properties that follow from the given ones, themselves included."""
    known = set(names)
    while True:
        new = {then for given, then in _IMPLICATIONS if given <= known} - known
        if not new:
            return frozenset(known)
        known |= new


def without_implied(names: Iterable[str]) -> frozenset[str]:
    """A subset of the given properties that implies the rest: fewer rows, the same mechanisms."""
    kept = set(names)
    for name in ("WH", "RH", "CH"):
        if name in kept and name in closure(kept - {name}):
            kept.remove(name)
    return frozenset(kept)


def ordered(names: Iterable[str]) -> tuple[str, ...]:
    """Names in the one order in which they are always shown."""
    chosen = set(names)
    return tuple(name for name in PROPERTIES if name in chosen)


def holding(weights: Weights, denominator: int) -> tuple[str, ...]:
    """Every one of the seven properties that a square integer matrix has, in alphabetical order."""
    return tuple(sorted(name for name, prop in PROPERTIES.items() if prop.holds(weights, denominator)))

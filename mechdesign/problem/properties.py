"""The structural properties, each stated once: as rows of the LP, and so as a check of a matrix.

Seven have names; an eighth, `OS:BETA`, has a parameter. All are linear in `P` (Cormode, Kulkarni, Srivastava,
"Constrained Private Mechanisms for Count Data", ICDE 2018, section III). A property is made of at most three kinds of
statement about entries (i, j) of an m x m matrix: pairs `P[a] >= ratio P[b]`, equal entries, and a floor on the
diagonal. Entries are numbered `i * m + j`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError
from mechdesign.problem.neighbours import Weights
from mechdesign.rational import as_rational, fraction_text

Entries = NDArray[np.int64]
Pairs = tuple[Entries, Entries]


@dataclass(frozen=True)
class Property:
    """One property: its statement, and the statements about entries that make it up.

    `pairs(m)` gives arrays (upper, lower) with `P[upper] >= ratio P[lower]`; `equal(m)` gives arrays (first, second)
    with `P[first] == P[second]`; `floor` says that the diagonal is at least 1/m.
    """

    name: str
    title: str
    statement: str
    pairs: Callable[[int], Pairs] | None = None
    equal: Callable[[int], Pairs] | None = None
    floor: bool = False
    ratio: Fraction = Fraction(1)

    def holds(self, weights: Weights, denominator: int) -> bool:
        """Does a square integer matrix over `denominator` have this property, exactly?"""
        size = len(weights)
        flat = [weight for row in weights for weight in row]
        if self.pairs is not None:
            upper, lower = self.pairs(size)
            p, q = self.ratio.numerator, self.ratio.denominator
            if any(q * flat[a] < p * flat[b] for a, b in zip(upper.tolist(), lower.tolist(), strict=True)):
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

SMOOTHNESS = "OS:"
"""Prefix of the eighth: `OS:BETA`, neighbouring outputs differ by at most the factor beta."""


def _smooth(size: int) -> Pairs:
    entries = np.arange(size * (size - 1), dtype=np.int64)
    return np.concatenate([entries, entries + size]), np.concatenate([entries + size, entries])


def find_property(name: str) -> Property:
    """One of the seven, or `OS:BETA`: `P[i,j] >= beta P[i+1,j]` and `P[i+1,j] >= beta P[i,j]`, beta in (0, 1].

    >>> find_property("OS:9/10").ratio
    Fraction(9, 10)
    """
    if not name.startswith(SMOOTHNESS):
        return PROPERTIES[name]
    beta = Fraction(name.removeprefix(SMOOTHNESS))
    return Property(name, "output smoothness", "P[i,j] >= beta P[i+1,j] and back", pairs=_smooth, ratio=beta)


NAMED_SETS = {"WM": "WH,RM,CM"}
"""Sets of properties that have a name as mechanisms, and are asked for by their members."""

COLUMN_PROPERTIES = frozenset({"CH", "CM"})

_IMPLICATIONS: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset({"RM"}), "RH"),
    (frozenset({"CM"}), "CH"),
    (frozenset({"CH"}), "WH"),
    (frozenset({"F", "RH"}), "CH"),
    (frozenset({"F", "CH"}), "RH"),
)


def parse_properties(names: str | Iterable[str]) -> frozenset[str]:
    """A set of property names from `"WH,CM"`, `"none"`, `"all"`, or any iterable of names; case does not matter.

    `OS:0.9` becomes `OS:9/10`; of several OS the strictest (largest beta) is kept, since it implies the others.
    """
    words = names.split(",") if isinstance(names, str) else list(names)
    given = [str(word).strip().upper() for word in words]
    if given in (["NONE"], [""], []):
        return frozenset()
    parsed: set[str] = set()
    betas: list[Fraction] = []
    for word in given:
        if word == "ALL":
            parsed |= set(PROPERTIES)
        elif word.startswith(SMOOTHNESS):
            betas.append(_parse_beta(word))
        elif word in PROPERTIES:
            parsed.add(word)
        else:
            allowed = ", ".join(PROPERTIES)
            hint = f"; {word} is {NAMED_SETS[word]}" if word in NAMED_SETS else ""
            raise InputError(
                f"properties must be among {allowed}, OS:BETA (or none, or all), got {word or 'an empty name'!r}{hint}"
            )
    if betas:
        parsed.add(f"{SMOOTHNESS}{fraction_text(max(betas))}")
    return frozenset(parsed)


def _parse_beta(word: str) -> Fraction:
    beta = as_rational(word.removeprefix(SMOOTHNESS), "OS:BETA")
    if not 0 < beta <= 1:
        raise InputError(f"OS:BETA must have beta in (0, 1], got {word}")
    return beta


def smoothness(names: Iterable[str]) -> Fraction | None:
    """The beta of `OS:BETA`, None where it is not among the names."""
    return next((find_property(name).ratio for name in names if name.startswith(SMOOTHNESS)), None)


def closure(names: Iterable[str]) -> frozenset[str]:
    """All properties that follow from the given ones, themselves included."""
    known = set(names)
    while True:
        new = {then for given, then in _IMPLICATIONS if given <= known} - known
        if f"{SMOOTHNESS}1" in known:  # every column is constant: the uniform mechanism
            new = set(PROPERTIES) - known
        if not new:
            return frozenset(known)
        known |= new


def without_implied(names: Iterable[str]) -> frozenset[str]:
    """A subset of the given properties that implies the rest: fewer rows, the same mechanisms."""
    kept = set(names)
    if f"{SMOOTHNESS}1" in kept:
        return frozenset({f"{SMOOTHNESS}1"})
    for name in ("WH", "RH", "CH"):
        if name in kept and name in closure(kept - {name}):
            kept.remove(name)
    return frozenset(kept)


def ordered(names: Iterable[str]) -> tuple[str, ...]:
    """Names in the one order in which they are always shown."""
    chosen = set(names)
    return tuple(name for name in PROPERTIES if name in chosen) + tuple(sorted(chosen - PROPERTIES.keys()))


def holding(weights: Weights, denominator: int, asked: Iterable[str] = ()) -> tuple[str, ...]:
    """Every one of the seven properties that a square integer matrix has, and `OS:BETA` if asked, by alphabet."""
    tested = {*PROPERTIES, *(name for name in asked if name.startswith(SMOOTHNESS))}
    return tuple(sorted(name for name in tested if find_property(name).holds(weights, denominator)))

"""The structural property of a square mechanism.

It is pairs of entries, equal entries, or a floor on the diagonal.

All properties are linear in `P`. One property is made of at most three kinds of statement about the entries (i, j) of
an m x m matrix, numbered `i * m + j`. The linear program, the duals, column generation and the repair read them off
here; the kernel (`mechdesign.verify.kernel`) has statements of its own. A row may have two entries at most: the exact
solution walks a forest of such rows.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, wraps
from itertools import pairwise
from math import comb, isqrt

import numpy as np
from numpy.typing import NDArray

from mechdesign.problem.neighbours import Weights

Entries = NDArray[np.int64]
Pairs = tuple[Entries, Entries]
Statement = Callable[[int], Pairs]

SMALL = 9
"""Properties say the same at every size: what they compare is looked up at this one."""

MOST_KEPT, LARGEST_KEPT = 128, 64
"""So many statements are kept, of sizes up to this."""


def kept(statement: Statement) -> Statement:
    """Keep what a statement says at small sizes: every design of a size asks it anew, of each property."""

    @lru_cache(maxsize=MOST_KEPT)
    def keep(size: int) -> Pairs:
        first, second = statement(size)
        first.flags.writeable = second.flags.writeable = False
        return first, second

    @wraps(statement)  # under its name it is found by processes to which a problem is sent
    def look_up(size: int) -> Pairs:
        return keep(size) if size <= LARGEST_KEPT else statement(size)

    return look_up


@dataclass(frozen=True)
class Property:
    """A property, by its statements.

    `pairs(m)` gives arrays (upper, lower) with `P[upper] >= ratio P[lower]`, ratio in (0, 1]; `equal(m)` gives arrays
    (first, second) with `P[first] == P[second]`; every entry of the diagonal is at least `floor / m`. `in_lattice` says
    that it is one of those whose subsets a landscape compares, `is_rotation` that it says `P[i,j] = P[n-i,n-j]`, and
    `is_monotone` that every entry off the diagonal is at most its neighbour.
    """

    name: str
    title: str
    statement: str
    pairs: Statement | None = None
    ratio: Fraction = Fraction(1)
    equal: Statement | None = None
    floor: Fraction = Fraction(0)
    in_lattice: bool = True
    is_rotation: bool = False
    is_monotone: bool = False

    @property
    def kind(self) -> str:
        """The name without a parameter, as the rows of a proof are called."""
        return self.name.partition(":")[0]

    def holds(self, weights: Weights, denominator: int) -> bool:
        """Return whether a square integer matrix over `denominator` has this property, exactly."""
        return next(self.offences(weights, denominator), None) is None

    def offences(self, weights: Weights, denominator: int) -> Iterator[tuple[int, ...]]:
        """Yield, of a square integer matrix over `denominator`, the entries of each statement that is false of it."""
        size = len(weights)
        flat = [weight for row in weights for weight in row]
        if self.pairs is not None:
            upper, lower = self.pairs(size)
            p, q = self.ratio.numerator, self.ratio.denominator
            both = zip(upper.tolist(), lower.tolist(), strict=True)
            yield from ((a, b) for a, b in both if q * flat[a] < p * flat[b])
        if self.equal is not None:
            first, second = self.equal(size)
            yield from ((a, b) for a, b in zip(first.tolist(), second.tolist(), strict=True) if flat[a] != flat[b])
        least = self.floor.numerator * denominator
        yield from ((i * size + i,) for i in range(size) if self.floor.denominator * size * weights[i][i] < least)

    def vanishes(self, offence: tuple[int, ...], low: Sequence[Fraction], high: Sequence[Fraction]) -> bool:
        """Return whether the statement of an offence is true of some entries between `low` and `high`."""
        if len(offence) == 1:
            (a,) = offence
            return high[a] * isqrt(len(high)) >= self.floor
        a, b = offence
        if low[a] > high[b] and self.pairs is None:
            return False
        return high[a] >= self.ratio * low[b]

    @cached_property
    def compares_rows(self) -> bool:
        """Whether a pair has its two entries in different rows."""
        if self.pairs is None:
            return False
        upper, lower = self.pairs(SMALL)
        return bool((upper // SMALL != lower // SMALL).any())

    @cached_property
    def keeps_rotation(self) -> bool:
        """Whether the rotation of a matrix with this property has it too."""
        for statement in (self.pairs, self.equal):
            if statement is None:
                continue
            pairs = set(zip(*(side.tolist() for side in statement(SMALL)), strict=True))
            if statement is self.equal:
                pairs |= {(second, first) for first, second in pairs}
                pairs = _connected(pairs)
            if {(SMALL**2 - 1 - a, SMALL**2 - 1 - b) for a, b in pairs} != pairs:
                return False
        return True

    def n_pairs(self, size: int) -> int:
        """Count the pairs at a size without writing them down: by Newton's differences, exactly where it is a cubic."""
        if self.pairs is None:
            return 0
        return sum(first * comb(size - 1, order) for order, first in enumerate(self._differences))

    @cached_property
    def _differences(self) -> tuple[int, ...]:
        """Newton's differences of the number of pairs, from size 1 on."""
        assert self.pairs is not None
        differences, firsts = [len(self.pairs(small)[0]) for small in range(1, 5)], []
        while differences:
            firsts.append(differences[0])
            differences = [after - before for before, after in pairwise(differences)]
        return tuple(firsts)


def _connected(pairs: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """All pairs that a symmetric relation connects."""
    closed = set(pairs)
    while True:
        further = {(a, d) for a, b in closed for c, d in pairs if b == c} - closed
        if not further:
            return closed
        closed |= further


def rotation(entries: Entries, size: int) -> Entries:
    """Number the entry (n-i, n-j) for each entry (i, j)."""
    return size * size - 1 - entries

"""The levels of `blocks2`, chosen and named, and how often each is drawn.

A text names them: `2x4*812` is blocks of two rows and four columns with their weight.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np

from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.grid import Grid
from mechdesign.workloads.workload import OrderedWorkload
from mechdesign_catalog.decoders.circles.pattern import Places
from mechdesign_catalog.decoders.circles.torus import Torus, TorusSide
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.systems.levels.masked_rectangles import MaskedRectangles
from mechdesign_catalog.systems.levels.weighed_levels import Naming, WeighedLevel, best_levels

MOST_LOOKED_AT = 64
"""Frequencies of a side that are looked at, at most: of many one stands for others."""

NARROW = 24
"""Those from 0 on that are all looked at."""

SHORT = 128
"""Items of a side up to which more blocks are looked at."""

STEP, LONG_STEP = 3 / 2, 7 / 4
"""What a block's side is over the one before, at least, on short sides and on others."""

FAR = 2
"""What a divisor is over the one before, at most, where no others are looked at between them."""

MOST_SUMS = 64
"""Sums of a server for each item, at most, for a level whose blocks are not all alike."""

_WORD = re.compile(r"[1-9][0-9]{0,8}x[1-9][0-9]{0,8}")


@dataclass(frozen=True, eq=False)
class LookedAt:
    """Frequencies of a side from 0 on, each of which stands for some in a row: those from its number in `firsts` on."""

    side: TorusSide
    firsts: Places
    middles: Places

    @classmethod
    def of(cls, side: TorusSide) -> "LookedAt":
        """Choose them: all of the low ones, and the others less and less."""
        last = side.size // 2
        firsts = np.arange(last + 1)
        if last >= MOST_LOOKED_AT:
            wide = np.geomspace(NARROW, last + 1, MOST_LOOKED_AT - NARROW, endpoint=False).astype(np.int64)
            firsts = np.unique(np.concatenate([firsts[:NARROW], wide]))
        ends = np.append(firsts[1:], last + 1)
        return cls(side, firsts, (firsts + ends - 1) // 2)

    @property
    def squares(self) -> Floats:
        """The squared transform of a run of 1, 2, .. places at each, a row for each length."""
        found: Floats = self.side.by_length[:, self.middles]
        return found

    def asked(self, workload: OrderedWorkload) -> Floats:
        """Return the squared transforms of all queries of a side, added up over what each frequency stands for."""
        squares = self.side.times * (workload.lengths @ self.side.by_length)
        found: Floats = np.add.reduceat(squares, self.firsts)
        return found


def naming(shape: tuple[int, int], privacy: Privacy) -> Naming[MaskedRectangles]:
    """Say how texts name the levels of a torus."""

    def make(word: str) -> MaskedRectangles:
        height, width = map(int, word.split("x"))
        return _oracle(shape, privacy, height, width)

    return Naming(_WORD, make, "1x1", "heights and widths with weights, such as 1x1*3-2x4*1")


def _oracle(shape: tuple[int, int], privacy: Privacy, height: int, width: int) -> MaskedRectangles:
    return MaskedRectangles(shape[0] * shape[1], privacy, columns=shape[1], height=height, width=width)


@lru_cache(maxsize=64)
def optimal_rectangles(workload: Grid, privacy: Privacy) -> tuple[WeighedLevel[MaskedRectangles], ...]:
    """Choose the levels with the least variance over a workload of equally frequent items; single items first.

    >>> [level.text for level in optimal_rectangles(Grid((2, 2)), Privacy(epsilon=1))]
    ['1x1*9618', '1x2*191', '2x1*191']
    """
    shape = workload.shape
    sides = [LookedAt.of(side) for side in Torus(shape).sides]
    squares = [one.squares for one in sides]
    pairs = [pair for pair in product(*map(sizes_of, shape)) if pair != shape]
    made = (_oracle(shape, privacy, *pair) for pair in pairs)
    oracles = [one for one in made if one.contribution.length <= MOST_SUMS * one.k]
    powers = []
    for oracle in oracles:
        rows = (
            times * np.outer(*(of_side[one.places - 1] for of_side, one in zip(squares, kind.sides, strict=True)))
            for times, kind in oracle.kinds
        )
        powers.append(oracle.facts.power_unit * sum(rows, np.zeros(1)).ravel()[1:])
    asked = [side.asked(queries) for side, queries in zip(sides, workload.sides, strict=True)]
    words = [one.word for one in oracles]
    return best_levels(words, naming(shape, privacy).make, np.array(powers), np.outer(*asked).ravel()[1:])


def sizes_of(side: int) -> list[int]:
    """List the longest blocks of cuts of a side, from 1 to itself, each a step above the one before or more.

    Divisors, and where two of them are far apart others between them, of which not all blocks are as long (`EvenCuts`).

    >>> sizes_of(12), sizes_of(7)
    ([1, 2, 3, 6, 12], [1, 2, 4, 7])
    """
    found, step = [1], STEP if side <= SHORT else LONG_STEP
    for size in range(2, side):
        if side % size == 0 and size >= step * found[-1] and side >= step * size:
            found += [*_between(side, found[-1], size, step), size]
    return [*found, *_between(side, found[-1], side, step), side] if side > 1 else found


def _between(side: int, low: int, high: int, step: float) -> list[int]:
    """List the longest blocks of cuts that are a step or more apart, between two divisors that are far apart."""
    if high <= FAR * low:
        return []
    found, last = [], float(low)
    for parts in range(side // low - 1, side // high, -1):
        if side >= step * last * parts and high * parts >= step * side:
            last = side / parts
            found.append(-(-side // parts))
    return found

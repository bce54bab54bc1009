"""The levels of `blocks2`, chosen and named, and how often each is drawn.

A text names them: `2x4*812` is blocks of two rows and four columns with their weight.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from mechdesign.errors import InputError, shorten
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.decoders.circles.levels import best_weights
from mechdesign_catalog.decoders.circles.pattern import Places
from mechdesign_catalog.decoders.circles.torus import Torus, TorusSide, ranges_by_length
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.systems.levels.blocks_plan import DENOMINATOR, LEAST, OPTIMAL
from mechdesign_catalog.systems.levels.masked_rectangles import MaskedRectangles

MOST_LOOKED_AT = 64
"""Frequencies of a side that are looked at, at most: of many one stands for others."""

NARROW = 24
"""Those from 0 on that are all looked at."""

STEP = 7 / 4
"""What a block's side is over the one before, at least."""

_LEVEL = re.compile(r"([1-9][0-9]{0,8})x([1-9][0-9]{0,8})\*([1-9][0-9]{0,8})")


@dataclass(frozen=True)
class WeighedRectangles:
    """The oracle of a level, and how often it is drawn."""

    oracle: MaskedRectangles
    weight: int

    @property
    def text(self) -> str:
        """The level as a text names it."""
        return f"{self.oracle.word}*{self.weight}"


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

    @property
    def asked(self) -> Floats:
        """The squared transforms of all ranges of the side, added up over the frequencies that each stands for."""
        squares = self.side.times * (ranges_by_length(self.side.size) @ self.side.by_length)
        found: Floats = np.add.reduceat(squares, self.firsts)
        return found


def parse_rectangles(text: str, shape: tuple[int, int], privacy: Privacy) -> tuple[WeighedRectangles, ...]:
    """Parse levels, or return the best ones for all rectangles of a table.

    Raises:
        InputError: for another text, a level that does not fit the table, or one that is there twice.
    """
    word = str(text).strip().lower()
    if word == OPTIMAL:
        return optimal_rectangles(shape, privacy)
    found = []
    for part in word.split("-"):
        match = _LEVEL.fullmatch(part)
        if match is None:
            raise InputError(
                f"levels must be optimal, or heights and widths with weights, such as 1x1*3-2x4*1, "
                f"got levels={shorten(text)}"
            )
        height, width, weight = map(int, match.groups())
        found.append(WeighedRectangles(_oracle(shape, privacy, height, width), weight))
    if len({level.oracle for level in found}) < len(found):
        raise InputError(f"levels must differ from each other, got levels={shorten(text)}")
    if not any(level.oracle.shifts == 1 for level in found):
        raise InputError(f"levels must have that of single items, 1x1*WEIGHT, got levels={shorten(text)}")
    return tuple(found)


def _oracle(shape: tuple[int, int], privacy: Privacy, height: int, width: int) -> MaskedRectangles:
    return MaskedRectangles(shape[0] * shape[1], privacy, columns=shape[1], height=height, width=width)


@lru_cache(maxsize=64)
def optimal_rectangles(shape: tuple[int, int], privacy: Privacy) -> tuple[WeighedRectangles, ...]:
    """Choose the levels with the least variance over all rectangles of equally frequent items; single items first.

    >>> [level.text for level in optimal_rectangles((2, 2), Privacy(epsilon=1))]
    ['1x1*9562', '1x2*219', '2x1*219']
    """
    sides = [LookedAt.of(side) for side in Torus(shape).sides]
    rows, columns = ({size: one.squares[size - 1] for size in sizes_of(one.side.size)} for one in sides)
    oracles, powers = [], []
    for height, of_rows in rows.items():
        for width, of_columns in columns.items():
            if (height, width) == shape:
                continue
            oracle = _oracle(shape, privacy, height, width)
            oracles.append(oracle)
            powers.append(float(oracle.facts.scale * oracle.facts.pull) * np.outer(of_rows, of_columns).ravel()[1:])
    told, squares = np.array(powers), np.outer(sides[0].asked, sides[1].asked).ravel()[1:]
    weights, kept = best_weights(told, squares), np.arange(len(oracles))
    while (weights[1:] < LEAST).any():  # single items, the first, tell all frequencies
        kept = np.append(kept[:1], kept[1:][weights[1:] >= LEAST])
        weights = best_weights(told[kept], squares)
    weights[0] = max(weights[0], LEAST)
    return tuple(
        WeighedRectangles(oracles[level], round(DENOMINATOR * float(weight)))
        for level, weight in zip(kept, weights, strict=True)
    )


def sizes_of(side: int) -> list[int]:
    """List the divisors of a side from 1 to itself, each nearly twice the one before or more.

    >>> sizes_of(12), sizes_of(7)
    ([1, 2, 4, 12], [1, 7])
    """
    found = [1]
    for size in range(2, side):
        if side % size == 0 and size >= STEP * found[-1] and side >= STEP * size:
            found.append(size)
    return [*found, side] if side > 1 else found

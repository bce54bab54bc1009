"""The levels of `blocks`, chosen and named, and how often each is drawn.

They are lengths of masked blocks, and rows of rotated cells.

A text names them: `4*812` is blocks of 4 places, `x1f*57` the row of cells 0..4 in hexadecimal, each with its weight.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from mechdesign.errors import InputError, shorten
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.decoders.circles.circle import Circle
from mechdesign_catalog.decoders.circles.levels import best_weights, chosen_frequencies, cut_squares
from mechdesign_catalog.systems.levels.masked_blocks import MaskedBlocks
from mechdesign_catalog.systems.levels.rotated_cells import RotatedCells
from mechdesign_catalog.systems.levels.shifted_rows import CircleRows

OPTIMAL = "optimal"

DENOMINATOR = 10_000
"""What weights are rounded to parts of."""

LEAST = 0.003
"""A level with a smaller weight is left out: it would soon be without a user. Single items have this one at least."""

_LEVEL = re.compile(r"([1-9][0-9]{0,12}|x[1-9a-f][0-9a-f]{0,7})\*([1-9][0-9]{0,8})")


@dataclass(frozen=True)
class WeighedLevel:
    """The oracle of a level, and how often it is drawn."""

    oracle: CircleRows
    weight: int

    @property
    def text(self) -> str:
        """The level as a text names it."""
        return f"{self.oracle.word}*{self.weight}"


def parse_blocks(text: str, k: int, privacy: Privacy) -> tuple[WeighedLevel, ...]:
    """Parse levels, or return the best ones for all ranges and arcs of k items.

    Raises:
        InputError: for another text, a level that does not fit the circle, or one that is there twice.
    """
    word = str(text).strip().lower()
    if word == OPTIMAL:
        return optimal_levels(k, privacy)
    circle, found = Circle(k), []
    for part in word.split("-"):
        match = _LEVEL.fullmatch(part)
        if match is None:
            raise InputError(
                f"levels must be optimal, or lengths and rows of cells with weights, such as 1*3-2*1-x7*1, "
                f"got levels={shorten(text)}"
            )
        kind, weight = match.groups()
        found.append(WeighedLevel(_oracle(kind, circle, privacy), int(weight)))
    if len({level.oracle for level in found}) < len(found):
        raise InputError(f"levels must differ from each other, got levels={shorten(text)}")
    if not any(isinstance(level.oracle, MaskedBlocks) and level.oracle.length == 1 for level in found):
        raise InputError(f"levels must have that of single items, 1*WEIGHT, got levels={shorten(text)}")
    return tuple(found)


def _oracle(kind: str, circle: Circle, privacy: Privacy) -> CircleRows:
    if kind.startswith("x"):
        return RotatedCells(circle.size, privacy, cells=circle.cells, row=int(kind[1:], 16))
    return MaskedBlocks(circle.size, privacy, length=int(kind))


@lru_cache(maxsize=64)
def optimal_levels(k: int, privacy: Privacy) -> tuple[WeighedLevel, ...]:
    """Choose the levels with the least variance over all arcs of k equally frequent items; the finest first.

    >>> [level.text for level in optimal_levels(4, Privacy(epsilon=1))]
    ['1*5000', 'x1*5000']
    """
    circle = Circle(k)
    oracles: list[CircleRows] = [MaskedBlocks(circle.size, privacy, length=length) for length in circle.lengths]
    oracles += [RotatedCells(circle.size, privacy, cells=circle.cells, row=row) for row in few_runs(circle.cells)]
    frequencies, squares = chosen_frequencies(cut_squares(circle))
    powers = np.array([oracle.facts.powers(frequencies) for oracle in oracles])
    weights = best_weights(powers, squares)
    kept = np.arange(len(oracles))
    while (weights[1:] < LEAST).any():  # single items, the first, tell all frequencies
        kept = np.append(kept[:1], kept[1:][weights[1:] >= LEAST])
        weights = best_weights(powers[kept], squares)
    weights[0] = max(weights[0], LEAST)
    return tuple(
        WeighedLevel(oracles[level], round(DENOMINATOR * float(weight)))
        for level, weight in zip(kept, weights, strict=True)
    )


def few_runs(cells: int) -> list[int]:
    """List rows of one or two runs of cells, each once of all its rotations and reflections, but not all cells.

    >>> [bin(row) for row in few_runs(5)]
    ['0b1', '0b11', '0b111', '0b1111', '0b101', '0b1011']
    """
    found = [(1 << run) - 1 for run in range(1, cells)]
    for first in range(1, cells):
        for second in range(1, first + 1):
            free = cells - first - second
            found += [(1 << first) - 1 | (1 << second) - 1 << first + gap for gap in range(1, free // 2 + 1)]
    return found

"""The levels of `blocks`, chosen and named, and how often each is drawn.

They are numbers of masked blocks, and rows of rotated cells.

A text names them: `256*812` is 256 blocks, `x1f*57` the row of cells 0..4 in hexadecimal, each with its weight.
"""

import re
from functools import lru_cache

import numpy as np

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.decoders.circles.circle import Circle
from mechdesign_catalog.decoders.circles.even_cuts import EvenCuts
from mechdesign_catalog.decoders.circles.levels import chosen_frequencies, cut_squares
from mechdesign_catalog.decoders.circles.pattern import Places, cell_unit
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.systems.levels.masked_blocks import MaskedBlocks
from mechdesign_catalog.systems.levels.rotated_cells import RotatedCells
from mechdesign_catalog.systems.levels.shifted_rows import CircleRows
from mechdesign_catalog.systems.levels.weighed_levels import Naming, WeighedLevel, best_levels

_WORD = re.compile(r"[1-9][0-9]{0,12}|x[1-9a-f][0-9a-f]{0,7}")


def naming(circle: Circle, privacy: Privacy) -> Naming[CircleRows]:
    """Say how texts name the levels of a circle."""
    words = f"numbers of blocks and rows of cells with weights, such as {circle.size}*3-x1*1"
    return Naming(_WORD, lambda word: _oracle(word, circle, privacy), str(circle.size), words)


def _oracle(kind: str, circle: Circle, privacy: Privacy) -> CircleRows:
    if kind.startswith("x"):
        return RotatedCells(circle.size, privacy, cells=circle.cells, row=int(kind[1:], 16))
    return MaskedBlocks(circle.size, privacy, pieces=int(kind))


@lru_cache(maxsize=64)
def optimal_levels(k: int, privacy: Privacy) -> tuple[WeighedLevel[CircleRows], ...]:
    """Choose the levels with the least variance over all arcs of k equally frequent items; the finest first.

    >>> [level.text for level in optimal_levels(4, Privacy(epsilon=1))]
    ['4*5000', 'x1*5000']
    """
    circle = Circle(k)
    frequencies, squares = chosen_frequencies(cut_squares(circle))
    blocks = [MaskedBlocks(circle.size, privacy, pieces=parts) for parts in circle.parts]
    places, of_rows = row_squares(circle)
    odds = float(1 / privacy.alpha - 1)
    of_rows = of_rows * (odds**2 / circle.size / (1 + odds * places / circle.size) ** 2)[:, None]
    powers = np.vstack([*(one.facts.powers(frequencies) for one in blocks), of_rows])
    words = [*(one.word for one in blocks), *(f"x{row:x}" for row in few_runs(circle.cells))]
    return best_levels(words, lambda word: _oracle(word, circle, privacy), powers, squares)


@lru_cache(maxsize=4)
def row_squares(circle: Circle) -> tuple[Places, Floats]:
    """Return how many places each row of `few_runs` holds, and its squared transform at the chosen frequencies."""
    frequencies, _ = chosen_frequencies(cut_squares(circle))
    unit = cell_unit(circle.size, circle.cells)
    cells = EvenCuts(circle.size // unit, circle.cells)
    held = np.array(few_runs(circle.cells))[:, None] >> np.arange(circle.cells) & 1
    turns = np.exp(-2j * np.pi / circle.size * (np.outer(unit * cells.firsts, frequencies) % circle.size))
    waves = np.diff(held, axis=1, prepend=held[:, -1:]) @ turns
    return unit * held @ cells.lengths, (np.abs(waves) / (2 * np.sin(np.pi / circle.size * frequencies))) ** 2


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

"""Levels of shifted rows with their weights: parsed from a text, and weighed best.

A text names each level by its oracle's word, with its weight: `1*3-2*1`.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from mechdesign.errors import InputError, shorten
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.decoders.circles.levels import best_weights
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.systems.levels.shifted_rows import ShiftedRows

OPTIMAL = "optimal"

DENOMINATOR = 10_000
"""What weights are rounded to parts of."""

LEAST = 0.003
"""A level with a smaller weight is left out: it would soon be without a user. Single items have this one at least."""

LARGEST_EPSILON = 20
"""The epsilon up to which variances are told: of levels together they are a difference, and beyond rounding takes it.

Against 60 digits a part of 4e-8 is wrong at 20, 1e-6 at 24, 1e-5 at 26 (16 items); of `blocks` on 64 items .01 at 36.
"""

_LEVEL = re.compile(r"(.+)\*([1-9][0-9]{0,8})")

Rows = TypeVar("Rows", bound=ShiftedRows)


def require_epsilon(name: str, privacy: Privacy) -> None:
    """Refuse an epsilon with which variances of a system of levels would be rounding alone.

    Raises:
        InputError: naming what serves there.
    """
    if privacy.epsilon > LARGEST_EPSILON:
        got = f"got epsilon={privacy.epsilon_text()}"
        raise InputError(f"epsilon must be at most {LARGEST_EPSILON} for {name}, {got}; flat:grr serves there")


@dataclass(frozen=True)
class WeighedLevel(Generic[Rows]):
    """The oracle of a level, and how often it is drawn."""

    oracle: Rows
    weight: int

    @property
    def text(self) -> str:
        """The level as a text names it."""
        return f"{self.oracle.word}*{self.weight}"


@dataclass(frozen=True)
class Naming(Generic[Rows]):
    """The names of the levels of a system, as texts have them.

    Args:
        word: matches the word of an oracle.
        make: makes the oracle of a word.
        single: the word of the level of single items.
        words: what levels are, with an example.
    """

    word: re.Pattern[str]
    make: Callable[[str], Rows]
    single: str
    words: str

    def parsed(self, text: str) -> tuple[WeighedLevel[Rows], ...]:
        """Parse levels.

        Raises:
            InputError: for another text, a level that does not fit the places, one that is there twice, or none of
                single items.
        """
        found = []
        for part in text.strip().lower().split("-"):
            match = _LEVEL.fullmatch(part)
            if match is None or not self.word.fullmatch(match[1]):
                raise InputError(f"levels must be {OPTIMAL}, or {self.words}, got levels={shorten(text)}")
            found.append(WeighedLevel(self.make(match[1]), int(match[2])))
        if len({level.oracle for level in found}) < len(found):
            raise InputError(f"levels must differ from each other, got levels={shorten(text)}")
        if all(level.oracle != self.make(self.single) for level in found):
            raise InputError(f"levels must have that of single items, {self.single}*WEIGHT, got levels={shorten(text)}")
        return tuple(found)


def best_levels(
    words: Sequence[str], make: Callable[[str], Rows], powers: Floats, squares: Floats
) -> tuple[WeighedLevel[Rows], ...]:
    """Weigh levels best, without those that would be rare.

    Args:
        words: those of the levels, that of single items first, which tells all frequencies.
        make: makes the oracle of a word.
        powers: what each tells of each frequency that is looked at.
        squares: what queries ask of these.
    """
    weights, kept = best_weights(powers, squares), np.arange(len(words))
    while (weights[1:] < LEAST).any():
        large = np.append(True, weights[1:] >= LEAST)
        kept, weights = kept[large], best_weights(powers[kept[large]], squares, weights[large])
    weights[0] = max(weights[0], LEAST)
    return tuple(
        WeighedLevel(make(words[level]), round(DENOMINATOR * weight))
        for level, weight in zip(kept.tolist(), weights.tolist(), strict=True)
    )

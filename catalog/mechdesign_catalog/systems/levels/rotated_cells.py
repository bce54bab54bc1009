"""Rotated cells: a rotation of a row of a circle's cells, the oracle of a coarse level.

The circle is at a public shift.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.errors import InputError
from mechdesign.mechanism.sampling import WordSource
from mechdesign.rational import fraction_text
from mechdesign.verify.level_design import RowEntry
from mechdesign_catalog.decoders.circles.levels import LevelFacts
from mechdesign_catalog.decoders.circles.pattern import Pattern
from mechdesign_catalog.randomizers.kernels.draws import bernoulli, uniform_below
from mechdesign_catalog.randomizers.oracle import Values, require_few
from mechdesign_catalog.randomizers.reports.contributions import Contribution, Multihot
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.report_schema import Numbers, ReportSchema
from mechdesign_catalog.randomizers.reports.reports import (
    Column,
    Constants,
    ReportLaw,
    State,
    counted,
    require_counts,
)
from mechdesign_catalog.systems.levels.shifted_rows import CircleRows


@dataclass(frozen=True)
class RotatedCells(CircleRows):
    """A rotation of a row of c equal cells of k places on a circle, at a drawn shift.

    `row` is a number whose bit i says whether the row holds cell i. The report is the place s where the row starts: it
    holds v where the bit `(v - s mod k) // (k/c)` of the row is 1. `s mod k/c` is the shift, which is public and
    uniform. Of the c rotations those that hold the own place are 1/alpha times as likely as the others.

    Raises:
        InputError: for cells that do not divide k, or a row without a cell or with all of them.

    >>> from mechdesign.problem.privacy import Privacy
    >>> RotatedCells(64, Privacy(alpha="1/3"), cells=16, row=0b1111).bits
    6
    """

    cells: int
    row: int
    name: ClassVar[str] = "rotated-cells"
    decoder: ClassVar[str] = "inverse on the circle"
    row_bytes: ClassVar[int] = 16
    time_class: ClassVar[str] = "N + k log k"
    score_is_reached: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.k % self.cells or not 0 < self.row < (1 << self.cells) - 1:
            raise InputError(f"a row must hold some of the cells, which divide k={self.k}, got {self.row:#x}")

    @property
    def word(self) -> str:
        """The row, in hexadecimal after an x."""
        return f"x{self.row:x}"

    def entry(self, weight: int) -> RowEntry:
        """State the row, a letter for each cell."""
        return RowEntry(weight, "".join(str(self.row >> cell & 1) for cell in range(self.cells)))

    @cached_property
    def ones(self) -> int:
        """Number of cells that the row holds."""
        return self.row.bit_count()

    @property
    def length(self) -> int:
        """Places of a cell."""
        return self.k // self.cells

    @cached_property
    def own_chance(self) -> Fraction:
        """Chance that the report holds the own place."""
        return 1 / (1 + (Fraction(self.cells, self.ones) - 1) * self.alpha)

    @cached_property
    def facts(self) -> LevelFacts:
        """The pattern of the row, and `1/(k q)`, `(1/alpha - 1)/(k q)` twice, `q = 1 + (1/alpha - 1) ones / cells`."""
        odds = 1 / self.alpha - 1
        unit = self.k * (1 + odds * Fraction(self.ones, self.cells))
        pattern = Pattern.of_cells(self.k, self.cells, self.row)
        return LevelFacts(((1, pattern),), 1 / unit, odds / unit, odds / unit)

    @property
    def together(self) -> tuple[Fraction, Fraction]:
        """The part of the cells that the row holds; and one start of all."""
        return Fraction(self.ones, self.cells), Fraction(1, self.k)

    @property
    def apart(self) -> Fraction:
        """None: starts say all."""
        return Fraction(0)

    @cached_property
    def held(self) -> tuple[Fraction, Fraction]:
        """The least and the largest chance to hold a place: by the cells that both rotations of the row hold."""
        turned = [self.row >> turn | self.row << self.cells - turn for turn in range(self.cells)]
        both = [(self.row & one).bit_count() for one in turned]
        unit = self.cells * (1 + (1 / self.alpha - 1) * Fraction(self.ones, self.cells))
        low, high = ((self.ones + (1 / self.alpha - 1) * count) / unit for count in (min(both), max(both)))
        return low, high

    @cached_property
    def report_schema(self) -> ReportSchema:
        """The column of its reports: where the row starts."""
        return ReportSchema((Numbers("start", self.k),))

    @cached_property
    def contribution(self) -> Contribution:
        """What each user adds to the sums: a 1 at the start."""
        return Multihot(self.k, name="starts")

    def own_constants(self) -> Constants:
        """State the cells, those of the row, the chance that the report holds the own one, and what a server needs."""
        found = [cell for cell in range(self.cells) if self.row >> cell & 1]
        return {"cells": self.cells, "row": found, "held": fraction_text(self.own_chance), **self.decoding}

    def draw_columns(self, values: Values, words: WordSource) -> Sequence[Column]:
        """Draw a shift, whether the row holds the own place, and which of its cells, or of the others, that is in."""
        shift = uniform_below(self.length, len(values), words)
        held = bernoulli(self.own_chance, len(values), words)
        inside = np.array([cell for cell in range(self.cells) if self.row >> cell & 1])
        outside = np.array([cell for cell in range(self.cells) if not self.row >> cell & 1])
        chosen = np.where(
            held,
            inside[uniform_below(len(inside), len(values), words)],
            outside[uniform_below(len(outside), len(values), words)],
        )
        own = (values - shift) % self.k // self.length
        return (((own - chosen) % self.cells * self.length + shift),)

    def sums_of(self, columns: Sequence[Column]) -> Values:
        """Count the starts."""
        return counted(columns[0], self.k)

    def supports(self, state: State) -> Values:
        """Count the reports that hold each place."""
        starts = require_counts(self.sums_in(state), state.users)
        return np.rint(self.facts.pattern.scattered(starts.astype(np.float64))).astype(np.int64)

    def report_law(self) -> ReportLaw:
        """List every report's exact probability for every place."""
        require_few(self.k, self.name)
        inside = self.own_chance / self.ones / self.length
        chances = (inside * self.alpha, inside)
        return {
            (start,): tuple(chances[self.row >> (v - start) % self.k // self.length & 1] for v in range(self.k))
            for start in range(self.k)
        }

    def highest_scores(self, weights: Floats) -> Floats:
        """Compute the largest sum of weights that a row holds."""
        found: Floats = self.facts.pattern.gathered(weights).max(axis=1)
        return found

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
    """A row of some of c cells of k places on a circle, as even as can be, that starts at a drawn place.

    Cell i begins with the place `i k // c` of the row, or near it (`Pattern.of_cells`), and bit i of `row` says whether
    the row holds it. The report is the place s where the row starts. The starts of which the row holds the own place
    are 1/alpha times as likely as the others. Where d divides k and all lengths of cells, `s mod d` says nothing of the
    item: that is `k/c` if c divides k.

    Raises:
        InputError: for more cells than k, or a row without a cell or with all of them.

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
        if not (0 < self.cells <= self.k and 0 < self.row < (1 << self.cells) - 1):
            raise InputError(
                f"a row must hold some of at most k={self.k} cells, got {self.row:#x} of {self.cells} cells"
            )

    @property
    def word(self) -> str:
        """The row, in hexadecimal after an x."""
        return f"x{self.row:x}"

    def entry(self, weight: int) -> RowEntry:
        """State the row, a letter for each cell."""
        return RowEntry(weight, "".join(str(self.row >> cell & 1) for cell in range(self.cells)))

    @cached_property
    def pattern(self) -> Pattern:
        """The places of the row that starts at place 0."""
        return Pattern.of_cells(self.k, self.cells, self.row)

    @cached_property
    def own_chance(self) -> Fraction:
        """Chance that the report holds the own place."""
        return 1 / (1 + (Fraction(self.k, self.pattern.places) - 1) * self.alpha)

    @cached_property
    def unit(self) -> Fraction:
        """The number of starts, those that hold the own place counted 1/alpha times."""
        return self.k + (1 / self.alpha - 1) * self.pattern.places

    @cached_property
    def facts(self) -> LevelFacts:
        """The pattern of the row, `1/unit`, and `(1/alpha - 1)/unit` twice."""
        odds = (1 / self.alpha - 1) / self.unit
        return LevelFacts(((1, self.pattern),), 1 / self.unit, odds, odds)

    @property
    def together(self) -> tuple[Fraction, Fraction]:
        """The part of the places that the row holds; and one start of all."""
        return Fraction(self.pattern.places, self.k), Fraction(1, self.k)

    @property
    def apart(self) -> Fraction:
        """None: starts say all."""
        return Fraction(0)

    @cached_property
    def held(self) -> tuple[Fraction, Fraction]:
        """The least and the largest chance to hold a place: by the starts of which the row holds it and the own one."""
        both = self.pattern.scattered(self.pattern.gathered(np.eye(1, self.k, dtype=np.int64)))
        odds, ones = 1 / self.alpha - 1, self.pattern.places
        low, high = ((ones + odds * int(count)) / self.unit for count in (both.min(), both.max()))
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
        """State where runs of the row begin and end, the chance that it holds the own place, what a server needs."""
        ends = [end for first, width in self.pattern.runs for end in (first, first + width)]
        return {"ends": ends, "held": fraction_text(self.own_chance), **self.decoding}

    def draw_columns(self, values: Values, words: WordSource) -> Sequence[Column]:
        """Draw whether the row holds the own place, and which of its places, or of the others, that is."""
        held, count = bernoulli(self.own_chance, len(values), words), len(values)
        inside = uniform_below(self.pattern.places, count, words)
        outside = uniform_below(self.k - self.pattern.places, count, words)
        firsts, widths = np.array(self.pattern.runs).T
        ends = np.cumsum(widths)
        inside += (firsts - ends + widths)[np.searchsorted(ends, inside, side="right")]
        for first, width in self.pattern.runs:
            outside += np.where(outside >= first, width, 0)
        return ((values - np.where(held, inside, outside)) % self.k,)

    def sums_of(self, columns: Sequence[Column]) -> Values:
        """Count the starts."""
        return counted(columns[0], self.k)

    def supports(self, state: State) -> Values:
        """Count the reports that hold each place."""
        starts = require_counts(self.sums_in(state), state.users)
        return np.rint(self.pattern.scattered(starts.astype(np.float64))).astype(np.int64)

    def report_law(self) -> ReportLaw:
        """List every report's exact probability for every place."""
        require_few(self.k, self.name)
        chances = (1 / self.unit, 1 / self.unit / self.alpha)
        held = self.pattern.scattered(np.eye(self.k, dtype=np.int64)).tolist()
        return {(start,): tuple(chances[one] for one in row) for start, row in enumerate(held)}

    def highest_scores(self, weights: Floats) -> Floats:
        """Compute the largest sum of weights that a row holds."""
        found: Floats = self.pattern.gathered(weights).max(axis=1)
        return found

"""Say how far released counts are from the true ones, whatever these are: exact, and never better than it is."""

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from mechdesign.mechanism.mechanism import Mechanism

MOST = Fraction(9, 10)
"""The share of groups within the distance that is told."""

PLACES = 100


@dataclass(frozen=True)
class TypicalErrors:
    """State the errors of groups of one size, for the true count for which they are the worst.

    Attributes:
        distance: the least d with which at least 90 of 100 groups are within d of their true count.
        within: how many of 100 groups are within it, rounded down.
        root_mean_square: in hundredths, rounded up.
    """

    distance: int
    within: int
    root_mean_square: Fraction

    @classmethod
    def of(cls, mechanism: Mechanism) -> "TypicalErrors":
        """Find them for every true count, and keep the worst."""
        size, whole = mechanism.n_inputs, mechanism.denominator
        near = [[row[j] for row in mechanism.weights] for j in range(size)]
        square = max(sum(w * (i - j) ** 2 for i, w in enumerate(column)) for j, column in enumerate(near))
        distance = 0
        while (least := min(_within(column, j, distance) for j, column in enumerate(near))) < MOST * whole:
            distance += 1
        hundredths = isqrt(-(-square * PLACES**2 // whole) - 1) + 1 if square else 0
        return cls(distance, 100 * least // whole, Fraction(hundredths, PLACES))

    def __str__(self) -> str:
        rmse = f"{float(self.root_mean_square):.2f}"
        return f"within {self.distance} in at least {self.within} of 100 groups, root-mean-square error at most {rmse}"


def _within(column: list[int], j: int, distance: int) -> int:
    return sum(column[max(j - distance, 0) : j + distance + 1])

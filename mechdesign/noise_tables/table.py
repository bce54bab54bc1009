"""Noise tables, and their exact privacy curve."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from mechdesign.errors import InputError, shorten
from mechdesign.mechanism.privacy_curve import Law, delta_at, least_ratio

HIDDEN = -1
"""The mark that stands for all outputs that are hidden."""

Row = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class NoiseTable:
    """A noise table: for each count the law of its noise, as integers over one denominator.

    The privacy of a table at a ratio `r = exp(epsilon)` is the largest, over neighbours j, j+1 and both orders (a, b),
    of `sum_i max(0, P[i|a] - r P[i|b])`, where `P[i|j]` is the chance of the noise i - j in row j.

    Args:
        rows: for each count from 0 on, the pairs (noise, weight), by noise; noises without a weight may be left out.
        denominator: what the weights of each row sum to.
        following: the row of the first count beyond the table; the rows from there on serve all larger counts in turn.
            None for the last row, which serves them alone.

    Raises:
        InputError: naming the row that is none.

    >>> NoiseTable((((0, 4),), ((-1, 1), (0, 2), (1, 1))), 4).delta(Fraction(2), 1)
    Fraction(1, 4)
    """

    rows: tuple[Row, ...]
    denominator: int
    following: int | None = None

    def __post_init__(self) -> None:
        if not self.rows:
            raise InputError("noise table must have a row, got none")
        for count, row in enumerate(self.rows):
            noises = [noise for noise, _ in row]
            if noises != sorted(set(noises)):
                raise InputError(f"noises of a row must rise, got others in row {count}")
            if any(weight and count + noise < 0 for noise, weight in row):
                raise InputError(f"results must be 0 or more, got less in row {count}")
            if any(weight < 0 for _, weight in row) or sum(weight for _, weight in row) != self.denominator:
                raise InputError(f"weights of row {count} must be nonnegative and sum to {shorten(self.denominator)}")

    @property
    def last(self) -> int:
        """The last count with a row of its own."""
        return len(self.rows) - 1

    @cached_property
    def noise(self) -> int:
        """The largest noise either way that has a chance."""
        return max((abs(noise) for row in self.rows for noise, weight in row if weight), default=0)

    def row(self, count: int) -> Row:
        """Return the law of the noise of any count."""
        size = len(self.rows)
        first = size - 1 if self.following is None else self.following
        return self.rows[count if count < size else first + (count - size) % (size - first)]

    def law(self, count: int, hide: int = 0) -> dict[int, int]:
        """Return the weights of the outputs of a count that have one; outputs below `hide` are one mark, -1."""
        found: dict[int, int] = {}
        for noise, weight in self.row(count):
            if weight:
                output = count + noise if count + noise >= hide else HIDDEN
                found[output] = found.get(output, 0) + weight
        return found

    def pairs(self, start: int = 0, hide: int = 0) -> Iterator[tuple[Law, Law]]:
        """Yield the laws of all neighbours from a count on, in both orders, each kind of pair once."""
        size = len(self.rows)
        period = 1 if self.following is None else size - self.following
        beyond = max(size, hide + self.noise + period) if hide else size
        law = self.law(start, hide)
        for count in range(start, max(beyond, start + period)):
            onward = self.law(count + 1, hide)
            yield law, onward
            yield onward, law
            law = onward

    def delta(self, ratio: Fraction, start: int = 0, hide: int = 0) -> Fraction:
        """Return the exact delta at `exp(epsilon) = ratio >= 1`, for counts from `start` on.

        Args:
            ratio: of chances that is allowed.
            start: the least count of a pair of neighbours.
            hide: outputs below it are one mark.
        """
        return delta_at(self.pairs(start, hide), self.denominator, ratio)

    def least_ratio(self, delta: Fraction, start: int = 0, hide: int = 0) -> Fraction | None:
        """Return the least `exp(epsilon)` at which delta is at most a number; None where no ratio suffices."""
        return least_ratio(self.pairs(start, hide), self.denominator, delta)

    def bias(self, count: int) -> Fraction:
        """Return the mean noise of a count."""
        return Fraction(sum(noise * weight for noise, weight in self.row(count)), self.denominator)

    def variance(self, count: int) -> Fraction:
        """Return the variance of the noise of a count."""
        square = Fraction(sum(noise * noise * weight for noise, weight in self.row(count)), self.denominator)
        return square - self.bias(count) ** 2

    def chance(self, count: int, noise: int) -> Fraction:
        """Return the chance of a noise at a count."""
        return Fraction(dict(self.row(count)).get(noise, 0), self.denominator)

    def entropy(self, count: int) -> float:
        """Return the entropy of the noise of a count, in bits."""
        shares = [weight / self.denominator for _, weight in self.row(count) if weight]
        return -sum(share * math.log2(share) for share in shares)

    @cached_property
    def shape(self) -> str:
        """`unimodal` where chances fall away from the noise 0 on either side, `left` where they do below 0, or `none`.

        Of the noises that give a result of 0 or more which is not blocked.
        """
        falls = {-1: True, 1: True}
        for count, row in enumerate(self.rows):
            chances = dict(row)
            reached = range(-min(count, self.noise), self.noise + 1)
            support = [noise for noise in reached if count + noise not in self.blocked]
            for low, high in pairwise(support if len(row) > 1 else ()):
                side = -1 if high <= 0 else 1 if low >= 0 else 0
                rise = chances.get(high, 0) - chances.get(low, 0)
                falls[side] = falls.get(side, True) and side * rise <= 0
        return "unimodal" if falls[-1] and falls[1] else "left" if falls[-1] else "none"

    @cached_property
    def blocked(self) -> tuple[int, ...]:
        """The results from 1 up to the largest noise that no count gives."""
        given = {output for count in range(self.last + self.noise + 2) for output in self.law(count)}
        return tuple(result for result in range(1, self.last + 1) if result not in given)

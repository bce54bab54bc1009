"""Ends of ranges of alpha: rationals, or roots of polynomials that an interval tells from the others."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from .roots import sign_changes, value_at
from .work import Work

STEP = 16
"""An enclosure is 2^-16 as wide at every further level."""

LEVELS = 16
"""Ends that agree to so many levels are not told apart."""

NEAR = Fraction(1, 10**9)


@dataclass(frozen=True)
class End:
    """The only root of a polynomial in an interval; a rational one is both ends of it."""

    polynomial: tuple[int, ...]
    low: Fraction
    high: Fraction

    @property
    def is_rational(self) -> bool:
        """Whether the end is its interval."""
        return self.low == self.high

    def defects(self, value: Fraction, work: Work) -> Iterator[str]:
        """Yield why the interval names no root, or the value is not near it."""
        p = self.polynomial
        if self.is_rational:
            is_alone = len(p) == 2 and not value_at(p, self.low, work)
        else:
            crosses = value_at(p, self.low, work) * value_at(p, self.high, work) < 0
            is_alone = len(p) > 2 and crosses and sign_changes(p, self.low, self.high, work) == 1
        if not is_alone:
            yield "an interval is not shown to hold one root of its polynomial"
        elif max(abs(value - limit) for limit in self.enclosure(2, work)) > NEAR:
            yield "a value is not near its end"

    @cached_property
    def _found(self) -> list[tuple[Fraction, Fraction]]:
        return []

    def enclosure(self, level: int, work: Work) -> tuple[Fraction, Fraction]:
        """Return multiples of 2^-(16 (level + 1)) on either side of the end; a rational end itself, twice.

        The interval between them is one step wide, and the end is strictly inside.

        Raises:
            ValueError: where one of the multiples is a root.
        """
        if self.is_rational:
            return self.low, self.high
        while len(self._found) <= level:
            self._found.append(self._narrower(1 << STEP * (len(self._found) + 1), work))
        return self._found[level]

    def _narrower(self, steps: int, work: Work) -> tuple[Fraction, Fraction]:
        below, above = self._found[-1] if self._found else (Fraction(0), Fraction(1))
        low, high = int(below * steps), int(above * steps)
        rises = value_at(self.polynomial, self.low, work) < 0
        while high - low > 1:
            middle = (low + high) // 2
            if self._is_below(Fraction(middle, steps), rises, work):
                low = middle
            else:
                high = middle
        return Fraction(low, steps), Fraction(high, steps)

    def _is_below(self, x: Fraction, rises: bool, work: Work) -> bool:
        """Return whether x is below the end, at which the polynomial rises or falls."""
        if x <= self.low or x >= self.high:
            return x <= self.low
        found = value_at(self.polynomial, x, work)
        if not found:
            raise ValueError("an end's polynomial is not irreducible")
        return (found < 0) == rises


def is_before(first: End, second: End, work: Work) -> bool:
    """Return whether one end is shown to be below another."""
    if first.is_rational and second.is_rational:
        return first.low < second.low
    for level in range(LEVELS):
        one, other = first.enclosure(level, work), second.enclosure(level, work)
        if one[1] <= other[0]:
            return True
        if other[1] <= one[0]:
            return False
    return False

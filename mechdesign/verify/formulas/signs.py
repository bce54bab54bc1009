"""Signs of polynomials strictly between two ends."""

from fractions import Fraction
from math import lcm
from operator import mul

from .ends import LEVELS, End
from .polynomials import Polynomial, quotient, times
from .roots import doubt, value_at
from .work import Work, longest

SHARE = 64
"""Enclosures of both ends are narrower than such a part of the way from one to the other."""

FURTHER = (0, 1, 2, 4, 8, 16)
"""How many levels further enclosures are tried."""

QUICK_HALVINGS = 3
BITS = 128
"""Halvings and bits of the quick test."""


class Signs:
    """Signs of polynomials strictly between two ends, the first below the second; answers are kept.

    Raises:
        ValueError: where the ends are too near.
    """

    def __init__(self, first: End, second: End, work: Work) -> None:
        self.first, self.second, self.work = first, second, work
        self.level = next((level for level in range(LEVELS) if self._is_narrow(level)), LEVELS)
        if self.level == LEVELS:
            raise ValueError("two ends are too near")
        low, high = self.inner(self.level)
        self.inside = (low + high) / 2
        self._quick = QuickTest(*self.outer(self.level))
        self._known: dict[tuple[int, ...], bool] = {}
        self._of_ends: dict[End, int] = {}

    def outer(self, level: int) -> tuple[Fraction, Fraction]:
        """Return rationals between which the ends are, the same ones where they are rational."""
        return self.first.enclosure(level, self.work)[0], self.second.enclosure(level, self.work)[1]

    def inner(self, level: int) -> tuple[Fraction, Fraction]:
        """Return rationals between the ends, the same ones where they are rational."""
        return self.first.enclosure(level, self.work)[1], self.second.enclosure(level, self.work)[0]

    def _is_narrow(self, level: int) -> bool:
        (low, high), (outer_low, outer_high) = self.inner(level), self.outer(level)
        return (SHARE + 1) * (high - low) > SHARE * (outer_high - outer_low)

    def is_never_negative(self, p: Polynomial) -> bool:
        """Return whether p is zero, or shown to be positive at every point strictly between the ends."""
        return not p or self.is_positive(p)

    def is_positive(self, p: Polynomial) -> bool:
        """Return whether p is shown to be positive at every point strictly between the ends."""
        if not p:
            return False
        zeros = next(k for k, value in enumerate(p) if value)  # a > 0
        key = tuple(p[zeros:])
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._find(key)
        return known

    def is_positive_at_ends_too(self, p: Polynomial) -> bool:
        """Return whether p is shown to be positive strictly between the ends and at them."""
        if not p or any(self._quotient(p, end) is not None for end in (self.first, self.second)):
            return False
        return self._is_positive_around(p)

    def _quotient(self, p: Polynomial, end: End) -> list[int] | None:
        self.work.charge(len(p) * len(end.polynomial), longest([p]))
        return quotient(p, end.polynomial)

    def _find(self, p: Polynomial) -> bool:
        if min(p) >= 0 or max(p) <= 0:
            return min(p) >= 0
        self.work.charge(4 * len(p), longest([p]))
        if self._quick.is_positive(p):
            return True
        if value_at(p, self.inside, self.work) <= 0:
            return False
        for end in (self.first, self.second):
            while (rest := self._quotient(p, end)) is not None:
                if not self._sign_of(end):
                    return False
                p = times(rest, self._sign_of(end))
        return self._quick.is_positive(p) or self._is_positive_around(p)

    def _is_positive_around(self, p: Polynomial) -> bool:
        """Return whether p is positive on a slightly wider range, its ends included."""
        for further in FURTHER:
            level = min(self.level + further, LEVELS - 1)
            low, high = self.inner(level)
            outer_low, outer_high = self.outer(level)
            if value_at(p, low, self.work) <= 0 or value_at(p, high, self.work) <= 0:
                return False
            if value_at(p, outer_low, self.work) > 0 and value_at(p, outer_high, self.work) > 0:
                found = doubt(p, outer_low, outer_high, self.work)
                if found is None or low <= found <= high:
                    return found is None
        return False

    def _sign_of(self, end: End) -> int:
        """Return the sign of an end's polynomial strictly between the ends, 0 where it is not shown to have one."""
        if end not in self._of_ends:
            self._of_ends[end] = self._find_sign(end)
        return self._of_ends[end]

    def _find_sign(self, end: End) -> int:
        p = end.polynomial
        sign = 1 if value_at(p, self.inside, self.work) > 0 else -1
        turned = times(p, sign)
        for further in FURTHER:
            low, high = self._beyond_own_roots(p, min(self.level + further, LEVELS - 1))
            apart = end.is_rational or (value_at(turned, low, self.work) > 0 and value_at(turned, high, self.work) > 0)
            if apart and doubt(turned, low, high, self.work) is None:
                return sign
        return 0

    def _beyond_own_roots(self, p: Polynomial, level: int) -> tuple[Fraction, Fraction]:
        """Return a range outside of which, between the ends, p has no root.

        Next to an end that is its root, inside of the end's own interval, p has no other.
        """
        low, high = self.outer(level)
        inner_low, inner_high = self.inner(level)
        if self.first.polynomial == p and inner_low <= self.first.high:
            low = inner_low
        if self.second.polynomial == p and self.second.low <= inner_high:
            high = inner_high
        return low, high


class QuickTest:
    """A test of polynomials between two rationals in [0, 1] that shows most positive ones to be so, in little time.

    Between x and y a polynomial is at least `sum_k c_k x^k` over its positive coefficients plus `sum_k c_k y^k` over
    its negative ones. Powers are rounded, down and up.
    """

    def __init__(self, low: Fraction, high: Fraction) -> None:
        self.denominator = lcm(low.denominator, high.denominator) << QUICK_HALVINGS
        self.low, self.high = int(low * self.denominator), int(high * self.denominator)
        self._powers: dict[tuple[int, bool], list[int]] = {}

    def is_positive(self, p: Polynomial) -> bool:
        """Return whether p is shown to be positive, at both rationals too."""
        above = [max(value, 0) for value in p]
        below = [min(value, 0) for value in p]
        ranges = [(self.low, self.high, 0)]
        while ranges:
            low, high, halvings = ranges.pop()
            least = sum(map(mul, above, self._power(low, False, len(p))))
            if least + sum(map(mul, below, self._power(high, True, len(p)))) > 0:
                continue
            if halvings == QUICK_HALVINGS:
                return False
            middle = (low + high) // 2
            ranges += [(middle, high, halvings + 1), (low, middle, halvings + 1)]
        return True

    def _power(self, point: int, up: bool, length: int) -> list[int]:
        """Return powers of a point times 2^128, rounded up or down."""
        powers = self._powers.setdefault((point, up), [1 << BITS])
        while len(powers) < length:
            value = powers[-1] * point
            powers.append(-(-value // self.denominator) if up else value // self.denominator)
        return powers

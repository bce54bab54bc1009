"""Real algebraic numbers in [0, 1]: roots of irreducible polynomials, isolated by rationals.

A root is made once for each polynomial, so two roots are equal exactly where they are one object. Roots of a polynomial
are told apart by Descartes' rule of signs and bisection (Collins, Akritas, "Polynomial real root isolation using
Descartes' rule of signs", SYMSAC 1976).
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

from flint import fmpq, fmpz_poly

from mechdesign.formulas.polynomials import ONE, A, Coefficients, Polynomial, coefficients, from_coefficients
from mechdesign.program.exact.numbers import to_fraction

_NEXT = fmpz_poly([1, 1])


class Root:
    """The one root of an irreducible polynomial strictly between `low` and `high`; a rational one is both.

    The interval narrows as comparisons need it.
    """

    def __init__(self, polynomial: Polynomial, low: fmpq, high: fmpq) -> None:
        self.polynomial, self.low, self.high = polynomial, low, high
        self._rises = low < high and polynomial(high) > 0

    @property
    def is_rational(self) -> bool:
        """Whether it is rational."""
        return bool(self.low == self.high)

    def refine(self) -> None:
        """Halve the interval."""
        if self.is_rational:
            return
        middle = (self.low + self.high) / 2
        if (self.polynomial(middle) > 0) == self._rises:
            self.high = middle
        else:
            self.low = middle

    def narrow(self, width: fmpq) -> None:
        """Narrow the interval to a width."""
        while self.high - self.low > width:
            self.refine()

    def is_below(self, other: "Root") -> bool:
        """Return whether it is less than another root."""
        while self is not other:
            if self.high <= other.low:
                return True
            if other.high <= self.low:
                return False
            self.refine()
            other.refine()
        return False

    def is_above(self, point: fmpq) -> bool:
        """Return whether it is greater than a rational that it is not."""
        while self.low < point < self.high:
            self.refine()
        return bool(self.low >= point)

    @property
    def between(self) -> tuple[Fraction, Fraction]:
        """The ends of the interval."""
        return to_fraction(self.low), to_fraction(self.high)


LEAST = Root(A, fmpq(0), fmpq(0))
GREATEST = Root(A - ONE, fmpq(1), fmpq(1))
"""The ends of (0, 1)."""


def variations(polynomial: Polynomial, low: fmpq, high: fmpq) -> int:
    """Count the changes of sign that Descartes' rule sees in an interval: 0 means no root inside, 1 means one."""
    unit = low.q * high.q
    return _variations(_homothety(polynomial, int(low * unit), int((high - low) * unit), int(unit)))


def _homothety(polynomial: Polynomial, start: int, width: int, unit: int) -> Polynomial:
    """Return a positive multiple of `p((start + width x) / unit)`."""
    degree, power, scaled = polynomial.degree(), 1, []
    for value in reversed(polynomial.coeffs()):
        scaled.append(value * power)
        power *= unit
    assert degree >= 0
    return fmpz_poly(scaled[::-1])(fmpz_poly([start, width]))


def _variations(polynomial: Polynomial) -> int:
    """Count the changes of sign on (0, 1)."""
    signs = [value > 0 for value in fmpz_poly(polynomial.coeffs()[::-1])(_NEXT).coeffs() if value]
    return sum(before != after for before, after in pairwise(signs))


class Roots:
    """The roots of polynomials, each made once: equal ones are one object."""

    def __init__(self) -> None:
        self._of_irreducible: dict[Coefficients, tuple[Root, ...]] = {}
        self._of_any: dict[Coefficients, tuple[Root, ...]] = {}

    def inside(self, values: Coefficients) -> tuple[Root, ...]:
        """List the roots in (0, 1) of any polynomial but 0, each once whatever its order."""
        found = self._of_any.get(values)
        if found is None:
            factors = [_upward(factor) for factor, _ in from_coefficients(values).factor()[1]]
            found = self._of_any[values] = tuple(root for factor in factors for root in self._isolated(factor))
        return found

    def _isolated(self, values: Coefficients) -> tuple[Root, ...]:
        found = self._of_irreducible.get(values)
        if found is None:
            found = self._of_irreducible[values] = tuple(_isolate(from_coefficients(values)))
        return found


def _isolate(polynomial: Polynomial) -> Iterator[Root]:
    """Yield the roots in (0, 1) of an irreducible polynomial."""
    if polynomial.degree() == 1:
        root = fmpq(-polynomial[0], polynomial[1])
        if 0 < root < 1:
            yield Root(polynomial, root, root)
        return
    open_ones = [(polynomial, 0, 0)]
    while open_ones:  # (p((c + x) / 2^k), k, c)
        shifted, k, c = open_ones.pop()
        changes = _variations(shifted)
        if changes == 1:
            yield Root(polynomial, fmpq(c, 1 << k), fmpq(c + 1, 1 << k))
        elif changes > 1:
            left = _homothety(shifted, 0, 1, 2)
            open_ones += [(left(_NEXT), k + 1, 2 * c + 1), (left, k + 1, 2 * c)]


def _upward(factor: Polynomial) -> Coefficients:
    """Return the coefficients with a positive last one, so that a factor and its negative are one."""
    return coefficients(factor if factor[factor.degree()] > 0 else -factor)

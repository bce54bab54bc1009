"""Ends of pieces: algebraic numbers as a document states them."""

from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq

from mechdesign.formulas.polynomials import Coefficients, coefficients, evaluate
from mechdesign.formulas.roots import Root
from mechdesign.rational import nearest_float

WIDTH = fmpq(1, 1 << 40)
"""Ends are known to this, and exactly where they are compared."""


@dataclass(frozen=True)
class End:
    """A number in [0, 1]: the one root of an irreducible polynomial in an interval, which is that number if rational.

    Attributes:
        polynomial: its coefficients, lowest power first, without a common factor, the last one positive.
        between: rationals strictly around it; both are the number itself where it is rational.
    """

    polynomial: Coefficients
    between: tuple[Fraction, Fraction]

    @property
    def exact(self) -> Fraction | None:
        """The number, where it is rational."""
        low, high = self.between
        return low if low == high else None

    @property
    def value(self) -> float:
        """The number to twelve digits."""
        return nearest_float((self.between[0] + self.between[1]) / 2)

    def is_above(self, alpha: Fraction) -> bool:
        """Return whether it is greater than a rational."""
        low, high = self.between
        if not low < alpha < high:
            return low >= alpha and self.exact != alpha
        return (evaluate(self.polynomial, alpha) > 0) != (evaluate(self.polynomial, high) > 0)

    def __float__(self) -> float:
        return self.value


def end_at(root: Root) -> End:
    """State a root."""
    root.narrow(WIDTH)
    return End(coefficients(root.polynomial), root.between)

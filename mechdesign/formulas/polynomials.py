"""Polynomials in alpha with integer coefficients, those of FLINT."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from flint import fmpq, fmpz_poly

Polynomial = fmpz_poly
Coefficients = tuple[int, ...]
"""Lowest power first, without zeros at the end: the same polynomial, to be hashed and kept."""

ZERO, ONE, A = fmpz_poly([0]), fmpz_poly([1]), fmpz_poly([0, 1])


def monomial(factor: int, power: int) -> Polynomial:
    """Return `factor a^power`."""
    return fmpz_poly([0] * power + [factor])


def coefficients(polynomial: Polynomial) -> Coefficients:
    """Return the coefficients as integers of Python."""
    return tuple(map(int, polynomial.coeffs()))


def from_coefficients(values: Sequence[int]) -> Polynomial:
    """Return the polynomial of such coefficients."""
    return fmpz_poly(list(values))


def evaluate(values: Sequence[int], at: Fraction) -> Fraction:
    """Return the value of a polynomial at a rational."""
    p, q = at.numerator, at.denominator
    total, power = 0, 1
    for value in reversed(values):
        total = total * p + value * power
        power *= q
    return Fraction(total, power // q) if values else Fraction(0)


def common_factor(polynomials: Iterable[Polynomial]) -> Polynomial:
    """Return the greatest common divisor over the integers; of nothing but zeros it is 0."""
    found = ZERO
    for polynomial in polynomials:
        if polynomial:
            found = found.gcd(polynomial) if found else polynomial
            if found.is_one():
                break
    return found


def common_multiple(polynomials: Iterable[Polynomial]) -> Polynomial:
    """Return the least common multiple; of nothing it is 1."""
    found = ONE
    for polynomial in polynomials:
        found = found * (polynomial / found.gcd(polynomial))
    return found


def without_content(polynomial: Polynomial) -> Polynomial:
    """Divide by the content and by powers of a, which have one sign on (0, 1)."""
    low = next(k for k, value in enumerate(polynomial.coeffs()) if value)
    primitive = polynomial / polynomial.content()
    return primitive.right_shift(low) if low else primitive


def lowest_terms(
    numerators: Sequence[Polynomial], denominator: Polynomial, positive_at: fmpq
) -> tuple[list[Polynomial], Polynomial]:
    """Cancel what numerators and a denominator have in common; the denominator is then positive at a point."""
    common = common_factor([denominator, *numerators])
    if denominator(positive_at) * common(positive_at) < 0:
        common = -common
    return [numerator / common for numerator in numerators], denominator / common

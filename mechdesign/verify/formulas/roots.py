"""Signs of polynomials between two rationals: Descartes' rule, with bisection."""

from fractions import Fraction
from itertools import accumulate, pairwise

from .polynomials import Polynomial, at
from .work import Work, longest

MOST_HALVINGS = 64


def shifted(p: Polynomial) -> list[int]:
    """Return p(1 + x)."""
    row, found = list(reversed(p)), []
    while row:
        row = list(accumulate(row))
        found.append(row.pop())
    return found


def coefficients_between(p: Polynomial, low: Fraction, high: Fraction, work: Work) -> list[int]:
    """Return the coefficients of `(1 + x)^d p((low + high x) / (1 + x))`, d the degree, times a positive integer.

    The one of the highest power of x comes first. By Descartes' rule p has as many roots between low and high as the
    coefficients have changes of sign, or less by an even number.
    """
    bits = (low.denominator * high.denominator).bit_length()
    work.charge(len(p) ** 2, longest([p]) + len(p) * bits)
    scale = low.denominator * high.denominator
    start, width = low.numerator * high.denominator, (high - low) * scale
    # scale^d p((start + width t) / scale), then t = x / (1 + x)
    values, power = [], 1
    for value in reversed(p):
        values.append(value * power)
        power *= scale
    moved = _moved(values[::-1], start)
    power = 1
    for k, value in enumerate(moved):
        moved[k] = value * power
        power *= width.numerator
    return shifted(moved[::-1])


def _moved(p: list[int], start: int) -> list[int]:
    """Return p(start + t)."""
    if not start:
        return p
    powers = [1]
    for _ in p[1:]:
        powers.append(powers[-1] * start)
    found = shifted([value * power for value, power in zip(p, powers, strict=True)])
    return [value // power for value, power in zip(found, powers, strict=True)]


def value_at(p: Polynomial, x: Fraction, work: Work) -> int:
    """Return the value at x times a positive integer."""
    work.charge(4 * len(p), longest([p]) + len(p) * x.denominator.bit_length())
    return at(p, x)


def sign_changes(p: Polynomial, low: Fraction, high: Fraction, work: Work) -> int:
    """Count the changes of sign: 0 and 1 are the number of roots strictly between low and high."""
    signs = [value > 0 for value in coefficients_between(p, low, high, work) if value]
    return sum(one != other for one, other in pairwise(signs))


def doubt(p: Polynomial, low: Fraction, high: Fraction, work: Work) -> Fraction | None:
    """Return None where p is shown to be positive strictly between low and high, else a point near which it is not."""
    ranges = [(low, high, 0)]
    while ranges:
        first, last, halvings = ranges.pop()
        values = coefficients_between(p, first, last, work)
        if min(values) >= 0 < max(values):
            continue
        middle = (first + last) / 2
        if max(values) <= 0 or halvings == MOST_HALVINGS or value_at(p, middle, work) <= 0:
            return middle
        ranges += [(middle, last, halvings + 1), (first, middle, halvings + 1)]
    return None

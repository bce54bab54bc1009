"""Polynomials with integer coefficients: sequences of integers, that of 1 first, the last not 0, zero empty."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import gcd

Polynomial = Sequence[int]

PRIMES = ((1 << 61) - 1, (1 << 31) - 1, 1_000_000_007)
"""Two polynomials without a common factor have none modulo one of these either, but for an odd chance."""


def trimmed(values: list[int]) -> list[int]:
    """Drop zeros at the end, in place."""
    while values and not values[-1]:
        values.pop()
    return values


def add_to(total: list[int], p: Polynomial, factor: int = 1, shift: int = 0) -> None:
    """Add `factor a^shift p` to a list of coefficients, in place; zeros may then stand at its end."""
    missing = len(p) + shift - len(total)
    if missing > 0:
        total.extend([0] * missing)
    for k, value in enumerate(p, shift):
        total[k] += factor * value


def total_of(polynomials: Iterable[Polynomial]) -> list[int]:
    """Return the sum of polynomials."""
    total: list[int] = []
    for p in polynomials:
        add_to(total, p)
    return trimmed(total)


def times(p: Polynomial, factor: int) -> list[int]:
    """Return a multiple."""
    return [factor * value for value in p] if factor else []


def product(p: Polynomial, q: Polynomial) -> list[int]:
    """Return the product."""
    total = [0] * (len(p) + len(q) - 1) if p and q else []
    for k, value in enumerate(p):
        if value:
            for other, coefficient in enumerate(q, k):
                total[other] += value * coefficient
    return total


def at(p: Polynomial, x: Fraction) -> int:
    """Return the value at x times a positive integer."""
    top, bottom = x.as_integer_ratio()
    total, scale = 0, 1
    for value in reversed(p):
        total = total * top + value * scale
        scale *= bottom
    return total


def quotient(p: Polynomial, q: Polynomial) -> list[int] | None:
    """Return p / q, None where q does not divide p over the integers."""
    if len(p) < len(q) or p[-1] % q[-1] or (q[0] and p[0] % q[0]):
        return None
    rest, found = list(p), [0] * (len(p) - len(q) + 1)
    for k in range(len(found) - 1, -1, -1):
        found[k], left = divmod(rest[k + len(q) - 1], q[-1])
        if left:
            return None
        if found[k]:
            for i, value in enumerate(q, k):
                rest[i] -= found[k] * value
    return None if any(rest) else found


def are_coprime(p: Polynomial, q: Polynomial) -> bool:
    """Return whether two polynomials, not both zero, are shown to have no common factor, a number included.

    A common factor has a leading coefficient that divides both leading ones. So modulo a prime that does not divide
    both it keeps its degree, and divides both there.
    """
    if gcd(*p, *q) != 1:
        return False
    leading = (p[-1] if p else 0, q[-1] if q else 0)
    keeping = (prime for prime in PRIMES if any(value % prime for value in leading))
    return any(_degree_of_common(p, q, prime) == 0 for prime in keeping)


def _degree_of_common(p: Polynomial, q: Polynomial, prime: int) -> int:
    """Return the degree of the greatest common divisor modulo a prime."""
    first, second = (trimmed([value % prime for value in one]) for one in (p, q))
    while second:
        inverse = pow(second[-1], -1, prime)
        while len(first) >= len(second):
            factor, shift = first[-1] * inverse % prime, len(first) - len(second)
            for k, value in enumerate(second, shift):
                first[k] = (first[k] - factor * value) % prime
            trimmed(first)
        first, second = second, first
    return len(first) - 1

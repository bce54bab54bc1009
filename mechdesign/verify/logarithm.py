"""Enclose the privacy loss `-ln(alpha)` between rationals, by integers."""

from fractions import Fraction

PLACES = 200
"""Binary places that are right."""


def loss_bounds(alpha: Fraction) -> tuple[Fraction, Fraction]:
    """Return rationals below and above `-ln(alpha)` for 0 < alpha <= 1, apart by less than 2^-180 of it.

    `ln(q/p) = h ln 2 + 2 artanh((q - p 2^h) / (q + p 2^h))`, where h halves q into reach: the argument is at most 1/3,
    and so is that of `ln 2 = 2 artanh(1/3)`.
    """
    p, q = alpha.as_integer_ratio()
    if p == q:
        return Fraction(0), Fraction(0)
    halvings = q.bit_length() - p.bit_length()
    if p << halvings > q:
        halvings -= 1
    p <<= halvings
    places = PLACES + q.bit_length() - (q - p).bit_length() if halvings == 0 else PLACES
    rest, ln_2 = _artanh(q - p, q + p, places), _artanh(1, 3, places)
    low, high = (2 * (r + halvings * two) for r, two in zip(rest, ln_2, strict=True))
    return Fraction(low, 1 << places), Fraction(high, 1 << places)


def _artanh(p: int, q: int, places: int) -> tuple[int, int]:
    """Return bounds of `2^places artanh(p/q)` for 0 <= p/q <= 1/3, by `z + z^3/3 + z^5/5 + ...`.

    Every term is rounded down. The power of z in it lacks less than 2 units, so the term less than 3; the terms that
    are left out sum to less than 3.
    """
    power = (p << places) // q
    square = (power * power) >> places
    total = terms = 0
    while power:
        total += power // (2 * terms + 1)
        terms += 1
        power = (power * square) >> places
    return total, total + 3 * terms + 3

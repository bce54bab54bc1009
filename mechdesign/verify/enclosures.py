"""Enclosures of logarithms and powers of rationals, by integers.

`x <= y^(a/b)` says `x^b <= y^a`. The powers themselves would be too long where b is large, so both are bounded by
`m 2^s` with m of a fixed number of bits, rounded up or down at every product; the bits are doubled until the bounds are
apart. Equal powers are found exactly.
"""

from fractions import Fraction
from math import floor, gcd

LONGEST_EXACT = 128
"""Up to this n powers of alpha are exact in laws."""

SIGNIFICANT = 200
"""Significant bits of numbers that are not exact."""

FIRST_BITS = 64
MOST_BITS = 1 << 16
"""What so many bits do not tell apart is taken for not shown."""

LONGEST_POWER = 1 << 24
"""Powers of more bits are not formed; no two of that length are taken for equal."""

Rational = tuple[int, int]
Scaled = tuple[int, int]
"""(m, s) for `m 2^s`, m > 0."""

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


def encloses_power(
    low: Rational, high: Rational, base: Rational, exponent: Rational, higher_base: Rational | None = None
) -> bool:
    """Return whether `low <= base^exponent` and `base^exponent <= high < 1` are shown, for positive rationals.

    Rationals are (numerator, denominator). With a `higher_base` the second is asked of that.
    """
    above = base if higher_base is None else higher_base
    pairs = (low, high, base, above, exponent)
    if not all(type(x) is int and x > 0 for pair in pairs for x in pair) or high[0] >= high[1]:
        return False
    return _compared(low, base, exponent) in (-1, 0) and _compared(high, above, exponent) in (0, 1)


def is_at_least_power(x: Rational, base: Rational, exponent: Rational) -> bool:
    """Return whether `x >= base^exponent` is shown, for positive rationals as (numerator, denominator)."""
    return _compared(x, base, exponent) in (0, 1)


def _compared(x: Rational, y: Rational, exponent: Rational) -> int | None:
    """Compare x with `y^exponent`: -1 where it is less, 0, 1 where it is more; None where that is not shown."""
    a, b = _reduced(exponent)
    x, y = _reduced(x), _reduced(y)
    if all(_are_equal(t, b, u, a) for t, u in zip(x, y, strict=True)):
        return 0
    bits = FIRST_BITS
    while bits <= MOST_BITS:
        if _is_less(_power(x, b, bits, up=True), _power(y, a, bits, up=False)):
            return -1
        if _is_less(_power(y, a, bits, up=True), _power(x, b, bits, up=False)):
            return 1
        bits *= 2
    return None


def _reduced(value: Rational) -> Rational:
    common = gcd(*value)
    return value[0] // common, value[1] // common


def _are_equal(x: int, b: int, y: int, a: int) -> bool:
    """Return whether `x^b == y^a`, for lengths that can be equal."""
    shortest, longest = (x.bit_length() - 1) * b, x.bit_length() * b
    if not shortest <= y.bit_length() * a or not (y.bit_length() - 1) * a <= longest:
        return False
    return x == y == 1 or (longest <= LONGEST_POWER and x**b == y**a)


def _power(value: Rational, exponent: int, bits: int, up: bool) -> Scaled:
    """Bound value^exponent from above (`up`) or below, by square and multiply."""
    p, q = value
    shift = q.bit_length() + bits - p.bit_length()
    top, bottom = (p << shift, q) if shift >= 0 else (p, q << -shift)
    base, scale = -(-top // bottom) if up else top // bottom, -shift
    m, s = 1, 0
    for digit in bin(exponent)[2:]:
        m, s = m * m, 2 * s
        if digit == "1":
            m, s = m * base, s + scale
        spare = max(0, m.bit_length() - bits)
        m, s = -(-m >> spare) if up else m >> spare, s + spare
    return m, s


def _is_less(left: Scaled, right: Scaled) -> bool:
    (m, s), (n, t) = left, right
    if m.bit_length() + s != n.bit_length() + t:
        return m.bit_length() + s < n.bit_length() + t
    return (m << s - t) < n if s >= t else m < n << t - s


def power_bounds(base: Fraction, exponent: int, bits: int) -> tuple[int, int]:
    """Enclose `2^bits base^exponent` for a base in (0, 1), whatever the exponent, by rounded squarings.

    >>> power_bounds(Fraction(1, 2), 3, 4)
    (2, 2)
    """
    p, q = base.as_integer_ratio()
    low = high = 1 << bits
    for digit in bin(exponent)[2:]:
        low, high = low * low >> bits, -(-high * high >> bits)
        if digit == "1":
            low, high = low * p // q, -(-high * p // q)
    return low, high


def rounded_down(value: Fraction) -> Fraction:
    """Round down to so many significant bits."""
    places = max(0, SIGNIFICANT + value.denominator.bit_length() - abs(value.numerator).bit_length())
    return Fraction(floor(value * (1 << places)), 1 << places)

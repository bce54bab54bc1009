"""The exact privacy curve: delta at any epsilon, of laws that neighbours give.

For laws a, b over the same denominator and `r = exp(epsilon) >= 1`, delta is `sum_i max(0, a_i - r b_i)`, the hockey
stick (Dwork, Roth, "The Algorithmic Foundations of Differential Privacy", 2014, for the definition). It falls in r, is
convex, and is linear between the ratios of chances.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

Law = Mapping[Any, int]
"""Weights of the outputs that have one."""

Pairs = Iterable[tuple[Law, Law]]
"""Laws of neighbours, in both orders."""


def delta_at(pairs: Pairs, denominator: int, ratio: Fraction) -> Fraction:
    """Return the largest delta of pairs of laws at `exp(epsilon) = ratio`.

    >>> delta_at([({0: 3, 1: 1}, {0: 1, 1: 3})], 4, Fraction(2))
    Fraction(1, 4)
    """
    p, q = ratio.as_integer_ratio()
    return Fraction(max(_excess(a, b, p, q) for a, b in pairs), q * denominator)


def _excess(a: Law, b: Law, p: int, q: int) -> int:
    return sum(max(0, q * weight - p * b.get(output, 0)) for output, weight in a.items())


def least_ratio(pairs: Pairs, denominator: int, delta: Fraction) -> Fraction | None:
    """Return the least ratio of at least 1 at which delta of pairs of laws is at most a number; None where none is.

    >>> least_ratio([({0: 3, 1: 1}, {0: 1, 1: 3})], 4, Fraction(1, 4))
    Fraction(2, 1)
    """
    found = Fraction(1)
    for a, b in pairs:
        one = _least_ratio(a, b, delta * denominator)
        if one is None:
            return None
        found = max(found, one)
    return found


def _least_ratio(a: Law, b: Law, allowed: Fraction) -> Fraction | None:
    """Solve `sum_i max(0, a_i - r b_i) = allowed` for r: with the k largest ratios that is A - r B."""
    top, bottom = sum(weight for output, weight in a.items() if output not in b), 0
    if top > allowed:
        return None
    steps = sorted(((Fraction(a[output], b[output]), output) for output in a if output in b), reverse=True)
    for (_, output), onward in zip(steps, [*(ratio for ratio, _ in steps[1:]), Fraction(0)], strict=False):
        top, bottom = top + a[output], bottom + b[output]
        if top - allowed >= onward * bottom:
            return (top - allowed) / bottom
    return Fraction(1)

"""The interval around a sample on which polynomials keep their signs."""

from collections.abc import Iterable

from flint import fmpq

from mechdesign.formulas.polynomials import Polynomial, coefficients
from mechdesign.formulas.roots import GREATEST, LEAST, Root, Roots, variations

Interval = tuple[Root, Root]


def interval_around(sample: fmpq, signs: Iterable[Polynomial], roots: Roots) -> Interval | None:
    """Return the largest interval in (0, 1) around a sample without a root of the polynomials inside.

    A root of even order ends it too. None where one of them is not positive at the sample. Ends are among `roots`.
    """
    distinct = {coefficients(polynomial): polynomial for polynomial in signs}
    low, high = LEAST, GREATEST
    for values, polynomial in sorted(distinct.items(), key=lambda item: len(item[0])):
        if polynomial(sample) <= 0:
            return None
        if len(values) > 1 and variations(polynomial, low.low, high.high):
            low, high = _without(roots.inside(values), sample, low, high)
    return low, high


def _without(roots: Iterable[Root], sample: fmpq, low: Root, high: Root) -> Interval:
    for root in roots:
        if root.is_above(sample):
            high = root if root.is_below(high) else high
        else:
            low = root if low.is_below(root) else low
    return low, high

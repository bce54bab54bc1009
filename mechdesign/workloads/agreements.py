"""Counts of pairs of tuples by the attributes in which they agree, in exact integers.

Counts are polynomials `sum c_m z^m` up to a degree: c_m is the sum over pairs of `C(a, m)`, where they agree in a
attributes; an attribute in which both agree is a factor 1 + z. So the counts of independent attributes multiply.
"""

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

Polynomial = list[int]
Array = NDArray[Any]

EDGES_AT_ONCE = 1 << 14
FITS = 1 << 62


def times(polynomial: Polynomial, constant: int, slope: int) -> Polynomial:
    """Return the product with `constant + slope z`; powers above the degree are left out."""
    return [constant * here + slope * below for here, below in zip(polynomial, [0, *polynomial], strict=False)]


def expanded(degree: int, factors: Iterable[tuple[int, int]]) -> Polynomial:
    """Return the product of linear factors, each a constant and a slope."""
    polynomial = [1] + [0] * degree
    for factor in factors:
        polynomial = times(polynomial, *factor)
    return polynomial


def agreements_in_blocks(domains: tuple[int, ...], degree: int, edges: Sequence[int]) -> Polynomial:
    """Count the ordered pairs of tuples in one block of a partition `[e_0, e_1), [e_1, e_2), ..` of all tuples.

    Tuples are numbered with the last attribute changing fastest. With `P(a, b)` the pairs of a tuple below a and one
    below b, a block [a, b) has `P(b, b) - 2 P(a, b) + P(a, a)`.
    """
    total = [0] * (degree + 1)
    for start in range(0, len(edges) - 1, EDGES_AT_ONCE):
        part = edges[start : start + EDGES_AT_ONCE + 1]
        at = [_digits(part, domains)]
        own = _below(domains, degree, at[0], at[0])
        across = _below(domains, degree, at[0][:, :-1], at[0][:, 1:])
        blocks = own[:, 1:] - 2 * across + own[:, :-1]
        total = [here + int(sum(more)) for here, more in zip(total, blocks.tolist(), strict=True)]
    return total


def _digits(edges: Sequence[int], domains: tuple[int, ...]) -> Array:
    """Write edges as tuples, shape (d, edges); that after the last tuple has its first item beyond the domain."""
    largest = prod(domains) ** 2 << len(domains)
    rest = np.array(edges, dtype=np.int64 if largest < FITS else object)
    digits = []
    for items in domains[:0:-1]:
        rest, digit = rest // items, rest % items
        digits.append(digit)
    return np.stack([rest, *reversed(digits)])


def _below(domains: tuple[int, ...], degree: int, first: Array, second: Array) -> Array:
    """Count pairs of a tuple before `first` and one before `second`, for many of these; shape (degree + 1, many).

    Attribute by attribute, pairs are counted by whether either tuple is still equal to its end, and so must not
    go beyond its item there, or is before it already, and free.
    """
    start = np.zeros((degree + 1, first.shape[1]), dtype=first.dtype)
    free, at_first, at_second = start, start, start
    at_both = start.copy()
    at_both[0] = 1
    for items, x, y in zip(domains, first, second, strict=True):
        free = (
            _times(free, items * items, items)
            + _times(at_first, items * x, x)
            + _times(at_second, items * y, y)
            + _times(at_both, x * y, np.minimum(x, y))
        )
        at_first = _times(at_first, items, 1) + _times(at_both, y, 1 * (x < y))
        at_second = _times(at_second, items, 1) + _times(at_both, x, 1 * (y < x))
        at_both = _times(at_both, 1, 1 * (x == y))
    return free


def _times(polynomials: Array, constant: Any, slope: Any) -> Array:
    product: Array = polynomials * constant
    product[1:] += polynomials[:-1] * slope
    return product

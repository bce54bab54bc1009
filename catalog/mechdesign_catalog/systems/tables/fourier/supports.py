"""Supports of coefficients of d attributes: their numbers, and how often each is drawn.

A coefficient is a set of 1 to k attributes, its support, with a function of each of them. Supports are numbered by size
and then in lexicographic order; coefficients by their support and then by their functions, the last attribute's
changing fastest.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError
from mechdesign_catalog.decoders.tables.subsets import Subset, subsets_of
from mechdesign_catalog.decoders.trees.plan import reduced
from mechdesign_catalog.systems.tables.fourier.functions import PARTS
from mechdesign_catalog.systems.tables.marginal_base import require_few_subsets

MOST_COEFFICIENTS = 1 << 26
"""Coefficients that a server keeps sums of: half a GiB of them."""


@dataclass(frozen=True)
class Supports:
    """The supports of tables of up to `way` attributes; attribute i has `counts[i]` functions.

    Raises:
        InputError: for too many of them, or of their coefficients.
    """

    counts: tuple[int, ...]
    way: int

    def __post_init__(self) -> None:
        require_few_subsets(len(self.counts), self.way)
        total = sum(_elementary([Fraction(count) for count in self.counts], self.way)[1:])
        if total > MOST_COEFFICIENTS:
            raise InputError(
                f"k must leave at most 2^26 coefficients, got k={self.way} with {total}; take a smaller k, fewer "
                "attributes or fewer items"
            )

    @cached_property
    def all(self) -> list[Subset]:
        """The supports, in order."""
        return [found for size in range(1, self.way + 1) for found in subsets_of(len(self.counts), size)]

    @cached_property
    def numbers(self) -> dict[Subset, int]:
        """Number of each support."""
        return {support: number for number, support in enumerate(self.all)}

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Coefficients of each support."""
        return np.array([math.prod(self.counts[i] for i in support) for support in self.all], dtype=np.int64)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Number of the first coefficient of each support."""
        return np.concatenate([[0], np.cumsum(self.sizes)[:-1]]).astype(np.int64)

    @cached_property
    def coefficients(self) -> int:
        """Number of all coefficients, T."""
        return int(self.sizes.sum())

    @cached_property
    def members(self) -> NDArray[np.bool_]:
        """Whether each attribute is in each support, shape (d, supports)."""
        found = np.zeros((len(self.counts), len(self.all)), dtype=np.bool_)
        for number, support in enumerate(self.all):
            found[list(support), number] = True
        return found


def root_weights(supports: Supports, spreads: Sequence[Fraction], constants: Sequence[Fraction]) -> tuple[int, ...]:
    """Weigh supports by the square roots of the noise that they bring to the cells of all k-way tables.

    That noise is `prod_(i in S) spread_i`, times the sum over k-way tables that contain S of `prod constant_i` over the
    other attributes of the table. Such weights make the average variance over all cells least, where a table takes only
    coefficients of its own attributes. They are whole numbers, 65,536 for the largest.

    Args:
        supports: the sets of attributes.
        spreads: for each attribute the trace of the noise of its drawn function in the shares of its items.
        constants: the same of the constant.
    """
    known: dict[tuple[tuple[Fraction, Fraction], ...], Fraction] = {}
    needs = []
    for support in supports.all:
        key = tuple(sorted((spreads[i], constants[i]) for i in support))
        if key not in known:
            rest = [constant for i, constant in enumerate(constants) if i not in support]
            others = _elementary(rest, supports.way - len(support))[-1]
            known[key] = math.prod((spreads[i] for i in support), start=others)
        needs.append(known[key])
    largest = max(needs)
    return reduced([max(1, math.isqrt(int(PARTS**2 * need / largest))) for need in needs])


def _elementary(numbers: Sequence[Fraction], degree: int) -> list[Fraction]:
    """Elementary symmetric polynomials of the numbers, of degree 0 to `degree`."""
    found = [Fraction(1)] + [Fraction(0)] * degree
    for number in numbers:
        for place in range(degree, 0, -1):
            found[place] += number * found[place - 1]
    return found

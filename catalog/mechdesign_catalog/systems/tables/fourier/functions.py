"""Functions of one attribute, factors of coefficients, with their chances.

The chances are those of being drawn.

Functions take values in [-1, 1], rationals with a common denominator. With the constant 1 they tell all items apart.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError
from mechdesign.mechanism.sampling import ColumnSampler, WordSource
from mechdesign_catalog.decoders.trees.plan import reduced
from mechdesign_catalog.randomizers.kernels.draws import uniform_below
from mechdesign_catalog.randomizers.kernels.walsh import parity
from mechdesign_catalog.randomizers.oracle import Values
from mechdesign_catalog.randomizers.reports.probabilities import Floats

MOST_ITEMS = 1024
"""Items of an attribute: its functions are written down, a million numbers for so many."""

DENOMINATOR = 1 << 20
"""What values of cosines and of Helmert's functions are rounded to parts of; a power of two, so coins cost one word."""

PARTS = 1 << 16
"""Weights are whole parts of the largest one, so many of them."""


@dataclass(frozen=True, eq=False)
class Functions:
    """The m functions of an attribute with r items, but for the constant.

    Args:
        numerators: `numerators[j, x] / denominator` is function j at item x; shape (m, r).
        denominator: a whole number that no numerator exceeds.
        weights: function j is drawn in proportion to `weights[j]`, a whole number above 0.
        decode: what makes shares of the items from the means of the constant and of the functions, shape (r, m + 1).
    """

    numerators: NDArray[np.int64]
    denominator: int
    weights: tuple[int, ...]
    decode: Floats

    @property
    def count(self) -> int:
        """Number of functions, m."""
        return len(self.numerators)

    @cached_property
    def values(self) -> Floats:
        """Values of the functions, shape (m, r)."""
        return self.numerators / self.denominator

    @cached_property
    def chances(self) -> Floats:
        """Chance that each function is drawn, shape (m,)."""
        return np.array(self.weights) / sum(self.weights)

    def draw(self, count: int, words: WordSource) -> Values:
        """Draw functions by their weights."""
        if len(set(self.weights)) == 1:
            return uniform_below(self.count, count, words) if self.count > 1 else np.zeros(count, dtype=np.int64)
        return self._sampler.draw(words, count)

    @cached_property
    def _sampler(self) -> ColumnSampler:
        return ColumnSampler(list(self.weights), sum(self.weights))

    def signs(self, drawn: Values, items: Values, words: WordSource) -> NDArray[np.bool_]:
        """Draw signs whose mean is the drawn function's value at the user's item; true stands for minus."""
        values = self.numerators[drawn, items]
        if self.denominator == 1:
            return values < 0
        return uniform_below(2 * self.denominator, len(items), words) >= self.denominator + values

    @property
    def spread(self) -> Fraction:
        """Trace of what a drawn function's noise adds to the shares of the items, but for what all attributes share.

        That is `sum_j |d_j|^2 / q_j`, d the columns of `decode` and q the chances, of functions that are orthogonal.
        """
        squares = [int(square) for square in (self.numerators**2).sum(axis=1)]
        total = sum(self.weights)
        norms = (
            Fraction(self.denominator**2 * total, square * w) for square, w in zip(squares, self.weights, strict=True)
        )
        return sum(norms, Fraction(0))


def binary_places(items: int) -> int:
    """Return how many binary places tell so many items apart."""
    return (items - 1).bit_length()


def hadamard_functions(items: int) -> Functions:
    """Make `(-1)^<j, x>` for `1 <= j < 2^b`, b the binary places of r items; each as likely.

    Where r is no power of two, the items from r on are known to have no user.
    """
    codes = 1 << binary_places(items)
    signs = 1 - 2 * parity(np.arange(codes)[:, None] & np.arange(items)).astype(np.int64)
    return Functions(signs[1:], 1, (1,) * (codes - 1), signs.T / codes)


def orthogonal_functions(basis: str, items: int, *, uniform: bool) -> Functions:
    """Make r - 1 functions that are orthogonal to each other and to the constant, but for rounding.

    Args:
        basis: `helmert`, `trigonometric` or `walsh`.
        items: number r of items.
        uniform: whether each is as likely; else by their standard deviations over the items, inverted, which makes the
            noise least.

    Raises:
        InputError: for Walsh functions of a number of items that is no power of two.
    """
    if basis == "walsh":
        if items & (items - 1):
            raise InputError(f"items of attributes must be powers of two for basis=walsh, got {items}")
        return hadamard_functions(items)
    exact = _helmert(items) if basis == "helmert" else _trigonometric(items)
    largest = np.abs(exact).max(axis=1, keepdims=True)
    numerators = np.rint(exact / largest * DENOMINATOR).astype(np.int64)
    with_constant = np.concatenate([np.ones((1, items)), numerators / DENOMINATOR])
    weights = (1,) * (items - 1) if uniform else _inverse_roots([int(s) for s in (numerators**2).sum(axis=1)])
    return Functions(numerators, DENOMINATOR, weights, np.linalg.inv(with_constant))


def _inverse_roots(squares: Sequence[int]) -> tuple[int, ...]:
    """Weights in proportion to `1/sqrt(square)`, in whole parts of the largest, without a common factor."""
    least = min(squares)
    return reduced([max(1, math.isqrt(PARTS**2 * least // square)) for square in squares])


def _helmert(items: int) -> Floats:
    """Function j compares item j with those before it: 1 there, -j at j, 0 after it."""
    places = np.arange(items)
    rows = np.arange(1, items)[:, None]
    return np.where(places < rows, 1.0, np.where(places == rows, -rows, 0.0))


def _trigonometric(items: int) -> Floats:
    """Cosine and sine of each whole frequency from 1 to r/2 around a circle of the items."""
    angles = 2 * np.pi * np.outer(np.arange(1, items // 2 + 1), np.arange(items)) / items
    both = np.stack([np.cos(angles), np.sin(angles)], axis=1).reshape(-1, items)
    return both[: items - 1]

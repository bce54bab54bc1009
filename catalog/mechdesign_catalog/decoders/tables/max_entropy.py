"""Maximum entropy: the joint law of several attributes that has given tables."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mechdesign.errors import InputError, NoAnswerError
from mechdesign_catalog.decoders.tables.family import TableFamily
from mechdesign_catalog.decoders.tables.subsets import Domains
from mechdesign_catalog.randomizers.reports.probabilities import Floats

PRICE = 1e-7
"""How much squared error of the tables is worth one unit of entropy, doubled: next to nothing."""

LARGER_PRICES = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)

MOST_NUMBERS = 2**26
"""Numbers in the matrix of the tables' coefficients: half a gigabyte."""

SLOPE = 1e-8
MOST_STEPS = 500


def max_entropy_law(family: TableFamily, row: Floats) -> Floats:
    """Find the law of all attributes of the family with the most entropy among those with its tables, shape (cells,).

    There need be no such law: tables that agree wherever two overlap may still fit no joint law, and tables with
    empty cells may fit only at the edge. So with u(p) the tables of a law p, and t those in `row`, it is the law that
    maximises

        entropy(p) - |u(p) - t|^2 / (2 price),    price = 1e-7,

    the relaxed problem of Dudik, Phillips and Schapire (JMLR 2007). The sum of squares is over all cells of all tables,
    so the tables are as near to t as those of any law, but for a squared distance of price times the entropy that is
    gained, at most `2e-7 log(cells)`.

    p is the exponential of a sum of functions of `way` attributes each. Their coefficients minimise a strongly convex
    function, found by Newton's method from larger prices down. Where its slope is g, the tables are at most 2g off
    those of the solution, and p is within total variation `g / sqrt(2 price)` of it. Steps end at g = 1e-8.

    Raises:
        InputError: for more cells times coefficients than 2^26.
        NoAnswerError: if 500 steps at one price do not get there.
    """
    return _Problem(family, row).solved()


@dataclass(frozen=True, eq=False)
class _Problem:
    family: TableFamily
    row: Floats

    @cached_property
    def features(self) -> Floats:
        """Functions whose means are the coefficients, scaled as the sum of squares is, (cells, coefficients)."""
        domains = self.family.domains
        cells, count = math.prod(domains), self.family.count - 1
        if cells * count > MOST_NUMBERS:
            raise InputError(
                f"a table must have at most {MOST_NUMBERS} cells times coefficients for max-entropy, "
                f"got {cells} times {count}"
            )
        blocks = [_products(domains, part) for part in self.family.starts if part]
        return np.hstack(blocks) * np.sqrt(self.family.squares[1:])

    @cached_property
    def targets(self) -> Floats:
        """Means of the features that the tables ask for."""
        found: Floats = self.family.coefficients(self.row)[1:] * np.sqrt(self.family.squares[1:])
        return found

    def solved(self) -> Floats:
        """Go down to the price by tens, and not far into the solution of each before the last."""
        weights = np.zeros(self.features.shape[1])
        for price in LARGER_PRICES:
            weights, _ = self._at_price(weights, price, 10 * price)
        return self._at_price(weights, PRICE, SLOPE)[1]

    def _at_price(self, weights: Floats, price: float, enough: float) -> tuple[Floats, Floats]:
        """Minimise the dual function at one price, from these weights, until its slope is small enough."""
        from scipy.linalg import cho_factor, cho_solve

        value, law = self._value(weights, price)
        for _ in range(MOST_STEPS):
            means = law @ self.features
            slope = means - self.targets + price * weights
            if np.linalg.norm(slope) <= enough:
                return weights, law
            bend = (self.features.T * law) @ self.features - np.outer(means, means)
            bend[np.diag_indices_from(bend)] += price
            weights, value, law = self._stepped(weights, -cho_solve(cho_factor(bend), slope), slope, value, price)
        raise NoAnswerError(
            f"max-entropy must reach a slope of at most {enough:.0e} in {MOST_STEPS} steps, "
            f"got {np.linalg.norm(slope):.2g}; ask for a table of fewer attributes"
        )

    def _stepped(
        self, weights: Floats, step: Floats, slope: Floats, value: float, price: float
    ) -> tuple[Floats, float, Floats]:
        """Halve the step until the function goes down, but for rounding."""
        promised = float(slope @ step)
        length = 1.0
        while True:
            found = weights + length * step
            reached, law = self._value(found, price)
            if reached <= value + 1e-4 * length * promised + 1e-13 * max(1.0, abs(value)):
                return found, reached, law
            length /= 2

    def _value(self, weights: Floats, price: float) -> tuple[float, Floats]:
        """Value of the dual function, and the law of these weights."""
        exponents = self.features @ weights
        top = float(exponents.max())
        law = np.exp(exponents - top)
        total = float(law.sum())
        value = top + math.log(total) - float(weights @ self.targets) + price / 2 * float(weights @ weights)
        return value, law / total


def _products(domains: Domains, part: tuple[int, ...]) -> Floats:
    """Products of basis functions that vary over the part's attributes, shape (cells of all, functions)."""
    from scipy.linalg import helmert

    found = np.ones((1, 1))
    for i, r in enumerate(domains):
        found = np.kron(found, helmert(r).T if i in part else np.ones((r, 1)))
    return found

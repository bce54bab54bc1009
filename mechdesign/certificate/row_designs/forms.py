"""The bound of a dual in integers: Gram matrix, form and value.

The Gram matrix is centred; rows must not make the form positive.

With a prior pi/N, a Gram matrix G/d, a dual B/S, prices y/S and 1/alpha = p/q, all in integers,

    N^2 d Gc = (N I - 1 pi') G (N I - pi 1'),      M = B Gc B,
    2 S^2 N^2 d (r'M r - (pi'r)(y'r)/(N S)) = r'C r,      C = 2 B (N^2 d Gc) B - S N d (pi y' + y pi').
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import fmpz_mat
from numpy.typing import NDArray

from mechdesign.problem.workload_problem import WorkloadProblem

Exacts = NDArray[np.object_]


@dataclass(frozen=True, eq=False)
class DualForm:
    """The bound that a dual B and prices y prove, where no row makes the form positive.

    Attributes:
        problem: what is asked.
        prior: integers for the K groups.
        scale: S.
        dual: B S, K x K, Python's integers.
        prices: y S, K of them.
    """

    problem: WorkloadProblem
    prior: tuple[int, ...]
    scale: int
    dual: Exacts
    prices: tuple[int, ...]

    @property
    def entry(self) -> tuple[int, int]:
        """P and q of 1/alpha = p/q, for the alpha of bounds."""
        return self.problem.bound_alpha.denominator, self.problem.bound_alpha.numerator

    @cached_property
    def whole(self) -> int:
        """N, the sum of the prior."""
        return sum(self.prior)

    @cached_property
    def centred(self) -> Exacts:
        """`N^2 d Gc`, K x K."""
        return centred_gram(self.problem, self.prior)

    @cached_property
    def form(self) -> Exacts:
        """The integer matrix C, K x K."""
        found: Exacts = self._quadratic - self._linear(self.prices)
        return found

    @property
    def factor(self) -> int:
        """What the difference of both sides is multiplied by in C."""
        return 2 * self.scale**2 * self.whole**2 * self.problem.merged.denominator

    @cached_property
    def _quadratic(self) -> Exacts:
        found: Exacts = 2 * matrix_product(matrix_product(self.dual, self.centred), self.dual)
        return found

    def _linear(self, prices: Sequence[int]) -> Exacts:
        """`S N d (pi y' + y pi')`."""
        outer = np.outer(np.array(self.prior, dtype=object), np.array(prices, dtype=object))
        found: Exacts = (outer + outer.T) * (self.scale * self.whole * self.problem.merged.denominator)
        return found

    def with_prices(self, prices: Sequence[int]) -> "DualForm":
        """Return the same dual with other prices."""
        return DualForm(self.problem, self.prior, self.scale, self.dual, tuple(prices))

    def bound(self) -> Fraction:
        """Return `tr(B Gc)^2/(1'y) + p'Gp - sum_g p_g G_gg`, the bound where no row makes the form positive.

        Raises:
            ValueError: for prices that do not have a positive sum.
        """
        total = sum(self.prices)
        if total <= 0:
            raise ValueError("prices must have a positive sum")
        trace = int((self.dual * self.centred).sum())
        unit = self.whole**2 * self.problem.merged.denominator
        return Fraction(trace**2, total * self.scale * unit**2) + constant(self.problem, self.prior)


def centred_gram(problem: WorkloadProblem, prior: Sequence[int]) -> Exacts:
    """Return `N^2 d Gc` for a prior pi/N, in integers, K x K."""
    gram, weights, whole = problem.merged.integers, np.array(prior, dtype=object), sum(prior)
    means = matrix_product(gram, weights[:, None])[:, 0]
    middle = int((weights * means).sum())
    found: Exacts = gram * whole**2 - whole * (means[:, None] + means[None, :]) + middle
    return found


def constant(problem: WorkloadProblem, prior: Sequence[int]) -> Fraction:
    """Return `p'Gp - sum_g p_g G_gg`, which the variance has besides `tr(Gc A^-)`."""
    gram, weights, whole = problem.merged.integers, np.array(prior, dtype=object), sum(prior)
    middle = int((weights * matrix_product(gram, weights[:, None])[:, 0]).sum())
    own = int((weights * gram.diagonal()).sum())
    return Fraction(middle - whole * own, whole**2 * problem.merged.denominator)


def matrix_product(left: NDArray[Any], right: NDArray[Any]) -> Exacts:
    """Return the product of two matrices of integers."""
    found = fmpz_mat(left.tolist()) * fmpz_mat(right.tolist())
    return np.array([[int(value) for value in row] for row in found.tolist()], dtype=object)


def full_matrix(triangle: Sequence[Sequence[int]]) -> Exacts:
    """Write the lower triangle of a symmetric matrix, by rows, as the whole matrix."""
    size = len(triangle)
    found = np.zeros((size, size), dtype=object)
    for i, row in enumerate(triangle):
        found[i, : i + 1] = row
        found[: i + 1, i] = row
    return found


def lower_triangle(matrix: Exacts) -> tuple[tuple[int, ...], ...]:
    """Return the lower triangle of a symmetric matrix of integers, by rows."""
    return tuple(tuple(int(value) for value in row[: i + 1]) for i, row in enumerate(matrix))

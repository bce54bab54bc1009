"""The programme over rows, its duals and its solutions, in floats; what they hold is certified exactly later."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.workloads.queries import Floats, Integers
from mechdesign.workloads.symmetries import symmetries_of

Bits = NDArray[np.uint8]

RANK_TOLERANCE = 1e-11
"""Eigenvalues below this part of the largest are taken for 0."""


@dataclass(frozen=True, eq=False)
class RowProgramme:
    """The convex programme for the best weights of the rows in {1, E}^K, E = 1/alpha, under a prior p.

        minimise  tr(Gc A^-1),   A = sum theta_r r r' / (p'r),   sum theta_r r = 1,   theta >= 0

    The variance for a user whose item is drawn from p is that and `constant`; `A p = 1` always, which is why G may be
    centred: `Gc = P'G P`, `P = I - p 1'`, `constant = p'Gp - sum_u p_u G_uu`.

    Attributes:
        entry: E.
        plain: G, the Gram matrix on the groups, K x K.
        prior: p, shape (K,), of sum 1.
        symmetries: permutations of the groups, the identity first, that form a group and leave Gc unchanged under a
            prior that they leave unchanged; `own_symmetries` are those that leave this prior unchanged.
    """

    entry: float
    plain: Floats
    prior: Floats
    symmetries: tuple[Integers, ...]

    @classmethod
    def of(cls, problem: WorkloadProblem, symmetries: tuple[Integers, ...] | None = None) -> "RowProgramme":
        """State the programme of a problem under the prior of items that are equally likely.

        Args:
            problem: the workload and alpha.
            symmetries: those of the workload that are known (`symmetries_of`) where they are left out.
        """
        merged = problem.merged
        plain = (merged.integers / merged.denominator).astype(np.float64)
        found = symmetries_of(problem.workload, merged) if symmetries is None else symmetries
        return cls(float(1 / problem.alpha), plain, np.array(merged.sizes) / merged.k, found)

    def with_prior(self, prior: Floats) -> "RowProgramme":
        """Return the same programme under another prior."""
        return replace(self, prior=prior)

    def values(self, rows: Bits) -> Floats:
        """Return rows of zeros and ones as rows of 1 and E."""
        return 1 + (self.entry - 1) * rows.astype(np.float64)

    @property
    def size(self) -> int:
        """K, the number of groups."""
        return len(self.prior)

    @cached_property
    def gram(self) -> Floats:
        """Gc, the centred Gram matrix, K x K; `Gc p = 0`."""
        centring = np.eye(self.size) - np.outer(self.prior, np.ones(self.size))
        centred = centring.T @ self.plain @ centring
        return (centred + centred.T) / 2

    @cached_property
    def constant(self) -> float:
        """What is added to `tr(Gc A^-1)` for the variance."""
        return float(self.prior @ self.plain @ self.prior - self.prior @ self.plain.diagonal())

    @cached_property
    def own_symmetries(self) -> tuple[Integers, ...]:
        """The symmetries that leave the prior unchanged, too."""
        return tuple(g for g in self.symmetries if np.allclose(self.prior[g], self.prior, rtol=1e-12, atol=0))


@dataclass(frozen=True, eq=False)
class RowDual:
    """A dual of the programme: B and y, which bound the variance of every mechanism where no row exceeds its price.

    The excess of a row r is `a'Ma - y'a` for `a = r / (p'r)`, `M = B Gc B`. Where none is above e >= 0,

        variance >= tr(B Gc)^2 / (1'y + e) + constant.

    Attributes:
        programme: under the prior p that the dual is for.
        matrix: B, symmetric, K x K.
        prices: y, shape (K,).
        root: of a solution over rows, Z, K x q, with `M = Z Z'`; `Z = A^-1 V` for `Gc = V V'`.
        diagonal: of the relaxation, d, shape (K+1,).
        cuts: of the relaxation, integer rows w of odd sums, shape (c, K+1).
        multipliers: of the cuts, shape (c,).
    """

    programme: RowProgramme
    matrix: Floats
    prices: Floats
    root: Floats | None = None
    diagonal: Floats | None = None
    cuts: NDArray[np.int64] | None = None
    multipliers: Floats | None = None

    @cached_property
    def form(self) -> Floats:
        """M, K x K."""
        if self.root is None:
            return self.matrix @ self.programme.gram @ self.matrix
        return self.root @ self.root.T

    def excess(self, rows: Bits) -> Floats:
        """Return the excess of each row."""
        r = self.programme.values(rows)
        means = r @ self.programme.prior
        found: Floats = ((r @ self.form) * r).sum(axis=1) / means**2 - (r @ self.prices) / means
        return found

    def bound(self, excess: float) -> float:
        """Return what no mechanism's variance is below, where no row exceeds its price by more than `excess`."""
        trace = float((self.matrix * self.programme.gram).sum())
        return self.programme.constant + trace**2 / (float(self.prices.sum()) + max(excess, 0.0))


@dataclass(frozen=True, eq=False)
class RowSolution:
    """A mechanism in floats, and a dual that bounds all others, on the K groups.

    Attributes:
        rows: m rows of zeros and ones, where a 1 stands for E, shape (m, K): all of them, or, on the way, one of each
            orbit under the symmetries.
        weights: theta, shape (m,), with `sum theta_r r` near 1; that of an orbit is shared by its rows.
        variance: of the mechanism with the estimator that is best under the dual's prior, about.
        dual: the bound's; its prior is that of the estimator.
        how: the way in words, for the report.
        is_solved: whether columns sum to 1 and the workload can be answered; else these rows do not serve.
    """

    rows: Bits
    weights: Floats
    variance: float
    dual: RowDual
    how: str = ""
    is_solved: bool = True
